#!/usr/bin/env bash
# Nightly backup of a Kestrel cluster: snapshot, verify, copy off site, prune.
# Run by the systemd timer kestrel-backup.timer on the node that carries the label "backup".
set -euo pipefail

BUCKET="${KESTREL_BACKUP_BUCKET:-s3://tarnwood-kestrel-backup-arn}"
KEEP_LOCAL=3                # newest snapshots that stay on the node
MAX_MINUTES=110             # the window ends when the reports start
LOCK=/run/lock/kestrel-backup.lock
STAMP="$(date -u +%Y%m%d-%H%M)"

exec 9>"$LOCK"
if ! flock --nonblock 9; then
  echo "another backup is running; leaving" >&2
  exit 75                   # EX_TEMPFAIL: the timer tries again in 30 minutes
fi

# A learner is asked, so that leaders keep their disks for producers.
SNAPSHOT="$(kestrelctl snapshot create --label "nightly-$STAMP" --from-learner --output json | jq -r .id)"

if ! timeout "${MAX_MINUTES}m" kestrelctl snapshot verify "$SNAPSHOT"; then
  echo "snapshot $SNAPSHOT did not verify; keeping it for the storage team" >&2
  kestrelctl snapshot hold "$SNAPSHOT" --days 30
  exit 1
fi

# The bucket has object lock: nobody, the backup account included, can delete a copy for 35 days.
rclone copy --checksum --transfers 4 --bwlimit 60M "/var/lib/kestrel/snapshots/$SNAPSHOT" "$BUCKET/$STAMP"

kestrelctl snapshot list --output json \
  | jq -r --argjson keep "$KEEP_LOCAL" '[.[] | select(.held | not)] | sort_by(.created) | reverse | .[$keep:] | .[].id' \
  | while read -r old; do kestrelctl snapshot delete "$old" --yes; done

logger -t kestrel-backup "done snapshot=$SNAPSHOT bucket=$BUCKET seconds=$SECONDS"

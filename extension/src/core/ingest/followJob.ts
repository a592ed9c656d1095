/** A job of the daemon until its end, also over a restart of the daemon, which goes on with it. */

import * as l10n from "@vscode/l10n";

import type { Job } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { reachable, type ClientProvider } from "../client/reachable";
import { RagError, isCancelled } from "../common/errors";

const MOST_LOST_CONNECTIONS = 5;

/** Resolves with the finished job. Throws `RagError`, and as `fetch` does when `signal` calls it off. */
export async function followJob(
  daemon: ClientProvider,
  jobId: string,
  onProgress: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job> {
  let client: DaemonClient = await daemon.client();
  for (let lost = 0; ; lost += 1) {
    try {
      for await (const job of client.jobProgress(jobId, signal)) {
        onProgress(job);
        if (hasEnded(job)) return job;
      }
    } catch (error) {
      // A stream that breaks off in its middle fails as the network does, not as one of the daemon's answers.
      const isLost = !(error instanceof RagError) || error.code === "DAEMON_UNREACHABLE";
      if (isCancelled(error) || !isLost || lost === MOST_LOST_CONNECTIONS) throw error;
    }
    if (lost === MOST_LOST_CONNECTIONS) {
      throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon broke off before the work was done."));
    }
    client = await reachable(daemon, signal);
  }
}

export function hasEnded({ status }: Job): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

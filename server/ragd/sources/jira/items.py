"""Issues and attachments as items of a source: what they are called, where they open, and which are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

from ragd.core.errors import PayloadTooLarge
from ragd.ingest.discovery.file_rules import shown
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.rules import ItemRules
from ragd.sources.atlassian.values import mapping, mappings, text_of
from ragd.sources.base import Fetched, Listed, Skip, Unfetched
from ragd.sources.jira.issues import CustomField, envelope, moment, needed, project_of

ISSUE: Final = "issue"
_ATTACHMENT: Final = "attachment"


class Items:
    """`web_base` is where people open issues, `max_size` the most bytes that an attachment may have."""

    def __init__(self, config: Mapping[str, Any], web_base: str, max_size: int) -> None:
        self._config = config
        self._web_base = web_base
        self._rules = ItemRules(config["include"], config["exclude"], max_size)

    def listed(self, issue: Mapping[str, Any]) -> Listed:
        """A cheap listing gives the key alone, which changes when an issue moves to another project."""
        return self._listed(issue, moment(text_of(issue.get("fields"), "updated")))

    def unknown(self, issue: Mapping[str, Any]) -> Listed:
        """An issue of which only the key could be had. Its fingerprint is like no other."""
        return replace(self._listed(issue, ""), fingerprint=_fingerprint(needed(issue, "key"), "?"))

    def _listed(self, issue: Mapping[str, Any], updated: str) -> Listed:
        key = needed(issue, "key")
        return Listed(
            id=f"{ISSUE}/{needed(issue, 'id')}",
            kind=ISSUE,
            title=key,
            container=project_of(key),
            fingerprint=_fingerprint(key, updated) if updated else key,
            updated_at=updated or None,
            left_out=self._rules.filtered(key),
        )

    def version(self, issue: Mapping[str, Any]) -> str:
        return moment(needed(issue.get("fields"), "updated"))

    def attachments(self, issue: Mapping[str, Any], *, all_of_them: bool = False) -> Iterator[Listed]:
        """The files of an issue that was asked for with the field `attachment`, with why some are left out. `all_of_them`: for
        somebody who asks whether they may be read, not whether they should be."""
        key = needed(issue, "key")
        for entry in mappings(mapping(issue.get("fields")).get("attachment")):
            attachment_id, name = needed(entry, "id"), shown(text_of(entry, "filename")) or "unnamed"
            created = moment(text_of(entry, "created"))
            path = f"{key}/{name.replace('/', '_')}"
            stated = entry.get("size")
            size = stated if isinstance(stated, int) else 0
            yield Listed(
                id=f"{_ATTACHMENT}/{attachment_id}",
                kind=_ATTACHMENT,
                title=name,
                container=project_of(key),
                fingerprint=_fingerprint(key, created),
                owner=f"{ISSUE}/{needed(issue, 'id')}",
                updated_at=created,
                left_out=None if all_of_them else self._rules.filtered(path) or self._rules.unusable(name, size),
                hint={"key": key, "name": name, "created": created},
            )

    def fetched(
        self, issue: Mapping[str, Any], comments: Sequence[Mapping[str, Any]], custom: Sequence[CustomField]
    ) -> Fetched | Unfetched:
        key, item_id = needed(issue, "key"), f"{ISSUE}/{needed(issue, 'id')}"
        url = f"{self._web_base}/browse/{key}"
        try:
            data = envelope(issue, comments, custom, deployment=self._config["deployment"], url=url)
        except RecursionError:
            return Unfetched(item_id, Skip("parse_error", "A text of the issue is nested too deeply to be read."))
        updated = self.version(issue)

        def load(limit: int) -> bytes:
            if len(data) > limit:
                raise PayloadTooLarge(f"Issue {key} has {len(data):,} bytes of text; {limit:,} are allowed.")
            return data

        return Fetched(
            id=item_id,
            fingerprint=_fingerprint(key, updated),
            version=updated,
            title=" ".join(f"{key}: {text_of(issue.get('fields'), 'summary')}".split()),
            source=key,
            uri=url,
            name=f"{key}.json",
            load=load,
            loader="jira",
            updated_at=updated,
        )

    def fetched_attachment(self, item: Listed, client: AtlassianClient) -> Fetched | Unfetched:
        """From what was listed: an attachment never changes, but for the key of its issue."""
        number = item.remote_id
        key, name, created = (str(item.hint.get(known) or "") for known in ("key", "name", "created"))
        if not key or not name:
            return Unfetched(
                item.id, Skip("failed", f"{item.id} was listed without its name. It is listed anew when its issue changes.")
            )
        web = f"/secure/attachment/{number}/{quote(name, safe='')}"
        # Data Center's own links hold the address that its administrator set, which may not be the one that we reach it by.
        address = f"/rest/api/3/attachment/content/{number}" if self._config["deployment"] == "cloud" else web
        return Fetched(
            id=item.id,
            fingerprint=_fingerprint(key, created),
            version=created,
            title=name,
            source=f"{key}/{name.replace('/', '_')}",
            uri=f"{self._web_base}{web}",
            name=name,
            load=lambda limit: client.download(address, limit),
            updated_at=created or None,
        )


def _fingerprint(key: str, updated: str) -> str:
    """What stands before the bar is all that a cheap listing gives."""
    return f"{key}|{updated}"

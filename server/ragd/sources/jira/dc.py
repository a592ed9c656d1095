"""Jira Data Center: searches by position, bodies in wiki markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ragd.core.errors import SourceUnavailable
from ragd.sources.atlassian.values import mappings, text_of
from ragd.sources.jira.api import BATCH, Issue, JiraApi

_A_PAGE: Final = 1000
_STEPS_BACK: Final = 20


class JiraDataCenter(JiraApi):
    prefix = "/rest/api/2"

    def search(self, jql: str) -> Iterator[Issue]:
        """Positions shift when an issue is deleted meanwhile. So each page begins with the last issue of the one before; when it
        does not, the search goes back until it meets what it has seen, so that none is missed."""
        seen: set[str] = set()
        start = steps_back = longest = 0
        while True:
            page = self._page(f"{jql} ORDER BY key ASC", start, _A_PAGE, ["key"])
            issues = mappings(page["issues"])
            ids = [text_of(issue, "id") for issue in issues]
            longest = max(longest, len(ids))
            if start and (not ids or ids[0] not in seen):
                steps_back += 1
                if steps_back > _STEPS_BACK:
                    raise SourceUnavailable("Jira's issues change faster than they can be listed. Try again later.")
                start = max(0, min(start, page["total"]) - longest)
                continue
            for issue, issue_id in zip(issues, ids, strict=True):
                if issue_id not in seen:
                    seen.add(issue_id)
                    yield issue
            if start + len(ids) >= page["total"]:
                return
            if len(ids) <= (1 if start else 0):
                raise SourceUnavailable("Jira ended its listing of issues too early. Try again.")
            start += len(ids) - 1

    def issues(self, ids: Sequence[str], fields: Sequence[str]) -> dict[str, Issue]:
        # Without `validateQuery` one issue that is gone would make it refuse all.
        page = self._page(f"id in ({','.join(ids)})", 0, BATCH, list(fields), validateQuery="false")
        return {text_of(issue, "id"): issue for issue in mappings(page["issues"])}

    def count(self, jql: str) -> int | None:
        total = self._page(jql, 0, 0, ["key"])["total"]
        return int(total)

    def projects(self) -> dict[str, str]:
        found = self.client.get(f"{self.prefix}/project")
        return {text_of(entry, "key"): text_of(entry, "name") for entry in mappings(found)}

    def _page(self, jql: str, start: int, size: int, fields: Sequence[str], **options: str) -> dict[str, Any]:
        page = self.client.get(
            f"{self.prefix}/search",
            {"jql": jql, "startAt": start, "maxResults": size, "fields": ",".join(fields), **options},
        )
        if not isinstance(page, dict) or not isinstance(page.get("issues"), list) or not isinstance(page.get("total"), int):
            raise SourceUnavailable("Jira gave a listing of issues that is none. Try again.")
        return page

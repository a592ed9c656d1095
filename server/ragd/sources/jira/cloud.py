"""Jira Cloud: searches by `nextPageToken`, issues in bulk, bodies in the Atlassian Document Format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ragd.core.errors import SourceUnavailable
from ragd.sources.atlassian.responses import RequestRefused
from ragd.sources.atlassian.values import mapping, mappings, text_of
from ragd.sources.jira.api import Issue, JiraApi

_KEYS_A_PAGE: Final = 5000
"""The most that a site gives, and only of keys alone."""
_PROJECTS_A_PAGE: Final = 100


class JiraCloud(JiraApi):
    prefix = "/rest/api/3"

    def search(self, jql: str) -> Iterator[Issue]:
        """A page token that is no longer good means to begin once more; what was given already is not given again."""
        seen: set[str] = set()
        begun_again = False
        token: str | None = None
        used: set[str] = set()
        while True:
            body: dict[str, Any] = {"jql": f"{jql} ORDER BY key ASC", "fields": ["key"], "maxResults": _KEYS_A_PAGE}
            if token is not None:
                body["nextPageToken"] = token
            try:
                page = self.client.post(f"{self.prefix}/search/jql", body)
            except RequestRefused as error:
                if token is None:
                    raise
                if begun_again:
                    raise SourceUnavailable(f"Jira does not go on with its own listing: {error.message}") from error
                begun_again, token = True, None
                used.clear()
                continue
            if not isinstance(page, dict) or not isinstance(page.get("issues"), list):
                raise SourceUnavailable("Jira gave a listing of issues that is none. Try again.")
            for issue in mappings(page["issues"]):
                if (issue_id := text_of(issue, "id")) not in seen:
                    seen.add(issue_id)
                    yield issue
            token = text_of(page, "nextPageToken") or None
            if token is None:
                if page.get("isLast") is False:
                    raise SourceUnavailable("Jira ended its listing of issues too early. Try again.")
                return
            if token in used:
                raise SourceUnavailable("Jira goes round in circles in its listing of issues. Try again.")
            used.add(token)

    def issues(self, ids: Sequence[str], fields: Sequence[str]) -> dict[str, Issue]:
        answer = self.client.post(
            f"{self.prefix}/issue/bulkfetch", {"issueIdsOrKeys": list(ids), "fields": list(fields), "fieldsByKeys": False}
        )
        return {text_of(issue, "id"): issue for issue in mappings(mapping(answer).get("issues"))}

    def count(self, jql: str) -> int | None:
        found = mapping(self.client.post(f"{self.prefix}/search/approximate-count", {"jql": jql})).get("count")
        return found if isinstance(found, int) else None

    def projects(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while True:
            asked = {"startAt": len(found), "maxResults": _PROJECTS_A_PAGE, "orderBy": "key", "action": "browse"}
            page = mapping(self.client.get(f"{self.prefix}/project/search", asked))
            before = len(found)
            found.update((text_of(entry, "key"), text_of(entry, "name")) for entry in mappings(page.get("values")))
            if page.get("isLast") is True:
                return found
            if len(found) == before:
                raise SourceUnavailable("Jira ended its listing of projects too early. Try again.")

"""What a Jira source asks of a site, and the part of it that Cloud and Data Center answer alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import SourceUnavailable
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import mapping, mappings, text_of
from ragd.sources.jira.issues import CustomField

Issue = Mapping[str, Any]

BATCH: Final = 100
"""Issues that are asked for together; the most that Cloud gives."""
_COMMENTS_A_PAGE: Final = 100


class JiraApi(ABC):
    """One account at one site. Issues are as Jira's JSON has them."""

    prefix: str

    def __init__(self, client: AtlassianClient) -> None:
        self.client = client

    @abstractmethod
    def search(self, jql: str) -> Iterator[Issue]:
        """Id and key of every issue that the JQL finds, each once. `jql` has no order of its own."""

    @abstractmethod
    def issues(self, ids: Sequence[str], fields: Sequence[str]) -> dict[str, Issue]:
        """At most `BATCH` issues by id; those that are gone, or that the token may not read, are left out."""

    @abstractmethod
    def count(self, jql: str) -> int | None:
        """How many issues the JQL finds, perhaps roughly; None when the site does not say."""

    @abstractmethod
    def projects(self) -> dict[str, str]:
        """Names of the projects that the account may see, by key."""

    def custom_fields(self, wanted: Sequence[str]) -> dict[str, list[CustomField]]:
        """Fields by what they are called in `wanted`: their id, or their name, which several may share."""
        found: dict[str, list[CustomField]] = {}
        names = {name.casefold(): name for name in wanted}
        for entry in mappings(self.client.get(f"{self.prefix}/field")) if wanted else ():
            rich = text_of(entry.get("schema"), "custom").endswith(":textarea")
            field = CustomField(text_of(entry, "id"), text_of(entry, "name"), rich)
            called = next((name for name in (field.id, field.name) if name.casefold() in names), None)
            if called is not None:
                found.setdefault(names[called.casefold()], []).append(field)
        return found

    def comments(self, issue: Issue) -> list[Mapping[str, Any]]:
        """All comments of an issue that was asked for with the field `comment`, which holds them only up to a number."""
        held = mapping(mapping(issue.get("fields")).get("comment"))
        inlined = mappings(held.get("comments"))
        total = held.get("total")
        if isinstance(total, int) and total <= len(inlined):
            return inlined
        found: dict[str, Mapping[str, Any]] = {}
        start = 0
        while True:
            page = mapping(
                self.client.get(
                    f"{self.prefix}/issue/{text_of(issue, 'id')}/comment",
                    {"startAt": start, "maxResults": _COMMENTS_A_PAGE, "orderBy": "created"},
                )
            )
            comments = mappings(page.get("comments"))
            found.update((text_of(comment, "id"), comment) for comment in comments)
            start += len(comments)
            total = page.get("total")
            if not isinstance(total, int) or (not comments and start < total):
                raise SourceUnavailable(f"Jira ended the comments of issue {text_of(issue, 'id')} too early. Try again.")
            if start >= total:
                return list(found.values())

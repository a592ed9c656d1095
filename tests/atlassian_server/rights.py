"""Tokens and what each may read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .model import Attachment, Comment, Issue, Page, User

if TYPE_CHECKING:
    from .store import Store

TokenKind = Literal["api_token", "pat", "oauth"]


@dataclass(slots=True)
class Account:
    """One token, and whose it is. `grants` holds `space:KEY`, `project:KEY`; `denied` holds ids."""

    token: str
    kind: TokenKind
    user: User
    admin: bool = False
    grants: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    time_zone: str = ""

    def may_see_space(self, key: str) -> bool:
        return self.admin or f"space:{key}" in self.grants or "space:*" in self.grants

    def may_see_project(self, key: str) -> bool:
        return self.admin or f"project:{key}" in self.grants or "project:*" in self.grants

    def may_read_page(self, world: Store, page: Page) -> bool:
        """A restriction holds for everything below the page; none means inherited, not nobody."""
        if not self.may_see_space(page.space) or page.id in self.denied:
            return False
        above: Page | None = page
        while above is not None:
            if above.readers is not None and self.token not in above.readers and not self.admin:
                return False
            above = world.pages.get(above.parent) if above.parent else None
        return True

    def may_read_issue(self, issue: Issue) -> bool:
        if not self.may_see_project(issue.project) or issue.id in self.denied or issue.key in self.denied:
            return False
        return issue.readers is None or self.admin or self.token in issue.readers

    def may_read(self, world: Store, item: object) -> bool:
        """Rights to a page, comment, attachment or issue; what was deleted for good is read by nobody."""
        if isinstance(item, (Comment, Attachment)):
            owner = world.pages.get(item.owner) or world.issues.get(item.owner)
            return item.id not in self.denied and owner is not None and self.may_read(world, owner)
        if isinstance(item, Page):
            return self.may_read_page(world, item)
        if isinstance(item, Issue):
            return not item.deleted and self.may_read_issue(item)
        return False

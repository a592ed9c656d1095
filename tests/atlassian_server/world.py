"""The world of the double: generated content, tokens, and what these may read."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID, uuid5

from .confluence_changes import ConfluenceChanges
from .generate import generate
from .jira_changes import JiraChanges
from .model import Attachment, Comment, Issue, Page, User
from .rights import Account, TokenKind

_NAMES = UUID("0d4ae8ba-39a2-4b0c-9a5e-0c3bb4a4b0de")


class World(ConfluenceChanges, JiraChanges):
    def __init__(self, seed: int = 1, spaces: int = 3, pages: int = 300, projects: int = 2, issues: int = 300) -> None:
        """Content from a seed: the same seed and sizes give the same content. `pages` counts blog posts too."""
        super().__init__(seed)
        generate(self, spaces, pages, projects, issues)

    # Tokens

    def token(self, name: str, *, email: str | None = None, kind: TokenKind = "api_token", admin: bool = False) -> str:
        """A new token of a new person, who may read nothing yet (`admin`: all). The email is NAME@example.com by default."""
        token = f"{kind}-{name}-{uuid5(_NAMES, f'{self.seed}/{kind}/{name}').hex[:16]}"
        user = self.add_user(name.replace("-", " ").title(), name=name, email=email or f"{name}@example.com")
        with self.lock:
            self.accounts[token] = Account(token, kind, user, admin)
        return token

    def grant(self, token: str, *rights: str) -> None:
        """Rights are `space:KEY`, `project:KEY`, `space:*`, `project:*`."""
        with self.lock:
            self.accounts[token].grants.update(rights)

    def ungrant(self, token: str, *rights: str) -> None:
        with self.lock:
            self.accounts[token].grants.difference_update(rights)

    def deny(self, token: str, item: str) -> None:
        """Hide one item (`page/123`, `issue/10001`, `attachment/att9`) from a token, without a trace in the item."""
        with self.lock:
            self.accounts[token].denied.add(item.rsplit("/", 1)[-1])

    def revoke(self, token: str) -> None:
        """The token is none from now on: 401."""
        with self.lock:
            del self.accounts[token]

    def add_user(self, display_name: str, *, name: str = "", email: str = "") -> User:
        number = self.next_number("user", 1)
        made = uuid5(_NAMES, f"{self.seed}/user/{number}")
        login = name or f"user{number}"
        user = User(f"712020:{made}", made.hex, login, display_name, email or f"{login}@example.com")
        with self.lock:
            self.users[user.account_id] = user
        return user

    # What a token should be able to read; for tests that count

    def readable_pages(self, token: str, *spaces: str) -> list[Page]:
        """Current pages and blog posts that a token may read, of these spaces or of all."""
        account = self.accounts[token]
        return [
            page
            for page in self.pages.values()
            if page.kind != "folder"
            and page.status == "current"
            and (not spaces or page.space in spaces)
            and account.may_read_page(self, page)
        ]

    def readable_issues(self, token: str, *projects: str) -> list[Issue]:
        account = self.accounts[token]
        return [
            issue
            for issue in self.issues.values()
            if (not projects or issue.project in projects) and account.may_read(self, issue)
        ]

    def attachments_of(self, owners: Iterable[Page | Issue]) -> list[Attachment]:
        return [found for owner in owners for found in self.children(owner.id, Attachment)]

    def comments_of(self, owners: Iterable[Page | Issue]) -> list[Comment]:
        return [found for owner in owners for found in self.children(owner.id, Comment)]

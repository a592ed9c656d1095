"""What people do in Confluence. Changes reach searches after `index_lag_s`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .model import Attachment, Comment, Page
from .store import Store, bare


class ConfluenceChanges(Store):
    def add_page(self, space: str, parent: str | None, title: str, body: str, *, kind: str = "page", author: str = "") -> Page:
        """A new page (`kind` blogpost, folder) below `parent` (an id; None: below the space's home page)."""
        now = self.clock.now()
        with self.lock:
            above = None if kind == "blogpost" else bare(parent) if parent else self.spaces[space].homepage or None
            who = author or next(iter(self.users))
            page = Page(str(self.next_number("page", 100001)), now, now, who, now, None, kind, space, title, above, content=body)
            page.editor = who
            return self.keep_page(page)

    def edit_page(self, id: str | int, body: str | None = None, title: str | None = None) -> Page:
        """A new version of a page."""
        page = self._page_to_change(id)
        with self.lock:
            page.content = page.content if body is None else body
            page.title = page.title if title is None else title
            page.version += 1
            page.updated = self.clock.now()
        return page

    def move_page(self, id: str | int, parent: str | int) -> Page:
        """Below another page, maybe of another space, with all below it. As on the real one, versions and dates stay."""
        page = self._page_to_change(id)
        with self.lock:
            page.parent = bare(parent)
            space = self.pages[page.parent].space
            for moved in [page, *self.below(page.id)]:
                moved.space = space
        return page

    def delete_page(self, id: str | int, *, purge: bool = False) -> None:
        """Into the trash, or away for good. Pages below move up to the parent, as on the real one."""
        page = self._page_to_change(id)
        with self.lock:
            for child in self.pages.values():
                if child.parent == page.id:
                    child.parent = page.parent
            if purge:
                del self.pages[page.id]
            page.status = "trashed"

    def restrict(self, id: str | int, readers: Iterable[str] | None = ()) -> None:
        """Only these tokens may read the page and what is below it; None lifts the restriction."""
        with self.lock:
            self.pages[bare(id)].readers = None if readers is None else frozenset(readers)

    def label(self, id: str | int, *labels: str) -> None:
        """The labels of a page, in place of those it had. Version and date stay."""
        page = self._page_to_change(id)
        with self.lock:
            page.labels = list(labels)

    def hide_storage(self, id: str | int) -> None:
        """This page has no storage format from now on; only `view` shows it."""
        with self.lock:
            self.pages[bare(id)].without_storage = True

    def blank_storage(self, id: str | int, view: str = "") -> None:
        """The storage format of this page or comment holds nothing from now on, and `view` is what is shown of it."""
        with self.lock:
            if page := self.pages.get(bare(id)):
                page.content, page.viewed = "<p></p>", view
            else:
                comment = self.comments[bare(id)]
                comment.body, comment.viewed = "", view

    def add_comment(
        self,
        id: str | int,
        body: str,
        *,
        kind: str = "footer",
        parent: str | None = None,
        selection: str = "",
        resolved: bool = False,
        author: str = "",
    ) -> Comment:
        """On a page, in storage format. The page's version and date stay, as on the real one."""
        now = self.clock.now()
        with self.lock:
            who = author or next(iter(self.users))
            number = str(self.next_number("comment", 700001))
            comment = Comment(number, now, now, who, now, None, bare(id), kind, body, parent, selection, resolved)
            return self.keep_part(comment)

    def edit_comment(self, id: str, body: Any) -> Comment:
        comment = self.comments[bare(id)]
        with self.lock:
            comment.will_change(self.clock.now(), self.index_lag_s)
            comment.body, comment.updated, comment.version = body, self.clock.now(), comment.version + 1
        return comment

    def attach(self, id: str | int, name: str, data: bytes, media_type: str) -> Attachment:
        """To a page. The same name again is a new version of the same attachment."""
        now = self.clock.now()
        with self.lock:
            for old in self.children(bare(id), Attachment):
                if old.name == name:
                    old.will_change(now, self.index_lag_s)
                    old.content, old.media_type, old.updated, old.version = data, media_type, now, old.version + 1
                    return old
            number = f"att{self.next_number('attachment', 900001)}"
            who = next(iter(self.users))
            return self.keep_part(Attachment(number, now, now, who, now, None, bare(id), name, media_type, data))

    def delete_attachment(self, id: str) -> None:
        with self.lock:
            self._drop(self.attachments.pop(bare(id)))

    def delete_comment(self, id: str) -> None:
        with self.lock:
            self._drop(self.comments.pop(bare(id)))

    def remove_space(self, key: str) -> None:
        """The space with all that is in it is away for good."""
        with self.lock:
            del self.spaces[key]
            for page in [page for page in self.pages.values() if page.space == key]:
                del self.pages[page.id]

    def _drop(self, part: Comment | Attachment) -> None:
        self.of_owner[part.owner].remove(part.id)

    def _page_to_change(self, id: str | int) -> Page:
        page = self.pages[bare(id)]
        page.will_change(self.clock.now(), self.index_lag_s)
        return page

"""Where the pages of Confluence Cloud stand: the page tree, put together from parents, which is all that v2 gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ragd.sources.atlassian.values import dig, text_of

_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class _Node:
    """A page or folder. `parent` is an id, "" at the top; `below` what kind of thing that is (`page`, `folder`, …)."""

    title: str
    parent: str
    below: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> _Node:
        parent = text_of(raw, "parentId")
        return cls(text_of(raw, "title"), parent, (text_of(raw, "parentType") or "page") if parent else "")


class Tree:
    """Pages and folders by id; an id that can't be had is there as None.

    Folders are asked for one by one, so only where a page is fetched. What a fingerprint covers ends at the first one: a listing
    says the same of a page as a fetch.
    """

    def __init__(self) -> None:
        self._pages: dict[str, _Node | None] = {}
        self._folders: dict[str, _Node | None] = {}

    def add(self, pages: Iterable[Mapping[str, Any]]) -> None:
        for raw in pages:
            self._pages[text_of(raw, "id")] = _Node.of(raw)

    def add_ancestors(self, page: Mapping[str, Any]) -> None:
        """What the search says of those above a page. It may be late: a page that is known stays as it is."""
        parent = ""
        for raw in dig(page, "ancestors") or ():
            if text_of(raw, "type") not in {"", "page"}:
                return
            id_ = text_of(raw, "id")
            self._pages.setdefault(id_, _Node(text_of(raw, "title"), parent, "page" if parent else ""))
            parent = id_

    def add_missing(self, ids: Iterable[str]) -> None:
        for id_ in ids:
            self._pages.setdefault(id_, None)

    def add_folder(self, id_: str, raw: Mapping[str, Any] | None) -> None:
        self._folders[id_] = _Node.of(raw) if raw is not None else None

    def unknown_pages(self, pages: Iterable[Mapping[str, Any]]) -> set[str]:
        """The nearest page above each that was not asked for yet."""
        return {id_ for id_, below in map(self._end, pages) if below == "page" and id_ not in self._pages}

    def unknown_folders(self, pages: Iterable[Mapping[str, Any]]) -> set[str]:
        return {id_ for id_, below in map(self._end, pages) if below == "folder" and id_ not in self._folders}

    def place(self, page: Mapping[str, Any]) -> tuple[str, ...]:
        """What a fingerprint covers: titles up to the first thing that is no page, and the id of that."""
        node = _Node.of(page)
        titles: list[str] = []
        for _ in range(_DEEPEST):
            above = self._pages.get(node.parent) if node.below == "page" else None
            if above is None:
                return (*((f"?{node.parent}",) if node.parent else ()), *reversed(titles))
            titles.append(above.title)
            node = above
        return tuple(reversed(titles))

    def titles(self, page: Mapping[str, Any]) -> tuple[str, ...]:
        """The titles above a page, the outermost first, as far as they are known."""
        node = _Node.of(page)
        titles: list[str] = []
        for _ in range(_DEEPEST):
            above = self._above(node)
            if above is None:
                break
            titles.append(above.title)
            node = above
        return tuple(reversed(titles))

    def _above(self, node: _Node) -> _Node | None:
        return (self._folders if node.below == "folder" else self._pages).get(node.parent)

    def _end(self, page: Mapping[str, Any]) -> tuple[str, str]:
        """The id and kind of the first thing above a page that is not known; "" at the top."""
        node = _Node.of(page)
        for _ in range(_DEEPEST):
            above = self._above(node)
            if above is None:
                break
            node = above
        return node.parent, node.below

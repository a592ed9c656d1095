"""What the documents of files are called: by their path below the outermost folder that was ever added to their collection.

So a file keeps its name when it, or a folder that holds it, is ingested again by itself. Where two files of one collection would
be called the same, the one that came later has as many of the folders above it in its name as tell it apart; the whole path does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragd.core.ids import hash32
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.items import FileItem, Item, file_is_gone
from ragd.store.file_documents import FileDocuments, Located

_UPLOADED = "uploads/"
"""Stands before the name of an upload that a file has already."""


@dataclass(frozen=True, slots=True)
class Named:
    """What is to be read, under its names. `ids` are of the documents of the items, by their URIs.

    `renamed` (doc_id -> name) are documents that are called otherwise from now on and are to be stored anew, as names can be
    searched for; `empty` are those that have no content. `folders` are those of the collection, and `has_new` whether one of them
    came with this run.
    """

    items: list[Item]
    ids: Mapping[str, str]
    renamed: Mapping[str, str]
    empty: Mapping[str, str]
    folders: Sequence[Path]
    has_new: bool


class DocumentPaths:
    """Names documents. `uploads` is the folder of uploaded files, which have the names that they came with."""

    def __init__(self, files: FileDocuments, uploads: Path, allowed_roots: Sequence[str]) -> None:
        self._files = files
        self._uploads = uploads.resolve()
        self._allowed = [Path(root).expanduser().resolve() for root in allowed_roots]

    def name(self, kb_id: str, found: Found, gone: Collection[str] = ()) -> Named:
        """The items under their names. `gone` are documents whose files are no more: nobody has to be told apart from them."""
        # Two uploads of one name are one file, the later one.
        items = list({item.uri: item for item in found.items}.values())
        ids = {item.uri: hash32(kb_id, item.uri) for item in items if isinstance(item, FileItem)}
        stored = self._files.folders(kb_id)
        documents = self._files.all(kb_id) if stored is None else []
        folders = self._implied(documents) if stored is None else stored
        every = _outermost_of([*folders, *found.folders])
        naming = _Naming(every, self._uploads, gone)
        is_new = stored is None or any(_outermost(folder, folders) is None for folder in found.folders)
        if is_new:
            documents = documents or self._files.all(kb_id)
        elif ids:
            wanted = [name for item in items if isinstance(item, FileItem) for name in naming.names(item, None)]
            documents = self._files.some(kb_id, ids.values(), wanted)
        known = {document.path: document for document in documents}
        naming.note(documents)
        names: dict[str, str] = {}
        # Who has a name keeps it.
        for item in sorted(items, key=lambda item: isinstance(item, FileItem) and item.path not in known):
            if isinstance(item, FileItem):
                there = known.get(item.path)
                names[item.uri] = naming.settle(item.path, naming.names(item, there), there)
                ids[item.uri] = there.doc_id if there else ids[item.uri]
        if is_new:
            naming.settle_others(documents)
        with_content = {document.doc_id for document in documents if document.has_content}
        return Named(
            [self._named(item, names, every) for item in items],
            ids,
            {doc_id: name for doc_id, name in naming.renamed.items() if doc_id in with_content},
            {doc_id: name for doc_id, name in naming.renamed.items() if doc_id not in with_content},
            every,
            is_new,
        )

    def keep(self, kb_id: str, named: Named) -> None:
        """Remember the folders, once the documents are called by them."""
        if named.empty or named.has_new:
            # Another process may have added one since they were named.
            now = self._files.folders(kb_id) or []
            self._files.put(kb_id, _outermost_of([*now, *named.folders]), named.empty)

    def _named(self, item: Item, names: Mapping[str, str], roots: Sequence[Path]) -> Item:
        if not isinstance(item, FileItem):
            return item
        return replace(item, source=names[item.uri], root=self._links_root(item, roots))

    def _implied(self, documents: Iterable[Located]) -> list[Path]:
        """The folders by which documents are called that an earlier release stored: its paths had no other beginning."""
        found = set()
        for document in documents:
            parts = document.source.split("/")
            below = tuple(shown(part) for part in document.path.parts[-len(parts) :])
            if len(parts) > 1 and below == tuple(parts) and not document.path.is_relative_to(self._uploads):
                found.add(document.path.parents[len(parts) - 1])
        return _outermost_of(found)

    def _links_root(self, item: FileItem, roots: Sequence[Path]) -> Path | None:
        """The folder that links to pictures may not leave: the one that was added, as far as it may be read."""
        root = _outermost(item.path, roots)
        allowed = [folder for folder in self._allowed if item.path.is_relative_to(folder)]
        return item.root if root is None else max([root, *allowed[:1]], key=lambda folder: len(folder.parts))


class _Naming:
    """The names of one collection's documents, as they are given one after the other."""

    def __init__(self, roots: Sequence[Path], uploads: Path, gone: Collection[str]) -> None:
        self.renamed: dict[str, str] = {}
        self._roots = roots
        self._uploads = uploads
        self._gone = gone
        self._holders: dict[str, dict[Path, str | None]] = {}

    def note(self, documents: Iterable[Located]) -> None:
        """Take in what documents are called."""
        for document in documents:
            self._holders.setdefault(document.source, {})[document.path] = document.doc_id

    def names(self, item: FileItem, known: Located | None) -> list[str]:
        """What a file may be called, the best name first."""
        return self._names(item.path, item.place, known.source if known else item.source)

    def settle_others(self, documents: Iterable[Located]) -> None:
        """Rename the documents that a new folder holds, though nobody looked at them in this run."""
        for document in documents:
            if document.doc_id in self._gone or _outermost(document.path, self._roots) is None:
                continue
            names = self._names(document.path, None, document.source)
            if document.source not in names:
                self.settle(document.path, names, document)

    def settle(self, path: Path, names: Sequence[str], known: Located | None) -> str:
        """Give a file the name that it has, if that is one of `names`, or else the first of them that no other file has."""
        current = self.renamed.get(known.doc_id, known.source) if known else ""
        wanted = ([current] if current in names else []) + list(names)
        name = next((name for name in wanted if self._is_free(name, path)), wanted[-1])
        if known is not None and name != current:
            self.renamed[known.doc_id] = name
            self._holders[known.source].pop(path, None)
        self._holders.setdefault(name, {})[path] = known.doc_id if known else None
        return name

    def _names(self, path: Path, place: Path | None, given: str) -> list[str]:
        if path.is_relative_to(self._uploads):
            name = given.removeprefix(_UPLOADED)
            return [name, _UPLOADED + name]
        for at in (path, place):  # where it is; and where it was found, which is by a link
            if at is not None and (root := _outermost(at, self._roots)) is not None:
                return _longer(at, len(at.relative_to(root).parts))
        parts = tuple(given.split("/"))
        return _longer(path, len(parts)) if parts == _shown(path)[-len(parts) :] else [given]

    def _is_free(self, name: str, path: Path) -> bool:
        return all(
            other == path or doc_id in self._gone or (doc_id is not None and file_is_gone(other))
            for other, doc_id in self._holders.get(name, {}).items()
        )


def _longer(path: Path, least: int) -> list[str]:
    """The last parts of a path, at least so many of them, up to two more; and all of it, which no other file has."""
    parts = _shown(path)
    return [*("/".join(parts[-count:]) for count in range(least, min(least + 3, len(parts)))), shown(path.as_posix())]


def _shown(path: Path) -> tuple[str, ...]:
    return tuple(shown(part) for part in path.parts)


def _outermost(path: Path, roots: Iterable[Path]) -> Path | None:
    holding = (root for root in roots if path.is_relative_to(root))
    return min(holding, key=lambda root: len(root.parts), default=None)


def _outermost_of(folders: Iterable[Path]) -> list[Path]:
    every = set(folders)
    return sorted(folder for folder in every if every.isdisjoint(folder.parents))

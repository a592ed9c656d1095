"""Documents as people and programs ask for them: their rows, versions, content, sections and chunks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, case, exists, false, func, or_, select, true

from ragd.core.documents import Place
from ragd.core.errors import DocumentDeleted, DocumentNotFound, NotFound
from ragd.store.database.repository import Repository, as_dict, count_of, rows_in
from ragd.store.database.schema import chunks, collections, documents, occurrences, sections, version_assets, versions
from ragd.store.origins import LEFT

_NAMED: Final = 100
_OF_A_VERSION: Final = (
    *("version_id", "status", "content_hash", "profile_id", "loader", "loader_version", "parser", "md_sha256"),
    *("size", "section_count", "section_hash", "chunk_count", "chunk_hash", "created_at", "ready_at"),
)


class DocumentReader(Repository):
    def page(
        self,
        kb_id: str | None = None,
        status: str | None = None,
        page: int = 1,
        page_size: int = 20,
        *,
        unnamed: Collection[str] = (),
        among: Collection[str] | None = None,
        text: str | None = None,
        folder: str | None = None,
        unprocessed: bool | None = None,
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of documents by source, and how many there are in all; deleted ones only when asked for.

        Documents of the sources `unnamed` come last, by id: their place among the others would reveal what they are called. So
        do deleted ones that came from elsewhere. Those of other collections than `among` are left out, if that is given.
        `text` is a part of the path or the title, in whatever case; those that come last are left out then. `folder` keeps what
        lies in this folder itself, "" in none; those that come last lie in none. `unprocessed` keeps those with pictures that are
        not described yet, or those without; those that come last are left out then.
        """
        gone = select(collections.c.kb_id).where(collections.c.status == "deleted")
        # Not a join, nor IN: SQLite would find the documents by collection then, and sort all of them for each page.
        where: list[ColumnElement[bool]] = [documents.c.kb_id.not_in(gone)]
        where.append(documents.c.status == status if status else documents.c.status != "deleted")
        if kb_id:
            where.append(documents.c.kb_id == kb_id)
        if among is not None:
            where.append(documents.c.kb_id.in_(among))
        last: list[ColumnElement[bool]] = [documents.c.source_id.in_(unnamed)] if unnamed else []
        last += [LEFT] if status == "deleted" else []
        hidden = func.coalesce(or_(*last), false()) if last else false()
        first = [*where, ~hidden] if last else list(where)
        if text:
            first.append(_holds(text))
        if folder is not None:
            first += [_lies_below(folder), ~_below(folder).contains("/")]
        if unprocessed is not None:
            first.append(_has_unprocessed_images() if unprocessed else ~_has_unprocessed_images())
        ids = select(documents.c.doc_id)
        parts = [ids.where(*first).order_by(documents.c.source, documents.c.doc_id)]
        if last and not text and not folder and unprocessed is None:
            parts.append(ids.where(*where, hidden).order_by(documents.c.doc_id))
        with self._reader.connect() as connection:
            skipped = (page - 1) * page_size
            searched = _one_search(connection, parts[0], skipped, page_size) if text else None
            found, total = searched or _one_page(connection, parts, skipped, page_size)
            rows = {row.doc_id: row for row in rows_in(connection, _described(), documents.c.doc_id, found)}
        return [_summary(rows[doc_id]) for doc_id in found if doc_id in rows], total

    def folders(
        self, kb_id: str | None, folder: str, *, unnamed: Collection[str] = (), among: Collection[str] | None = None
    ) -> list[dict[str, Any]]:
        """The folders in a folder ("" for the outermost) by name, with how many documents lie in each and below, by status.

        Deleted documents do not count, nor do those that `page` has last.
        """
        hidden = func.coalesce(or_(documents.c.source_id.in_(unnamed), LEFT), False)
        below = _below(folder)
        slash = (func.strpos if self._reader.dialect.name == "postgresql" else func.instr)(below, "/")
        where = [collections.c.status != "deleted", documents.c.status != "deleted", _lies_below(folder), slash > 0, ~hidden]
        if kb_id:
            where.append(documents.c.kb_id == kb_id)
        if among is not None:
            where.append(documents.c.kb_id.in_(among))
        named = select(func.substr(below, 1, slash - 1).label("name"), documents.c.status)
        inside = named.join(collections, collections.c.kb_id == documents.c.kb_id).where(*where).subquery()
        failed, processing = (func.sum(case((inside.c.status == one, 1), else_=0)) for one in ("failed", "processing"))
        counts = func.count().label("documents"), failed.label("failed"), processing.label("processing")
        rows = self._rows(select(inside.c.name, *counts).group_by(inside.c.name).order_by(inside.c.name))
        return [{**as_dict(row), "path": f"{folder}/{row.name}" if folder else row.name} for row in rows]

    def get(self, doc_id: str) -> dict[str, Any]:
        """One document with its versions. Raises `DocumentNotFound`, or `DocumentDeleted` for one that is gone."""
        with self._reader.connect() as connection:
            found = _described().where(documents.c.doc_id == doc_id, collections.c.status != "deleted")
            row = connection.execute(found).first()
            if row is None:
                raise no_document(doc_id)
            if row.status == "deleted":
                raise DocumentDeleted(f"The document '{row.source}' was deleted.")
            columns = [versions.c[name] for name in _OF_A_VERSION]
            written = select(*columns).where(versions.c.doc_id == doc_id, versions.c.status != "pending")
            newest_first = connection.execute(written.order_by(versions.c.created_at.desc()))
            history = list(map(as_dict, newest_first))
            # The live one first, whenever it was read.
            history.sort(key=lambda version: version["version_id"] != row.version_id)
            live = select(versions.c.metadata, versions.c.warnings, versions.c.enrichment)
            known = connection.execute(live.where(versions.c.version_id == row.version_id)).first()
            keywords = (known.enrichment or {}).get("keywords", []) if known else []
            return _summary(row) | {
                "versions": history,
                "metadata": known.metadata if known else {},
                "warnings": known.warnings if known else [],
                "keywords": keywords,
            }

    def states(self, doc_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        """What became of these documents, deleted ones, too, by id; ids that were never known are absent."""
        names = ("doc_id", "source", "status", "version_id", "created_at", "updated_at")
        query = select(*(documents.c[name] for name in names))
        return {row.doc_id: as_dict(row) for row in self._rows_in(query, documents.c.doc_id, doc_ids)}

    def named(self, text: str) -> list[dict[str, Any]]:
        """Documents with this id, or whose path or title holds this text in whatever case; deleted ones last, at most 100."""
        names = ("doc_id", "kb_id", "source", "title", "status", "error_message", "created_at", "updated_at")
        query = (
            select(*(documents.c[name] for name in names))
            .add_columns(collections.c.name.label("collection"), collections.c.status.label("collection_status"))
            .join(collections, collections.c.kb_id == documents.c.kb_id)
            .where(or_(documents.c.doc_id == text, _holds(text)), collections.c.status != "deleted")
            .order_by(case((documents.c.status == "deleted", 1), else_=0), documents.c.source, documents.c.doc_id)
        )
        return list(map(as_dict, self._rows(query.limit(_NAMED))))

    def counted_since(self, kb_ids: Collection[str], moment: str) -> dict[str, int]:
        """How many documents of these collections are `new`, `changed` or `gone` since a moment (ISO 8601, UTC)."""
        gone, new = documents.c.status == "deleted", documents.c.created_at > moment
        touched = select(documents.c.doc_id).where(documents.c.kb_id.in_(kb_ids), documents.c.updated_at > moment)
        return {
            "new": self._count(touched.where(~gone, new)),
            "changed": self._count(touched.where(~gone, ~new)),
            "gone": self._count(touched.where(gone, ~new)),
        }

    def content(self, doc_id: str, version_id: str | None = None) -> str:
        """The Markdown of the live version, or another that is kept; empty for a document that has none. Raises as `get` does."""
        live = self.get(doc_id)["version_id"]
        wanted = version_id or live
        row = self._first(select(versions.c.markdown).where(versions.c.version_id == wanted, versions.c.doc_id == doc_id))
        if row is None and version_id:
            raise NotFound(f"There is no version '{version_id}' of this document: `ingest.keep_versions` older ones are kept.")
        return row.markdown if row else ""

    def placed_content(self, doc_id: str) -> tuple[str, dict[str, Any]]:
        """The Markdown of the live version with its places, as `encode_places` made them; both empty where there is none.

        Raises as `get` does.
        """
        query = select(versions.c.markdown, versions.c.places).where(versions.c.version_id == self.get(doc_id)["version_id"])
        row = self._first(query)
        return (row.markdown, row.places) if row is not None else ("", {"marks": [], "headings": []})

    def sections(self, doc_id: str) -> list[dict[str, Any]]:
        """The section tree of the live version, in order. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        columns = (sections.c[name] for name in ("section_id", "start", "end", "section_hash"))
        query = select(*columns, sections.c.path.label("section_path")).where(sections.c.version_id == version_id)
        return list(map(as_dict, self._rows(query.order_by(sections.c.ordinal))))

    def boxes(self, doc_id: str, chunk_ids: Sequence[str], page: int) -> list[tuple[float, float, float, float]]:
        """Rectangles of passages of the live version on one of its pages, as fractions of the page. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        of_chunks = occurrences.c.version_id == version_id, occurrences.c.chunk_id.in_(chunk_ids)
        places = [Place.from_dict(place) for place in self._values(select(occurrences.c.place).where(*of_chunks))]
        return [place.bbox for place in places if place.bbox and place.page == page]

    def chunks(self, doc_id: str, page: int = 1, page_size: int = 20) -> tuple[list[dict[str, Any]], int]:
        """One page of the live version's chunks in order, and how many there are in all. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        query = (
            select(occurrences.c.ordinal, occurrences.c.place, occurrences.c.image_refs, occurrences.c.enrichment, chunks)
            .join(chunks, chunks.c.chunk_id == occurrences.c.chunk_id)
            .where(occurrences.c.version_id == version_id)
            .order_by(occurrences.c.ordinal)
        )
        return self._page(query, page, page_size, _chunk)


def no_document(doc_id: str) -> DocumentNotFound:
    """The error for an id that no document has, or none that may be seen by whoever asks."""
    return DocumentNotFound(f"There is no document '{doc_id}'. See `rag documents list`.")


def _one_page(connection: Connection, parts: Sequence[Select[Any]], skipped: int, size: int) -> tuple[list[str], int]:
    """The ids after those that are skipped, of some queries one behind the other, and how many there are in all."""
    found: list[str] = []
    total = 0
    for query in parts:
        rest = query.offset(max(0, skipped - total)).limit(size - len(found))
        found += connection.scalars(rest) if len(found) < size else ()
        total += count_of(connection, query)
    return found, total


def _one_search(connection: Connection, query: Select[Any], skipped: int, size: int) -> tuple[list[str], int]:
    """As `_one_page`, counted as it is read: a text is looked for in every row, which takes as long each time."""
    rows = list(connection.execute(query.add_columns(func.count().over()).offset(skipped).limit(size)))
    total = rows[0][1] if rows else count_of(connection, query) if skipped else 0
    return [row.doc_id for row in rows], total


def _holds(text: str) -> ColumnElement[bool]:
    return or_(*(column.icontains(text, autoescape=True) for column in (documents.c.source, documents.c.title)))


def _below(folder: str) -> ColumnElement[str]:
    """What stands behind a folder in the path of a document that lies in it or below."""
    return func.substr(documents.c.source, len(folder) + 2 if folder else 1)


def _lies_below(folder: str) -> ColumnElement[bool]:
    # Not LIKE, which on SQLite takes `Guide` for `guide`.
    return func.substr(documents.c.source, 1, len(folder) + 1) == f"{folder}/" if folder else true()


def _has_unprocessed_images() -> ColumnElement[bool]:
    """Whether a document shows a picture of which its views say nothing: not described yet, or not at all."""
    undescribed = version_assets.c.version_id == documents.c.version_id, version_assets.c.description_id.is_(None)
    return exists().where(*undescribed)


def _described() -> Select[Any]:
    columns = (collections.c.name.label("collection"), versions.c.chunk_count, _has_unprocessed_images().label("unprocessed"))
    return (
        select(documents, *columns)
        .join(collections, collections.c.kb_id == documents.c.kb_id)
        .outerjoin(versions, versions.c.version_id == documents.c.version_id)
    )


def _chunk(row: Row[Any]) -> dict[str, Any]:
    names = ("chunk_id", "ordinal", "section_id", "section_path", "enrichment")
    described = {name: row._mapping[name] for name in names} | {"content": row.text, "image_refs": row.image_refs or []}
    return {**described, **row.place}


def _summary(row: Row[Any]) -> dict[str, Any]:
    error = {"code": row.error_code, "message": row.error_message} if row.error_code else None
    names = ("collection", "source", "source_uri", "title", "doc_type", "language", "status", "size", "version_id")
    described = {"id": row.doc_id, **{name: row._mapping[name] for name in names}}
    described |= {"chunk_count": row.chunk_count or 0, "updated_at": row.updated_at, "summary": row.summary, "tags": row.tags}
    described["has_unprocessed_images"] = bool(row.unprocessed)
    return described | ({"error": error} if error else {})

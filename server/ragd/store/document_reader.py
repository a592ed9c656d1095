"""Documents as people and programs ask for them: their rows, versions, content, sections and chunks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, case, func, or_, select

from ragd.core.documents import Place
from ragd.core.errors import DocumentDeleted, DocumentNotFound
from ragd.store.database.repository import Repository, as_dict
from ragd.store.database.schema import chunks, collections, documents, occurrences, sections, versions
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
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of documents by source, and how many there are in all; deleted ones only when asked for.

        Documents of the sources `unnamed` come last, by id: their place among the others would reveal what they are called. So
        do deleted ones that came from elsewhere. Those of other collections than `among` are left out, if that is given.
        `text` is a part of the path or the title, in whatever case; those that come last are left out then.
        """
        where: list[ColumnElement[bool]] = [collections.c.status != "deleted"]
        where.append(documents.c.status == status if status else documents.c.status != "deleted")
        if kb_id:
            where.append(documents.c.kb_id == kb_id)
        if among is not None:
            where.append(documents.c.kb_id.in_(among))
        hidden = or_(documents.c.source_id.in_(unnamed), LEFT)
        if text:
            where += [~func.coalesce(hidden, False), _holds(text)]
        name = case((hidden, ""), else_=documents.c.source)
        query = _described().where(*where).order_by(case((hidden, 1), else_=0), name, documents.c.doc_id)
        return self._page(query, page, page_size, _summary)

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

    def content(self, doc_id: str) -> str:
        """The Markdown of the live version; empty for a document that has none. Raises as `get` does."""
        row = self._first(select(versions.c.markdown).where(versions.c.version_id == self.get(doc_id)["version_id"]))
        return row.markdown if row else ""

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


def _holds(text: str) -> ColumnElement[bool]:
    return or_(*(column.icontains(text, autoescape=True) for column in (documents.c.source, documents.c.title)))


def _described() -> Select[Any]:
    return (
        select(documents, collections.c.name.label("collection"), versions.c.chunk_count)
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
    return described | ({"error": error} if error else {})

"""Descriptions of pictures, each kept once for its picture, captioner and profile, and what was spent on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, and_, delete, func, insert, or_, select

from ragd.core.ids import hash32
from ragd.core.results import Described
from ragd.core.tracing import utc_now
from ragd.providers.caption_protocol import Captioner
from ragd.store.database.repository import Repository
from ragd.store.database.schema import collections, descriptions, documents, version_assets
from ragd.vision.description import Description, profile_of

TAKEN_OVER: Final = ""
"""`context_hash` of a description that was made of another picture, which shows the same."""
MOST_ATTEMPTS: Final = 4
"""Attempts at one picture after which it waits until somebody asks for it."""


@dataclass(frozen=True, slots=True)
class CaptionerKey:
    """What a description is kept by, beside its picture: who made it, with which model and which prompts."""

    provider: str
    model: str
    prompt_id: str

    @classmethod
    def of(cls, captioner: Captioner) -> CaptionerKey:
        return cls(captioner.name, captioner.model, captioner.prompt_id)


@dataclass(frozen=True, slots=True)
class StoredDescription:
    """A description as it is kept, or that it failed: then `error_code` says why and the description is empty."""

    description_id: str
    asset_id: str
    description: Description
    created_at: str
    attempts: int = 1
    error_code: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class Lack:
    """A picture that a live document shows, and that the captioner has not described; `error`: code and message of a failure."""

    doc_id: str
    asset_id: str
    attempts: int = 0
    error: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture that a live document shows; `error_code` says why its last description failed."""

    doc_id: str
    source: str
    asset_id: str
    alt: str
    said: StoredDescription | None
    error_code: str | None


@dataclass(frozen=True, slots=True)
class Spent:
    """Pictures described, and tokens that services counted."""

    pictures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Descriptions(Repository):
    """The newest description by each captioner; a picture that nothing shows any more takes its descriptions with it."""

    def put(
        self,
        asset_id: str,
        description: Description,
        context_hash: str,
        error: tuple[str, str] | None = None,
        attempts: int = 1,
        key: CaptionerKey | None = None,
    ) -> StoredDescription:
        """Keep a description in the place of the former one by the same captioner. With `error` it says that there is none.

        `key` is the captioner's, where the description names a model that it does not know beforehand.
        """
        key = key or CaptionerKey(description.provider, description.model, description.prompt_id)
        now = utc_now()
        code, message = error or (None, None)
        values: dict[str, Any] = {
            "description_id": hash32(asset_id, key.provider, key.model, key.prompt_id, now),
            "asset_id": asset_id,
            "provider": key.provider,
            "model": key.model,
            "prompt_id": key.prompt_id,
            "profile": description.profile,
            "image_type": description.image_type,
            "low_quality": description.low_quality,
            "body": description.as_dict(),
            "error_code": code,
            "error_message": message,
            "attempts": attempts,
            "context_hash": context_hash,
            "input_tokens": description.usage.input_tokens,
            "output_tokens": description.usage.output_tokens,
            "created_at": now,
        }
        with self._engine.begin() as connection:
            connection.execute(delete(descriptions).where(descriptions.c.asset_id == asset_id, _by(key)))
            connection.execute(insert(descriptions).values(**values))
        return StoredDescription(values["description_id"], asset_id, description, now, attempts, code, message)

    def fail(self, asset_id: str, key: CaptionerKey, error: tuple[str, str], attempts: int) -> None:
        """Note that a picture could not be described; what another captioner said of it stays."""
        empty = Description(
            profile_of("unknown"), "unknown", provider=key.provider, model=key.model, prompt_id=key.prompt_id, low_quality=True
        )
        self.put(asset_id, empty, "", error, attempts)

    def current(self, asset_ids: Iterable[str], key: CaptionerKey | None) -> dict[str, StoredDescription]:
        """asset id -> what is said of it: by this captioner, else by the last one that could; nothing without a captioner."""
        if key is None:
            return {}
        found: dict[str, StoredDescription] = {}
        made = select(descriptions).where(descriptions.c.error_code.is_(None))
        rows = self._rows_in(made, descriptions.c.asset_id, dict.fromkeys(asset_ids))
        for row in sorted(rows, key=lambda row: (_key(row) == key, row.created_at)):
            found[row.asset_id] = _stored(row)
        return found

    def of(self, asset_id: str) -> list[StoredDescription]:
        """Every description of a picture, failures too, newest first."""
        query = select(descriptions).where(descriptions.c.asset_id == asset_id).order_by(descriptions.c.created_at.desc())
        return [_stored(row) for row in self._rows(query)]

    def lacking(self, key: CaptionerKey, *, again: bool = False, low_quality: bool = False) -> list[Lack]:
        """Pictures of live documents without a description by this captioner, in the order of their documents.

        With `again` also those that failed too often, with `low_quality` also those of which little was said.
        """
        own = and_(descriptions.c.asset_id == version_assets.c.asset_id, _by(key))
        query = (
            _shown(select(documents.c.doc_id, version_assets.c.asset_id, descriptions.c.attempts, descriptions.c.error_code))
            .outerjoin(descriptions, own)
            .order_by(documents.c.doc_id, version_assets.c.ordinal)
        )
        failed: ColumnElement[bool] = descriptions.c.error_code.is_not(None)
        if not again:
            failed = and_(failed, descriptions.c.attempts < MOST_ATTEMPTS)
        wanted: list[ColumnElement[bool]] = [descriptions.c.description_id.is_(None), failed]
        if low_quality:
            wanted.append(descriptions.c.low_quality.is_(True))
        found: dict[tuple[str, str], Lack] = {}
        for row in self._rows(query.where(or_(*wanted))):
            attempts = row.attempts if row.error_code and not again else 0
            found.setdefault((row.doc_id, row.asset_id), Lack(row.doc_id, row.asset_id, attempts))
        return list(found.values())

    def showing(self, asset_ids: Collection[str]) -> list[Lack]:
        """These pictures, as far as live documents show them, whatever is said of them."""
        query = _shown(select(documents.c.doc_id, version_assets.c.asset_id).distinct()).order_by(documents.c.doc_id)
        return [Lack(row.doc_id, row.asset_id) for row in self._rows(query.where(version_assets.c.asset_id.in_(asset_ids)))]

    def described_by(self, model: str) -> list[Lack]:
        """Pictures of live documents that a model, or a captioner of that name, has described."""
        by_model = or_(descriptions.c.model == model, and_(descriptions.c.model == "", descriptions.c.provider == model))
        query = (
            _shown(select(documents.c.doc_id, version_assets.c.asset_id).distinct())
            .join(descriptions, descriptions.c.asset_id == version_assets.c.asset_id)
            .where(by_model)
            .order_by(documents.c.doc_id)
        )
        return [Lack(row.doc_id, row.asset_id) for row in self._rows(query)]

    def described_in(self, doc_ids: Collection[str], key: CaptionerKey, *, good: bool = False) -> dict[str, int]:
        """doc id -> how many pictures of the live document a captioner has described; with `good` not those of low quality."""
        made = _shown(select(documents.c.doc_id, func.count(version_assets.c.asset_id.distinct()).label("pictures"))).join(
            descriptions,
            and_(descriptions.c.asset_id == version_assets.c.asset_id, _by(key), descriptions.c.error_code.is_(None)),
        )
        if good:
            made = made.where(descriptions.c.low_quality.is_(False))
        rows = self._rows_in(made.group_by(documents.c.doc_id), documents.c.doc_id, doc_ids)
        return {row.doc_id: row.pictures for row in rows}

    def unapplied(self, key: CaptionerKey | None) -> list[str]:
        """Live documents whose views hold another description of a picture than the current one, or none."""
        query = _shown(select(documents.c.doc_id, version_assets.c.asset_id, version_assets.c.description_id))
        rows = self._rows(query)
        current = self.current((row.asset_id for row in rows), key)
        stale = {
            row.doc_id
            for row in rows
            if ((said := current.get(row.asset_id)) is not None and said.description_id != row.description_id)
            or (said is None and row.description_id)
        }
        return sorted(stale)

    def shown(self, key: CaptionerKey | None) -> list[Shown]:
        """Every picture of every live document, with what is said of it."""
        columns = (documents.c.doc_id, documents.c.source, version_assets.c.asset_id, version_assets.c.alt)
        rows = self._rows(_shown(select(*columns)).order_by(documents.c.source, version_assets.c.ordinal))
        said = self.current((row.asset_id for row in rows), key)
        failed = {
            row.asset_id: row.error_code for row in self._rows(select(descriptions).where(descriptions.c.error_code.is_not(None)))
        }
        unique = {(row.doc_id, row.asset_id): row for row in reversed(rows)}
        kept = [row for row in rows if unique[row.doc_id, row.asset_id] is row]
        return [
            Shown(row.doc_id, row.source, row.asset_id, row.alt, said.get(row.asset_id), failed.get(row.asset_id)) for row in kept
        ]

    def tried_since(self, since: str, key: CaptionerKey) -> dict[str, StoredDescription]:
        """asset id -> what a captioner has said of it after a moment, also that it could not."""
        query = select(descriptions).where(descriptions.c.created_at > since, _by(key))
        return {row.asset_id: _stored(row) for row in self._rows(query)}

    def spent(self, since: str, key: CaptionerKey) -> Spent:
        """What a captioner was asked since a moment, failures included: they cost, too. What was taken over cost nothing."""
        asked = or_(descriptions.c.error_code.is_not(None), descriptions.c.context_hash != TAKEN_OVER)
        query = select(
            func.count(),
            func.coalesce(func.sum(descriptions.c.input_tokens), 0),
            func.coalesce(func.sum(descriptions.c.output_tokens), 0),
        ).where(descriptions.c.created_at >= since, _by(key), asked)
        row = self._first(query)
        return Spent(*map(int, row)) if row else Spent()


def described_by(body: Mapping[str, Any] | None) -> Described | None:
    """A kept description as passages show it; None for one that says nothing."""
    if not body or body["low_quality"] or not body["summary"]:
        return None
    by = " ".join(filter(None, (body["provider"], body["model"])))
    return Described(by, body["image_type"], body["summary"], body["mermaid"], body.get("same_as", ""), tuple(body["key_points"]))


def _by(key: CaptionerKey) -> ColumnElement[bool]:
    return and_(
        descriptions.c.provider == key.provider, descriptions.c.model == key.model, descriptions.c.prompt_id == key.prompt_id
    )


def _key(row: Row[Any]) -> CaptionerKey:
    return CaptionerKey(row.provider, row.model, row.prompt_id)


def _shown(query: Select[Any]) -> Select[Any]:
    """Of documents with pictures, those that can be found."""
    return (
        query.select_from(documents)
        .join(version_assets, version_assets.c.version_id == documents.c.version_id)
        .join(collections, collections.c.kb_id == documents.c.kb_id)
        .where(documents.c.status == "ready", collections.c.status == "enabled")
    )


def _stored(row: Row[Any]) -> StoredDescription:
    names: Sequence[str] = ("description_id", "asset_id", "created_at", "attempts", "error_code", "error_message")
    values = row._mapping
    return StoredDescription(**{name: values[name] for name in names}, description=Description.from_dict(values["body"]))

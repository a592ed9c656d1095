"""API keys in the database. A secret is shown once, when it is made; what is kept is its SHA-256.

A key reads `rag_<id>_<secret><checksum>`: 48 random bits that name its row, 256 that are the secret, and the CRC-32 of both, by
which a scanner for leaked secrets knows a key from other text, and a mistyped one costs no look at the database. A fast hash is
enough for a secret that nobody can guess.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Row, Table, func, select, update
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import KeyNameConflict, KeyNotFound
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository, insert_rows
from ragd.store.database.schema import api_key_collections, api_keys, collections, documents, jobs

_KEY: Final = re.compile(r"(rag_([0-9a-f]{12})_[0-9a-f]{64})([0-9a-f]{8})")
_USE_WRITTEN_EVERY_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Requests a minute; documents, and bytes of them, in the collections of a key. None: no limit."""

    rate_per_minute: int | None = None
    quota_documents: int | None = None
    quota_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret. `collections` are ids, None for a key that counts everywhere. Times are UTC."""

    key_id: str
    name: str
    role: str
    collections: tuple[str, ...] | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    previous_until: str | None
    """Until when the secret before the last rotation is good."""
    limits: Limits

    def ended(self, now: str) -> str | None:
        """Since when the key is not good any more, as words; None for one that is."""
        if self.revoked_at is not None:
            return f"was revoked at {self.revoked_at}"
        return f"expired at {self.expires_at}" if self.expires_at is not None and self.expires_at <= now else None


class ApiKeys(Repository):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)

    def create(
        self, name: str, role: str, kb_ids: Sequence[str] | None, *, lifetime_s: float | None = None, limits: Limits | None = None
    ) -> tuple[ApiKey, str]:
        """A new key and its text, which is nowhere else. Raises `KeyNameConflict` for the name of a key that is not revoked."""
        key_id = secrets.token_hex(6)
        text = _new_text(key_id)
        given = limits or Limits()
        row = {
            "key_id": key_id,
            "name": name,
            "role": role,
            "everywhere": kb_ids is None,
            "secret_hash": _hash(text),
            "created_at": utc_now(),
            "expires_at": None if lifetime_s is None else utc_now(lifetime_s),
            "rate_per_minute": given.rate_per_minute,
            "quota_documents": given.quota_documents,
            "quota_bytes": given.quota_bytes,
        }
        try:
            with self._engine.begin() as connection:
                connection.execute(api_keys.insert().values(**row))
                own = [{"key_id": key_id, "kb_id": kb_id} for kb_id in dict.fromkeys(kb_ids or ())]
                insert_rows(connection, api_key_collections, own)
        except IntegrityError as error:
            raise KeyNameConflict(
                f"There is already a key named '{name}'. Rotate or revoke it, or choose another name."
            ) from error
        return self.get(key_id), text

    def get(self, key_id: str) -> ApiKey:
        """Raises `KeyNotFound`."""
        with self._reader.connect() as connection:
            row = connection.execute(select(api_keys).where(api_keys.c.key_id == key_id)).first()
            if row is None:
                raise KeyNotFound(f"There is no key with the id '{key_id}'. See `rag keys list`.")
            return _key(connection, row)

    def page(self, page: int, page_size: int) -> tuple[list[ApiKey], int]:
        """One page of keys, the newest first, those that are revoked included, and how many there are in all."""
        rows, total = self._page(
            select(api_keys).order_by(api_keys.c.created_at.desc(), api_keys.c.key_id), page, page_size, _same
        )
        with self._reader.connect() as connection:
            return [_key(connection, row) for row in rows], total

    def any_good(self) -> bool:
        """Whether any key can be used now."""
        return self._first(select(api_keys.c.key_id).where(*_good()).limit(1)) is not None

    def rotate(self, key_id: str, grace_s: float) -> tuple[ApiKey, str]:
        """A new text for a key; the one before is good for `grace_s` seconds. Raises `KeyNotFound`, also for one that ended."""
        text = _new_text(key_id)
        earlier = {"previous_hash": api_keys.c.secret_hash, "previous_until": utc_now(grace_s)}
        # A new secret of a key that has expired would be good for nothing.
        good = api_keys.c.key_id == key_id, *_good()
        if not self._write(update(api_keys).where(*good).values(secret_hash=_hash(text), **earlier)):
            raise KeyNotFound(f"There is no key with the id '{key_id}' that is still good. See `rag keys list`.")
        return self.get(key_id), text

    def revoke(self, key_id: str) -> ApiKey:
        """End a key, in every process at once: each request looks at its row. Raises `KeyNotFound`."""
        live = api_keys.c.key_id == key_id, api_keys.c.revoked_at.is_(None)
        self._write(update(api_keys).where(*live).values(revoked_at=utc_now(), previous_hash=None, previous_until=None))
        return self.get(key_id)

    def grant(self, key_id: str, kb_id: str) -> None:
        """Count a collection among those of a key."""
        self._write(api_key_collections.insert().values(key_id=key_id, kb_id=kb_id))

    def of_text(self, text: str) -> ApiKey | None:
        """The key that this text belongs to, which may have ended; None for a text that belongs to none."""
        match = _KEY.fullmatch(text)
        if match is None or _checksum(match[1]) != match[3]:
            return None
        with self._reader.connect() as connection:
            row = connection.execute(select(api_keys).where(api_keys.c.key_id == match[2])).first()
            if row is None:
                return None
            shown = _hash(text)
            is_current = hmac.compare_digest(shown, row.secret_hash)
            is_previous = hmac.compare_digest(shown, row.previous_hash or "") and (row.previous_until or "") > utc_now()
            return _key(connection, row) if is_current or is_previous else None

    def usage(self, kb_ids: Collection[str] | None) -> tuple[int, int]:
        """Documents of these collections, or of all, and their bytes; uploads that wait to be read count as documents, too."""
        read = documents.c.status.in_(("ready", "failed"))
        waiting = jobs.c.kind == "upload", jobs.c.status.in_(("queued", "running"))
        held = select(func.count(), func.coalesce(func.sum(documents.c.size), 0)).where(read, *_of(documents, kb_ids))
        with self._reader.connect() as connection:
            count, size = connection.execute(held).one()
            for payload in connection.scalars(select(jobs.c.payload).where(*waiting, *_of(jobs, kb_ids))):
                count += len(payload["files"])
                size += sum(file.get("size", 0) for file in payload["files"])
        return count, int(size)

    def is_use_due(self, key: ApiKey) -> bool:
        """Whether the time of the last use is old enough to be written again."""
        return key.last_used_at is None or key.last_used_at < utc_now(-_USE_WRITTEN_EVERY_S)

    def used(self, key_id: str) -> None:
        """Write that a key is in use."""
        self._write(update(api_keys).where(api_keys.c.key_id == key_id).values(last_used_at=utc_now()))


def _good() -> tuple[ColumnElement[bool], ...]:
    return api_keys.c.revoked_at.is_(None), api_keys.c.expires_at.is_(None) | (api_keys.c.expires_at > utc_now())


def _of(table: Table, kb_ids: Collection[str] | None) -> list[ColumnElement[bool]]:
    return [] if kb_ids is None else [table.c.kb_id.in_(kb_ids)]


def _new_text(key_id: str) -> str:
    body = f"rag_{key_id}_{secrets.token_hex(32)}"
    return body + _checksum(body)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode('ascii')):08x}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _same(row: Row[Any]) -> Row[Any]:
    return row


def _key(connection: Connection, row: Row[Any]) -> ApiKey:
    own: tuple[str, ...] | None = None
    if not row.everywhere:
        live = collections.c.kb_id == api_key_collections.c.kb_id
        query = select(collections.c.kb_id).join(api_key_collections, live).where(api_key_collections.c.key_id == row.key_id)
        own = tuple(connection.scalars(query.order_by(collections.c.name)))
    names = ("key_id", "name", "role", "created_at", "expires_at", "revoked_at", "last_used_at", "previous_until")
    limits = Limits(row.rate_per_minute, row.quota_documents, row.quota_bytes)
    return ApiKey(**{name: row._mapping[name] for name in names}, collections=own, limits=limits)

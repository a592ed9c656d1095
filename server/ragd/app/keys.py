"""API keys, as administrators make and end them, and what their callers own and may add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragd.access.callers import ROLES, Caller
from ragd.core.errors import QuotaExceeded, ValidationFailed
from ragd.core.storage import Collection
from ragd.store.api_keys import ApiKey, ApiKeys, Limits
from ragd.store.collections import Collections

_MOST_NAME = 100


@dataclass(frozen=True, slots=True)
class Keys:
    stored: ApiKeys
    collections: Collections

    def create(
        self, name: str, role: str, names: Sequence[str] | None, lifetime_s: float | None = None, limits: Limits | None = None
    ) -> tuple[ApiKey, str]:
        """A new key and its text, which is shown this once. `names` are of its collections; None counts everywhere.

        Raises `ValidationFailed`, `CollectionNotFound`, `KeyNameConflict`.
        """
        shown = name.strip()
        if not shown or len(shown) > _MOST_NAME or not shown.isprintable():
            raise ValidationFailed.of_field("name", "invalid", f"A key's name has 1 to {_MOST_NAME} printable characters.")
        if role not in ROLES:
            raise ValidationFailed.of_field("role", "unknown", f"A role is one of {', '.join(ROLES)}.")
        kb_ids = None if names is None else [self.collections.get(one).kb_id for one in names]
        return self.stored.create(shown, role, kb_ids, lifetime_s=lifetime_s, limits=limits)

    def made(self, caller: Caller, collection: Collection) -> Collection:
        """Count a collection among those of the caller that made it, where it has its own."""
        if caller.keeps_what_it_makes:
            self.stored.grant(caller.id, collection.kb_id)
        return collection

    def check_quota(self, caller: Caller, files: int = 1, size: int = 0) -> None:
        """Raises `QuotaExceeded` when so many documents more, of so many bytes together, are more than the caller may have."""
        if caller.quota_documents is None and caller.quota_bytes is None:
            return
        documents, held = self.stored.usage(caller.readable)
        if caller.quota_documents is not None and documents + files > caller.quota_documents:
            raise QuotaExceeded(
                f"The collections of '{caller.name}' hold {documents:,} documents, and may hold {caller.quota_documents:,}. "
                "Delete some, or ask an administrator for more."
            )
        if caller.quota_bytes is not None and held + size > caller.quota_bytes:
            raise QuotaExceeded(
                f"The collections of '{caller.name}' hold {held:,} bytes, and may hold {caller.quota_bytes:,}; this would add "
                f"{size:,}. Delete some documents, or ask an administrator for more."
            )

"""API keys."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, RequestBody

_LONGEST_S = 10 * 365 * 86400

Positive = Annotated[int, Field(ge=1, le=2**62)]


class KeyCreate(RequestBody):
    name: str
    role: Literal["reader", "writer", "admin"]
    collections: list[str] | None = Field(
        default=None, description="Names. None given: every collection, and the service itself. Empty: those that the key makes."
    )
    expires_s: Annotated[float, Field(gt=0, le=_LONGEST_S)] | None = Field(default=None, description="Seconds from now.")
    rate_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    quota_documents: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    quota_bytes: Annotated[int, Field(ge=1, le=2**62)] | None = None


class KeyRotate(RequestBody):
    grace_s: Annotated[float, Field(ge=0, le=30 * 86400)] = Field(
        default=0, description="Seconds for which the earlier secret is still good."
    )


class Key(BaseModel):
    id: str
    name: str
    role: Literal["reader", "writer", "admin"]
    collections: list[str] | None = Field(description="Ids; null for a key that counts everywhere.")
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None = Field(description="Written once a minute at most.")
    previous_until: str | None = Field(description="Until when the secret before the last rotation is good.")
    rate_per_minute: int | None
    quota_documents: int | None
    quota_bytes: int | None


class NewKey(Key):
    key: str = Field(description="The key itself. It is shown this once, and nowhere kept.")


class KeyPage(Page[Key]):
    """API keys, the newest first."""

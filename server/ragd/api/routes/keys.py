"""API keys of server mode. They can be made beforehand, too, so that a service has one when it starts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends

from ragd.api.common import App, Pages
from ragd.api.routes.contract import TAG
from ragd.api.schemas.keys import Key, KeyCreate, KeyPage, KeyRotate, NewKey
from ragd.core.storage import named
from ragd.store.api_keys import ApiKey, Limits

router = APIRouter(prefix="/api/keys", tags=[TAG])


def _exists(key_id: str, app: App) -> None:
    """The key in the address must exist."""
    app.keys.stored.get(key_id)


@router.get("", response_model=KeyPage)
def list_keys(app: App, paging: Pages) -> dict[str, Any]:
    """Keys, the newest first, those that were revoked included."""
    found, total = app.keys.stored.page(paging.page, paging.page_size)
    return paging.answer([_key(key) for key in found], total)


@router.post("", response_model=NewKey, status_code=201)
def create_key(body: KeyCreate, app: App) -> dict[str, Any]:
    """Make a key; 409 for the name of one that is not revoked."""
    limits = Limits(body.rate_per_minute, body.quota_documents, body.quota_bytes)
    key, text = app.keys.create(body.name, body.role, body.collections, body.expires_s, limits)
    return _key(key) | {"key": text}


@router.post("/{key_id}/rotate", response_model=NewKey, dependencies=[Depends(_exists)])
def rotate_key(key_id: str, app: App, body: KeyRotate | None = None) -> dict[str, Any]:
    """Give a key a new secret; the earlier one ends at once, or after `grace_s`."""
    key, text = app.keys.stored.rotate(key_id, (body or KeyRotate()).grace_s)
    return _key(key) | {"key": text}


@router.delete("/{key_id}", response_model=Key)
def revoke_key(key_id: str, app: App) -> dict[str, Any]:
    """End a key at once, in every process. It stays listed."""
    return _key(app.keys.stored.revoke(key_id))


def _key(key: ApiKey) -> dict[str, Any]:
    names = ("name", "role", "created_at", "expires_at", "revoked_at", "last_used_at", "previous_until")
    own = None if key.collections is None else list(key.collections)
    return {"id": key.key_id, "collections": own, **named(key, *names), **asdict(key.limits)}

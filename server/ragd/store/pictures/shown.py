"""The pictures of versions as passages show them, with what the views hold of their descriptions."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from ragd.core.results import ImageRef
from ragd.store.database.repository import rows_in
from ragd.store.database.schema import assets, descriptions, version_assets
from ragd.store.pictures.descriptions import described_by


def images_of(connection: Connection, version_ids: Collection[str]) -> dict[str, dict[str, ImageRef]]:
    """version id -> asset id -> the picture as a passage shows it."""
    if not version_ids:
        return {}
    found: dict[str, dict[str, ImageRef]] = {}
    columns = (version_assets.c.version_id, version_assets.c.alt, assets.c.asset_id, assets.c.mime, assets.c.text)
    shown = (
        select(*columns, descriptions.c.body)
        .join(assets, assets.c.asset_id == version_assets.c.asset_id)
        .outerjoin(descriptions, descriptions.c.description_id == version_assets.c.description_id)
    )
    for row in rows_in(connection, shown, version_assets.c.version_id, version_ids):
        image = ImageRef(row.asset_id, row.mime, row.alt, row.text, described_by(row.body))
        found.setdefault(row.version_id, {})[row.asset_id] = image
    return found

"""Which entries show pictures that a filter asks for."""

from __future__ import annotations

from sqlalchemy import ColumnElement, FromClause, Text, cast, func, select

from ragd.core.query import Filters
from ragd.store.database.schema import descriptions, documents, occurrences, version_assets


def asks_for_pictures(filters: Filters) -> bool:
    """Whether a filter looks at what passages show."""
    return filters.has_image is not None or bool(filters.image_type) or any(map(asks_for_pictures, filters.also))


def shown(filters: Filters, rows: FromClause = occurrences) -> list[ColumnElement[bool]]:
    """What occurrences, or those among them that `rows` are, must show. Their documents are part of the query."""
    conditions = [condition for one in filters.also for condition in shown(one, rows)]
    # A list of ids, as JSON: two databases have no other words for it in common. An id holds no sign of a pattern.
    refs = func.coalesce(cast(rows.c.image_refs, Text), "")
    if filters.has_image is not None:
        shows = refs.contains('"')
        conditions.append(shows if filters.has_image else ~shows)
    if filters.image_type:
        of_type = (
            select(version_assets.c.asset_id)
            .join(descriptions, descriptions.c.description_id == version_assets.c.description_id)
            .where(descriptions.c.image_type.in_(filters.image_type), descriptions.c.error_code.is_(None))
        )
        here = of_type.where(
            version_assets.c.version_id == rows.c.version_id, refs.contains('"' + version_assets.c.asset_id + '"')
        )
        conditions.append(here.exists())
    if filters.has_image or filters.image_type:
        # Documents without any picture, most of them, need no look at their passages.
        conditions.append(documents.c.version_id.in_(select(version_assets.c.version_id)))
    return conditions

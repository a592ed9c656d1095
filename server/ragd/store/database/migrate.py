"""Brings the schema of a database to the newest version."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from ragd.core.errors import ServiceUnavailable
from ragd.store.database.migrations import MIGRATIONS, Migration

_APPLIED = sa.Table("schema_version", sa.MetaData(), sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))


def migrate(engine: Engine, steps: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring the schema to the newest version, all of it or nothing; returns that version.

    Raises `ServiceUnavailable` when the store was written by a newer release than this one.
    """
    with engine.begin() as connection:
        _APPLIED.create(connection, checkfirst=True)
        current = connection.scalar(sa.select(sa.func.max(_APPLIED.c.version))) or 0
        if current > len(steps):
            raise ServiceUnavailable(
                f"The data directory was written by a newer release (schema {current}, this one knows {len(steps)}). "
                "Update RAG Assistant, or point RAG_DATA_DIR at another directory."
            )
        if current < len(steps):
            _apply(connection, steps, current)
    return len(steps)


def _apply(connection: Connection, steps: Sequence[Migration], current: int) -> None:
    # Alembic costs a third of a second to import, and nearly every start finds nothing to do.
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext

    for version in range(current + 1, len(steps) + 1):
        steps[version - 1](Operations(MigrationContext.configure(connection)))
        connection.execute(_APPLIED.insert().values(version=version))

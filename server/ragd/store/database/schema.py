"""The tables of the database, as queries use them: what the migrations make of an empty database, read from the same list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Column, Index, MetaData, Table

from ragd.store.database.migrations import MIGRATIONS

if TYPE_CHECKING:
    from alembic.operations import Operations

metadata = MetaData()


class _Tables:
    """Alembic's operations on `metadata` instead of a database: those that migrations use, to be added to when one needs more."""

    def create_table(self, name: str, *columns: Column[Any]) -> None:
        Table(name, metadata, *columns)

    def add_column(self, table: str, column: Column[Any]) -> None:
        metadata.tables[table].append_column(column)

    def execute(self, statement: str) -> None:
        """Rows are no part of the tables' definitions."""

    def create_index(self, name: str, table: str, columns: list[str], **options: Any) -> None:
        Index(name, *(metadata.tables[table].c[column] for column in columns), **options)


for _step in MIGRATIONS:
    _step(cast("Operations", _Tables()))

collections = metadata.tables["collections"]
documents = metadata.tables["documents"]
roots = metadata.tables["roots"]
versions = metadata.tables["versions"]
sections = metadata.tables["sections"]
chunks = metadata.tables["chunks"]
occurrences = metadata.tables["chunk_occurrences"]
vectors = metadata.tables["vectors"]
jobs = metadata.tables["jobs"]
traces = metadata.tables["traces"]
document_tags = metadata.tables["document_tags"]
assets = metadata.tables["assets"]
version_assets = metadata.tables["version_assets"]
sources = metadata.tables["sources"]
source_items = metadata.tables["source_items"]
sync_cycles = metadata.tables["sync_cycles"]
evaluations = metadata.tables["evaluations"]
feedback = metadata.tables["feedback"]
labels = metadata.tables["labels"]
api_keys = metadata.tables["api_keys"]
api_key_collections = metadata.tables["api_key_collections"]
descriptions = metadata.tables["descriptions"]
datasets = metadata.tables["datasets"]

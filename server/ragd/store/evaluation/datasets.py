"""Datasets of questions in the database: each version whole, so that a run's digest leads to what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, delete, func, select
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import NotFound, ValidationFailed
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository
from ragd.store.database.schema import datasets

KEPT: Final = 100
"""Versions of a dataset; older ones are let go."""


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """One version. `position` counts them from 1; `digest` is what a run names as `dataset_hash`."""

    name: str
    position: int
    digest: str
    questions: int
    author: str
    created_at: str


class Datasets(Repository):
    """Datasets by name. The newest version of each is the one that counts."""

    def __init__(self, engine: Engine, keep: int = KEPT) -> None:
        super().__init__(engine)
        self._keep = keep

    def page(self, page: int = 1, page_size: int = 20) -> tuple[list[DatasetVersion], int]:
        """The newest version of each, by name, and how many there are in all."""
        newest = select(datasets.c.name, func.max(datasets.c.position).label("position")).group_by(datasets.c.name).subquery()
        same = (newest.c.name == datasets.c.name) & (newest.c.position == datasets.c.position)
        query = select(*_described()).join(newest, same).order_by(datasets.c.name)
        return self._page(query, page, page_size, _version)

    def versions(self, name: str) -> list[DatasetVersion]:
        """All versions that are kept, newest first. Raises `NotFound`."""
        query = select(*_described()).where(datasets.c.name == name).order_by(datasets.c.position.desc())
        found = [_version(row) for row in self._rows(query)]
        if not found:
            raise NotFound(f"There is no dataset '{name}'.")
        return found

    def text(self, name: str, digest: str | None = None) -> str:
        """The text of a version, of the newest without a digest. Raises `NotFound`."""
        query = select(datasets.c.text).where(datasets.c.name == name).order_by(datasets.c.position.desc()).limit(1)
        row = self._first(query if digest is None else query.where(datasets.c.digest == digest))
        if row is None:
            raise NotFound(f"There is no dataset '{name}'" + (f" with the digest {digest}." if digest else "."))
        return str(row.text)

    def add(self, name: str, text: str, digest: str, questions: int, author: str) -> DatasetVersion:
        """Keep the first version. Raises `ValidationFailed` for a name that is taken."""
        with self._engine.begin() as connection:
            if self._newest(connection, name) is not None:
                raise ValidationFailed.of_field("name", "taken", f"There is a dataset '{name}' already.")
            return self._put(connection, DatasetVersion(name, 1, digest, questions, author, utc_now()), text)

    def change(self, name: str, base: str, text: str, digest: str, questions: int, author: str) -> DatasetVersion:
        """Keep another version, made from the one whose digest is `base`.

        Raises `NotFound`, and `ValidationFailed` where that is not the newest any more: somebody else has changed it.
        """
        with self._engine.begin() as connection:
            newest = self._newest(connection, name)
            if newest is None:
                raise NotFound(f"There is no dataset '{name}'.")
            if newest.digest != base:
                raise ValidationFailed.of_field("base", "outdated", "Somebody has changed this dataset meanwhile. Load it again.")
            if digest == base:
                return newest
            made = DatasetVersion(name, newest.position + 1, digest, questions, author, utc_now())
            kept = self._put(connection, made, text)
            oldest = datasets.c.position <= kept.position - self._keep
            connection.execute(delete(datasets).where(datasets.c.name == name, oldest))
            return kept

    def remove(self, name: str) -> None:
        """Delete a dataset with all its versions. Raises `NotFound`."""
        if not self._write(delete(datasets).where(datasets.c.name == name)):
            raise NotFound(f"There is no dataset '{name}'.")

    def _newest(self, connection: Connection, name: str) -> DatasetVersion | None:
        query = select(*_described()).where(datasets.c.name == name).order_by(datasets.c.position.desc()).limit(1)
        row = connection.execute(query).first()
        return None if row is None else _version(row)

    def _put(self, connection: Connection, version: DatasetVersion, text: str) -> DatasetVersion:
        described = {name: getattr(version, name) for name in DatasetVersion.__slots__}
        try:
            connection.execute(datasets.insert().values(text=text, **described))
        except IntegrityError as error:  # two at the same moment
            raise ValidationFailed.of_field("base", "outdated", "Somebody has changed this dataset meanwhile.") from error
        return version


def _described() -> list[Any]:
    return [column for column in datasets.c if column.name != "text"]


def _version(row: Row[Any]) -> DatasetVersion:
    return DatasetVersion(**row._mapping)

"""Evaluation runs in the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import NotFound, ValidationFailed
from ragd.store.database.repository import Repository, as_dict, forget_oldest
from ragd.store.database.schema import evaluations


class Evaluations(Repository):
    """Finished runs; the newest `keep` of them stay."""

    def __init__(self, engine: Engine, keep: int) -> None:
        super().__init__(engine)
        self._keep = keep

    def add(self, run: Mapping[str, Any]) -> None:
        """Keep a finished run, whole, and let the oldest go. Raises `ValidationFailed` for an id that is there already."""
        try:
            with self._engine.begin() as connection:
                connection.execute(evaluations.insert().values(**run))
                forget_oldest(connection, evaluations.c.run_id, evaluations.c.started_at, self._keep)
        except IntegrityError as error:
            raise ValidationFailed(f"There is already an evaluation '{run['run_id']}'.") from error

    def page(self, page: int = 1, page_size: int = 20) -> tuple[list[dict[str, Any]], int]:
        """One page of the runs without their questions, newest first, and how many there are in all."""
        columns = [column for column in evaluations.c if column.name != "questions"]
        newest = select(*columns).order_by(evaluations.c.started_at.desc(), evaluations.c.run_id)
        return self._page(newest, page, page_size, as_dict)

    def has(self, run_id: str) -> bool:
        """Whether there is a run of this id."""
        return self._first(select(evaluations.c.run_id).where(evaluations.c.run_id == run_id)) is not None

    def get(self, run_id: str) -> dict[str, Any]:
        """The whole run. Raises `NotFound`."""
        row = self._first(select(evaluations).where(evaluations.c.run_id == run_id))
        if row is None:
            raise NotFound(f"There is no evaluation '{run_id}'. The oldest are deleted (`evaluation.keep`).")
        return as_dict(row)

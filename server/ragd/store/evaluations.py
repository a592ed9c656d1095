"""Evaluation runs in the facts store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine, delete, func, select
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import NotFound, ValidationFailed
from ragd.store.database.engine import reading
from ragd.store.database.schema import evaluations


class Evaluations:
    """Finished runs; the newest `keep` of them stay."""

    def __init__(self, engine: Engine, keep: int) -> None:
        self._engine = engine
        self._reader = reading(engine)
        self._keep = keep

    def add(self, run: Mapping[str, Any]) -> None:
        """Keep a finished run, whole, and let the oldest go. Raises `ValidationFailed` for an id that is there already."""
        try:
            with self._engine.begin() as connection:
                connection.execute(evaluations.insert().values(**run))
                surplus = (connection.scalar(select(func.count()).select_from(evaluations)) or 0) - self._keep
                if surplus > 0:
                    oldest = select(evaluations.c.run_id).order_by(evaluations.c.started_at).limit(surplus)
                    connection.execute(delete(evaluations).where(evaluations.c.run_id.in_(oldest)))
        except IntegrityError as error:
            raise ValidationFailed(f"There is already an evaluation '{run['run_id']}'.") from error

    def page(self, page: int = 1, page_size: int = 20) -> tuple[list[dict[str, Any]], int]:
        """One page of the runs without their questions, newest first, and how many there are in all."""
        columns = [column for column in evaluations.c if column.name != "questions"]
        newest = select(*columns).order_by(evaluations.c.started_at.desc(), evaluations.c.run_id)
        with self._reader.connect() as connection:
            total = connection.scalar(select(func.count()).select_from(evaluations)) or 0
            rows = connection.execute(newest.limit(page_size).offset((page - 1) * page_size))
            return [dict(row._mapping) for row in rows], total

    def get(self, run_id: str) -> dict[str, Any]:
        """The whole run. Raises `NotFound`."""
        with self._reader.connect() as connection:
            row = connection.execute(select(evaluations).where(evaluations.c.run_id == run_id)).first()
        if row is None:
            raise NotFound(f"There is no evaluation '{run_id}'. It may have been among the oldest, which are let go.")
        return dict(row._mapping)

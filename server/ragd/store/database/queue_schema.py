"""The tables and functions of Procrastinate, which brings jobs to workers, in the same database as the jobs."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import sqlalchemy as sa
from sqlalchemy import Engine

from ragd.core.errors import SettingsError

_APPLIED: Final = sa.Table("procrastinate_schema", sa.MetaData(), sa.Column("migration", sa.String(200), primary_key=True))


def prepare_queue(engine: Engine) -> None:
    """Bring the queue's tables to what the installed release of Procrastinate knows, all of it or nothing.

    Raises `SettingsError` when Procrastinate is not installed. Tables of a newer release are left as they are.
    """
    try:
        scripts = files("procrastinate.sql")
    except ImportError as error:
        raise SettingsError("jobs.queue: procrastinate needs more packages: run `rag extras add workers`.") from error
    known = sorted(
        (file for file in scripts.joinpath("migrations").iterdir() if file.name.endswith(".sql")), key=lambda f: f.name
    )
    with engine.execution_options(migrating=True).begin() as connection:
        _APPLIED.create(connection, checkfirst=True)
        applied = connection.scalar(sa.select(sa.func.max(_APPLIED.c.migration)))
        needed = [scripts.joinpath("schema.sql")] if applied is None else [file for file in known if file.name > applied]
        for script in needed:
            # As it is: several statements, in which a percent sign is one.
            connection.connection.cursor().execute(script.read_text("utf-8"))
        if needed:
            connection.execute(_APPLIED.insert().values(migration=known[-1].name))

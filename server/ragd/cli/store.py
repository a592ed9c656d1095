"""`rag store`: the database that holds everything that was taken in."""

from __future__ import annotations

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, plural


@click.group()
def store() -> None:
    """Move everything that was taken in to another database."""


@store.command()
@click.argument("from_url")
@click.argument("to_url")
@options.as_json
@click.pass_obj
def copy(context: CliContext, from_url: str, to_url: str, as_json: bool) -> None:
    """Copy a store into an empty database: from SQLite to PostgreSQL, or back.

    FROM_URL and TO_URL are written as `store.url` is: sqlite:////srv/rag/rag.db, postgresql://rag@db/rag. A server's password is
    that of `store.password`, or what libpq finds. No daemon may be using the data directory. Ids, versions, vectors and jobs stay
    as they are; uploads and pictures stay in the data directory. Then set store.url to TO_URL: the next start makes indexes that
    are not there from the vectors.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.config.secrets import resolve
    from ragd.core.instance import Ownership
    from ragd.store.database.copying import copy_store

    ownership = Ownership(context.directories.data)
    try:
        with Preparation("Copying the store", lines=False) as progress:
            rows = copy_store(
                from_url,
                to_url,
                context.directories.data,
                resolve(context.settings().store.password, "store.password"),
                lambda table, done, whole: progress.show(f"Copying {table}", done / whole if whole else None),
            )
    finally:
        ownership.release()
    if as_json:
        echo_json({"rows": rows})
    else:
        held = f"{plural(rows['documents'], 'document')}, {plural(rows['chunks'], 'chunk')}, {plural(rows['vectors'], 'vector')}"
        click.echo(clean(f"Copied {held}. Set store.url to the new database."))

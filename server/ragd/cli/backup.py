"""`rag backup` and `rag restore`: everything that was taken in, as one file."""

from __future__ import annotations

import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, moment, plural, size, warn
from ragd.core.errors import NotFound, RagError, ValidationFailed

if TYPE_CHECKING:
    from ragd.app.restore import Contents, Report
    from ragd.cli.common.progress import Preparation
    from ragd.client.blocking import Client

# A document that is deleted while its files are copied makes another state worth copying.
_ATTEMPTS = 3

_file = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=_file)
@options.as_json
@click.pass_obj
def backup(context: CliContext, file: Path, as_json: bool) -> None:
    """Write everything that was taken in to a file.

    Also while the daemon and its jobs are at work.

    The copy is of one moment, and is read again and checked before the command ends. FILE holds the content of your documents:
    keep it as private as they are. Settings, models and logs are not in it.
    """
    from ragd.cli.common.progress import Preparation

    if file.exists():
        raise ValidationFailed(f"{file} is there already. Name another file.")
    if not file.absolute().parent.is_dir():
        raise ValidationFailed(f"There is no folder {file.absolute().parent}. Make it first.")
    if not context.directories.data.is_dir():
        raise NotFound(f"There is no data directory {context.directories.data}, so there is nothing to back up.")
    with Preparation("Copying the database", lines=False) as progress, context.connect() as client:
        contents = _written(client, file, progress)
    if contents.vanished:
        warn(f"{plural(len(contents.vanished), 'file')} vanished while they were copied; `rag documents verify` checks the rest.")
    _report(file, contents, as_json, f"Wrote {file}")


def _written(client: Client, file: Path, progress: Preparation) -> Contents:
    """Raises `ValidationFailed` when what was written is not what was sent."""
    from ragd.app.restore import check_backup

    folder = file.absolute().parent
    for left in reversed(range(_ATTEMPTS)):
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{file.name}-", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as target, client.download("/api/backup") as response:
                whole = int(response.headers["X-Unpacked-Size"])
                for piece in response.iter_raw():
                    target.write(piece)
                    progress.show(f"Backing up: {size(target.tell())} written, of {size(whole)} before compression", None)
                target.flush()
                os.fsync(target.fileno())
            contents = check_backup(part, _shown(progress, "Checking the backup"))
            if not contents.vanished or not left:
                part.rename(file)
                return contents
        finally:
            part.unlink(missing_ok=True)
    raise AssertionError("the last attempt returns")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Restore over a data directory that holds documents; they are lost.")
@click.option("--check", is_flag=True, help="Only read the backup, check it, and say what it holds.")
@options.as_json
@click.pass_obj
def restore(context: CliContext, file: Path, replace: bool, check: bool, as_json: bool) -> None:
    """Put a backup into the data directory.

    The one of --data-dir, which no daemon may be using.

    The backup is checked in full first, and is put in place in one step: it is all there, or nothing is changed. Then the
    indexes are made again from the content; nothing is embedded for that.
    """
    from ragd.app.restore import check_backup, restore_backup
    from ragd.cli.common.progress import Preparation
    from ragd.core.instance import Ownership

    if check:
        with Preparation("Checking the backup", lines=False) as progress:
            contents = check_backup(file, _shown(progress, "Checking the backup"))
        _report(file, contents, as_json, f"{file} is sound")
        return
    if url := context.settings().store.url:
        raise ValidationFailed(f"A backup is restored into a data directory, but store.url is {url}. Unset it first.")
    if url := context.settings().blobs.url:
        raise ValidationFailed(f"A backup is restored into a data directory, but blobs.url is {url}. Unset it first.")
    data = context.directories.data
    ownership = Ownership(data)
    try:
        with Preparation("Restoring", lines=False) as progress:
            contents = restore_backup(file, data, replace=replace, report=_shown(progress, "Restoring"))
    finally:
        ownership.release()
    try:
        with context.connect("search"):
            pass
    except RagError as error:
        warn(f"the content is restored, but its indexes are not made yet ({error.message}). The next start makes them.")
    _report(file, contents, as_json, f"Restored {data}")


def _shown(progress: Preparation, what: str) -> Report:
    return lambda done, whole: progress.show(what, done / whole if whole else None)


def _report(file: Path, contents: Contents, as_json: bool, what: str) -> None:
    if as_json:
        facts: dict[str, Any] = {**asdict(contents), "files": len(contents.files), "vanished": list(contents.vanished)}
        echo_json({"file": str(file.absolute()), "file_size": file.stat().st_size, "unpacked_size": contents.size, **facts})
        return
    held = f"{plural(contents.documents, 'document')}, {size(file.stat().st_size)}"
    click.echo(clean(f"{what}: {held}, made {moment(contents.made_at)} by release {contents.version}."))

"""The checks of `rag doctor`, in the order in which one thing needs the other.

They look and do not mend, but for what any start would do too: a damaged index is put aside, since the facts can make it anew.
"""

from __future__ import annotations

import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from ragd import __version__
from ragd.app.engine import App
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import plural, size
from ragd.cli.doctor.sources import cloud_sources, own_cloud_sources, problems_of, sound
from ragd.client.blocking import Client
from ragd.client.discovery import find_daemon
from ragd.config.policy import mcp_verdict
from ragd.config.settings import Settings
from ragd.core.errors import DaemonAlreadyRunning, RagError, SettingsError
from ragd.core.instance import INFO_FILE, DaemonInfo, Ownership, read_info
from ragd.core.logs import CLI_LOG, logging_to
from ragd.ingest.indexes import find_drift
from ragd.models.store import verify_model
from ragd.providers.registry import provider_class
from ragd.store.database.engine import open_engine
from ragd.store.documents import DocumentWriter

Level = Literal["ok", "warn", "fail"]
Progress = Callable[[str, float | None], None]

OLDEST_PYTHON = (3, 11)
# Below this much free space an ingestion of ordinary size may fail, and even the facts store may.
SCARCE_SPACE = 1_000_000_000
NO_SPACE = 100_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report. `mend` is what to do; empty when nothing is to be done."""

    name: str
    level: Level
    message: str
    mend: str = ""


def examine(context: CliContext, progress: Progress) -> list[Finding]:
    """Everything that was found, in order. What can't be checked because of an earlier failure is left out."""
    findings = [check_python(), *check_data_directory(context.data)]
    try:
        settings = context.settings()
    except SettingsError as error:
        return [
            *findings,
            Finding("settings", "fail", error.message, f"Correct {context.config / 'settings.yaml'} or the environment."),
        ]
    findings.append(Finding("settings", "ok", _settings_source(context.config)))
    findings.append(check_agents(settings))
    progress("Checking the model", None)
    model = check_model(settings, context.models)
    findings.append(model)
    if any(finding.level == "fail" and finding.name == "data" for finding in findings):
        return findings
    with logging_to(context.logs, CLI_LOG, settings.observability.log_level):
        return [*findings, *_check_stores(context, settings, model, progress)]


def _check_stores(context: CliContext, settings: Settings, model: Finding, progress: Progress) -> Iterator[Finding]:
    left_over = read_info(context.data)
    try:
        ownership = Ownership(context.data)
    except DaemonAlreadyRunning:
        yield from check_owner(context.data, read_info(context.data))
        yield check_database(settings, context.data)
        return
    try:
        yield _no_daemon(left_over)
        progress("Checking the database", None)
        database = check_database(settings, context.data)
        yield database
        if database.level == "ok" and model.level == "ok":
            progress("Checking the indexes", None)
            yield from check_indexes(context, settings, progress)
    finally:
        ownership.release()


def check_python() -> Finding:
    about = f"{platform.python_version()} on {platform.system()} {platform.machine()}, rag-assistant {__version__}"
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Finding("python", "fail", about, "Install Python 3.11 or newer and make the environment again.")
    return Finding("python", "ok", about)


def check_agents(settings: Settings) -> Finding:
    """Whether agents are served by MCP, and whether they could take documents in."""
    verdict = mcp_verdict(settings.mcp)
    if not verdict.on:
        level: Level = "warn" if verdict.forbidden and settings.mcp.enabled else "ok"
        return Finding("agents", level, verdict.reason)
    served = f"served by MCP over {' and '.join(settings.mcp.transports)}"
    if not settings.security.allowed_roots:
        message = f"{served}; they can't take documents in, because security.allowed_roots is empty"
        return Finding("agents", "warn", message, "Name the folders that agents may take in as security.allowed_roots.")
    return Finding("agents", "ok", served)


def check_data_directory(folder: Path) -> Iterator[Finding]:
    """Whether the data directory can be written, and how much room there is."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        reason = f"{folder} can't be written: {error.strerror or error}"
        yield Finding("data", "fail", reason, "Give yourself the right to write there, or set RAG_DATA_DIR.")
        return
    yield Finding("data", "ok", f"{folder}{'' if existing == folder else ' (made when it is first needed)'}")
    free = shutil.disk_usage(existing).free
    level: Level = "fail" if free < NO_SPACE else "warn" if free < SCARCE_SPACE else "ok"
    yield Finding(
        "disk", level, f"{size(free)} free", "" if level == "ok" else "Free some space, or set RAG_DATA_DIR to another disk."
    )


def check_model(settings: Settings, models_dir: Path) -> Finding:
    """Whether the model that the settings name is on this machine, whole."""
    wanted, provider = settings.embedding.model, settings.embedding.provider
    if not provider_class("embedder", provider).needs_files:
        return Finding("model", "ok", f"the provider {provider} needs no files")
    try:
        problems = verify_model(wanted, models_dir)
    except SettingsError as error:
        return Finding("model", "fail", error.message, "Set embedding.model to one of `rag models list`.")
    if not problems:
        return Finding("model", "ok", f"{wanted} in {models_dir}, every file as recorded")
    mend = f"rag models pull {wanted}"
    if not (models_dir / wanted).exists():
        return Finding("model", "warn", f"{wanted} is not in {models_dir} yet; the first use fetches it", mend)
    return Finding("model", "fail", " ".join(problems), mend)


def check_owner(data_dir: Path, info: DaemonInfo | None) -> Iterator[Finding]:
    """Who owns the data directory, and whether it answers as a daemon."""
    who = f"process {info.pid}" if info else "another process"
    daemon = find_daemon(data_dir)
    if daemon is None:
        message = f"{who} has the data directory and does not answer as a daemon"
        yield Finding("daemon", "fail", message, f"Wait until it has finished; if it never does, stop {who}.")
        return
    with closing(Client.of(daemon)) as client:
        status = client.get("/api/status")
        sources = cloud_sources(client) if status["ready"] else []
    about = f"{client.address}, {who}, version {status['version']}"
    if status["version"] != __version__:
        yield Finding("daemon", "warn", f"{about}; this is {__version__}", "Stop it and run `rag serve` again.")
    elif not status["ready"]:
        yield Finding("daemon", "warn", f"{about}; it is still getting ready", "Wait a moment and run `rag doctor` again.")
    else:
        yield Finding("daemon", "ok", about)
    for notice in status["notices"]:
        yield Finding("indexes", "warn", notice)
    yield from check_sources(sources, is_daemon=True)


def check_sources(sources: Sequence[Mapping[str, Any]], *, is_daemon: bool) -> Iterator[Finding]:
    """Whether cloud sources have their tokens and were read in full; nothing where there are none."""
    problems = list(problems_of(sources, is_daemon=is_daemon))
    for message, mend in problems:
        yield Finding("sources", "warn", message, mend)
    if sources and not problems:
        yield Finding("sources", "ok", sound(sources))


def check_database(settings: Settings, data_dir: Path) -> Finding:
    """Whether the facts store opens and is sound."""
    url = make_url(settings.store.url or f"sqlite:///{data_dir / 'rag.db'}")
    mend = "Put back a copy of the file, or move it away to start anew and ingest your documents again."
    if url.get_backend_name() != "sqlite":
        engine = create_engine(url)
        try:
            with engine.connect() as connection:
                connection.execute(text("SELECT 1"))
        except SQLAlchemyError as error:
            return Finding("database", "fail", f"{url.render_as_string()}: {error}", "Start the database, or correct store.url.")
        finally:
            engine.dispose()
        return Finding("database", "ok", url.render_as_string())
    path = Path(url.database or "")
    if not path.is_file():
        return Finding("database", "ok", f"none yet; {path} is made when it is first needed")
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            answer = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    except sqlite3.Error as error:
        return Finding("database", "fail", f"{path} can't be read: {error}", mend)
    if answer != ["ok"]:
        return Finding("database", "fail", f"{path} is damaged: {'; '.join(answer)}", mend)
    return Finding("database", "ok", f"{path}, {size(path.stat().st_size)}, sound")


def check_indexes(context: CliContext, settings: Settings, progress: Progress) -> Iterator[Finding]:
    """Whether the model runs and both indexes hold what the facts say."""
    try:
        with closing(App(settings, context.directories(), progress)) as app, closing(_Facts(settings, context.data)) as facts:
            embedder = app.embedder
            embedder.embed_queries(["check"])
            yield Finding("engine", "ok", f"{embedder.model_id}: {embedder.dimension} dimensions on {embedder.device}")
            for warning in getattr(embedder, "warnings", ()):
                yield Finding("engine", "warn", warning)
            missing = surplus = entries = 0
            for kb_id, status in app.collections.all_ids().items():
                if status != "deleted":
                    live = facts.writer.live_entries(kb_id)
                    drift = find_drift(app.indexes, kb_id, live)
                    entries += len(live)
                    missing += len(drift.incomplete_documents)
                    surplus += len(drift.surplus.dense) + len(drift.surplus.sparse)
            sources = own_cloud_sources(app)
            for notice in app.notices:
                yield Finding("indexes", "warn", notice)
    except RagError as error:
        yield Finding("indexes", "fail", error.message, "rag reindex")
        return
    backends = f"{settings.dense.backend} and {settings.sparse.backend}"
    if missing:
        yield Finding("indexes", "warn", f"{backends}: {plural(missing, 'document')} can't be found in full", "rag reindex")
    else:
        rest = f"; {plural(surplus, 'entry')} of old versions will be removed" if surplus else ""
        yield Finding("indexes", "ok", f"{backends}, {plural(entries, 'chunk')} in each, as the facts say{rest}")
    yield from check_sources(sources, is_daemon=False)


class _Facts:
    """The facts store, opened beside the app's own connection to look at its entries."""

    def __init__(self, settings: Settings, data_dir: Path) -> None:
        self._engine = open_engine(settings.store.url, data_dir)
        self.writer = DocumentWriter(self._engine)

    def close(self) -> None:
        self._engine.dispose()


def _settings_source(config_dir: Path) -> str:
    path = config_dir / "settings.yaml"
    return f"{path}, valid" if path.is_file() else f"the defaults; {path} does not exist"


def _no_daemon(left_over: DaemonInfo | None) -> Finding:
    if left_over is None:
        return Finding("daemon", "ok", "not running; commands do the work themselves")
    message = (
        f"not running; {INFO_FILE} was left over from process {left_over.pid}, which ended without cleaning up, and is removed"
    )
    return Finding("daemon", "warn", message)

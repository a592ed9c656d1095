"""The checks of `rag doctor`, in the order in which one thing needs the other.

What this machine has is looked at here, the rest is asked of the API. They look and do not mend, but for what any start would do:
a damaged index is put aside, since it can be made anew.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragd import __version__
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import plural, size
from ragd.client.blocking import Client
from ragd.client.connect import connect
from ragd.client.discovery import find_daemon
from ragd.config.loading import Directories
from ragd.config.policy import mcp_verdict
from ragd.config.secrets import resolve
from ragd.config.settings import Settings
from ragd.core.checks import Check, Level
from ragd.core.errors import RagError, SettingsError
from ragd.core.instance import INFO_FILE, DaemonInfo, is_owned, read_info
from ragd.formats.registry import require_loaders
from ragd.models.store import Progress, verify_model
from ragd.providers.registry import provider_class

_OLDEST_PYTHON = (3, 11)
# Below this much free space an ingestion of ordinary size may fail, and even the database may.
_SCARCE_SPACE = 1_000_000_000
_NO_SPACE = 100_000_000
# What holds documents' content in a data directory.
_PRIVATE = ("rag.db", "assets", "index", "logs", "uploads")


def examine(context: CliContext, progress: Progress) -> list[Check]:
    """Everything that was found, in order. What can't be checked because of an earlier failure is left out."""
    directories = context.directories
    found = [_check_python(), *_check_data_directory(directories.data)]
    try:
        settings = context.settings()
    except SettingsError as error:
        mend = f"Correct {directories.config / 'settings.yaml'} or the environment."
        return [*found, Check("settings", "fail", error.message, mend)]
    found.append(_check_settings(settings, directories.config))
    if found[-1].level == "fail":
        return found
    found.append(_check_agents(settings))
    found.append(_check_ocr(settings))
    progress("Checking the model", None)
    model = _check_model(settings, directories.models)
    found.append(model)
    if not any(check.level == "fail" and check.name == "data" for check in found):
        progress("Checking the database and the indexes", None)
        found += _ask(directories, settings, search=model.level == "ok")
    return found


def _check_ocr(settings: Settings) -> Check:
    """Whether scanned pages and pictures can be read."""
    name = settings.ocr.provider
    if name == "none":
        return Check("text recognition", "ok", "off, by ocr.provider")
    if provider_class("ocr", name).installed_profile() == "none":
        return Check(
            "text recognition", "warn", "not installed: scanned pages stay without text", "To read them: `rag extras add ocr`."
        )
    return Check("text recognition", "ok", name)


def _ask(directories: Directories, settings: Settings, *, search: bool) -> Iterator[Check]:
    """What the API knows, of the daemon that runs or of one in this process."""
    left_over = read_info(directories.data)
    if directories.data.is_dir() and is_owned(directories.data) and find_daemon(directories.data) is None:
        who = f"process {left_over.pid}" if left_over else "another process"
        if left_over and left_over.url:
            yield Check("daemon", "fail", f"{who} has the data directory and does not answer", f"Stop {who}.")
        else:
            mend = f"Try again in a minute; if that does not help, stop {who}."
            yield Check("daemon", "warn", f"{who} has the data directory and is getting ready, or about to end", mend)
        return
    try:
        with connect(directories, lambda: settings) as client:
            status = client.get("/api/status")
            yield _check_daemon(client, status["version"], left_over)
            if status["version"] == __version__:
                yield from (Check(**row) for row in client.get("/api/checks", search=search)["checks"])
            for notice in client.get("/api/status")["notices"]:
                yield Check("indexes", "warn", notice)
            yield from _check_sources(client)
    except RagError as error:
        yield Check("database", "fail", error.message)


def _check_python() -> Check:
    about = f"{platform.python_version()} on {platform.system()} {platform.machine()}, rag-assistant {__version__}"
    if sys.version_info[:2] < _OLDEST_PYTHON:
        return Check("python", "fail", about, "Install Python 3.11 or newer and make the environment again.")
    return Check("python", "ok", about)


def _check_agents(settings: Settings) -> Check:
    """Whether agents are served by MCP, and whether they could take documents in."""
    verdict = mcp_verdict(settings.mcp)
    if not verdict.on:
        level: Level = "warn" if verdict.forbidden and settings.mcp.enabled else "ok"
        return Check("agents", level, verdict.reason)
    served = f"served by MCP over {' and '.join(settings.mcp.transports)}"
    if not settings.security.allowed_roots:
        message = f"{served}; they can't take documents in, because security.allowed_roots is empty"
        return Check("agents", "warn", message, "Name the folders that agents may take in as security.allowed_roots.")
    return Check("agents", "ok", served)


def _check_data_directory(folder: Path) -> Iterator[Check]:
    """Whether the data directory can be written, and how much room there is."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        reason = f"{folder} can't be written: {error.strerror or error}"
        yield Check("data", "fail", reason, "Give yourself the right to write there, or set RAG_DATA_DIR.")
        return
    if existing != folder:
        yield Check("data", "ok", f"{folder} (made when it is first needed)")
    elif opened := [name for name in _PRIVATE if os.name != "nt" and _is_open_to_others(folder / name)]:
        reason = f"{folder} lets other users of this machine read {', '.join(opened)}"
        yield Check("data", "warn", reason, f"chmod -R go-rwx {' '.join(shlex.quote(str(folder / name)) for name in opened)}")
    else:
        yield Check("data", "ok", str(folder))
    free = shutil.disk_usage(existing).free
    level: Level = "fail" if free < _NO_SPACE else "warn" if free < _SCARCE_SPACE else "ok"
    yield Check(
        "disk", level, f"{size(free)} free", "" if level == "ok" else "Free some space, or set RAG_DATA_DIR to another disk."
    )


def _is_open_to_others(path: Path) -> bool:
    return path.exists() and bool(path.parent.stat().st_mode & 0o077 and path.stat().st_mode & 0o077)


def _check_model(settings: Settings, models_dir: Path) -> Check:
    """Whether the model that the settings name is on this machine, whole."""
    wanted, provider = settings.embedding.model, settings.embedding.provider
    if not provider_class("embedder", provider).needs_files:
        return Check("model", "ok", f"the provider {provider} needs no files")
    try:
        problems = verify_model(wanted, models_dir)
    except SettingsError as error:
        return Check("model", "fail", error.message, "Set embedding.model to one of `rag models list`.")
    if not problems:
        return Check("model", "ok", f"{wanted} in {models_dir}, every file as recorded")
    mend = f"rag models pull {wanted}"
    if not (models_dir / wanted).exists():
        return Check("model", "warn", f"{wanted} is not in {models_dir} yet; the first use fetches it", mend)
    return Check("model", "fail", " ".join(problems), mend)


def _check_daemon(client: Client, version: str, left_over: DaemonInfo | None) -> Check:
    if client.is_daemon:
        about = f"{client.address}{f', process {left_over.pid}' if left_over else ''}, version {version}"
        if version != __version__:
            return Check("daemon", "warn", f"{about}; this is {__version__}", "Stop it and run `rag serve` again.")
        return Check("daemon", "ok", about)
    if left_over is None:
        return Check("daemon", "ok", "not running; commands do the work themselves")
    ended = f"{INFO_FILE} was left over from process {left_over.pid}, which ended without cleaning up, and is removed"
    return Check("daemon", "warn", f"not running; {ended}")


def _check_settings(settings: Settings, config_dir: Path) -> Check:
    """Whether the loaders that are set exist; the other values were checked when they were read."""
    path = config_dir / "settings.yaml"
    try:
        require_loaders(settings.ingest.loaders)
    except SettingsError as error:
        return Check("settings", "fail", error.message, f"Correct {path} or the environment.")
    return Check("settings", "ok", f"{path}, valid" if path.is_file() else f"the defaults; {path} does not exist")


def _check_sources(client: Client) -> Iterator[Check]:
    """Whether cloud sources that are switched on have their tokens and were read in full; nothing where there are none."""
    sources = [source for source in client.pages("/api/sources") if source["type"] != "folder" and source["enabled"]]
    problems = list(_source_problems(sources, is_daemon=client.is_daemon))
    for message, mend in problems:
        yield Check("sources", "warn", message, mend)
    if sources and not problems:
        remote = sum((source["last_result"] or {}).get("remote") or 0 for source in sources)
        yield Check("sources", "ok", f"{plural(len(sources), 'cloud source')}, {plural(remote, 'item')} accounted for")


def _source_problems(sources: Sequence[Mapping[str, Any]], *, is_daemon: bool) -> Iterator[tuple[str, str]]:
    """What is wrong with cloud sources that are switched on, a message, and what to do.

    With `is_daemon` a daemon reads them: what its environment holds can't be seen from here.
    """
    for source in sources:
        name, last = source["name"], source["last_result"]
        reference = str((source["config"].get("auth") or {}).get("token", ""))
        if not source["waits_for_token"] and not (is_daemon and reference.startswith("env:")):
            try:
                resolve(reference, "auth.token")
            except SettingsError as error:
                yield f"'{name}': {error.message}", f"Put its token there, or: rag sources change '{name}' --token REFERENCE"
                continue
        again = f"rag sync '{name}'{' --token REFERENCE' if source['waits_for_token'] else ''}"
        if source["last_error"]:
            yield f"'{name}' could not be read: {source['last_error']}", again
        elif last is None:
            yield f"'{name}' was not read yet", again
        elif not last["complete"]:
            yield (
                f"'{name}' was not read in full: {last['notice'] or 'some items are not accounted for'}",
                f"rag sources ledger '{name}'",
            )

"""The check of `rag doctor` for cloud sources: their tokens are where the sources say, and their last reading was complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ragd.cli.common.output import plural
from ragd.client.blocking import Client
from ragd.config.secrets import resolve
from ragd.core.checks import Check
from ragd.core.errors import SettingsError

_FIELD: Final = "auth.token"


def check_sources(client: Client) -> Iterator[Check]:
    """Whether cloud sources that are switched on have their tokens and were read in full; nothing where there are none."""
    sources = [source for source in client.pages("/api/sources") if source["type"] != "folder" and source["enabled"]]
    problems = list(_problems(sources, is_daemon=client.is_daemon))
    for message, mend in problems:
        yield Check("sources", "warn", message, mend)
    if sources and not problems:
        remote = sum((source["last_result"] or {}).get("remote") or 0 for source in sources)
        yield Check("sources", "ok", f"{plural(len(sources), 'cloud source')}, {plural(remote, 'item')} accounted for")


def _problems(sources: Sequence[Mapping[str, Any]], *, is_daemon: bool) -> Iterator[tuple[str, str]]:
    """What is wrong with cloud sources that are switched on, as REST tells them: a message, and what to do.

    With `is_daemon` a daemon reads them: what its environment holds can't be seen from here.
    """
    for source in sources:
        name, last = source["name"], source["last_result"]
        reference = str((source["config"].get("auth") or {}).get("token", ""))
        if not source["waits_for_token"] and not (is_daemon and reference.startswith("env:")):
            try:
                resolve(reference, _FIELD)
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

"""The check of `rag doctor` for cloud sources: their tokens are where the sources say, and their last reading was complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ragd.cli.common.output import plural
from ragd.config.secrets import resolve
from ragd.core.errors import SettingsError

if TYPE_CHECKING:
    from ragd.app.engine import App
    from ragd.client.blocking import Client

_FIELD: Final = "auth.token"


def cloud_sources(client: Client) -> list[dict[str, Any]]:
    """Those that are switched on, as a daemon tells them."""
    return [source for source in client.pages("/api/sources") if source["type"] != "folder" and source["enabled"]]


def own_cloud_sources(app: App) -> list[dict[str, Any]]:
    """The same of an app in this process, as far as it is looked at here."""
    names = ("name", "config", "last_result", "last_error")
    found, total = app.sources.page(1, 100)
    for page in range(2, -(-total // 100) + 1):
        found += app.sources.page(page, 100)[0]
    return [
        {name: getattr(source, name) for name in names} | {"waits_for_token": app.sources.waits_for_token(source)}
        for source in found
        if app.sources.is_remote(source) and source.enabled
    ]


def problems_of(sources: Sequence[Mapping[str, Any]], *, is_daemon: bool) -> Iterator[tuple[str, str]]:
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
            yield f"'{name}' was not read in full: {last['notice'] or 'some items are not accounted for'}", _ledger(name)


def sound(sources: Sequence[Mapping[str, Any]]) -> str:
    """What to say when nothing is wrong."""
    remote = sum((source["last_result"] or {}).get("remote") or 0 for source in sources)
    return f"{plural(len(sources), 'cloud source')}, {plural(remote, 'item')} accounted for"


def _ledger(name: str) -> str:
    return f"rag sources ledger '{name}'"

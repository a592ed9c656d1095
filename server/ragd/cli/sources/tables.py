"""How sources are shown: what is read, as whom, what is asked at a hit, and how the last reading went."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ragd.cli.common.output import clean, fields, listing, moment, plural, print_failed
from ragd.cli.common.source_tokens import REQUEST
from ragd.cli.ingest import COUNTED

NO_SOURCES: Final = "No sources. Add one with `rag sources add folder PATH` or `rag sources add confluence|jira ADDRESS`."
_HEADINGS: Final = ("name", "state", "collection", "documents", "last read", "next", "place")
_LIVE: Final = {
    "live": "live: each passage is read anew with the token of who asks",
    "cached": "cached: the token of who asks must prove access; passages come from the index",
    "off": "off: nobody is asked, passages come from the index",
}
DEPLOYMENTS: Final = {"cloud": "Cloud", "data_center": "Data Center"}
_KINDS: Final = {"api_token": "API token", "pat": "personal access token", "oauth": "OAuth token"}
# Known parts of a configuration, what people call them, and what an empty one means.
_LABELS: Final = (
    ("spaces", "Spaces", "all"),
    ("cql", "CQL", ""),
    ("projects", "Projects", "all"),
    ("jql", "JQL", ""),
    ("custom_fields", "Fields", ""),
    ("attachments", "Attachments", ""),
    ("comments", "Comments", ""),
    ("include", "Include", "all"),
    ("exclude", "Exclude", "nothing"),
)


def _cloud_config(source: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Names and values of a cloud source's configuration; those of a type that we don't know as they are written."""
    config = source["config"]
    where = DEPLOYMENTS.get(config.get("deployment", ""))
    pairs: list[tuple[str, object]] = [("Type", f"{source['type']}, {where}" if where else source["type"])]
    if "base_url" in config:
        pairs.append(("Address", config["base_url"]))
    if auth := config.get("auth"):
        pairs.append(("Account", _account(auth)))
    for name, label, when_empty in _LABELS:
        if name in config and (config[name] or when_empty or config[name] is False):
            pairs.append((label, _said(config[name]) or when_empty))
    known = {"base_url", "deployment", "auth", *(name for name, _, _ in _LABELS)}
    return pairs + [(name, _said(value)) for name, value in config.items() if name not in known]


def _cloud_reading(source: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Names and values of when a cloud source is read, and who sees it."""
    due = moment(source["due_at"]) or "not planned"
    due += ", by whoever keeps its token" if source["waits_for_token"] else ""
    return [
        ("Schedule", source["schedule"] or "as the settings say (sync.schedule)"),
        ("Next", due if source["enabled"] else "not while it is off"),
        ("Live", _LIVE[source["live"]]),
        ("Public", "yes: whoever may ask this daemon may read it" if source["public"] else "no: a token must prove access"),
    ]


def _cloud_result(last: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Names and values of the last cycle beside what it changed."""
    waited = f", {last['throttled_s']:.0f} s throttled" if last["throttled_s"] else ""
    pairs: list[tuple[str, object]] = [
        ("Accounted", f"{_equation(last)}{'' if last['complete'] else ' (incomplete)'}"),
        ("Cost", f"{plural(last['requests'], 'request')}{waited}"),
    ]
    return pairs + ([("Attention", last["notice"])] if last["notice"] else [])


def accounted(source: Mapping[str, Any]) -> str:
    """How the items of the last cycle are accounted for, in a sentence; empty for a folder, or when it was not read."""
    last = source["last_result"]
    if not last or last.get("remote") is None:
        return ""
    why = f" `rag sources ledger '{clean(source['name'])}'` says why." if last["skipped"] or last["held"] else ""
    return f"{_equation(last)}.{why}" + (f"\n{clean(last['notice'])}" if last["notice"] else "")


def _equation(last: Mapping[str, Any]) -> str:
    held = f"; {last['held']:,} held back, gone there and kept here" if last["held"] else ""
    sign = " =" if last["complete"] else ":"
    return f"{plural(last['remote'], 'item')} there{sign} {last['indexed']:,} indexed + {last['skipped']:,} left out{held}"


def _account(auth: Mapping[str, Any]) -> str:
    kind = _KINDS.get(auth.get("kind", ""), auth.get("kind", ""))
    place = "comes with each request" if auth.get("token") == REQUEST else f"is at {auth.get('token')}"
    return f"{auth['email']}; its {kind} {place}" if auth.get("email") else f"the {kind} {place}"


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def changes(result: Mapping[str, Any]) -> str:
    """What a reading did, in a few words; empty when nothing changed."""
    counted = [f"{result[name]:,} {name}" for name in COUNTED if name not in ("unchanged", "skipped") and result.get(name)]
    return ", ".join(counted + ([f"{result['failed_count']:,} failed"] if result["failed_count"] else []))


def print_source(source: Mapping[str, Any]) -> None:
    """One source with its configuration and its last reading."""
    last = source["last_result"]
    is_folder = source["type"] == "folder"
    pairs: list[tuple[str, object]] = [
        ("Name", source["name"]),
        *(_folder_config(source["config"]) if is_folder else _cloud_config(source)),
        ("Collection", source["collection"]),
        ("State", _state(source)),
        ("Documents", f"{source['document_count']:,}"),
        *([] if is_folder else _cloud_reading(source)),
        ("Last read", moment(source["last_finished_at"]) or "never"),
    ]
    if last:
        what = changes(last) or "nothing changed"
        counted = f"; {last['skipped']:,} of other types, {last['ignored']:,} ignored"
        pairs.append(("Result", f"{what}{counted if is_folder and last['everything'] else ''}"))
        pairs += [] if is_folder else _cloud_result(last)
    pairs += [(name, source[key]) for name, key in (("Error", "last_error"), ("Notice", "notice")) if source[key]]
    fields([*pairs, ("Id", source["id"])])
    print_failed(last["failed"] if last else ())


def _row(source: Mapping[str, Any]) -> tuple[object, ...]:
    config, times = source["config"], (moment(source["last_finished_at"]), moment(source["due_at"])[:16])
    place = config.get("path") or config.get("base_url") or source["type"]
    return source["name"], _state(source), source["collection"], source["document_count"], *times, place


def _state(source: Mapping[str, Any]) -> str:
    return str(source["state"]) if source["enabled"] else "off"


def _folder_config(config: Mapping[str, Any]) -> list[tuple[str, object]]:
    return [
        ("Folder", config["path"]),
        ("Include", ", ".join(config["include"]) or "all"),
        ("Exclude", ", ".join(config["exclude"]) or "nothing"),
        (".gitignore", "followed" if config["gitignore"] else "not looked at"),
    ]


print_sources = listing(_HEADINGS, _row, empty=NO_SOURCES, numeric=("documents",))

"""What the official conformance suite says of our server: which scenarios pass, and why others can't.

Most scenarios drive tools, prompts and resources of a reference server by their names (`test_simple_text`, …). What a server like
ours has no reason to offer is listed here with what the suite must then say; any other failure is ours. Scenarios of extensions
that we do not declare (tasks, skills) are not run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True)
class Why:
    """Why a scenario can't pass. `told` matches the whole message of each of its failures."""

    reason: str
    told: str


_TOOL = Why(
    "calls a tool of the reference server", r".*There is no tool 'test_.*|Prerequisite failed: .*|Expected InputRequiredResult.*"
)
_PROMPT = Why("asks for a prompt of the reference server", r".*There is no prompt 'test_.*")
_RESOURCE = Why("reads a resource of the reference server", r".*There is no such resource\..*")
_NO_LOGGING = Why("we send no log messages to clients, and declare none", r".*Method not found")
_NO_SUBSCRIPTION = Why("we tell of no changes to resources, and declare no subscriptions", r".*Method not found")
_SCHEMA = Why("looks for a tool of the reference server by name", r"Tool 'json_schema_2020_12_tool' not found.*")
_UNTESTABLE = Why(
    "4 of its 25 checks need a diagnostic tool of the reference server; the others pass", r"Not testable: .* 'test_.*"
)
_NO_HEADERS = Why(
    "no argument of our tools is sent as a header (x-mcp-header)", r"Not testable: server exposes no tool with x-mcp-header.*"
)

CANNOT_PASS: Final = {
    "logging-set-level": _NO_LOGGING,
    "tools-call-with-logging": _NO_LOGGING,
    "resources-subscribe": _NO_SUBSCRIPTION,
    "resources-unsubscribe": _NO_SUBSCRIPTION,
    "json-schema-2020-12": _SCHEMA,
    "server-stateless": _UNTESTABLE,
    "http-custom-header-server-validation": _NO_HEADERS,
    "completion-complete": _PROMPT,
    "prompts-get-simple": _PROMPT,
    "prompts-get-with-args": _PROMPT,
    "prompts-get-embedded-resource": _PROMPT,
    "prompts-get-with-image": _PROMPT,
    "input-required-result-non-tool-request": _PROMPT,
    "resources-read-text": _RESOURCE,
    "resources-read-binary": _RESOURCE,
    "resources-templates-read": _RESOURCE,
    "tools-call-simple-text": _TOOL,
    "tools-call-image": _TOOL,
    "tools-call-audio": _TOOL,
    "tools-call-embedded-resource": _TOOL,
    "tools-call-mixed-content": _TOOL,
    "tools-call-error": _TOOL,
    "tools-call-with-progress": _TOOL,
    "tools-call-sampling": _TOOL,
    "tools-call-elicitation": _TOOL,
    "elicitation-sep1034-defaults": _TOOL,
    "elicitation-sep1330-enums": _TOOL,
    "input-required-result-basic-elicitation": _TOOL,
    "input-required-result-basic-sampling": _TOOL,
    "input-required-result-basic-list-roots": _TOOL,
    "input-required-result-request-state": _TOOL,
    "input-required-result-multiple-input-requests": _TOOL,
    "input-required-result-multi-round": _TOOL,
    "input-required-result-result-type": _TOOL,
    "input-required-result-tampered-state": _TOOL,
    "input-required-result-capability-check": _TOOL,
}

ONLY_ADVISED: Final = {
    "server-sse-polling": "streams can't be resumed: a call that breaks off is asked again",
    "input-required-result-missing-input-response": "calls a tool of the reference server",
    "input-required-result-ignore-extra-params": "calls a tool of the reference server",
}
"""Scenarios without a failure in which the suite warns of what a server should do and ours does not."""

PASSES: Final = {
    "2025-11-25": {
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    },
    "2026-07-28": {
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "sep-2164-resource-not-found",
        "prompts-list",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
    },
}
"""By version of the protocol, the scenarios in which nothing is found wrong."""


def outcomes(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every scenario that the suite ran, with its checks that failed or warned."""
    return dict(_outcomes(folder))


def _outcomes(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for file in sorted(folder.glob("server-*/checks.json")):
        name = re.sub(r"^server-(.+)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        checks = json.loads(file.read_text(encoding="utf-8"))
        yield name, [check for check in checks if check["status"] in ("FAILURE", "WARNING")]


def passing(found: dict[str, list[dict[str, Any]]]) -> set[str]:
    return {name for name, checks in found.items() if not checks}


def unexplained(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Failures and warnings that the tables do not account for."""
    return [
        f"{name}: {check['id']}: {check.get('errorMessage')}"
        for name, checks in found.items()
        for check in checks
        if not _is_explained(name, check)
    ]


def _is_explained(name: str, check: dict[str, Any]) -> bool:
    if check["status"] == "WARNING":
        return name in ONLY_ADVISED
    return name in CANNOT_PASS and re.fullmatch(CANNOT_PASS[name].told, check.get("errorMessage", ""), re.DOTALL) is not None

"""What whoever administers this machine forbids, whatever the settings say.

A policy file can only take away. It lies where an ordinary user can't write, and a file that can't be understood forbids all that
it could forbid.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from rag_assistant.settings import McpSettings

VARIABLE: Final = "RAG_POLICY_FILE"
"""Names one more policy file. Since policies only forbid, this loosens nothing."""


def system_policy(platform: str = sys.platform, environment: Mapping[str, str] | None = None) -> Path:
    """Where this machine's policy file is."""
    environment = os.environ if environment is None else environment
    if platform == "win32":
        return Path(environment.get("PROGRAMDATA") or r"C:\ProgramData") / "rag-assistant" / "policy.yaml"
    if platform == "darwin":
        return Path("/Library/Application Support/rag-assistant/policy.yaml")
    return Path("/etc/rag-assistant/policy.yaml")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something is on, and in a sentence why not. `forbidden` when no setting of the user's could switch it on."""

    on: bool
    reason: str = ""
    forbidden: bool = False


def mcp_verdict(settings: McpSettings, transport: str | None = None) -> Verdict:
    """Whether agents are served by MCP, by this transport (`stdio`, `http`) or by any."""
    for path in _policies():
        if reason := _forbids_mcp(path):
            return Verdict(False, reason, forbidden=True)
    if not settings.enabled:
        return Verdict(False, "MCP is off. Set mcp.enabled: true in settings.yaml, or RAG_MCP__ENABLED=true, to switch it on.")
    if transport and transport not in settings.transports:
        known = ", ".join(settings.transports) or "none"
        return Verdict(False, f"MCP by {transport} is off: mcp.transports names {known}. Add {transport} to switch it on.")
    return Verdict(True)


def _policies() -> Iterator[Path]:
    yield system_policy()
    if extra := os.environ.get(VARIABLE):
        yield Path(extra)


def _forbids_mcp(path: Path) -> str:
    """Why this file forbids MCP; empty when it does not."""
    forbidden = f"MCP is forbidden by the policy of this machine ({path})."
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        # The machine may have none; one that is named must be there, or a slip of the pen would set free what it forbids.
        return "" if path == system_policy() else f"{forbidden} The file is missing, which counts as forbidden."
    except (OSError, UnicodeDecodeError) as error:
        return f"{forbidden} The file can't be read ({error}), which counts as forbidden."
    try:
        rules = yaml.safe_load(text) or {}
    except yaml.YAMLError:
        return f"{forbidden} The file is no YAML, which counts as forbidden."
    known = isinstance(rules, dict) and set(rules) <= {"mcp"} and rules.get("mcp", "allowed") in ("allowed", "forbidden")
    if not known:
        return f"{forbidden} The file says something else than 'mcp: forbidden' or 'mcp: allowed', which counts as forbidden."
    return forbidden if rules.get("mcp") == "forbidden" else ""

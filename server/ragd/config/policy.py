"""What whoever administers this machine forbids, whatever the settings say.

A policy file can only take away. It lies where an ordinary user can't write; one that can't be understood forbids all it could.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from ragd.config.service import McpSettings

VARIABLE: Final = "RAG_POLICY_FILE"
"""Names one more policy file. Since policies only forbid, this loosens nothing."""

_PROGRAM_DATA: Final = r"C:\ProgramData"
_SHELL_FOLDERS: Final = r"SOFTWARE\Microsoft\Windows\CurrentVersion\Explorer\Shell Folders"


def system_policy(platform: str = sys.platform) -> Path:
    """Where this machine's policy file is. No variable of the environment decides, which any user may set."""
    if platform == "win32":
        return _program_data() / "rag-assistant" / "policy.yaml"
    if platform == "darwin":
        return Path("/Library/Application Support/rag-assistant/policy.yaml")
    return Path("/etc/rag-assistant/policy.yaml")


def _program_data() -> Path:
    """The folder for the data of all users of Windows, as the part of its registry says that only administrators write."""
    if sys.platform == "win32":
        import winreg

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _SHELL_FOLDERS) as folders:
            return Path(winreg.QueryValueEx(folders, "Common AppData")[0])
    return Path(_PROGRAM_DATA)


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
    if not settings.transports:
        return Verdict(False, "MCP is off: mcp.transports names none. Add stdio or http to switch it on.")
    if transport and transport not in settings.transports:
        known = ", ".join(settings.transports)
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
        rules = _rules(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return f"{forbidden} The file is no YAML that can be understood, which counts as forbidden."
    known = isinstance(rules, dict) and set(rules) <= {"mcp"} and rules.get("mcp", "allowed") in ("allowed", "forbidden")
    if not known:
        return f"{forbidden} The file says something else than 'mcp: forbidden' or 'mcp: allowed', which counts as forbidden."
    return forbidden if rules.get("mcp") == "forbidden" else ""


def _rules(text: str) -> Any:
    """What a policy says; an empty one says nothing. Raises `YAMLError`, also for a name that stands twice, and `ValueError`."""
    node = yaml.compose(text, yaml.SafeLoader)
    if node is None:
        return {}
    rules = yaml.safe_load(text)
    if isinstance(rules, dict) and len(rules) != len(node.value):
        raise yaml.YAMLError("a name stands twice")
    return rules

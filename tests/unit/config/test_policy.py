"""What whoever administers a machine forbids, and what the settings may still decide."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragd.config.policy import VARIABLE, Verdict, mcp_verdict, system_policy
from ragd.config.service import McpSettings

ON = McpSettings(enabled=True)

needs_no_policy = pytest.mark.skipif(system_policy().exists(), reason="this machine has a policy file")


@pytest.mark.parametrize(
    ("platform", "path"),
    [
        ("linux", "/etc/rag-assistant/policy.yaml"),
        ("freebsd14", "/etc/rag-assistant/policy.yaml"),
        ("darwin", "/Library/Application Support/rag-assistant/policy.yaml"),
    ],
)
def test_the_policy_lies_where_only_an_administrator_writes(platform: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "RAG_CONFIG_DIR", "PROGRAMDATA"):
        monkeypatch.setenv(name, "/home/me")
    assert system_policy(platform) == Path(path)


def test_no_variable_moves_the_policy_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    before = system_policy("win32")
    monkeypatch.setenv("PROGRAMDATA", "D:\\mine")
    assert system_policy("win32") == before
    assert before.parts[-2:] == ("rag-assistant", "policy.yaml")
    assert "ProgramData" in str(before)


def test_the_policy_of_this_machine_is_that_of_its_platform() -> None:
    assert system_policy() == system_policy(sys.platform)


@needs_no_policy
def test_off_unless_switched_on_and_then_by_the_named_ways_only() -> None:
    off = mcp_verdict(McpSettings())
    assert not off.on
    assert not off.forbidden
    assert "mcp.enabled: true" in off.reason
    assert mcp_verdict(ON) == mcp_verdict(ON, "http") == mcp_verdict(ON, "stdio") == Verdict(True)
    by_stdio = McpSettings(enabled=True, transports=("stdio",))
    assert mcp_verdict(by_stdio).on
    assert mcp_verdict(by_stdio, "stdio").on
    by_http = mcp_verdict(by_stdio, "http")
    assert not by_http.on
    assert "mcp.transports names stdio" in by_http.reason
    assert not mcp_verdict(McpSettings(enabled=True, transports=())).on


@needs_no_policy
@pytest.mark.parametrize("rules", ["mcp: allowed\n", "", "# nothing is forbidden\n", "{}", "\ufeffmcp: allowed\n"])
def test_a_policy_that_forbids_nothing_changes_nothing(rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "policy.yaml").write_text(rules, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "policy.yaml"))
    assert mcp_verdict(ON, "http").on
    assert not mcp_verdict(McpSettings(), "http").on


@pytest.mark.parametrize(
    "rules",
    [
        b"mcp: forbidden\n",
        b"mcp: Forbidden\n",
        b"mcp: false\n",
        b"mcp: off\n",
        b"mcp:\n",
        b"mcp: [allowed]\n",
        b"mcp: {http: allowed}\n",
        b"MCP: forbidden\n",
        b"mpc: forbidden\n",
        b"mcp: allowed\nmcp: forbidden\n",
        b"mcp: forbidden\nmcp: allowed\n",
        b"mcp: allowed\nother: x\n",
        b"mcp: 2026-99-99\n",
        b"false\n",
        b"[]\n",
        b"''\n",
        b"[" * 600 + b"]" * 600,
        b"- mcp: allowed\n",
        b"allowed",
        b"mcp: [",
        b"mcp: !!python/object/apply:os.getcwd []\n",
        b"? {a: b}\n: c\n",
        b"mcp: allowed\n---\nmcp: forbidden\n",
        b"\xff\xfe\x00",
        b"a: &a [*a]\n",
    ],
)
def test_what_forbids_and_what_can_not_be_understood_forbids(
    rules: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy.yaml").write_bytes(rules)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "policy.yaml"))
    for transport in (None, "http", "stdio"):
        verdict = mcp_verdict(ON, transport)
        assert verdict.forbidden
        assert not verdict.on
        assert str(tmp_path / "policy.yaml") in verdict.reason


@pytest.mark.parametrize("name", ["missing.yaml", "", "no/such/folder/policy.yaml"])
def test_a_named_policy_that_is_missing_or_no_file_forbids(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / name))
    assert mcp_verdict(ON).forbidden

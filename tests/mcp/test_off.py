"""The off switch, from outside: by real processes, of which some may not serve agents whatever the settings say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragd.config.policy import system_policy

from .conftest import LIGHT, Daemon
from .messages import INITIALIZE, call

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
    pytest.mark.skipif(system_policy().exists(), reason="this machine has a policy file"),
]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE")

ON = {"RAG_MCP__ENABLED": "true"}

# Becomes the command that follows, on a view of the files of its own where the machine's policy is the file that $POLICY names.
UNDER_A_POLICY = """\
mount --make-rprivate / && mount -t tmpfs none "$SCRATCH" && mkdir "$SCRATCH/up" "$SCRATCH/work" &&
mount -t overlay -o "lowerdir=/etc,upperdir=$SCRATCH/up,workdir=$SCRATCH/work" none /etc &&
mkdir -p /etc/rag-assistant && cp "$POLICY" /etc/rag-assistant/policy.yaml && exec "$@"
"""


def refused(http: httpx2.Client) -> str:
    """Assert that nothing of MCP is there, and give what the daemon has to say."""
    for method in METHODS:
        answer = http.request(method, "/mcp", json=INITIALIZE if method == "POST" else None)
        assert answer.status_code == 404
        if method != "HEAD":
            assert answer.json()["error"]["code"] == "NOT_FOUND"
    assert http.post("/mcp", **call("list_collections")).status_code == 404
    assert "/mcp" not in http.get("/openapi.json").json()["paths"]
    return "\n".join(http.get("/api/status").json()["notices"])


def status_of(http: httpx2.Client) -> bool:
    return bool(http.get("/api/status").json()["mcp"])


def test_agents_are_not_served_unless_that_is_switched_on(start: Callable[..., Daemon]) -> None:
    with start().client() as http:
        assert refused(http) == ""
        assert not status_of(http)
        assert http.get("/api/status").json()["mcp_forbidden"] is None


def test_one_setting_switches_it_on(start: Callable[..., Daemon], tmp_path: Path) -> None:
    (tmp_path / "data" / "config").mkdir(parents=True)
    (tmp_path / "data" / "config" / "settings.yaml").write_text("mcp:\n  enabled: true\n", encoding="utf-8")
    with start().client() as http:
        answer = http.post("/mcp", **call("list_collections"))
        assert answer.json()["result"]["structuredContent"]["collections"]
        assert status_of(http)


def test_http_can_stay_off_while_stdio_is_on(start: Callable[..., Daemon]) -> None:
    with start(**ON, RAG_MCP__TRANSPORTS='["stdio"]').client() as http:
        assert refused(http) == ""
        assert not status_of(http)


POLICIES: dict[str, bytes | None] = {
    "forbids": b"mcp: forbidden\n",
    "is broken": b"mcp: [allowed\n",
    "says what nobody knows": b"mcp: maybe\n",
    "is no text": b"\xff\xfe\x00",
    "is missing": None,
}


def test_a_policy_forbids_whatever_the_settings_say(start: Callable[..., Daemon], tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("mcp: forbidden\n", encoding="utf-8")
    with start(**ON, RAG_POLICY_FILE=str(policy)).client() as http:
        for rules in POLICIES.values():
            policy.unlink() if rules is None else policy.write_bytes(rules)
            assert f"MCP is forbidden by the policy of this machine ({policy})" in refused(http)
            assert not status_of(http)
            assert str(policy) in http.get("/api/status").json()["mcp_forbidden"]
        policy.mkdir()
        assert "can't be read" in refused(http)


@pytest.fixture
def under_a_policy(tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """Options of a daemon on whose machine `/etc/rag-assistant/policy.yaml` says something; the real one is not touched."""

    def options(rules: str) -> dict[str, Any]:
        (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
        (tmp_path / "scratch").mkdir(exist_ok=True)
        environment = {"POLICY": str(tmp_path / "rules.yaml"), "SCRATCH": str(tmp_path / "scratch")}
        return {"within": ["unshare", "-m", "sh", "-c", UNDER_A_POLICY, "sh"], **environment}

    if not shutil.which("unshare"):
        pytest.skip("there is no unshare, with which a process gets a view of the files of its own")
    tried = options("mcp: allowed\n")
    command = [*tried.pop("within"), "grep", "-q", "allowed", str(system_policy())]
    made = subprocess.run(command, env=os.environ | tried, capture_output=True, text=True, timeout=180, check=False)
    if made.returncode:
        pytest.skip(f"this user may not mount: {made.stderr.strip() or made.returncode}")
    return options


def test_the_policy_of_the_machine_forbids_whatever_settings_and_environment_say(
    start: Callable[..., Daemon], under_a_policy: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "allows.yaml").write_text("mcp: allowed\n", encoding="utf-8")
    (tmp_path / "data" / "config").mkdir(parents=True)
    (tmp_path / "data" / "config" / "settings.yaml").write_text("mcp:\n  enabled: true\n", encoding="utf-8")
    daemon = start(**under_a_policy("mcp: forbidden\n"), **ON, RAG_POLICY_FILE=str(tmp_path / "allows.yaml"))
    with daemon.client() as http:
        assert str(system_policy()) in refused(http)
        assert not status_of(http)
    assert not system_policy().exists()


ROUTES = """\
import pathlib, sys
from ragd.api.lifecycle import Lifecycle
from ragd.daemon.process import _create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

directories = Directories(*(pathlib.Path(sys.argv[1]) / name for name in ("data", "models", "config")))
app = Application(load_settings(directories.config), directories)
paths = [route.path for route in _create_api(app, "token", Lifecycle(), None).routes if hasattr(route, "path")]
print(sorted({"mcp", "ragd.mcp"} & set(sys.modules)), "/mcp" in paths, app.maintenance.status()["mcp"])
app.close()
"""
"""Builds the API as the daemon does, and prints whether the SDK was loaded, whether there is a route, and what status says."""


@pytest.mark.parametrize(
    ("environment", "rules", "told"),
    [
        ({}, None, "[] False False"),
        ({}, "mcp: allowed\n", "[] False False"),
        (ON, "mcp: [broken\n", "[] False False"),
        (ON, "mcp: allowed\n", "['mcp', 'ragd.mcp'] True True"),
    ],
    ids=["nothing is said", "a policy allows", "it is on and a policy is broken", "it is on"],
)
def test_the_sdk_is_not_even_loaded_unless_it_is_on(
    environment: dict[str, str], rules: str | None, told: str, tmp_path: Path
) -> None:
    if rules is not None:
        (tmp_path / "policy.yaml").write_text(rules, encoding="utf-8")
        environment = environment | {"RAG_POLICY_FILE": str(tmp_path / "policy.yaml")}
    command = [sys.executable, "-c", ROUTES, str(tmp_path)]
    made = subprocess.run(command, env=os.environ | environment | LIGHT, capture_output=True, text=True, timeout=120, check=False)
    assert made.stdout.strip() == told, made.stderr

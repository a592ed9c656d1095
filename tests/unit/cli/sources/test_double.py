"""`rag sources add confluence|jira` over real sockets, against the double of both products."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ....atlassian_server import Served, World, serve

pytestmark = pytest.mark.slow

EMAIL = "indexer@example.com"


@pytest.fixture(scope="module")
def world() -> World:
    return World(seed=5, spaces=2, pages=12, projects=1, issues=8)


@pytest.fixture(scope="module")
def served(world: World) -> Iterator[Served]:
    with serve(world) as opened:
        yield opened


def token_file(world: World, folder: Path, kind: str) -> Path:
    """A file with a new token that may read everything."""
    token = world.token(f"indexer-{folder.name}", email=EMAIL, kind=kind)
    world.grant(token, "space:*", "project:*")
    path = folder / "config" / "token"
    path.parent.mkdir()
    path.write_text(token)
    path.chmod(0o600)
    return path


def test_confluence_is_added_shown_and_asked(rag, served: Served, world: World, tmp_path: Path) -> None:
    token = token_file(world, tmp_path, "api_token")
    key = next(iter(world.spaces))
    where = ("sources", "add", "confluence", served.confluence_cloud, "--deployment", "cloud")
    account = ("--email", EMAIL, "--token", f"file:{token}")
    added = rag(*where, *account, "--space", key, "--name", "wiki", "--public")
    assert re.match(r"Connected to Confluence Cloud as \S", added.stdout)
    assert re.search(rf"^{key} .* \d+$", added.stdout, re.MULTILINE)
    assert re.search(r"^(\d+) items there = (\d+) indexed \+ (\d+) left out\.", added.stdout, re.MULTILINE)
    assert token.read_text() not in added.output
    shown = rag("sources", "show", "wiki").stdout
    assert f"Account      {EMAIL}; its API token is at file:{token}" in shown
    assert f"Spaces       {key}" in shown
    last = json.loads(rag("sources", "show", "wiki", "--json").stdout)["last_result"]
    assert last["complete"] is True
    assert last["indexed"] > 0
    assert "complete" in rag("sources", "ledger", "wiki").stdout


def test_jira_is_looked_at_without_being_added(rag, served: Served, world: World, tmp_path: Path) -> None:
    token = token_file(world, tmp_path, "pat")
    where = ("sources", "add", "jira", served.jira_dc, "--token", f"file:{token}", "--dry-run")
    looked = rag(*where).stdout
    assert "Connected to Jira Data Center as " in looked
    assert "8 items in 1 project would be read." in looked
    assert "No sources." in rag("sources", "list").stdout
    assert "ORDER BY" in rag(*where, "--jql", "created > 0 order by key", code=2).stderr
    wrong = rag(*where[:3], f"{served.jira_dc}/nowhere", *where[4:], code=2).stderr
    assert wrong.startswith("Error: ")

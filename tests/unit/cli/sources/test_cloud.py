"""`rag sources` with cloud sources, over a fake site: adding, showing, changing and reading them."""

from __future__ import annotations

import json
import re

import pytest

from ragd.core.errors import SourceUnavailable
from ragd.sources.base import Skip

from ...sources.fake_cloud import FakeSite, filled, install

pytestmark = pytest.mark.slow

ADDRESS = "https://wiki.example.com"
SECRET = "indexer-secret"


def config(token: str = "env:RAG_SECRET_FAKE", **more: object) -> str:
    return json.dumps({"base_url": ADDRESS, "auth": {"token": token}, **more})


ADD = ("sources", "add", "fake", "--name", "wiki", "--config")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> FakeSite:
    return install(monkeypatch, filled())


def test_the_connection_is_tested_and_shown_then_the_source_is_added_and_read(rag, site: FakeSite) -> None:
    added = rag(*ADD, config())
    preview, _, rest = added.stdout.partition("Added the source 'wiki'.")
    assert preview.startswith("Connected to fake Data Center as Index Account.\n")
    assert re.search(r"^DEV  Development +3$", preview, re.MULTILINE)
    assert re.search(r"^HR   人事 +1$", preview, re.MULTILINE)
    assert "4 items in 2 places would be read." in preview
    # By a reference, which anybody may write, no title is told.
    assert "休暇規程" not in preview
    assert "wiki: 4 added; " in rest
    assert "4 items there = 4 indexed + 0 left out." in rest
    assert "rag serve" in added.stderr
    assert "--source-token 'wiki=env:NAME'" in added.stderr
    assert SECRET not in added.output


def test_a_dry_run_stores_nothing(rag, site: FakeSite) -> None:
    assert "4 items in 2 places would be read." in rag(*ADD, config(), "--dry-run").stdout
    assert json.loads(rag(*ADD, config(), "--dry-run", "--json").stdout)["account"] == "Index Account"
    assert "No sources." in rag("sources", "list").stdout
    site.items.clear()
    assert "Warning: No page is found." in rag(*ADD, config(), "--dry-run").stderr


def test_what_is_wrong_is_told_before_anything_is_stored(rag, site: FakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no space NOPE" in rag(*ADD, config(spaces=["NOPE"]), code=2).stderr
    assert "A fake source has no 'space'" in rag(*ADD, config(space="x"), code=2).stderr
    assert "mark the source as public" in rag(*ADD, config(), "--live", "off", code=2).stderr
    assert "is no schedule" in rag(*ADD, config(), "--schedule", "sometimes", code=2).stderr
    assert "--config is no JSON" in rag(*ADD, "{", code=2).stderr
    assert "--config is a JSON object" in rag(*ADD, "[]", code=2).stderr
    monkeypatch.setenv("RAG_SECRET_FAKE", "nobody")
    assert "does not take the token" in rag(*ADD, config(), code=2).stderr
    monkeypatch.delenv("RAG_SECRET_FAKE")
    assert "RAG_SECRET_FAKE is not set" in rag(*ADD, config(), code=2).stderr
    site.stop()
    monkeypatch.setenv("RAG_SECRET_FAKE", SECRET)
    assert "does not answer" in rag(*ADD, config(), code=1).stderr
    assert "No sources." in rag("sources", "list").stdout


def test_an_account_without_a_token_is_told_where_to_put_one(rag) -> None:
    for type_ in ("confluence", "jira"):
        assert "--token keyring:NAME" in rag("sources", "add", type_, ADDRESS, code=2).stderr


@pytest.mark.parametrize("type_", ["confluence", "jira"])
@pytest.mark.parametrize("literal", ["ATATT3xFfGF0-secret", "me@example.com:ATATT3xFfGF0-secret", ""])
def test_a_literal_token_is_refused_and_not_repeated(rag, type_: str, literal: str) -> None:
    for command in (("sources", "add", type_, ADDRESS), ("sources", "change", "wiki"), ("sync", "wiki")):
        said = rag(*command, "--token", literal, code=2)
        assert "env:NAME, file:PATH or keyring:NAME" in said.stderr
        assert "secret" not in said.output
    said = rag("query", "x", "--source-token", f"wiki={literal or 'secret'}", code=2)
    assert "wiki=env:MY_TOKEN" in said.stderr
    assert "secret" not in said.output


def test_a_source_is_listed_and_shown_with_its_account_its_schedule_and_its_last_cycle(rag, site: FakeSite) -> None:
    site.add("Huge", "x", left_out=Skip("too_large", "It has 90 MB; at most 50 are read."))
    rag(*ADD, config(spaces=["DEV"]), "--schedule", "every 2h", "--live", "cached")
    heading, line = rag("sources", "list").stdout.splitlines()
    assert heading.split() == ["NAME", "STATE", "COLLECTION", "DOCUMENTS", "LAST", "READ", "NEXT", "PLACE"]
    assert line.split()[:4] == ["wiki", "idle", "default", "3"]
    assert line.endswith(ADDRESS)
    shown = dict(re.split(r"  +", line, maxsplit=1) for line in rag("sources", "show", "wiki").stdout.splitlines())
    assert (shown["Type"], shown["Address"]) == ("fake, Data Center", ADDRESS)
    assert shown["Account"] == "the personal access token is at env:RAG_SECRET_FAKE"
    assert (shown["Spaces"], shown["Attachments"], shown["Include"]) == ("DEV", "yes", "all")
    assert shown["Schedule"] == "every 2h"
    assert shown["Next"] > shown["Last read"]
    assert shown["Live"] == "cached: the token of who asks must prove access; passages come from the index"
    assert shown["Public"] == "no: a token must prove access"
    assert shown["Accounted"] == "4 items there = 3 indexed + 1 left out"
    assert "requests" in shown["Cost"]


def test_a_public_source_is_shown_as_such(rag, site: FakeSite) -> None:
    added = rag(*ADD, config(), "--public", "--live", "off", "--schedule", "off", "--no-wait")
    assert "--source-token" not in added.stderr
    shown = rag("sources", "show", "wiki").stdout
    assert "Live         off: nobody is asked" in shown
    assert "Public       yes: whoever may ask this daemon may read it" in shown
    assert "Next         not planned" in shown


def test_a_source_is_changed_and_keeps_the_rest(rag, site: FakeSite) -> None:
    rag(*ADD, config(exclude=["HR/**"]), "--schedule", "off")
    changed = rag("sources", "change", "wiki", "--rename", "手引き", "--space", "DEV", "--exclude", "", "--live", "cached").stdout
    assert "Name         手引き" in changed
    assert "Spaces       DEV" in changed
    assert "Exclude      nothing" in changed
    assert "Account      the personal access token is at env:RAG_SECRET_FAKE" in changed
    assert "Schedule     off" in changed
    shown = json.loads(rag("sources", "change", "手引き", "--email", "a@example.com", "--space", "", "--json").stdout)
    assert shown["config"]["auth"] == {"kind": "pat", "email": "a@example.com", "token": "env:RAG_SECRET_FAKE"}
    assert shown["config"]["spaces"] == []
    assert "Public       yes" in rag("sources", "change", "手引き", "--public").stdout
    assert "Attachments  no" in rag("sources", "change", "手引き", "--config", '{"attachments": false}').stdout
    assert "has no 'jql'" in rag("sources", "change", "手引き", "--jql", "x", code=2).stderr
    assert "Name something to change" in rag("sources", "change", "手引き", code=2).stderr


def test_sync_finds_what_changed_and_tells_how_items_are_accounted_for(rag, site: FakeSite) -> None:
    page = site.add("Old", "old words")
    rag(*ADD, config())
    assert "wiki: nothing changed; " in rag("sync", "wiki").stdout
    site.remove(page)
    site.add("New", "new words", broken=Skip("failed", "The server gave an error for it, status 500."))
    said = rag("sync", "--full").stdout
    assert "wiki: 1 deleted; " in said
    assert "5 items there = 4 indexed + 1 left out. `rag sources ledger 'wiki'` says why." in said
    site.before = lambda method, _ids: refuse() if method == "listing" else None

    def refuse() -> None:
        raise SourceUnavailable("The server broke off.")

    assert "The server broke off." in rag("sync", "wiki", code=1).stdout
    assert "Error        The server broke off." in rag("sources", "show", "wiki").stdout


def test_a_space_that_is_nearly_all_gone_is_held_back_until_that_is_meant(rag, site: FakeSite) -> None:
    for number in range(25):
        site.add(f"Page {number}", "text", space="OPS")
    site.spaces["OPS"] = "Operations"
    rag(*ADD, config())
    site.remove_space("OPS")
    said = rag("sync", "wiki").stdout
    assert "25 held back, gone there and kept here" in said
    assert "--allow-empty" in said
    shown = rag("sources", "show", "wiki").stdout
    assert "(incomplete)" in shown
    assert "Documents    29" in shown
    said = rag("sync", "wiki", "--allow-empty").stdout
    assert "25 deleted" in said
    assert "4 items there = 4 indexed + 0 left out." in said


def test_a_source_whose_token_comes_with_each_request_is_added_and_read_with_it(rag, site: FakeSite) -> None:
    assert "--source-token 'wiki=env:VARIABLE'" in rag(*ADD, config("request"), code=2).stderr
    added = rag(*ADD, config("request"), "--source-token", "wiki=env:RAG_SECRET_FAKE")
    assert "wiki: 4 added" in added.stdout
    assert "rag sync 'wiki' --token" in added.stderr
    site.add("New", "new words")
    assert "no token" not in rag("sync", "wiki", "--token", "env:RAG_SECRET_FAKE").output
    assert "Documents    5" in rag("sources", "show", "wiki").stdout
    assert "none came" in rag("sync", "wiki", code=1).stdout
    assert "'wiki' is left out: its token comes with each request" in rag("sync").stderr
    assert "5 items there" in rag("sync", "--source-token", "wiki=env:RAG_SECRET_FAKE").stdout
    assert "name it" in rag("sync", "--token", "env:RAG_SECRET_FAKE", code=2).stderr
    assert {token for _, token, _ in site.asked} == {SECRET}


def test_the_token_of_another_person_never_reads_a_source_that_has_its_own(
    rag, site: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    rag(*ADD, config())
    monkeypatch.setenv("MINE", site.reader)
    for item_id in site.items:
        site.forbid(item_id, site.reader)
    rag("sync", "wiki", "--full", "--allow-empty", "--source-token", "wiki=env:MINE")
    assert {token for _, token, _ in site.asked} == {SECRET}
    assert "Documents    4" in rag("sources", "show", "wiki").stdout
    assert "has a token of its own" in rag("sync", "wiki", "--token", "env:MINE", code=2).stderr

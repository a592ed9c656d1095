"""The ledger, the retry, the doctor's check, and asking with tokens of one's own, at the command line over a fake site."""

from __future__ import annotations

import json

import pytest

from ragd.sources.base import Skip

from ...sources.fake_cloud import FakeSite, filled, install

pytestmark = pytest.mark.slow

CONFIG = json.dumps({"base_url": "https://wiki.example.com", "auth": {"token": "env:RAG_SECRET_FAKE"}})
ADD = ("sources", "add", "fake", "--name", "wiki", "--config", CONFIG)
MINE = ("--source-token", "wiki=env:MY_TOKEN")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> FakeSite:
    site = install(monkeypatch, filled())
    monkeypatch.setenv("MY_TOKEN", site.reader)
    monkeypatch.setenv("RAG_LIVE__BUDGET_MS", "60000")
    return site


def checks(result) -> list[dict[str, str]]:
    return [check for check in json.loads(result.stdout)["checks"] if check["name"] == "sources"]


def test_the_ledger_shows_cycles_and_why_items_are_left_out_and_a_title_to_who_may_read_it(rag, site: FakeSite) -> None:
    site.add("Quarterly film", "x", left_out=Skip("too_large", "It has 90 MB; at most 50 are read."))
    broken = site.add("社外秘の計画", "x", broken=Skip("failed", "The server answered with status 500."))
    rag(*ADD)
    told = rag("sources", "ledger", "wiki")
    heading, cycle = told.stdout.splitlines()[:2]
    assert heading.split()[:5] == ["BEGAN", "KIND", "THERE", "INDEXED", "LEFT"]
    assert cycle.split()[2:6] == ["full", "6", "4", "2"]
    assert cycle.endswith("complete")
    assert "Now: 4 indexed, 2 left out." in told.stdout
    assert "at most 50 are read" in told.stdout
    assert "  too_large: raise limits.max_document_size" in told.stdout
    assert "  failed: the next cycle tries again" in told.stdout
    assert "Quarterly film" not in told.output
    assert "社外秘の計画" not in told.output
    assert "2 titles hidden" in told.stderr
    mine = rag("sources", "ledger", "wiki", *MINE)
    assert "社外秘の計画" in mine.stdout
    assert "hidden" not in mine.stderr
    site.forbid(broken, site.reader)
    assert "社外秘の計画" not in rag("sources", "ledger", "wiki", *MINE).output


def test_the_ledger_lists_the_items_of_a_state_and_so_many_cycles(rag, site: FakeSite) -> None:
    rag(*ADD)
    rag("sync", "wiki")
    indexed = rag("sources", "ledger", "wiki", "--state", "indexed", "-n", "2")
    assert indexed.stdout.strip().splitlines()[0].split() == ["ITEM", "WHERE", "TITLE", "VERSION", "CHANGED", "THERE"]
    assert "Page 1 of 2 (4 in all)" in indexed.stderr
    assert "No item is held back." in rag("sources", "ledger", "wiki", "--state", "held").stdout
    assert "Nothing is left out." in rag("sources", "ledger", "wiki").stdout
    answer = json.loads(rag("sources", "ledger", "wiki", "--cycles", "1", "--json").stdout)
    assert [cycle["kind"] for cycle in answer["cycles"]] == ["incremental"]
    assert answer["counts"] == {"indexed": 4}
    items = json.loads(rag("sources", "ledger", "wiki", "--state", "indexed", "--json").stdout)
    assert items["total"] == 4
    assert "rag sources list" in rag("sources", "ledger", "none", code=1).stderr


def test_what_was_left_out_is_tried_again(rag, site: FakeSite) -> None:
    one, two = (site.add(title, "text", broken=Skip("failed", "Status 500.")) for title in ("One", "Two"))
    rag(*ADD)
    site.mend(one)
    site.mend(two)
    assert "wiki: 1 added; " in rag("sources", "retry", "wiki", one).stdout
    assert json.loads(rag("sources", "retry", "wiki", "--json").stdout)["result"]["added"] == 1
    assert "Nothing of the source 'wiki' was left out" in rag("sources", "retry", "wiki", code=2).stderr


def test_people_at_the_command_line_ask_with_their_own_rights(rag, site: FakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = site.add("Merger", "The kestrel merger is planned for autumn.")
    rag(*ADD)
    bare = rag("query", "kestrel merger")
    assert "Nothing found." in bare.stdout
    assert bare.stderr.count("--source-token NAME=env:VARIABLE") == 1
    assert "merger is planned" in rag("query", "kestrel merger", *MINE).stdout
    site.forbid(secret, site.reader)
    monkeypatch.setenv("RAG_LIVE__CACHE_TTL", "0")
    mine = rag("query", "kestrel merger", *MINE)
    assert "Merger" not in mine.output
    assert "Run `kestrel setup` once" in mine.stdout
    assert "--source-token" not in mine.stderr
    monkeypatch.setenv("RAG_SOURCE_TOKENS", "other=env:NOWHERE, wiki=env:MY_TOKEN")
    by_variable = rag("query", "kestrel setup")
    assert "Run `kestrel setup` once" in by_variable.stdout
    assert "names the source 'other', and there is none" in by_variable.stderr
    assert "kestrel setup" in rag("chat", "What is run once?").stdout
    monkeypatch.delenv("RAG_SOURCE_TOKENS")
    assert rag("chat", "What is run once?").stderr.count("--source-token NAME=env:VARIABLE") == 1
    assert "no source 'other'" in rag("query", "x", "--source-token", "other=env:MY_TOKEN", code=1).stderr
    assert "NOWHERE is not set" in rag("query", "x", "--source-token", "wiki=env:NOWHERE", code=2).stderr
    there = ("--source-token", "wiki@https://wiki.example.com/space=env:MY_TOKEN")
    assert "Run `kestrel setup` once" in rag("query", "kestrel setup", *there).stdout
    elsewhere = rag("query", "x", "--source-token", "wiki@https://other.example.com=env:MY_TOKEN", code=2).stderr
    assert "is for https://other.example.com, and the source 'wiki' is at https://wiki.example.com. It was not sent" in elsewhere


def test_documents_are_listed_to_who_may_read_them(rag, site: FakeSite) -> None:
    rag(*ADD)
    bare = rag("documents", "list")
    assert "Install" not in bare.output
    assert bare.stdout.count("(hidden)") == 4
    assert "4 documents hidden" in bare.stderr
    assert "DEV/Install" in rag("documents", "list", *MINE).stdout
    [document] = [
        one for one in json.loads(rag("documents", "list", "--json", *MINE).stdout)["items"] if one["source"] == "DEV/Install"
    ]
    assert "Run `kestrel setup` once" in rag("documents", "show", document["id"], "--content", *MINE).stdout
    assert "kestrel" not in rag("documents", "show", document["id"], "--content", code=1).output


def test_the_doctor_looks_for_tokens_and_for_readings_that_were_not_complete(
    rag, site: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(25):
        site.add(f"Page {number}", "text", space="OPS")
    site.spaces["OPS"] = "Operations"
    rag(*ADD)
    [found] = checks(rag("doctor", "--json"))
    assert (found["level"], found["message"]) == ("ok", "1 cloud source, 29 items accounted for")
    site.remove_space("OPS")
    rag("sync", "wiki")
    [found] = checks(rag("doctor", "--json"))
    assert (found["level"], found["mend"]) == ("warn", "rag sources ledger 'wiki'")
    assert "was not read in full: 25 of 25 items of OPS are gone at once" in found["message"]
    monkeypatch.delenv("RAG_SECRET_FAKE")
    rag("sync", "wiki", code=1)
    [found] = checks(rag("doctor", "--json"))
    assert "RAG_SECRET_FAKE is not set" in found["message"]
    monkeypatch.setenv("RAG_SECRET_FAKE", site.token)
    [found] = checks(rag("doctor", "--json"))
    assert found["mend"] == "rag sync 'wiki'"
    rag("sources", "change", "wiki", "--disable")
    assert checks(rag("doctor", "--json")) == []

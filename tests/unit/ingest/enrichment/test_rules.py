"""What the rules say about documents and passages, in both languages."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.core.documents import Document, Enrichment, Heading, Piece, Place
from ragd.core.sections import split_sections
from ragd.formats.registry import loader_name_for
from ragd.ingest.enrichment.rules import NoEnricher, RuleEnricher
from ragd.providers.protocols import Enricher
from ragd.providers.registry import build
from ragd.testing import EnricherContract

SAMPLES = Path(__file__).resolve().parents[4] / "data" / "samples"


def document(text: str, doc_type: str = "markdown", title: str = "Notes", **values: Any) -> Document:
    headings = tuple(
        Heading(match.start(), match.end(), len(match[1]), match[2])
        for match in re.finditer(r"^(#+) (.+)\n?", text, re.MULTILINE)
    )
    fields: dict[str, Any] = {"language": "en", "headings": headings if doc_type != "code" else ()} | values
    return Document(doc_type, title, text, loader="test", loader_version="1", **fields)  # type: ignore[arg-type]


def pieces_of(found: Document) -> list[Piece]:
    """One piece for each section with text."""
    pieces: list[Piece] = []
    for section in split_sections(found, "doc"):
        text = found.markdown[section.start : section.end].strip()
        if text:
            pieces.append(piece(text, section.path, len(pieces)))
    return pieces


def piece(text: str, path: tuple[str, ...] = (), ordinal: int = 0, place: Place | None = None) -> Piece:
    return Piece(f"{ordinal:032x}", "s", path, ordinal, text, 10, place or Place(), "", path, shown_text=text)


def enriched(found: Document) -> tuple[Enrichment, list[Enrichment]]:
    return RuleEnricher().enrich(found, pieces_of(found))


def of_text(text: str, **values: Any) -> Enrichment:
    """The enrichment of a document of one piece."""
    return enriched(document(text, **values))[0]


def sample(name: str) -> tuple[Enrichment, list[Enrichment]]:
    path = next(SAMPLES.glob(f"*/{name}"))
    loaded: Document = build("loader", str(loader_name_for(path.name))).load(path.read_bytes(), path.name)
    return enriched(loaded)


class TestRuleEnricher(EnricherContract):
    @pytest.fixture
    def enricher(self) -> Enricher:
        return RuleEnricher()


class TestNoEnricher(EnricherContract):
    @pytest.fixture
    def enricher(self) -> Enricher:
        return NoEnricher()


# Titles


@pytest.mark.parametrize(
    ("name", "doc_type", "title"),
    [
        ("Q3_report-final.docx", "docx", "Q3 report final"),
        ("2026-01-20_定例会議.txt", "text", "2026-01-20 定例会議"),
        ("在庫一覧.xlsx", "xlsx", "在庫一覧"),
        ("dashboard-poller.ts", "code", "dashboard-poller.ts"),
        ("README", "text", "README"),
    ],
)
def test_a_title_that_is_a_file_name_is_made_readable_but_for_code(name: str, doc_type: str, title: str) -> None:
    assert of_text("Some text.", doc_type=doc_type, title=name, metadata={"title_source": "file_name"}).title == title


def test_a_title_that_the_document_states_stays_as_it_is() -> None:
    assert of_text("x", title="max_jobs  and\nVec<u8>", metadata={"title_source": "heading"}).title == "max_jobs and Vec<u8>"


def test_a_pieces_title_is_its_last_heading() -> None:
    _, found = enriched(document("# Queues\n\nText of it.\n\n## Leases\n\nMore text."))
    assert [item.title for item in found] == ["Queues", "Leases"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("NOTE 31  Job runs twice\nThe lease was lost.", "NOTE 31 Job runs twice"),
        ("第1条 目的\nこの規程は旅費について定める。", "第1条 目的"),
        ("It is a sentence.\nAnd another.", "Notes"),
        ("| a | b |\n| --- | --- |", "Notes"),
        ("word " * 60, "Notes"),
    ],
)
def test_a_piece_without_a_heading_has_its_first_short_line_or_the_documents_title(text: str, title: str) -> None:
    assert RuleEnricher().enrich(document(text), [piece(text)])[1][0].title == title


# Summaries


def test_the_summary_is_the_beginning_of_the_paragraph_that_says_what_it_is_about() -> None:
    text = (
        "# Retention of payloads\n\nTarnwood Platform Group, draft 3, 12 January 2026\n\n"
        "Copyright 2026 Tarnwood. All rights reserved.\n\n"
        "This document explains how long payloads are kept. It holds for every cluster.\n\n"
        "## Rules\n\nThey are erased after two days.\n"
    )
    assert of_text(text).summary == "This document explains how long payloads are kept. It holds for every cluster."


def test_the_summary_of_a_japanese_document_is_whole_sentences_without_blanks_between() -> None:
    text = (
        "# 出張旅費規程\n\n株式会社ターンウッド 総務部\n\n目次\n\n"
        "この規程は、社員が出張する場合の\n旅費について定めるものである。国内と海外の出張に適用する。\n\n"
        "## 宿泊費\n\n上限を設ける。\n"
    )
    summary = of_text(text, language="ja").summary
    assert summary == "この規程は、社員が出張する場合の旅費について定めるものである。国内と海外の出張に適用する。"


def test_a_summary_has_at_most_three_sentences_and_300_characters() -> None:
    text = "The queue hands out a job to one worker only. " * 20
    assert of_text(text).summary.count(".") == 3
    long = "The queue hands out a job to one worker only, " * 18 + "and that is all of it."
    assert of_text(long).summary.endswith("…")
    assert len(of_text(long).summary) <= 300


@pytest.mark.parametrize(
    ("paragraph", "plain"),
    [
        (
            "A **lease** is a worker's [claim](https://x.example/a) on a `job`, see ![pic](asset://0)the picture.",
            "A lease is a worker's claim on a job, see the picture.",
        ),
        (
            "The _lease_ of the __job__ is in lease_seconds, not in _lease_time or so.",
            "The lease of the job is in lease_seconds, not in _lease_time or so.",
        ),
        ("#inc-fjord is the channel in which the work is told.", "#inc-fjord is the channel in which the work is told."),
        ("The <b>lease</b> of a job is <span class='x'>kept</span> by the worker.", "The lease of a job is kept by the worker."),
        (
            "Every queue has a companion that is called `<queue>.dead` in the list.",
            "Every queue has a companion that is called <queue>.dead in the list.",
        ),
        (
            "一致した部分は「***」に置き換えられ、`max_jobs` は変わりません。",
            "一致した部分は「***」に置き換えられ、max_jobs は変わりません。",
        ),
        ("これは**重要な**設定ですから、必ず確認してください。", "これは重要な設定ですから、必ず確認してください。"),
    ],
)
def test_a_summary_is_plain_text(paragraph: str, plain: str) -> None:
    assert of_text(paragraph).summary == plain


def test_headings_code_and_tables_are_no_summary() -> None:
    text = (
        "# Kestrel is a queue that runs jobs\n\n```\nthis is code that the reader runs.\n```\n\n"
        "| it is | a table of the words. |\n| --- | --- |\n\nA job is leased by a worker.\n"
    )
    assert of_text(text).summary == "A job is leased by a worker."


def test_lines_that_a_file_was_broken_into_are_joined() -> None:
    text = "The leader keeps what a lost follower has missed\nin memory, before it sends a snapshot.\n\nState: ready\nOwner: x\n"
    summary = of_text(text, doc_type="text").summary
    assert summary == "The leader keeps what a lost follower has missed in memory, before it sends a snapshot."


def test_an_abbreviation_ends_no_sentence() -> None:
    text = "Ask somebody, e.g. the storage team or Mr. Larsen, before you do it. Then wait for an answer of theirs."
    assert (
        RuleEnricher().enrich(document(text), [piece(text)])[1][0].summary
        == "Ask somebody, e.g. the storage team or Mr. Larsen, before you do it."
    )


def test_greetings_and_log_lines_are_no_summary() -> None:
    mail = "Hi all,\n\nhope this finds you well.\n\nWe move the shards of the cluster on Saturday.\n\nRegards,\nMika"
    assert of_text(mail, doc_type="email").summary == "We move the shards of the cluster on Saturday."
    mail = "お疲れさまです。佐伯です。\n\n土曜日に本番環境の定期メンテナンスを行います。\nよろしくお願いします。"
    assert of_text(mail, doc_type="email", language="ja").summary == "土曜日に本番環境の定期メンテナンスを行います。"
    log = "2026-03-11T04:12:09Z WARN the lease of the job was lost by the worker\nThe lease of it had run out before that.\n"
    assert of_text(log, doc_type="text").summary == "The lease of it had run out before that."


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ('#!/usr/bin/env python3\n# Copyright 2026\n"""Sends all jobs to a queue."""\nimport os\n', "Sends all jobs to a queue."),
        ("/**\n * Polls the admin API for the dashboard.\n */\nexport const x = 1;\n", "Polls the admin API for the dashboard."),
        ("// SPDX-License-Identifier: X\n\n// Package queue hands out jobs.\npackage q\n", "Package queue hands out jobs."),
        ("#!/bin/sh\n# 毎晩のバックアップを保管庫へ送ります。\nset -e\n", "毎晩のバックアップを保管庫へ送ります。"),
        ("-- Counts the jobs of each tenant for the bill.\nSELECT 1;\n", "Counts the jobs of each tenant for the bill."),
        ("#include <a.h>\nint main() { return 0; }\n", ""),
    ],
)  # fmt: skip
def test_code_is_summarised_by_its_leading_comment(source: str, summary: str) -> None:
    assert of_text(source, doc_type="code").summary == summary


def test_code_without_comments_is_summarised_by_its_symbols() -> None:
    source = "class Job:\n    id = 1\n\n\ndef run():\n    return 2\n"
    headings = (Heading(0, 0, 1, "class Job"), Heading(27, 27, 1, "def run"))
    assert of_text(source, doc_type="code", headings=headings).summary == "class Job; def run"


def test_a_workbook_is_summarised_by_its_sheets_and_columns() -> None:
    texts = [
        "| Node | Rack |\n| --- | --- |\n| a | b |",
        "| 発生日 | 重大度 |\n| --- | --- |\n| x | y |",
        "| Node | Rack |\n| --- | --- |\n| c | d |",
    ]
    places = [Place(sheet="Nodes"), Place(sheet="障害一覧"), Place(sheet="Nodes")]
    pieces = [piece(text, (), number, place) for number, (text, place) in enumerate(zip(texts, places, strict=True))]
    found = document("\n\n".join(texts), doc_type="xlsx", title="nodes.xlsx")
    assert RuleEnricher().enrich(found, pieces)[0].summary == "Nodes: Node, Rack; 障害一覧: 発生日, 重大度"


def test_slides_are_summarised_by_their_titles() -> None:
    text = "## Rollout\n\nNotes: Welcome everybody and say why we are here.\n\n## 展開の手順\n\n- Drain the queues\n"
    assert of_text(text, doc_type="pptx").summary == "Rollout; 展開の手順"


def test_a_piece_is_summarised_by_its_first_sentence_or_what_it_holds_instead() -> None:
    text = (
        "# A\n\n- Short\n\nA job is leased by one worker. It renews the lease.\n\n"
        "# B\n\n| State | Meaning |\n| --- | --- |\n| x | y |\n\n# C\n\n- 設定の一覧\n"
    )
    assert [item.summary for item in enriched(document(text))[1]] == [
        "A job is leased by one worker.",
        "State, Meaning",
        "設定の一覧",
    ]


def test_what_says_nothing_has_no_summary() -> None:
    assert of_text("12 34 56\n\n----\n").summary == ""
    assert enriched(document("", doc_type="text")) == (Enrichment("rules", "Notes"), [])


# Tags


def test_tags_are_the_documents_own_and_the_programming_language() -> None:
    assert of_text("x", metadata={"tags": [" on-call ", "", "障害\n対応", "on-call"]}).tags == ("on-call", "障害 対応")
    assert of_text("x", doc_type="code", metadata={"programming_language": "python"}).tags == ("python",)
    assert of_text("x", metadata={"tags": "single"}).tags == ("single",)
    assert all(not item.tags for item in enriched(document("text", metadata={"tags": ["a"]}))[1])


def test_tags_are_bounded() -> None:
    tags = of_text("x", metadata={"tags": [f"{number}" * 500 for number in range(500)]}).tags
    assert len(tags) == 50
    assert max(map(len, tags)) == 100


# Keywords


def test_keywords_stand_in_the_text_as_they_are() -> None:
    for path in SAMPLES.glob("*/*.md"):
        loaded: Document = build("loader", "markdown").load(path.read_bytes(), path.name)
        pieces = pieces_of(loaded)
        of_document, of_pieces = RuleEnricher().enrich(loaded, pieces)
        assert len(of_document.keywords) == 10
        assert all(keyword in loaded.markdown for keyword in of_document.keywords)
        assert all(keyword in item.text for item, found in zip(pieces, of_pieces, strict=True) for keyword in found.keywords)
        assert max(len(found.keywords) for found in of_pieces) <= 5


def test_identifiers_names_and_error_codes_are_keywords() -> None:
    text = "When the worker gets KST-4012, raise lease_seconds in /etc/kestrel/kestrel.yaml or use --drain-timeout of kestrelctl."
    assert {"KST-4012", "lease_seconds", "/etc/kestrel/kestrel.yaml", "--drain-timeout"} <= set(of_text(text).keywords)


def test_words_of_grammar_numbers_verbs_and_addresses_are_no_keywords() -> None:
    text = "They should not renew 4,000 of these at https://x.example/a in 30 minutes, and it will fail 2026-01-02 with 80 GB."
    assert of_text(text).keywords == ()


def test_english_phrases_are_kept_together_and_their_words_not_repeated() -> None:
    text = "The dead-letter queue keeps it. Look at the dead-letter queue of the cluster, and at no other queue."
    keywords = of_text(text).keywords
    assert keywords[0] == "dead-letter queue"
    assert "queue" not in keywords


def test_spellings_of_one_term_count_together() -> None:
    text = "Leases end. The lease of a job is renewed; a worker without leases stops. The LEASE is short. The shard stays."
    assert of_text(text).keywords.count("lease") + of_text(text).keywords.count("leases") == 1


def test_japanese_keywords_are_runs_of_kanji_and_katakana_without_particles_and_endings() -> None:
    text = (
        "各サーバーの証明書は自動で更新されます。証明書の有効期限を下回らないように、3営業日前までに変更申請を提出してください。"
    )
    keywords = of_text(text, language="ja").keywords
    assert {"証明書", "サーバー", "変更申請"} <= set(keywords)
    assert not {"自動", "下回", "営業日前", "営業日", "各サーバー"} & set(keywords)


def test_latin_words_in_japanese_are_keywords() -> None:
    assert {"chrony", "KES-NET", "systemd"} <= set(
        of_text("時刻は chrony で合わせ、「KES-NET」と systemd を使います。", language="ja").keywords
    )


def test_a_japanese_word_that_a_line_end_cuts_is_one_word() -> None:
    text = "本番環境の設定を変更するときは、対象の二つのクラ\nスターを停止します。"
    assert "クラスター" in of_text(text, language="ja").keywords


def test_chinese_is_cut_at_its_words_of_grammar() -> None:
    keywords = of_text("每个任务都会被分配给一个节点的工作进程，节点的租约由工作进程续期。", language="zh").keywords
    assert {"节点", "租约"} <= set(keywords)


def test_a_passages_keywords_are_those_that_tell_it_from_the_others() -> None:
    common = "The worker asks the queue for a job and the queue gives the worker a job."
    ends = ("The lease is renewed.", "The snapshot is verified.", "The token is revoked.")
    text = "\n\n".join(f"# {number}\n\n{common} {end}" for number, end in enumerate(ends))
    found = [item.keywords[0] for item in enriched(document(text))[1]]
    assert found == ["lease", "snapshot", "token"]


def test_values_of_single_rows_are_no_keywords_of_a_table() -> None:
    rows = "\n".join(f"| kes-node-{number} | KE-200 |" for number in range(30))
    keywords = of_text(f"| Node | Model |\n| --- | --- |\n{rows}\n", doc_type="csv", headings=()).keywords
    assert "KE-200" in keywords
    assert not [keyword for keyword in keywords if keyword.startswith("kes-node")]


def test_words_of_programming_languages_are_no_keywords_of_code() -> None:
    keywords = of_text(
        "export async function keepLease(job) {\n  return await this.client.renew(job.leaseToken);\n}\n", doc_type="code"
    ).keywords
    assert {"keepLease", "job.leaseToken"} <= set(keywords)
    assert not {"export", "async", "function", "return", "await"} & set(keywords)


def test_what_was_read_in_a_picture_gives_keywords_too() -> None:
    shown = piece("![](asset://0)")
    shown = Piece(**{name: getattr(shown, name) for name in Piece.__slots__} | {"shown_text": "Error KST-5020 on kes-node-a"})  # type: ignore[attr-defined]
    assert "KST-5020" in RuleEnricher().enrich(document("![](asset://0)"), [shown])[1][0].keywords


# The whole


def test_the_samples_are_said_what_a_reader_would_say() -> None:
    guide, _ = sample("developer-guide.md")
    assert guide.summary.startswith("Kestrel is the job queue and scheduler that Tarnwood runs for its own products")
    assert {"job", "queue", "worker", "lease"} <= set(guide.keywords)
    setup, sections = sample("setup-guide-ja.md")
    assert setup.summary.startswith("このガイドは、社内のサーバーに Kestrel を導入する担当者向けの手順書です。")
    assert {"サーバー", "証明書", "クラスター"} <= set(setup.keywords)
    firewall = next(item for item in sections if item.title == "ファイアウォール")
    assert firewall.summary == "営業拠点からの接続は、拠点ゲートウェイ経由のみ許可しています。"
    assert "KES-NET" in firewall.keywords
    client, functions = sample("kestrel_client.py")
    assert client.summary.startswith("Kestrel's Python client, reduced to what a producer and a worker need.")
    assert client.tags == ("python",)
    assert (
        next(item for item in functions if item.title == "def keep_lease").summary
        == "Renew a lease from a thread while the body runs."
    )


def test_none_says_only_what_the_document_says_of_itself() -> None:
    found, pieces = NoEnricher().enrich(document("# A\n\ntext", title="Title", metadata={"tags": ["x"]}), [piece("text")])
    assert found == Enrichment("none", "Title", tags=("x",))
    assert pieces == [Enrichment("none")]


def test_a_document_of_many_pieces_is_enriched_in_blocks() -> None:
    pieces = [piece(f"The job {number} of the worker is on node-{number}.", ("Jobs",), number) for number in range(2_500)]
    of_document, found = RuleEnricher().enrich(document("text"), pieces)
    assert len(found) == 2_500
    assert "node-2499" in found[-1].keywords
    assert {"job", "worker"} <= set(of_document.keywords)


@given(st.text(st.sampled_from("ab AB1_-.*`<>[]()|#\n。設定ファイルを-:/")))
def test_any_text_is_enriched(text: str) -> None:
    for doc_type in ("text", "code", "xlsx"):
        of_document, (found,) = RuleEnricher().enrich(document(text, doc_type=doc_type, headings=()), [piece(text)])
        assert len(of_document.summary) <= 300
        assert len(found.summary) <= 160
        assert all(keyword in text or keyword in text.replace("\n", "") for keyword in found.keywords)


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 5_000,
        "[" * 10_000,
        "<a" * 5_000,
        "**a" * 4_000,
        '"""' * 3_000,
        "`" * 10_000,
        "# " * 5_000,
        "設定" * 5_000,
        "a." * 5_000,
        "1," * 5_000,
        " " * 10_000,
    ],
)
def test_long_hostile_passages_take_no_long_time(text: str) -> None:
    start = time.thread_time()
    for doc_type in ("text", "code"):
        RuleEnricher().enrich(document(text, doc_type=doc_type, headings=()), [piece(text)])
    assert time.thread_time() - start < 5

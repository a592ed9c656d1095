#!/usr/bin/env python3
"""How well the support check tells sentences that passages bear out from those that they don't, and the threshold for it.

    .venv/bin/python scripts/bench/answers/support.py [--half dev|held_out] [--verbose]

First over the documents of tests/golden/answers: every sentence of their paragraphs as it stands (`verbatim`), sentences that
restate them, written by hand (`restated`), and both with one thing changed by rules: a number, a unit or date, a name, a
negation, a comparison. Each is held against all sections of its document.

Then over data/samples, written by hand: sentences that restate a section in other words (of the same language or another), and
sentences with a changed figure, a made-up detail, or the subject of another document. Each is held against its section and the
two next to it. Prints the threshold with the best balanced accuracy; chosen on one half of the sections it is tried on the other.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))

from _changes import changes_of, sentences_of

from ragd.answer.support import SupportCheck
from ragd.config.loading import Directories, load_settings
from ragd.core.documents import DocType, Place
from ragd.core.results import Citation, Passage
from ragd.models.store import ensure_model
from ragd.providers.registry import build

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "data" / "samples"
ANSWERS = ROOT / "tests" / "golden" / "answers"
CHANGES: Final = ("number", "unit or date", "name", "negation", "comparison")


class Section(NamedTuple):
    """A section of a document with sentences about it."""

    document: str
    heading: str
    supported: tuple[str, ...]
    changed: tuple[str, ...]
    made_up: tuple[str, ...]


SECTIONS = (
    Section(
        "operations/runbook-failover.md",
        "Background",
        (
            "A new leader is normally elected in about three seconds.",
            "KestrelNoLeader goes off after a shard was leaderless for 45 seconds.",
            "シャードに45秒間リーダーがいないとアラートが発報します。",
        ),
        ("The alert fires after a shard has had no leader for 90 seconds.", "An election usually takes twenty seconds."),
        ("The on-call engineer must restart every node at once.", "The alert is also sent to the customer by e-mail."),
    ),
    Section(
        "operations/runbook-failover.md",
        "Calm a flapping cluster",
        (
            "If the p99 of fsync exceeds 250 ms, cordon the node and tell the hardware team.",
            "Otherwise you can raise the election timeout for two hours; it goes back by itself afterwards.",
        ),
        ("The disk is the problem when p99 is above 900 ms.", "Set raft.election_timeout_ms to 9000."),
        ("Flapping is mostly caused by faulty memory modules.", "Contact the vendor of the network cards for new firmware."),
    ),
    Section(
        "operations/security-policy.md",
        "Tokens and scopes",
        (
            "People's tokens are valid for 12 hours, those of services for 90 days.",
            "If a scope is missing, the call fails with KST-4031 and the answer says which one.",
            "サービス用トークンの有効期間は90日です。",
        ),
        ("Tokens of people live for 48 hours.", "A missing scope is answered with KST-7755."),
        ("Tokens must be approved by the finance department.", "Scopes can be bought in the online shop."),
    ),
    Section(
        "operations/security-policy.md",
        "Audit log",
        (
            "Audit entries are stored for 400 days, and payloads are not recorded.",
            "Each entry is chained to the previous one by its hash.",
        ),
        ("Entries of the audit log are kept for 30 days.", "The head of the chain is published every 60 minutes."),
        ("The audit log can be edited by the office manager.", "Auditors visit the data centre twice a year."),
    ),
    Section(
        "operations/security-policy.md",
        "Encryption at rest",
        (
            "A restricted queue needs a key of its own.",
            "Nodes drop the keys from memory if they cannot reach the key service for 15 minutes.",
        ),
        ("Keys are rotated every 365 days.", "Old segments are rewritten within three months."),
        ("Backups on tape are encrypted with a second password.", "Laptops must use full disk encryption."),
    ),
    Section(
        "guides/developer-guide.md",
        "Jobs and leases",
        (
            "By default a lease lasts 90 seconds and the client renews it automatically.",
            "If a worker dies, its job can be taken again once the lease is over.",
            "リースは既定で90秒間続き、クライアントライブラリが自動で更新します。",
        ),
        ("A lease lasts 600 seconds by default.", "The library renews the lease 10 times a second."),
        ("Jobs are sorted by the age of the customer.", "Workers are written in Rust for speed."),
    ),
    Section(
        "guides/developer-guide.md",
        "Getting started",
        (
            "The client protocol is on port 7420, the HTTP admin API on 7421.",
            "The development image holds its data in memory only.",
        ),
        ("The HTTP admin API is on port 9999.", "Install the client with npm install kestrel."),
        ("A licence key has to be typed in at the first start.", "The image needs a graphics card."),
    ),
    Section(
        "operations/observability.md",
        "Latency",
        (
            "The target is that 99.5 % of batches get acknowledged in 50 ms over four weeks.",
            "When people complain about a slow queue, check kestrel_dispatch_delay_seconds first.",
        ),
        ("The objective is 80 % within 50 ms.", "The objective is measured over 365 days."),
        ("Latency is halved by switching to the premium plan.", "The graphs are printed every Monday."),
    ),
    Section(
        "reference/release-notes.md",
        "3.4.0",
        (
            "Since 3.4.0, payloads are compressed with zstd level 3 instead of gzip.",
            "Fan-out queues now allow 32 consumer groups instead of 8.",
        ),
        ("Fan-out queues can have up to 512 consumer groups.", "Spans are sampled at 75 %."),
        ("Version 3.4.0 adds support for Oracle databases.", "The mobile app was redesigned."),
    ),
    Section(
        "guides/setup-guide-ja.md",
        "プロキシ環境での注意",
        (
            "ノード間の通信はプロキシを通せないため、KESTREL_PROXY_BYPASS にクラスターの範囲を設定します。",
            "設定しないと、最初の接続が約30秒待ったあとで失敗します。",
            "Nodes cannot talk to each other through a proxy; set KESTREL_PROXY_BYPASS to the address range.",
        ),
        ("設定しないと、最初の接続が300秒待たされます。", "環境変数 KESTREL_NO_CHECK を設定してください。"),
        ("プロキシの利用には部長の承認が必要です。", "通信料金は部門ごとに請求されます。"),
    ),
    Section(
        "guides/setup-guide-ja.md",
        "社内認証局の証明書",
        (
            "証明書は PEM 形式で /etc/kestrel/ca.d/ に置き、kestrelctl certs reload で読み込みます。",
            "期限まで21日を切ると管理画面に黄色い帯が出ます。再起動は不要です。",
        ),
        ("期限が90日以内になると黄色の帯が表示されます。", "証明書は /opt/certs/ に置きます。"),
        ("証明書は郵送で受け取ります。", "証明書の発行には手数料がかかります。"),
    ),
    Section(
        "guides/setup-guide-ja.md",
        "ワーカー数の目安",
        (
            "CPU を多く使う処理では、ワーカー数はコア数と同じにします。",
            "外部 API を待つことが多い処理では、コア数の4倍が目安です。",
        ),
        ("外部 API の待ち時間が長い処理ではコア数の16倍を目安にします。", "CPU を多く使う処理ではコア数の10倍にします。"),
        ("ワーカーは夜間に自動で停止します。", "ワーカーの増設には追加のライセンスが必要です。"),
    ),
    Section(
        "guides/migration-v3-ja.md",
        "空き容量",
        ("変換中は v2 データベースの2.5倍の空きディスクが必要です。",),
        ("空き容量は v2 のデータベースの7倍必要です。",),
        ("空き容量が足りないとメールで通知されます。",),
    ),
    Section(
        "guides/migration-v3-ja.md",
        "所要時間の見積もり",
        ("1分間に約120万件のジョブが変換されます。", "完了したジョブは標準では移行されません。"),
        ("1分あたり約900万件のジョブを変換します。", "--include-done を付けると所要時間は20倍になります。"),
        ("移行作業は専門業者に委託します。", "移行の費用は年度末に精算されます。"),
    ),
)


@dataclass
class Kept:
    """Of sentences of one kind, how many were judged right, and those that were not."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.right + len(self.wrong)

    @property
    def share(self) -> float:
        return self.right / self.total


def measure(check: SupportCheck, threshold: float, half: str | None = None) -> dict[str, Kept]:
    """Kind -> what became of its sentences; those of `changes` are right when they are marked as not borne out."""
    found: dict[str, Kept] = defaultdict(Kept)
    for name, of_document in yaml.safe_load((ANSWERS / "questions.yaml").read_text(encoding="utf-8")).items():
        text = (ANSWERS / "documents" / name).read_text(encoding="utf-8")
        is_other = half not in (None, of_document["half"])
        verbatim = [] if is_other else list(sentences_of(text))
        restated = [] if is_other else of_document["paraphrases"]
        if half != "held_out":
            restated = [*restated, *of_document.get("seen", ())]
        if not (verbatim or restated):
            continue
        changed = [change for sentence in (*verbatim, *restated) for change in changes_of(sentence, of_document["names"])]
        claims = [*(("verbatim", said) for said in verbatim), *(("restated", said) for said in restated), *changed]
        evidence = check.evidence([said for _, said in claims], passages_of(name, text))
        for (kind, said), by_number in zip(claims, evidence, strict=True):
            score = max(item.score for item in by_number.values())
            if (score >= threshold) == (kind not in CHANGES):
                found[kind].right += 1
            else:
                found[kind].wrong.append(f"{name} {score:.2f}: {said}")
    return found


def passages_of(name: str, text: str) -> list[Citation]:
    """A document's sections as passages."""
    doc_type: DocType = "markdown" if name.endswith(".md") else "text"
    return [
        Citation(number, Passage(str(number), "d", "v", "c", body, name, "", doc_type, name, (heading,), Place(), number, 0))
        for number, (heading, body) in enumerate(sections_of(text), start=1)
    ]


def caught(found: dict[str, Kept]) -> Kept:
    """The changes of all kinds together."""
    parts = [found[kind] for kind in CHANGES]
    return Kept(sum(part.right for part in parts), [one for part in parts for one in part.wrong])


def sections_of(text: str) -> list[tuple[str, str]]:
    """Heading and text of each section, in order."""
    cuts = [match.start() for match in re.finditer(r"^#{1,4} ", text, re.MULTILINE)] or [0]
    bodies = [text[start:end] for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    return [(body.partition("\n")[0].lstrip("# "), body) for body in bodies]


def citations_of(section: Section) -> list[Citation]:
    """The section and its neighbours, numbered as an answer would find them."""
    parts = sections_of((SAMPLES / section.document).read_text(encoding="utf-8"))
    at = next(index for index, (heading, _) in enumerate(parts) if heading.startswith(section.heading))
    chosen = [parts[at], *parts[max(0, at - 1) : at], *parts[at + 1 : at + 3]]
    return [
        Citation(
            number,
            Passage(str(number), "d", "v", "c", body, section.document, "", "markdown", heading, (heading,), Place(), number, 0),
        )
        for number, (heading, body) in enumerate(chosen, start=1)
    ]


def area(good: list[float], bad: list[float]) -> float:
    """The chance that a supported sentence scores above an unsupported one."""
    return sum((one > other) + 0.5 * (one == other) for one in good for other in bad) / (len(good) * len(bad))


def best_threshold(good: list[float], bad: list[float]) -> tuple[float, float]:
    """The threshold in the middle of those with the best balanced accuracy, and that accuracy."""
    tried = [(accuracy(good, bad, step / 200), step / 200) for step in range(200)]
    top = max(value for value, _ in tried)
    return statistics.median(step for value, step in tried if value == top), top


def accuracy(good: list[float], bad: list[float], threshold: float) -> float:
    """Balanced accuracy."""
    return (sum(one >= threshold for one in good) / len(good) + sum(one < threshold for one in bad) / len(bad)) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=["dev", "held_out"])
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    settings = load_settings(environment={})
    model = ensure_model(settings.embedding.model, Directories.default().models)
    embedder = build("embedder", "onnx", files=model, device="cpu", threads=0, batch_tokens=1024)
    check = SupportCheck(embedder, build("analyzer", settings.sparse.analyzer), settings.answer.support_threshold)
    for half in (args.half,) if args.half else ("dev", "held_out"):
        found = measure(check, settings.answer.support_threshold, half)
        for kind, kept in [*found.items(), ("all changes", caught(found))]:
            print(f"{half:9} {kind:13} {kept.right:3} of {kept.total:3} judged right ({kept.share:.3f})")
            if args.verbose and kind != "all changes":
                print("".join(f"    {one}\n" for one in kept.wrong), end="")
    scores: dict[str, list[list[float]]] = {}
    signs: dict[str, dict[str, list[float]]] = {name: {} for name in ("meaning", "words", "score")}
    started, judged = time.perf_counter(), 0
    for section in SECTIONS:
        citations = citations_of(section)
        for kind, said in (("supported", section.supported), ("changed", section.changed), ("made up", section.made_up)):
            best = [max(found.values(), key=lambda item: item.score) for found in check.evidence(said, citations)]
            judged += len(said)
            scores.setdefault(kind, []).append([item.score for item in best])
            for name, values in signs.items():
                values.setdefault(kind, []).extend(getattr(item, name) for item in best)
    took = time.perf_counter() - started
    for name, values in signs.items():
        areas = {kind: area(values["supported"], values[kind]) for kind in ("changed", "made up")}
        print(f"{name:8}  AUC against changed {areas['changed']:.3f}, made up {areas['made up']:.3f}")
    for kind, lists in scores.items():
        flat = [score for part in lists for score in part]
        print(f"{kind:10} n={len(flat):3}  quartiles {[round(value, 3) for value in statistics.quantiles(flat)]}")
    unlike = [*zip(scores["changed"], scores["made up"], strict=True)]
    halves = [
        (
            [one for part in scores["supported"][half::2] for one in part],
            [one for pair in unlike[half::2] for part in pair for one in part],
        )
        for half in (0, 1)
    ]
    for half in (0, 1):
        threshold, inside = best_threshold(*halves[half])
        outside = accuracy(*halves[1 - half], threshold)
        print(f"half {half + 1}: threshold {threshold:.3f}, balanced accuracy {inside:.3f}; on the other half {outside:.3f}")
    threshold, reached = best_threshold(halves[0][0] + halves[1][0], halves[0][1] + halves[1][1])
    print(f"all: threshold {threshold:.3f}, balanced accuracy {reached:.3f}")
    # An answer is judged as a whole: its passages are embedded once for all its sentences.
    answers = 3 * len(SECTIONS)
    print(f"{took / answers * 1000:.0f} ms for an answer of {judged / answers:.1f} sentences and 4 passages")


if __name__ == "__main__":
    main()

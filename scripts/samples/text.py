"""Samples whose files are text with a structure: diagrams (SVG), notebooks and letters."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

FLOW = [
    (40, "Shop and app", "producers, 14 services"),
    (260, "Gateway", "checks tokens, 900 requests a second"),
    (480, "fjord", "queues orders and mail"),
    (700, "Workers", "40 pods, grow to 120"),
]
FLOW_NOTES = (
    "Orders leave the shop through the gateway on port 7443.",
    "The gateway keeps nothing: when fjord is away it answers 503 after 2.5 seconds.",
    "Workers write to the ledger, which is the only system with the customers' addresses.",
)
CONTACTS = [
    (40, "監視システム", "異常を検知"),
    (260, "当番", "内線 6101"),
    (480, "運用責任者", "内線 6110"),
    (700, "広報担当", "内線 6233"),
]
CONTACT_NOTES = (
    "当番は検知から5分以内に応答します。",
    "運用責任者が不在のときは、品質保証の三宅が代わりに判断します。",
    "報道機関からの電話は、必ず広報担当に転送してください。",
)


def diagram(title: str, description: str, boxes: list[tuple[int, str, str]], notes: tuple[str, ...]) -> bytes:
    """Boxes in a row, joined by arrows, with notes below."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="920" height="330" viewBox="0 0 920 330"'
        ' font-family="sans-serif" font-size="16">',
        f"  <title>{html.escape(title)}</title>",
        f"  <desc>{html.escape(description)}</desc>",
        '  <rect width="920" height="330" fill="#ffffff"/>',
        f'  <text x="40" y="40" font-size="22" font-weight="bold">{html.escape(title)}</text>',
    ]
    for index, (x, name, words) in enumerate(boxes):
        parts.append(f'  <rect x="{x}" y="80" width="180" height="70" rx="8" fill="#eef4fb" stroke="#1f5fa8"/>')
        parts.append(f'  <text x="{x + 12}" y="108" font-weight="bold">{html.escape(name)}</text>')
        parts.append(f'  <text x="{x + 12}" y="134" font-size="11">{html.escape(words)}</text>')
        if index:
            parts.append(f'  <path d="M{x - 38} 115 h30 m-8 -5 l8 5 l-8 5" fill="none" stroke="#404040" stroke-width="2"/>')
    parts += [f'  <text x="40" y="{210 + 34 * row}">{html.escape(note)}</text>' for row, note in enumerate(notes)]
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()


def notebook(*cells: tuple[str, str] | tuple[str, str, str]) -> bytes:
    """Cells are (`markdown`, text) or (`code`, source, what it printed)."""
    written: list[dict[str, Any]] = []
    for number, (kind, source, *printed) in enumerate(cells, 1):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number:02}", "metadata": {}}
        if kind == "code":
            output = {"name": "stdout", "output_type": "stream", "text": printed[0].splitlines(keepends=True)}
            cell |= {"execution_count": number, "outputs": [output]}
        written.append(cell | {"source": source.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": written,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python", "version": "3.12.3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()


def latency_notebook() -> bytes:
    return notebook(
        (
            "markdown",
            "# Where do slow enqueues come from?\n\nSample of 2.1 million calls on fjord, 2 to 8 March 2026. Author: A. Larsen.",
        ),
        (
            "code",
            'import pandas as pd\n\ncalls = pd.read_parquet("calls-2026w10.parquet")\nslow = calls[calls.ms > 50]\n'
            'print(f"{len(slow) / len(calls):.2%} of the calls are slow")',
            "0.37% of the calls are slow\n",
        ),
        (
            "markdown",
            "## By size of the batch\n\nLarge batches are not to blame: the share of slow calls hardly moves with the size.",
        ),
        (
            "code",
            'print(calls.groupby("batch").ms.quantile(0.99).round(1))',
            "batch\n1      12.4\n10     12.9\n100    14.8\n1000   19.6\n",
        ),
        (
            "markdown",
            "## By minute of the hour\n\nTwo thirds of the slow calls fall into minute 0 and minute 30. At these minutes 212 "
            "cron schedules of the reporting team start at once. Spreading them over 90 seconds should remove the peak.",
        ),
        (
            "code",
            'spread = simulate(calls, jitter_seconds=90)\nprint(f"slow calls with jitter: {spread.slow_share:.2%}")',
            "slow calls with jitter: 0.11%\n",
        ),
    )


def backlog_notebook() -> bytes:
    return notebook(
        ("markdown", "# 滞留の原因調査\n\n対象は sagami の 2026年2月分、作成は藤堂。"),
        (
            "code",
            'import pandas as pd\n\njobs = pd.read_csv("sagami-2026-02.csv")\nprint(len(jobs), "件")',
            "5812440 件\n",
        ),
        (
            "markdown",
            "## 曜日ごとの傾向\n\n滞留は月曜日の午前に集中しています。"
            "週末にたまった帳票の印刷ジョブが、8時55分に一斉に登録されるためです。",
        ),
        ("code", 'print(jobs.groupby("weekday").wait_s.max())', "月    2710\n火     640\n水     580\n木     615\n金     702\n"),
        (
            "markdown",
            "## 対策の試算\n\n印刷ジョブを日曜日の22時から少しずつ流すと、月曜日の"
            "最大待ち時間は2710秒から390秒に下がる見込みです。追加のワーカーは必要ありません。",
        ),
    )


def message(date: str, message_id: str, sender: str, to: str, subject: str, text: str, charset: str) -> EmailMessage:
    letter = EmailMessage(policy=SMTP)
    letter["Date"] = date
    letter["From"], letter["To"], letter["Subject"] = sender, to, subject
    letter["Message-ID"] = message_id
    letter.set_content(text.lstrip(), charset=charset, cte="7bit" if charset == "iso-2022-jp" else "quoted-printable")
    return letter


RECALL = """
Hello Rune,

we have to recall drives of the series NX-760 that were made between week 38 and week 44 of 2025. Their firmware
HX21 can lose the last 16 MB that were written when power fails within two seconds of a flush.

According to our books you have 22 of them, all in hall A. Please update to HX23, which we released yesterday. The
update takes six minutes for each drive and needs a power cycle, so do not update two drives of one node together.
If you would rather exchange them, we deliver replacements free of charge until 31 July 2026; mention case ND-58213.

Kind regards
Sunniva Dale
Nordlys Data, customer quality
"""

MAINTENANCE = """
各位

運用管理グループの佐伯です。検証環境の保守を次のとおり行います。

日時: 2026年4月11日(土) 10:00〜15:00
対象: kestrel-stg の全ノード
内容: オペレーティングシステムの更新と記憶装置の増設(各ノード 2TB から 4TB へ)

作業中は検証環境に接続できません。前日の18時までに、実行中の負荷試験を止めてください。止められない試験がある場合は、
4月8日(水)の正午までに私あてにご連絡ください。作業は予備日の4月18日(土)に延期することがあります。

終了の連絡は、チャットの #kestrel-stg に書き込みます。

佐伯 真由
"""


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each."""
    yield (
        "diagrams/order-flow.svg",
        diagram("How an order reaches a worker", "Four boxes from the shop to the workers.", FLOW, FLOW_NOTES),
    )
    yield "diagrams/contacts-ja.svg", diagram("障害時の連絡の流れ", "監視から広報までの四つの箱。", CONTACTS, CONTACT_NOTES)
    yield "notebooks/slow-enqueues.ipynb", latency_notebook()
    yield "notebooks/backlog-analysis-ja.ipynb", backlog_notebook()
    recall = message(
        "Thu, 02 Apr 2026 13:20:00 +0200",
        "<nd-58213@nordlys.example>",
        "Sunniva Dale <quality@nordlys.example>",
        "Rune Achterberg <rune@tarnwood.example>",
        "Recall of NX-760 drives: please update the firmware",
        RECALL,
        "utf-8",
    )
    yield "mail/drive-recall.eml", recall.as_bytes()
    maintenance = message(
        "Wed, 01 Apr 2026 10:05:00 +0900",
        "<stg-2026-04@tarnwood.example>",
        "佐伯 真由 <saeki@tarnwood.example>",
        "kestrel-users@tarnwood.example",
        "【お知らせ】検証環境の保守作業(4月11日)",
        MAINTENANCE,
        "iso-2022-jp",
    )
    yield "mail/staging-maintenance-ja.eml", maintenance.as_bytes()

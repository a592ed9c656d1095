"""The PowerPoint samples: a quarterly review in English and a course for new colleagues in Japanese."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml.ns import qn
from pptx.util import Cm

from samples.office import MADE, line_chart, without_clock

TITLE, CONTENT, TITLE_ONLY = 0, 1, 5
"""Layouts of the default template."""


class Deck:
    """Slides that are added one after the other."""

    def __init__(self, title: str, author: str, subtitle: str) -> None:
        self.deck = Presentation()
        properties = self.deck.core_properties
        properties.title, properties.author, properties.last_modified_by = title, author, author
        properties.created = properties.modified = MADE
        self.slide = self._add(TITLE, title)
        self.slide.placeholders[1].text = subtitle

    def _add(self, layout: int, title: str) -> Any:
        self.slide = self.deck.slides.add_slide(self.deck.slide_layouts[layout])
        self.slide.shapes.title.text = title
        return self.slide

    def bullets(self, title: str, *items: str | list[str]) -> None:
        """A list among the items stands a level deeper."""
        frame = self._add(CONTENT, title).placeholders[1].text_frame
        lines = [
            (line, level) for item in items for line, level in ([(item, 0)] if isinstance(item, str) else [(i, 1) for i in item])
        ]
        for index, (line, level) in enumerate(lines):
            paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
            paragraph.text, paragraph.level = line, level

    def table(self, title: str, rows: list[list[str]]) -> None:
        shape = self._add(TITLE_ONLY, title).shapes.add_table(
            len(rows), len(rows[0]), Cm(2), Cm(4.5), Cm(21), Cm(1.1 * len(rows))
        )
        for row, texts in zip(shape.table.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text

    def chart(self, title: str, heading: str, categories: list[str], series: dict[str, list[float]]) -> None:
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx is typed in part
        data.categories = categories
        for name, values in series.items():
            data.add_series(name, values)
        frame = self._add(TITLE_ONLY, title).shapes.add_chart(
            XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(2), Cm(4.5), Cm(21), Cm(12), data
        )
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = heading

    def picture(self, title: str, data: bytes, alt: str) -> None:
        shape = self._add(TITLE_ONLY, title).shapes.add_picture(io.BytesIO(data), Cm(3), Cm(5), Cm(18))
        shape._element.find(".//" + qn("p:cNvPr")).set("descr", alt)

    def notes(self, text: str) -> None:
        self.slide.notes_slide.notes_text_frame.text = text

    def data(self) -> bytes:
        target = io.BytesIO()
        self.deck.save(target)
        return without_clock(target.getvalue())


def quarterly_review() -> bytes:
    deck = Deck("Kestrel, first quarter 2026", "Ingrid Solheim", "Platform group, 9 April 2026\nIngrid Solheim")
    deck.notes("Twenty minutes, then questions. The numbers are those of the finance system, closed on 3 April.")
    deck.bullets(
        "What we shipped",
        "3.4.0 in February, one week after the long test",
        ["Two patch releases since", "Adoption after six weeks: 61 % of customers"],
        "Client for Kotlin, written by the mobile team",
        "Dashboards in 14 more offices",
    )
    deck.notes("The Kotlin client replaced 4,000 lines in the courier app. Thank Priya's team by name.")
    deck.table(
        "Service levels, January to March",
        [
            ["Objective", "Target", "Reached"],
            ["Availability of fjord", "99.95 %", "99.91 %"],
            ["Availability of sagami", "99.95 %", "99.98 %"],
            ["Pages at night", "at most 6", "11"],
            ["First answer to a ticket", "4 hours", "2 hours 50 minutes"],
        ],
    )
    deck.notes("Fjord missed its target because of the switch in March. Nine of the eleven pages came from one noisy rule.")
    deck.chart(
        "What a million jobs cost us",
        "Euros per million jobs",
        ["2025 Q2", "2025 Q3", "2025 Q4", "2026 Q1"],
        {"fjord": [1.92, 1.71, 1.66, 1.38], "sagami": [2.4, 2.31, 2.05, 1.97]},
    )
    deck.notes("The fall in the last quarter is the new compression: network traffic between the halls went down by a third.")
    deck.picture(
        "Trial of the second hall in Oslo",
        line_chart(
            "Jobs per second during the trial", [8, 11, 19, 26, 33, 38, 37, 36], "thousands, by minute", {5: "hall 2 joins"}
        ),
        "Curve of the trial: throughput levels off at 38 thousand jobs per second when hall 2 joins",
    )
    deck.notes("Hall 2 goes live on 15 June if the fire inspection passes.")
    deck.bullets(
        "Next quarter",
        "Hire two engineers in Tokyo and one technical writer",
        "Jobs that wait for other jobs: first design on paper",
        "Move the wiki to the new search",
        ["Budget: 46,000 euros", "Owner: Anneli Korhonen"],
    )
    deck.notes("The writer starts with the operations manual, which exists in Japanese only.")
    return deck.data()


def course() -> bytes:
    deck = Deck("新人研修 はじめての Kestrel", "三宅", "品質保証グループ 三宅\n2026年4月")
    deck.notes("研修は90分です。前半は座学、後半は実習とします。")
    deck.bullets(
        "この研修で身につけること",
        "ジョブの一生を図に描いて説明できる",
        "検証環境でジョブを登録し、結果を確かめられる",
        "困ったときに誰に聞けばよいか分かる",
        ["平日の昼はメンターへ", "夜間と休日は当番へ"],
    )
    deck.notes("メンターの一覧は入社日に渡した封筒に入っています。")
    deck.table(
        "実習の時間割",
        [
            ["時刻", "内容", "担当"],
            ["13:30", "端末の準備とログイン", "三宅"],
            ["13:50", "写真の縮小ジョブを10件登録する", "藤堂"],
            ["14:20", "わざと失敗させて記録を読む", "三宅"],
            ["14:50", "振り返りとアンケート", "宮内"],
        ],
    )
    deck.notes("ログインできない人がいたら、予備の端末が教室の後ろの棚に3台あります。")
    deck.chart(
        "昨年度の受講者の声",
        "理解度の自己評価(5点満点)",
        ["座学", "実習", "資料"],
        {"2024年度": [3.4, 4.1, 3.0], "2025年度": [3.8, 4.6, 3.7]},
    )
    deck.notes("資料の評価が上がったのは、図を増やしたためです。")
    deck.picture(
        "ジョブが増えるとどうなるか",
        line_chart("Waiting jobs in the exercise", [0, 4, 9, 15, 12, 6, 1], "minutes 0 to 6", {3: "add a worker"}),
        "実習で待っているジョブの数。ワーカーを追加すると減り始める",
    )
    deck.notes("ワーカーを1つから2つに増やすと、3分ほどで行列がなくなります。")
    deck.bullets(
        "宿題",
        "自分の部署の定型作業を1つ選び、ジョブにする案を1枚にまとめる",
        "提出の期限は4月24日、宛先は三宅",
        "よい案は夏の発表会で紹介します",
    )
    deck.notes("昨年の最優秀案は、総務課の名札印刷の自動化でした。")
    return deck.data()


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each."""
    yield "presentations/quarterly-review-2026q1.pptx", quarterly_review()
    yield "presentations/new-colleagues-course-ja.pptx", course()

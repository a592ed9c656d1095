"""The Word samples: a report of an incident in English and a plan of a rollout in Japanese."""

from __future__ import annotations

import io
from collections.abc import Iterator

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm
from docx.text.paragraph import Paragraph

from samples.office import MADE, line_chart, without_clock


class Report:
    """A document that is written from top to bottom, in the styles of the default template."""

    def __init__(self, language: str, title: str, author: str, header: str, footer: str) -> None:
        self.document: WordDocument = Document()
        properties = self.document.core_properties
        properties.title, properties.author, properties.last_modified_by = title, author, author
        properties.comments, properties.language = "", language
        properties.created = properties.modified = MADE
        for name in ("Normal", "Title", "Heading 1", "Heading 2"):
            fonts = self.document.styles[name].element.get_or_add_rPr().get_or_add_rFonts()
            fonts.set(qn("w:eastAsia"), "Yu Gothic")
        section = self.document.sections[0]
        section.header.paragraphs[0].text = header
        section.footer.paragraphs[0].text = footer
        self.document.add_heading(title, 0)

    def heading(self, text: str, level: int = 1) -> None:
        self.document.add_heading(text, level)

    def text(self, *paragraphs: str) -> Paragraph:
        for paragraph in paragraphs:
            last = self.document.add_paragraph(paragraph)
        return last

    def items(self, *items: str | list[str], numbered: bool = False) -> None:
        """Bullets or numbers; a list among them stands a level deeper."""
        for item in items:
            if isinstance(item, str):
                self.document.add_paragraph(item, "List Number" if numbered else "List Bullet")
            else:
                for inner in item:
                    self.document.add_paragraph(inner, "List Bullet 2")

    def table(self, rows: list[list[str]], merged: list[tuple[int, int, int, int]]) -> None:
        """`merged` are (row, column, last row, last column); the text of their first cell stays."""
        table = self.document.add_table(len(rows), len(rows[0]), "Table Grid")
        for row, texts in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
        for first_row, first_column, last_row, last_column in merged:
            text = rows[first_row][first_column]
            table.cell(first_row, first_column).merge(table.cell(last_row, last_column)).text = text
        repeated = OxmlElement("w:tblHeader")
        table.rows[0]._tr.get_or_add_trPr().append(repeated)
        self.document.add_paragraph()

    def picture(self, data: bytes, name: str, alt: str, caption: str) -> None:
        shape = self.document.add_picture(io.BytesIO(data), Cm(14))
        shape._inline.docPr.set("name", name)
        shape._inline.docPr.set("descr", alt)
        self.document.add_paragraph(caption, "Caption")

    def comment(self, paragraph: Paragraph, author: str, initials: str, text: str) -> None:
        comment = self.document.add_comment(paragraph.runs, text, author, initials)
        comment._comment_elm.set(qn("w:date"), f"{MADE:%Y-%m-%dT%H:%M:%SZ}")

    def data(self) -> bytes:
        target = io.BytesIO()
        self.document.save(target)
        return without_clock(target.getvalue())


def incident_report() -> bytes:
    report = Report(
        "en-GB",
        "Incident review INC-2026-014: late invoices on fjord",
        "Marit Todo",
        "Tarnwood, internal",
        "INC-2026-014, edition 2",
    )
    report.text(
        "Author: M. Todo. Reviewed on 26 March 2026 with platform-sre, the network team and the billing team. This paper says "
        "what happened, why it took so long to find, and what we change. It blames nobody."
    )
    report.heading("Summary")
    last = report.text(
        "On Wednesday 18 March 2026 between 06:12 and 07:58 UTC, jobs of the billing team on the cluster fjord were delivered up "
        "to 74 minutes late. Nine customers received their invoices after the agreed hour. No job was lost and none ran twice.",
        "The cause was a firmware update of a rack switch that silently reset its largest frame from 9000 to 1500 bytes. Small "
        "packets, such as heartbeats, still passed, so that every node looked healthy while bundled replication stalled.",
    )
    report.comment(last, "Anneli Korhonen", "AK", "Customers asked why the status page stayed green; see action 4.")
    report.heading("Timeline")
    report.table(
        [
            ["Phase", "Time (UTC)", "Event", "Who"],
            ["Trigger", "06:12", "Switch sw-fj-07 restarts with firmware 4.18.2", "network team"],
            ["Detection", "06:31", "Commit queue of three nodes passes half a second", "monitoring"],
            ["", "06:44", "Billing reports late invoices in the chat", "billing team"],
            ["Search", "06:50", "Disks are suspected and ruled out", "on-call"],
            ["", "07:33", "A ping with 8,972 bytes fails between racks C and D", "R. Achterberg"],
            ["Repair", "07:41", "Frame size is set back by hand; the backlog drains in 17 minutes", "network team"],
        ],
        [(2, 0, 3, 0), (4, 0, 5, 0)],
    )
    report.picture(
        line_chart(
            "Waiting jobs on fjord, thousands",
            [12, 14, 40, 160, 310, 470, 610, 640, 220, 15],
            "06:00 to 08:15 UTC",
            {2: "switch restarts", 7: "repair"},
        ),
        "Waiting jobs",
        "Curve of waiting jobs on fjord: it climbs to 640 thousand until the repair at 07:41",
        "Figure 1: waiting jobs during the incident",
    )
    report.heading("Why it took 89 minutes")
    report.items(
        "Our probe sends packets of 64 bytes, which the switch let pass.",
        "The runbook led to the disks first.",
        [
            "Two of three steps concern fsync times.",
            "None concerns the size of frames.",
        ],
        "The network team announced the update in a channel that platform-sre does not read.",
    )
    report.heading("What went well", 2)
    report.text("Producers slowed down by themselves through credits, and no producer had to be restarted.")
    report.heading("Actions")
    report.items(
        "Probe every pair of racks with frames of 8,972 bytes once a minute. Owner: R. Achterberg, until 10 April.",
        "Announce firmware updates in the channel of the cluster, two working days ahead. Owner: network team.",
        "Add a branch for frame sizes to the failover runbook. Owner: M. Todo.",
        "Set the status page to yellow by itself when the median delay passes ten minutes. Owner: A. Korhonen, until 30 April.",
        numbered=True,
    )
    report.heading("Cost")
    report.text(
        "Service credits of 18,400 euros were granted to the nine customers. The review "
        "itself took 31 hours of work by eleven people."
    )
    return report.data()


def rollout_plan() -> bytes:
    report = Report(
        "ja-JP", "大阪支社 エッジボックス導入計画書", "佐伯 真由", "株式会社ターンウッド 社外秘", "文書番号 OSK-2026-03 第2版"
    )
    report.text(
        "作成: 運用管理グループ 佐伯。承認: 2026年3月30日。大阪支社と配下の3拠点に Kestrel Edge Box を導入する計画を示します。"
    )
    report.heading("目的")
    last = report.text(
        "大阪支社の配下では、回線の工事により月に2回程度、本社との通信が数時間とぎれます。その間も受注の登録を続けられるようにすることが目的です。",
        "対象の業務は受注と検品です。給与計算と経費精算は、即時性を必要としないため対象外とします。",
    )
    report.comment(last, "小田切", "小", "検品の端末は4月に入れ替わる予定です。台数を再確認してください。")
    report.heading("対象の拠点と日程")
    report.table(
        [
            ["地域", "拠点", "設置日", "台数"],
            ["大阪", "大阪支社", "2026年5月18日(月)", "4台"],
            ["", "堺物流センター", "2026年5月20日(水)", "2台"],
            ["兵庫", "神戸営業所", "2026年5月25日(月)", "2台"],
            ["", "尼崎倉庫", "2026年5月27日(水)", "1台"],
            ["合計", "", "", "9台"],
        ],
        [(1, 0, 2, 0), (3, 0, 4, 0), (5, 0, 5, 2)],
    )
    report.picture(
        line_chart("Line outages per month", [3, 2, 5, 4, 7, 6], "Oct 2025 to Mar 2026", {4: "Feb: 7"}),
        "回線断の回数",
        "月ごとの回線断の回数。2月に7回まで増えている",
        "図1 大阪支社における回線断の回数",
    )
    report.heading("作業の手順")
    report.items(
        "前日までに、設置場所の電源と空きポートを確認します。",
        "当日の9時から設置を始めます。",
        ["作業者は2名とし、1名は必ず支社の総務課から立ち会います。", "作業中は入退室カードを首から下げます。"],
        "回線を抜いた状態で受注を50件登録し、つなぎ直したあとに全件が本社へ届くことを確かめます。",
        "結果を確認表に記入し、当日の17時までに運用管理グループへ送ります。",
        numbered=True,
    )
    report.heading("体制と費用")
    report.heading("体制", 2)
    report.text("責任者は佐伯、現地の窓口は総務課の西田です。夜間の問い合わせは当番が受けます。")
    report.heading("費用", 2)
    report.text("機器の費用は9台で1,332,000円、設置の作業費は286,000円です。予算は2026年度の設備費から支出します。")
    report.heading("中止の判断")
    report.text("試験で1件でも受注が届かなかった拠点では設置を中止し、従来の運用に戻します。再開の判断は藤堂が行います。")
    return report.data()


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each."""
    yield "reports/incident-2026-014.docx", incident_report()
    yield "reports/osaka-rollout-plan-ja.docx", rollout_plan()

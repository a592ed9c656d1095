"""Samples that are pictures of text: screenshots (PNG) and scans (PDF without text)."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

JAPANESE_FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
FONT_PACKAGE = "fonts-noto-cjk"
FONT_SHA256 = "b76b0433203017ca80401b2ee0dd69350349871c4b19d504c34dbdd80541690a"
SCAN_SIZE = (1654, 2339)
"""A4 at 200 dots an inch."""

Font: TypeAlias = ImageFont.FreeTypeFont | ImageFont.ImageFont
FontOfSize: TypeAlias = Callable[[int], Font]


def missing_font() -> str | None:
    """What to tell when the Japanese pictures can't be made here; None when they can."""
    if not JAPANESE_FONT.is_file():
        return f"Pictures with Japanese text are left as they are: {JAPANESE_FONT} is missing (Debian package {FONT_PACKAGE})."
    if hashlib.sha256(JAPANESE_FONT.read_bytes()).hexdigest() != FONT_SHA256:
        return (
            f"Pictures with Japanese text are left as they are: {JAPANESE_FONT} is another edition than that of {FONT_PACKAGE} "
            "in Debian 12, and would draw them differently."
        )
    return None


def western(size: int) -> Font:
    return ImageFont.load_default(size)


def japanese(size: int) -> Font:
    return ImageFont.truetype(JAPANESE_FONT, size, index=0, layout_engine=ImageFont.Layout.BASIC)


def screenshot(font: FontOfSize, title: str, tabs: list[str], head: list[str], rows: list[list[str]], banner: str) -> bytes:
    """A page of the admin console: a bar, tabs, a banner and a table."""
    picture = Image.new("RGB", (1120, 170 + 46 * len(rows) + 110), "#f5f6f8")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 1120, 56), fill="#17324d")
    draw.text((24, 12), title, "white", font(26))
    for index, tab in enumerate(tabs):
        draw.text((24 + 190 * index, 70), tab, "#1f5fa8" if index == 0 else "#555555", font(20))
    draw.rectangle((24, 108, 1096, 152), fill="#fff3cd", outline="#d9b44a")
    draw.text((38, 116), banner, "#5c4400", font(20))
    columns = [36, 320, 520, 720, 900]
    for row, cells in enumerate([head, *rows]):
        top = 172 + 46 * row
        draw.rectangle((24, top, 1096, top + 46), fill="#dfe6ee" if row == 0 else "white", outline="#c4ccd6")
        for left, cell in zip(columns, cells, strict=True):
            draw.text((left, top + 9), cell, "black", font(20))
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()


def scanned_page(font: FontOfSize, lines: list[tuple[int, str]], seed: int) -> Image.Image:
    """A page as a scanner sees it: a little askew, with specks. `lines` are (size, text); size 0 is a rule."""
    page = Image.new("L", SCAN_SIZE, 255)
    draw = ImageDraw.Draw(page)
    y = 200
    for size, text in lines:
        if size:
            draw.text((190, y), text, 20, font(size))
            y += round(size * 1.9)
        else:
            draw.line(((190, y), (SCAN_SIZE[0] - 190, y)), 60, 3)
            y += 40
    page = page.rotate(0.35, Image.Resampling.BICUBIC, fillcolor=255)
    draw, specks = ImageDraw.Draw(page), random.Random(seed)
    for _ in range(90):
        x, y = specks.randrange(SCAN_SIZE[0]), specks.randrange(SCAN_SIZE[1])
        draw.rectangle((x, y, x + specks.randrange(3), y + specks.randrange(3)), fill=90)
    return page.point(lambda grey: 255 if grey > 140 else 0).convert("1", dither=Image.Dither.NONE)


def fax_coded(page: Image.Image) -> bytes:
    """The bytes of a page in CCITT group 4: no zlib, so the same everywhere."""
    target = io.BytesIO()
    page.save(target, "TIFF", compression="group4", strip_size=page.width * page.height)
    data = target.getvalue()
    with Image.open(io.BytesIO(data)) as tiff:
        (start,), (size,) = tiff.tag_v2[273], tiff.tag_v2[279]  # type: ignore[attr-defined]  # only a TIFF has tags
    return data[start : start + size]


def scanned_pdf(pages: list[Image.Image]) -> bytes:
    """A PDF of pictures alone, one on each page."""
    kids = " ".join(f"{3 + 3 * index} 0 R" for index in range(len(pages)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()]
    for index, page in enumerate(pages):
        number, coded, drawing = 3 + 3 * index, fax_coded(page), b"q 595 0 0 842 0 0 cm /Scan Do Q"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R"
            f" /Resources << /XObject << /Scan {number + 2} 0 R >> >> >>".encode(),
            f"<< /Length {len(drawing)} >>\nstream\n".encode() + drawing + b"\nendstream",
            f"<< /Type /XObject /Subtype /Image /Width {page.width} /Height {page.height} /BitsPerComponent 1"
            f" /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /BlackIs1 true /Columns {page.width}"
            f" /Rows {page.height} >> /Length {len(coded)} >>\nstream\n".encode()
            + coded
            + b"\nendstream",
        ]
    data, offsets = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    data += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(data)


VISITORS = [
    (50, "Tarnwood data centre, hall B"),
    (38, "Rules for visitors, valid from 1 March 2026"),
    (0, ""),
    (30, "1. Visitors are announced by 15:00 on the working day before."),
    (30, "2. At the desk you leave a photo identity card and get a red badge."),
    (30, "3. A badge that is lost costs 45 euros."),
    (30, "4. Bags larger than 40 litres stay in the lockers on floor 1."),
    (30, "5. No drinks beyond the yellow line. No photographs at all."),
    (30, "6. One employee may guide at most four visitors."),
    (0, ""),
    (38, "When the gas alarm sounds"),
    (30, "The room is flooded with argon 30 seconds after the horn. Leave at once by"),
    (30, "the door with the green lamp. Do not use the lift. The meeting point is the"),
    (30, "bicycle shed beside gate 4."),
    (0, ""),
    (30, "Questions: facility desk, extension 7715"),
]
RECEIPT = [
    [
        (50, "機器受領書"),
        (32, "受領番号 JR-2026-0312"),
        (0, ""),
        (32, "納入元: 株式会社北灯データ 東京営業部"),
        (32, "納入先: 株式会社ターンウッド 東京オフィス 倉庫室"),
        (32, "受領日: 2026年3月12日(木) 14時20分"),
        (0, ""),
        (32, "品名: ラック型サーバー  数量: 4台"),
        (32, "品名: 光ケーブル 10メートル  数量: 24本"),
        (32, "品名: 冷却用送風機  数量: 6個"),
        (0, ""),
        (32, "外箱1個に水濡れの跡があったため、送風機1個を返品した。"),
        (32, "代わりの品は3月19日に届く予定である。"),
    ],
    [
        (44, "保管と開梱の注意"),
        (0, ""),
        (32, "1. 受領した機器は、24時間以上室温に置いてから通電する。"),
        (32, "2. サーバーは1台33キログラムある。必ず2人で持ち上げる。"),
        (32, "3. 緩衝材は返却用に90日間保管する。"),
        (32, "4. 製造番号の札は、扉の内側に貼り替える。"),
        (0, ""),
        (32, "検収の担当: 倉庫室 榎本"),
    ],
]


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each that can be drawn here."""
    yield (
        "screenshots/admin-console-queues.png",
        screenshot(
            western,
            "Kestrel admin console - fjord",
            ["Queues", "Nodes", "Schedules", "Audit"],
            ["Queue", "Waiting", "Oldest job", "Workers", "State"],
            [
                ["invoices", "18,204", "6 min 12 s", "24", "active"],
                ["parcel-labels", "311", "4 s", "8", "active"],
                ["fraud-check", "2,977", "58 s", "16", "active"],
                ["newsletter", "640,118", "3 h 40 min", "2", "paused"],
                ["image-resize", "0", "-", "12", "active"],
            ],
            "Queue newsletter was paused by t.lindqvist: mail provider limits us to 50 per second",
        ),
    )
    yield "archive/visitor-rules-hall-b.pdf", scanned_pdf([scanned_page(western, VISITORS, 7)])
    if missing_font():
        return
    yield (
        "screenshots/admin-console-nodes-ja.png",
        screenshot(
            japanese,
            "Kestrel 管理画面 - sagami",
            ["ノード", "キュー", "スケジュール", "監査"],
            ["ノード", "役割", "ディスク", "遅れ", "状態"],
            [
                ["kes-sg-45", "リーダー 31件", "62%", "0件", "正常"],
                ["kes-sg-46", "リーダー 30件", "64%", "12件", "正常"],
                ["kes-sg-47", "リーダー 0件", "71%", "40,310件", "退避中"],
                ["kes-sg-48", "学習ノード", "58%", "95件", "正常"],
            ],
            "kes-sg-47 は電源ユニットの交換のため、4月3日22時まで退避しています",
        ),
    )
    pages = [scanned_page(japanese, lines, 11 + index) for index, lines in enumerate(RECEIPT)]
    yield "archive/equipment-receipt-ja.pdf", scanned_pdf(pages)

"""Draws the labelled set of pictures: `python -m pictures.draw FOLDER` in scripts/, into a folder for each type.

Charts are drawn by matplotlib, which is no dependency of the project: install it beside, or let the script leave them out. Every
picture comes out the same for the same seed. A part of them is spoilt as scans, screenshots in bad JPEG and photocopies are.
"""

from __future__ import annotations

import importlib
import io
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
CJK = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
NOUNS = "Orders Returns Leases Tickets Batches Pallets Invoices Parcels Claims Visits Refunds Shipments".split()
PLACES = "Osaka Lisbon Nairobi Quito Turin Bergen Hanoi Tunis Lima Riga Porto Kyoto".split()
STEPS = (
    "Receive order|Check stock|Ask supplier|Reserve goods|Print label|Pack parcel|Hand to carrier|Notify customer|Close order|"
    "Approve request|Reject request|Open ticket|Assign engineer|Write report|Archive"
).split("|")
JAPANESE = "受注 在庫確認 承認 出荷 請求 返品 保管 通知 検査 記録".split()
CHINESE = "收货 审核 入库 出库 开票 退货 通知 检查 记录 归档".split()


def font(size: int, text: str = "") -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(CJK if any(ord(sign) > 0x2E80 for sign in text) else FONT, size)


def words(rng: random.Random, latin: list[str]) -> list[str]:
    return rng.choice([latin, latin, JAPANESE, CHINESE])


def table(rng: random.Random) -> Image.Image:
    rows, columns = rng.randint(3, 9), rng.randint(3, 6)
    wide, tall = rng.randint(110, 170), rng.randint(32, 48)
    dark, style = rng.random() < 0.15, rng.choice(["ruled", "ruled", "ruled", "lines", "plain", "striped"])
    paper, ink = ((30, 32, 36), (220, 220, 220)) if dark else ((255, 255, 255), (20, 20, 20))
    image = Image.new("RGB", (columns * wide + 40, rows * tall + 80), paper)
    draw, heads = ImageDraw.Draw(image), words(rng, NOUNS)
    if rng.random() < 0.5:
        draw.text((20, 10), f"Table {rng.randint(1, 9)}. {rng.choice(NOUNS)} by place", font=font(18), fill=ink)
    names = rng.sample(PLACES, min(rows, len(PLACES)))
    for row in range(rows):
        top = 50 + row * tall
        if style == "striped" and row % 2:
            draw.rectangle((20, top, 20 + columns * wide, top + tall), fill=(235, 240, 246) if not dark else (50, 54, 60))
        if row == 0 and rng.random() < 0.6:
            draw.rectangle((20, top, 20 + columns * wide, top + tall), fill=(205, 215, 230) if not dark else (60, 70, 90))
        for column in range(columns):
            left = 20 + column * wide
            if style == "ruled":
                draw.rectangle((left, top, left + wide, top + tall), outline=ink, width=rng.choice([1, 1, 2]))
            text = (
                heads[(row + column) % len(heads)]
                if row == 0
                else names[row % len(names)]
                if column == 0
                else str(rng.randint(3, 9999))
            )
            draw.text((left + 8, top + tall // 4), text, font=font(16, text), fill=ink)
        if style == "lines":
            draw.line((20, top + tall, 20 + columns * wide, top + tall), fill=ink)
    return image


def chart(rng: random.Random) -> Image.Image | None:
    try:
        importlib.import_module("matplotlib").use("Agg")
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        return None
    style = rng.choice(["default", "default", "ggplot", "bmh", "dark_background", "seaborn-v0_8-whitegrid"])
    with pyplot.style.context(style):
        figure, axes = pyplot.subplots(figsize=(rng.uniform(5, 8), rng.uniform(3.2, 5)), dpi=rng.choice([80, 100, 120]))
        kind = rng.choice(["bar", "bar", "line", "line", "barh", "scatter", "pie", "area", "stacked"])
        names = rng.sample(PLACES, rng.randint(4, 7))
        values = [rng.randint(10, 100) for _ in names]
        if kind == "bar":
            axes.bar(names, values, color=None if rng.random() < 0.6 else "tab:green")
        elif kind == "stacked":
            axes.bar(names, values, label=NOUNS[0])
            axes.bar(names, [rng.randint(5, 50) for _ in names], bottom=values, label=NOUNS[1])
            axes.legend()
        elif kind == "barh":
            axes.barh(names, values)
        elif kind == "pie":
            axes.pie(values, labels=names, autopct="%1.0f%%" if rng.random() < 0.6 else None)
        elif kind == "scatter":
            axes.scatter([rng.gauss(5, 2) for _ in range(60)], [rng.gauss(50, 12) for _ in range(60)])
        else:
            for name in rng.sample(NOUNS, rng.randint(1, 3)):
                walk = np.cumsum([rng.gauss(1, 4) for _ in range(12)]) + 40
                axes.plot(range(2012, 2024), walk, label=name, marker=rng.choice(["", "o"]))
                if kind == "area":
                    axes.fill_between(range(2012, 2024), walk, alpha=0.4)
            axes.legend()
        if kind != "pie":
            axes.set_ylabel(rng.choice(NOUNS))
            axes.set_xlabel(rng.choice(["Place", "Year", "Team", ""]))
        if rng.random() < 0.8:
            axes.set_title(f"{rng.choice(NOUNS)} {rng.choice(['by place', 'per year', 'in 2025'])}")
        target = io.BytesIO()
        figure.tight_layout()
        figure.savefig(target, format="png")
        pyplot.close(figure)
    return Image.open(target).convert("RGB")


def _head(draw: ImageDraw.ImageDraw, x: float, y: float, angle: float, ink: str) -> None:
    points = [(x, y)] + [(x - 13 * math.cos(angle + turn), y - 13 * math.sin(angle + turn)) for turn in (0.42, -0.42)]
    draw.polygon(points, fill=ink)


def arrow(
    draw: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], ink: str, *, head: bool = True
) -> None:
    draw.line((*start, *end), fill=ink, width=2)
    if head:
        _head(draw, *end, math.atan2(end[1] - start[1], end[0] - start[0]), ink)


def node(draw: ImageDraw.ImageDraw, box: tuple[float, float, float, float], text: str, shape: str, fill: str, ink: str) -> None:
    left, top, right, bottom = box
    if shape == "diamond":
        x, y = (left + right) / 2, (top + bottom) / 2
        draw.polygon([(x, top - 14), (right + 14, y), (x, bottom + 14), (left - 14, y)], fill=fill, outline=ink, width=2)
    elif shape == "round":
        draw.rounded_rectangle(box, 18, fill=fill, outline=ink, width=2)
    elif shape == "ellipse":
        draw.ellipse(box, fill=fill, outline=ink, width=2)
    else:
        draw.rectangle(box, fill=fill, outline=ink, width=2)
    size = font(15, text)
    draw.text(((left + right) / 2, (top + bottom) / 2), text, font=size, fill=ink, anchor="mm")


def flowchart(rng: random.Random) -> Image.Image:
    texts = words(rng, STEPS)
    count, down = rng.randint(4, 7), rng.random() < 0.6
    chosen = rng.sample(texts, count)
    ink, fill = rng.choice(["black", "#333355"]), rng.choice(["white", "#eef3ff", "#fff6dd", "#e6f5e6"])
    if down:
        image = Image.new("RGB", (560, 60 + count * 100), "white")
        places = [(170, 30 + index * 100, 340, 80 + index * 100) for index in range(count)]
    else:
        image = Image.new("RGB", (60 + count * 220, 300), "white")
        places = [(30 + index * 220, 120, 190 + index * 220, 170) for index in range(count)]
    draw = ImageDraw.Draw(image)
    for index, (box, text) in enumerate(zip(places, chosen, strict=True)):
        shape = "diamond" if index in (2, 4) and rng.random() < 0.8 else "round" if index in (0, count - 1) else "box"
        node(draw, box, text, shape, fill, ink)
        if index:
            before = places[index - 1]
            if down:
                arrow(draw, ((before[0] + before[2]) / 2, before[3] + 15), ((box[0] + box[2]) / 2, box[1] - 15), ink)
            else:
                arrow(draw, (before[2] + 15, 145), (box[0] - 15, 145), ink)
    if down and count > 5:
        draw.line((354, places[2][1] + 25, 470, places[2][1] + 25, 470, places[4][1] + 25), fill=ink, width=2)
        arrow(draw, (470, places[4][1] + 25), (354, places[4][1] + 25), ink)
    return image


def diagram(rng: random.Random) -> Image.Image:
    """Boxes with plain lines between them: parts of a system, or classes with their fields."""
    image = Image.new("RGB", (760, 520), "white")
    draw, names = ImageDraw.Draw(image), rng.sample(NOUNS + PLACES, 6)
    classes = rng.random() < 0.5
    places = [
        (40 + (index % 3) * 250, 50 + (index // 3) * 260, 210 + (index % 3) * 250, 190 + (index // 3) * 260) for index in range(6)
    ]
    for index, (box, name) in enumerate(zip(places, names, strict=True)):
        fill = rng.choice(["white", "#eef3ff", "#fdf0e6"])
        if classes:
            draw.rectangle(box, fill=fill, outline="black", width=2)
            draw.line((box[0], box[1] + 36, box[2], box[1] + 36), fill="black", width=2)
            draw.text((box[0] + 12, box[1] + 8), name, font=font(16), fill="black")
            for row in range(3):
                draw.text(
                    (box[0] + 12, box[1] + 46 + 28 * row), f"+ {rng.choice(NOUNS).lower()}: int", font=font(13), fill="black"
                )
        else:
            shape = rng.choice(["box", "round", "ellipse"])
            node(draw, (box[0], box[1] + 40, box[2], box[3] - 30), name, shape, fill, "black")
        if index % 3:
            arrow(draw, (places[index - 1][2] + 2, box[1] + 70), (box[0] - 2, box[1] + 70), "black", head=False)
        if index >= 3 and rng.random() < 0.8:
            above = places[index - 3]
            gap = 0 if classes else 28
            arrow(draw, (box[0] + 80, above[3] + 2 - gap), (box[0] + 80, box[1] - 2 + gap * 1.4), "black", head=False)
    return image


def screenshot(rng: random.Random) -> Image.Image:
    dark, kind = rng.random() < 0.35, rng.choice(["dialog", "app", "browser", "terminal", "form"])
    paper, ink, bar = ((37, 37, 38), (212, 212, 212), (60, 60, 60)) if dark else ((250, 250, 250), (30, 30, 30), (222, 225, 230))
    menus, buttons = rng.choice([
        ("File Edit View Tools Help".split(), ["OK", "Cancel", "Apply"]),
        (["ファイル", "編集", "表示", "ヘルプ"], ["はい", "いいえ", "キャンセル"]),
        (["文件", "编辑", "查看", "帮助"], ["确定", "取消", "应用"]),
    ])  # fmt: skip
    wide, tall = (460, 240) if kind == "dialog" else (rng.randint(780, 1200), rng.randint(480, 760))
    image = Image.new("RGB", (wide, tall), paper)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, wide, 34), fill=bar)
    title = rng.choice(["Kestrel Console", "Order desk", "Settings", "Export", "Harbour 2.1"])
    draw.text((14, 8), title, font=font(15), fill=ink)
    for index, colour in enumerate(["#e05555", "#e0b855", "#5fb35f"]):
        draw.ellipse((wide - 30 - index * 24, 10, wide - 16 - index * 24, 24), fill=colour)
    if kind == "dialog":
        draw.text(
            (30, 80),
            rng.choice(["The lease could not be renewed.", "Error 0x80070005: access denied", "Save changes to orders.csv?"]),
            font=font(16),
            fill=ink,
        )
    elif kind == "terminal":
        draw.rectangle((0, 34, wide, tall), fill=(12, 12, 12))
        for row in range((tall - 60) // 22):
            draw.text(
                (10, 44 + row * 22),
                rng.choice(
                    ["$ rag status", "ready: true", f"documents: {rng.randint(5, 900)}", "error: lease expired", "$ ls -la"]
                ),
                font=font(14),
                fill=(200, 220, 200),
            )
    else:
        for index, menu in enumerate(menus):
            draw.text((14 + index * 80, 42), menu, font=font(14, menu), fill=ink)
        draw.rectangle((0, 66, 180, tall), fill=bar)
        for index in range(min(9, (tall - 100) // 34)):
            draw.text((16, 80 + index * 34), rng.choice(NOUNS), font=font(14), fill=ink)
        for index in range((tall - 160) // 40):
            top = 90 + index * 40
            draw.text((210, top + 4), f"{rng.choice(NOUNS)} of {rng.choice(PLACES)}", font=font(14), fill=ink)
            if kind == "form":
                draw.rectangle((430, top, wide - 60, top + 28), outline=(128, 128, 128))
    if kind != "terminal":
        for index, button in enumerate(buttons):
            left = wide - 110 - index * 104
            draw.rounded_rectangle((left, tall - 46, left + 92, tall - 14), 5, outline=(128, 128, 128), fill=bar)
            draw.text((left + 46, tall - 30), button, font=font(14, button), fill=ink, anchor="mm")
    return image


def photo(rng: random.Random) -> Image.Image:
    """Clouds of noise over a gradient, with soft round things in it: the histogram of a photograph, and no letters."""
    noise, side = np.zeros((420, 560, 3)), np.random.default_rng(rng.randint(0, 1 << 30))
    for scale in (4, 9, 20, 60, 140):
        small = Image.fromarray((side.random((scale, scale, 3)) * 255).astype(np.uint8)).resize(
            (560, 420), Image.Resampling.BICUBIC
        )
        noise += np.asarray(small, float) / (1 + scale / 20)
    noise += np.linspace(0, 120, 420)[:, None, None] + side.normal(0, 14, noise.shape)
    noise = (noise - noise.min()) / np.ptp(noise) * 255
    image = Image.fromarray(noise.astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for _ in range(rng.randint(2, 7)):
        x, y, radius = rng.randint(0, 560), rng.randint(0, 420), rng.randint(20, 110)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=tuple(rng.randint(0, 255) for _ in range(3)))
    return image.filter(ImageFilter.GaussianBlur(2)).filter(ImageFilter.UnsharpMask(2, 60))


def spoilt(image: Image.Image, rng: random.Random) -> tuple[Image.Image, int]:
    """As it is in half of the cases, else tilted, noisy, or in bad JPEG. The second is the quality of a JPEG, 0 for PNG."""
    kind = rng.random()
    if kind < 0.5:
        return image, 0
    if kind < 0.7:
        return image, rng.choice([40, 60])
    if kind < 0.85:
        return image.rotate(rng.uniform(-1.5, 1.5), Image.Resampling.BICUBIC, fillcolor=image.getpixel((2, image.height - 3))), 75
    noisy = np.asarray(image, float) + np.random.default_rng(rng.randint(0, 1 << 30)).normal(0, 9, (image.height, image.width, 1))
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).convert("L").convert("RGB"), 80


MAKERS: dict[str, tuple[Callable[[random.Random], Image.Image | None], int]] = {
    "table": (table, 45), "chart": (chart, 45), "flowchart": (flowchart, 35), "diagram": (diagram, 20),
    "screenshot": (screenshot, 40), "photo": (photo, 25),
}  # fmt: skip


def main(folder: Path, seed: int = 20) -> None:
    for kind, (make, count) in MAKERS.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            rng = random.Random(f"{seed} {kind} {number}")
            made = make(rng)
            if made is None:
                print("matplotlib is not installed: no charts")
                break
            image, quality = spoilt(made, rng)
            if quality:
                image.save(folder / kind / f"{number:03}.jpg", quality=quality)
            else:
                image.save(folder / kind / f"{number:03}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

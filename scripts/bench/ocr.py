#!/usr/bin/env python3
"""Text recognition measured on pictures made here: characters wrong in a hundred, by kind of picture, preparation and language.

    .venv/bin/python scripts/bench/ocr.py                       # the whole table: 1,100 readings of 1 to 2 s each
    .venv/bin/python scripts/bench/ocr.py --kinds faint,specks --steps none,product
    .venv/bin/python scripts/bench/ocr.py --speed               # seconds and memory instead

A kind is a page of text in English and in Japanese, each in two fonts, made poor in one way. `none` reads it as it is, `product`
as the product prepares it, the others do one step to every picture. An error rate is the Levenshtein distance to the true text,
NFKC and without blanks, over its length. `--fixtures FOLDER` writes the pictures of tests/data/image instead.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ragd.core.documents import OcrLine
from ragd.providers.ocr.preparation import plan, prepare
from ragd.providers.ocr.rapidocr import RapidOcrEngine
from ragd.providers.protocols import Pixels

FONTS = {
    "dejavu": ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core"),
    "noto": ("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "fonts-noto-cjk"),
    "ipa": ("/usr/share/fonts/opentype/ipafont-gothic/ipagp.ttf", "fonts-ipafont-gothic"),
}
ENGLISH = (
    "Kestrel keeps every job until its lease ends or it is acknowledged.",
    "Set lease_timeout: 45s in kestrel.yaml, then restart the node (v3.2.1).",
    "Error E1045: the shard leader could not be reached at 10.20.0.14:7400.",
    "A tenant may hold 2,500 queued jobs; further ones get HTTP 429.",
    'Open Settings > Queues > Retention and choose "30 days".',
    "The audit log lists who paused, drained or deleted a queue.",
)
JAPANESE = (
    "ケストレルはリース期限が切れるまでジョブを保持します。",
    "設定ファイル kestrel.yaml の lease_timeout を45秒に変更します。",
    "エラーE1045：シャードのリーダーに接続できませんでした。",
    "テナントごとの上限は2,500件で、超過分は拒否されます。",
    "「設定」→「キュー」→「保存期間」を開き、30日を選択します。",
    "監視画面には、一時停止や削除を行った担当者が表示されます。",
)
PAGES = (("en", ENGLISH, "dejavu"), ("en", ENGLISH, "noto"), ("ja", JAPANESE, "noto"), ("ja", JAPANESE, "ipa"))


def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    path, package = FONTS[name]
    if not Path(path).is_file():
        sys.exit(f"The font {path} is missing: apt-get install {package}")
    return ImageFont.truetype(path, size)


def page(lines: Sequence[str], face: str, size: int, *, ink: str = "black", paper: str = "white") -> Image.Image:
    """Lines of text in the middle of a window, as on a screen."""
    drawn = font(face, size)
    width = max(1000, int(max(drawn.getlength(line) for line in lines)) + 80)
    image = Image.new("RGB", (width, int(len(lines) * size * 1.8) + 300), paper)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((40, 150 + number * size * 1.8), line, font=drawn, fill=ink)
    return image


def noisy(image: Image.Image, sigma: float) -> Image.Image:
    pixels = np.asarray(image).astype(np.float32)
    return Image.fromarray(np.clip(pixels + np.random.default_rng(1).normal(0, sigma, pixels.shape), 0, 255).astype(np.uint8))


def specked(image: Image.Image, share: float) -> Image.Image:
    pixels = np.asarray(image).copy()
    chance = np.random.default_rng(1).random(pixels.shape[:2])
    pixels[chance < share / 2], pixels[chance > 1 - share / 2] = 0, 255
    return Image.fromarray(pixels)


def shadowed(image: Image.Image) -> Image.Image:
    """A sheet of paper under a lamp: dark at the right, with noise and a slant."""
    pixels = np.asarray(image).astype(np.float32) * np.linspace(1.0, 0.35, image.width, dtype=np.float32)[None, :, None]
    return noisy(Image.fromarray(pixels.astype(np.uint8)), 8).rotate(
        1.5, fillcolor=(90, 90, 90), resample=Image.Resampling.BICUBIC
    )


def jpeg(image: Image.Image, quality: int) -> Image.Image:
    target = io.BytesIO()
    image.save(target, "JPEG", quality=quality)
    return Image.open(target).convert("RGB")


def slanted(image: Image.Image, degrees: float) -> Image.Image:
    return image.rotate(degrees, expand=True, fillcolor="white", resample=Image.Resampling.BICUBIC)


Kind = Callable[[Sequence[str], str], Image.Image]
KINDS: dict[str, Kind] = {
    "clean 16 px": lambda lines, face: page(lines, face, 16),
    "small 10 px": lambda lines, face: page(lines, face, 10),
    "small 9 px": lambda lines, face: page(lines, face, 9),
    "tiny 7 px": lambda lines, face: page(lines, face, 7),
    "tiny 6 px": lambda lines, face: page(lines, face, 6),
    "large 44 px": lambda lines, face: page(lines, face, 44),
    "grey #ccc": lambda lines, face: page(lines, face, 14, ink="#cccccc"),
    "faint #f0f0f0": lambda lines, face: page(lines, face, 14, ink="#f0f0f0"),
    "dark mode": lambda lines, face: page(lines, face, 14, ink="#d4d4d4", paper="#1e1e1e"),
    "noise 30": lambda lines, face: noisy(page(lines, face, 16), 30),
    "noise 60": lambda lines, face: noisy(page(lines, face, 16), 60),
    "specks 1 %": lambda lines, face: specked(page(lines, face, 16), 0.01),
    "specks 3 %": lambda lines, face: specked(page(lines, face, 16), 0.03),
    "specks 8 %": lambda lines, face: specked(page(lines, face, 16), 0.08),
    "blur 1.2": lambda lines, face: page(lines, face, 16).filter(ImageFilter.GaussianBlur(1.2)),
    "blur 2": lambda lines, face: page(lines, face, 16).filter(ImageFilter.GaussianBlur(2)),
    "shadow": lambda lines, face: shadowed(page(lines, face, 18)),
    "slant 3": lambda lines, face: slanted(page(lines, face, 16), 3),
    "slant 12": lambda lines, face: slanted(page(lines, face, 16), 12),
    "upside down": lambda lines, face: slanted(page(lines, face, 16), 180),
    "on its side": lambda lines, face: slanted(page(lines, face, 16), 90),
    "JPEG 20": lambda lines, face: jpeg(page(lines, face, 14), 20),
    "JPEG 8": lambda lines, face: jpeg(page(lines, face, 14), 8),
}


def gray(pixels: Pixels) -> Any:
    return cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)


def colour(levels: Any) -> Any:
    return cv2.cvtColor(levels, cv2.COLOR_GRAY2RGB)


def clahe(pixels: Pixels) -> Any:
    return colour(cv2.createCLAHE(2.0, (8, 8)).apply(gray(pixels)))


def stretched(pixels: Pixels) -> Any:
    levels = gray(pixels).astype(np.float32)
    return colour(((levels - levels.min()) * (255 / max(1.0, float(np.ptp(levels))))).astype(np.uint8))


def sharpened(pixels: Pixels) -> Any:
    return cv2.addWeighted(pixels, 2.0, cv2.GaussianBlur(pixels, (0, 0), 1.5), -1.0, 0)


def otsu(pixels: Pixels) -> Any:
    return colour(cv2.threshold(gray(pixels), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1])


def adaptive(pixels: Pixels) -> Any:
    return colour(cv2.adaptiveThreshold(gray(pixels), 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, 31, 15))


def doubled(pixels: Pixels) -> Any:
    return cv2.resize(pixels, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)


STEPS: dict[str, Callable[[Pixels], Any]] = {
    "none": lambda pixels: pixels,
    "grey": lambda pixels: colour(gray(pixels)),
    "stretch": stretched,
    "clahe": clahe,
    "sharpen": sharpened,
    "otsu": otsu,
    "adaptive": adaptive,
    "median": lambda pixels: cv2.medianBlur(pixels, 3),
    "bilateral": lambda pixels: cv2.bilateralFilter(pixels, 5, 60, 60),
    "invert": lambda pixels: 255 - pixels,
    "double": doubled,
    "product": lambda pixels: prepare(pixels, plan(pixels)),
}


def plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def distance(left: str, right: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(right) + 1))
    for number, character in enumerate(left, 1):
        previous, row = row, [number]
        for index, other in enumerate(right, 1):
            row.append(min(previous[index] + 1, row[-1] + 1, previous[index - 1] + (character != other)))
    return row[-1]


def error_rate(lines: Sequence[OcrLine], truth: Sequence[str]) -> float:
    expected = plain("".join(truth))
    return distance(plain("".join(line.text for line in lines)), expected) / len(expected)


def table(engine: RapidOcrEngine, kinds: Sequence[str], steps: Sequence[str]) -> None:
    print(f"{'errors in %, en/ja':18}" + "".join(f"{step:>14}" for step in steps))
    for kind in kinds:
        made = [(language, lines, np.asarray(KINDS[kind](lines, face))) for language, lines, face in PAGES]
        row = f"{kind:18}"
        for step in steps:
            rates: dict[str, list[float]] = {"en": [], "ja": []}
            for language, lines, pixels in made:
                # Whole recognition also turns a page that makes no sense; that is the product's as well.
                read = engine.recognize if step == "product" else engine.recognize_as_it_is
                prepared = pixels if step == "product" else np.ascontiguousarray(STEPS[step](pixels))
                rates[language].append(error_rate(read(prepared), lines))
            row += f"{100 * float(np.mean(rates['en'])):>8.1f}/{100 * float(np.mean(rates['ja'])):<5.1f}"
        print(row, flush=True)


def memory() -> tuple[int, int]:
    """Resident memory of this process now (Linux) and at most, in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) // 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def filled(width: int, height: int, size: int, rows: int) -> Pixels:
    """A page of this size with so many lines, half of them Japanese."""
    image = Image.new("RGB", (width, height), "white")
    draw, drawn = ImageDraw.Draw(image), font("noto", size)
    for row in range(rows):
        draw.text((size, size + row * (height - 2 * size) // rows), (*ENGLISH, *JAPANESE)[row % 12], font=drawn, fill="black")
    return np.asarray(image)


def speed(engine: RapidOcrEngine) -> None:
    print(f"before the first picture: {memory()[0]} MB")
    for name, pixels in (
        ("dialogue 640 x 300, 5 lines", filled(640, 300, 15, 5)),
        ("screen 1280 x 800, 25 lines", filled(1280, 800, 15, 25)),
        ("screen 1920 x 1080, 35 lines", filled(1920, 1080, 16, 35)),
        ("A4 at 200 dpi, 45 lines", filled(1654, 2339, 28, 45)),
        ("A4 at 300 dpi, 45 lines", filled(2480, 3508, 42, 45)),
        ("screen 3840 x 2160, 40 lines", filled(3840, 2160, 16, 40)),
        ("long page 1000 x 8000, 90 lines", filled(1000, 8000, 16, 90)),
    ):
        wall, busy = time.perf_counter(), time.process_time()
        count = len(engine.recognize(pixels))
        wall, busy = time.perf_counter() - wall, time.process_time() - busy
        now, most = memory()
        print(f"{name:34} {wall:6.1f} s ({busy:.1f} s of CPU), {count} lines, {now} MB, at most {most} MB", flush=True)


def fixtures(folder: Path) -> None:
    """The pictures that the tests read, so that they need no fonts."""
    table_rows = (("Queue", "Limit", "Owner"), ("invoices", "2,500", "Larsen"), ("メール送信", "800", "運用チーム"))
    for name, lines, face, ink, paper in (
        ("english", ENGLISH[:4], "dejavu", "black", "white"),
        ("japanese", JAPANESE[:4], "noto", "black", "white"),
        ("dark", (ENGLISH[4], JAPANESE[4]), "noto", "#d4d4d4", "#1e1e1e"),
        ("faint", (ENGLISH[5], JAPANESE[2]), "noto", "#f0f0f0", "white"),
    ):
        image = page(lines, face, 16, ink=ink, paper=paper)
        image.crop((20, 130, 680, 160 + len(lines) * 29)).save(folder / f"{name}.png", optimize=True)
    image = Image.new("RGB", (660, 150), "white")
    draw, drawn = ImageDraw.Draw(image), font("noto", 16)
    for row, cells in enumerate(table_rows):
        for column, cell in enumerate(cells):
            draw.text((20 + 220 * column, 15 + 44 * row), cell, font=drawn, fill="black")
    image.save(folder / "table.png", optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default="", help="beginnings of names of kinds, with commas; empty: all")
    parser.add_argument("--steps", default=",".join(STEPS), help="names of steps, with commas")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--speed", action="store_true", help="seconds and memory instead of errors")
    parser.add_argument("--fixtures", type=Path, metavar="FOLDER", help="write the tests' pictures and stop")
    options = parser.parse_args()
    if options.fixtures:
        fixtures(options.fixtures)
        return
    engine = RapidOcrEngine(options.threads)
    print(f"{engine.profile}, {options.threads} threads of {os.cpu_count()} cores")
    if options.speed:
        speed(engine)
    else:
        wanted = tuple(options.kinds.split(","))
        table(engine, [kind for kind in KINDS if kind.startswith(wanted)], options.steps.split(","))


if __name__ == "__main__":
    main()

"""Makes docs/pictures-understood.md: twenty pictures, what `rules` say of each, and what a person made of that.

    python -m pictures.gallery            (in scripts/)

The pictures are those of the golden set, of the samples, and some of `pictures.draw`; nothing stands around them, so that all
that is said was seen. The verdicts were written by somebody who looked at each; `VERDICTS` has them.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from pictures import draw
from pictures.gallery_verdicts import VERDICTS
from pictures.golden.corpus import CASES, SAMPLES
from pictures.golden.drawing import draw as drawn
from ragd.ingest.pictures.looking import encode
from ragd.providers.caption_checks import checked
from ragd.providers.captioners.rules import RulesCaptioner
from ragd.providers.registry import build
from ragd.vision.description import Description, PictureContext, as_markdown
from ragd.vision.routing import image_type_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "pictures-understood.md"
FOLDER = DOCS / "images" / "pictures"
GOLDEN = ("01", "02", "03", "04", "05", "06", "07", "08", "09", "11", "12", "13", "14", "15", "17")
DRAWN = (("table", 7), ("flowchart", 5), ("diagram", 3), ("screenshot", 2), ("photo", 1))
SIDE = 320
HEAD = """# Twenty pictures, and what was understood of each

What `captions.provider: rules` says of pictures, without a model and without a word around them: drawn by `scripts/pictures`, or
from `data/samples`. Made by `python -m pictures.gallery` in `scripts/`; each was looked at, and the last line says what somebody
thought who compared the picture with what was said. [pictures.md](pictures.md) has the figures for whole sets.
"""


def pictures() -> Iterator[tuple[str, str, Image.Image]]:
    """Name, language and pixels of each."""
    for case in CASES:
        if case.name in GOLDEN:
            image = Image.open(SAMPLES / case.file) if case.file else drawn(case.truth)
            yield f"golden-{case.name}", case.language, image.convert("RGB")
    for kind, seed in DRAWN:
        rng = random.Random(f"20 {kind} {seed}")
        made = draw.MAKERS[kind][0](rng)
        assert made
        image, quality = draw.spoilt(made, rng)
        if quality:
            target = io.BytesIO()
            image.save(target, "JPEG", quality=quality)
            image = Image.open(target).convert("RGB")
        yield f"{kind}-{seed}", "en", image


def said(number: int, name: str, one: Description) -> str:
    """One picture's part of the page."""
    lines = [f"## {number}. {one.title or one.image_type}", f"![The picture](images/pictures/{name}.webp)"]
    lines.append(f"**{one.image_type}** {one.summary or '(nothing)'}")
    if one.key_points:
        lines.append("\n".join(f"- {point}" for point in one.key_points))
    if one.table:
        lines.append(as_markdown(one.table))
    if one.mermaid:
        lines.append(f"```mermaid\n{one.mermaid.strip()}\n```")
    if one.uncertainties:
        lines.append("In doubt: " + " ".join(one.uncertainties))
    good, bad = VERDICTS[name]
    lines.append(f"*Good:* {good or 'nothing.'} *Bad:* {bad or 'nothing.'}")
    return "\n\n".join(lines)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    engine, rules = build("ocr", "rapidocr", threads=1), RulesCaptioner()
    parts = [HEAD.strip()]
    for number, (name, language, image) in enumerate(pictures(), start=1):
        pixels = np.asarray(image)
        words = engine.recognize(pixels)
        context = PictureContext(language=language)
        encoded = encode(image, rules.max_side, 20_000_000)
        assert encoded
        one = checked(rules.describe(encoded, context, image_type_of(pixels, context, words), words), words)
        small = image.copy()
        small.thumbnail((SIDE, SIDE))
        small.save(FOLDER / f"{name}.webp", "WEBP", quality=70)
        parts.append(said(number, name, one))
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

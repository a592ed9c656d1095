"""How well types of pictures are told: `python -m pictures.route FOLDER` in scripts/; it has a folder for each type.

By the picture alone: no words around it. What text recognition reads is kept beside the pictures, so that a second run is quick.
Prints the confusion table, what was mistaken, and pictures a second of processor time beside text recognition: to tell the type,
and to look at one as ingestion does, with its description by `rules`.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from ragd.core.documents import OcrLine
from ragd.core.storage import pack_words, unpack_words
from ragd.formats.images.drawings import is_drawing, read_drawing
from ragd.formats.images.rasters import on_paper, read_raster
from ragd.ingest.pictures.extraction import PictureReader
from ragd.ingest.pictures.looking import look
from ragd.ingest.workers.looks import LookTask
from ragd.providers.captioners.rules import RulesCaptioner
from ragd.providers.protocols import Pixels
from ragd.providers.registry import build
from ragd.vision.description import IMAGE_TYPES, PictureContext
from ragd.vision.features import features_of
from ragd.vision.routing import image_type_of, probabilities

MOST = 50_000_000
KEPT = "words.json"


def pixels_of(path: Path) -> Pixels:
    data = path.read_bytes()
    return on_paper(read_drawing(data, MOST).image if is_drawing(data) else read_raster(data, MOST).image)


def words_of(folder: Path, paths: list[Path]) -> dict[str, tuple[OcrLine, ...]]:
    """The lines of every picture, read once."""
    kept = folder / KEPT
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    engine = None
    for path in paths:
        name = path.relative_to(folder).as_posix()
        if name not in known:
            engine = engine or build("ocr", "rapidocr", threads=1)
            known[name] = pack_words(engine.recognize(pixels_of(path)))
            kept.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    return {name: unpack_words(rows) or () for name, rows in known.items()}


def main(folder: Path, *, verbose: bool) -> None:
    paths = sorted(path for path in folder.glob("*/*") if path.suffix in (".png", ".jpg", ".jpeg", ".gif", ".svg"))
    words = words_of(folder, paths)
    table: Counter[tuple[str, str]] = Counter()
    spent = looked = 0.0
    reader = PictureReader(lambda: build("ocr", "rapidocr", threads=1), budget_s=60, max_pixels=MOST)
    for path in paths:
        pixels, lines = pixels_of(path), words[path.relative_to(folder).as_posix()]
        begun = time.process_time()
        found = image_type_of(np.asarray(pixels), PictureContext(), lines)
        spent += time.process_time() - begun
        task = LookTask(path.name, path.read_bytes(), PictureContext(), lines, RulesCaptioner.name, RulesCaptioner.max_side, MOST)
        begun = time.process_time()
        look(task, reader, MOST)
        looked += time.process_time() - begun
        table[path.parent.name, found] += 1
        if found != path.parent.name:
            print(f"{path.relative_to(folder)}: {found}")
            if verbose:
                features = features_of(pixels, lines)
                print("   ", probabilities(features.values()), features)
    kinds = [kind for kind in IMAGE_TYPES if any(kind in pair for pair in table)]
    print("\n| shown \\ taken for | " + " | ".join(kinds) + " |\n|---|" + "---:|" * len(kinds))
    for kind in kinds:
        if any(table[kind, other] for other in kinds):
            print(f"| {kind} | " + " | ".join(str(table[kind, other] or "") for other in kinds) + " |")
    right = sum(count for (kind, found), count in table.items() if kind == found)
    print(
        f"\n{right} of {len(paths)} right: {right / len(paths):.3f}; "
        f"a second of processor time tells {len(paths) / spent:.1f} types, and looks at {len(paths) / looked:.1f} pictures"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), verbose="-v" in sys.argv)

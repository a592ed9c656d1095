"""How well boxes and arrows are read from pixels: 100 flow charts of our own, drawn by Mermaid, clean and spoilt.

    python scripts/bench/pictures/diagram_pixels.py [--count 100] [--graphviz] [--ocr] [--keep FOLDER] [--only NAME]

Needs Node, the extension's packages and a Chromium; with `--graphviz` its `dot` instead. Words are taken from the page that drew
them; with `--ocr` they are read.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from graphviz_drawings import draw
from numpy.typing import NDArray

from ragd.core.documents import OcrLine
from ragd.diagrams.mermaid import to_mermaid
from ragd.diagrams.model import Diagram, Direction, Edge, Group, Node, Shape, made
from ragd.diagrams.pixels.reader import read_diagram
from ragd.providers.registry import build

HERE: Final = Path(__file__).resolve().parent
VERBS: Final = (
    "Check",
    "Send",
    "Approve",
    "Ship",
    "Read",
    "Write",
    "Close",
    "Open",
    "Review",
    "Sign",
    "Count",
    "Store",
    "Pay",
    "Plan",
)
THINGS: Final = (
    "order",
    "invoice",
    "report",
    "request",
    "parcel",
    "ticket",
    "draft",
    "claim",
    "budget",
    "record",
    "offer",
    "stock",
)
QUESTIONS: Final = ("Approved?", "In stock?", "Paid?", "Valid?", "Complete?", "Too late?")
ANSWERS: Final = ("yes", "no", "retry", "later")
SHAPES: Final[tuple[Shape, ...]] = ("box", "box", "box", "round", "ellipse", "parallelogram", "hexagon", "cylinder", "circle")


def invented(seed: int) -> Diagram:
    """A flow chart of 4 to 10 steps: a chain with decisions, jumps, ways back, and sometimes a frame."""
    chance = random.Random(seed)
    count = chance.randint(4, 10)
    names = chance.sample([f"{verb} {thing}" for verb in VERBS for thing in THINGS], count)
    nodes = []
    for number, name in enumerate(names):
        asks = 0 < number < count - 1 and chance.random() < 0.25
        label = f"{chance.choice(QUESTIONS)[:-1]} {number}?" if asks else name
        nodes.append(Node(str(number), label, "diamond" if asks else chance.choice(SHAPES)))
    pairs = {(chance.randint(max(0, number - 2), number - 1), number) for number in range(1, count)}
    for _ in range(count // 3):
        first, last = sorted(chance.sample(range(count), 2))
        pairs.add((last, first) if chance.random() < 0.2 else (first, last))
    edges = []
    for first, last in sorted(pairs):
        if (last, first) in pairs and first > last:
            continue
        asked = nodes[first].shape == "diamond"
        edges.append(Edge(str(first), str(last), chance.choice(ANSWERS) if asked and chance.random() < 0.8 else ""))
    groups = []
    if chance.random() < 0.25:
        groups = [Group("g", "Back office")]
        nodes = [Node(n.id, n.label, n.shape, group="g" if n.id in ("1", "2") else None) for n in nodes]
    directions: tuple[Direction, ...] = ("TB", "TB", "LR")
    diagram = made("flowchart", nodes, edges, groups, direction=chance.choice(directions))
    assert diagram
    return diagram


def spoilt(image: NDArray[np.uint8], words: Sequence[OcrLine]) -> tuple[NDArray[np.uint8], list[OcrLine]]:
    """The picture tilted by 2 degrees and saved as a JPEG of quality 60, with where its words then are."""
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 2, 1)
    tilted = cv2.warpAffine(image, turn, (width, height), borderValue=(255, 255, 255))
    _, data = cv2.imencode(".jpg", tilted, [cv2.IMWRITE_JPEG_QUALITY, 60])
    moved = []
    for word in words:
        left, top, right, bottom = word.box
        x, y = turn @ np.array([(left + right) / 2 * width, (top + bottom) / 2 * height, 1])
        wide, high = (right - left) / 2, (bottom - top) / 2
        moved.append(OcrLine(word.text, word.score, (x / width - wide, y / height - high, x / width + wide, y / height + high)))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), moved


def shown(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def counts(found: Diagram | None, true: Diagram) -> tuple[int, int, int, int, int, int]:
    """Nodes right, read and true; edges right, read and true."""
    names = {shown(node.label) for node in true.nodes}
    pairs = {(shown(true.label(edge.source)), shown(true.label(edge.target))) for edge in true.edges}
    read = [shown(node.label) for node in found.nodes] if found else []
    edges = {(shown(found.label(edge.source)), shown(found.label(edge.target))) for edge in found.edges} if found else set()
    return len(names & set(read)), len(read), len(names), len(edges & pairs), len(edges), len(pairs)


def f1(right: int, read: int, true: int) -> float:
    return 2 * right / (read + true) if read + true else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--graphviz", action="store_true", help="drawn by Graphviz instead of Mermaid")
    parser.add_argument("--ocr", action="store_true", help="read the words, instead of taking them from the page")
    parser.add_argument("--keep", type=Path, help="a folder for the pictures; those that are there are not drawn again")
    parser.add_argument("--only", help="one of them, with what was read")
    options = parser.parse_args()
    diagrams = {f"d{seed:03}": invented(seed) for seed in range(options.count)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        missing = [name for name in diagrams if not (folder / f"{name}.json").exists()]
        if missing and options.graphviz:
            draw({name: diagrams[name] for name in missing}, folder)
        elif missing:
            listed = folder / "diagrams.json"
            listed.write_text(json.dumps([{"name": name, "text": to_mermaid(diagrams[name])} for name in missing]))
            subprocess.run(["node", str(HERE / "render.mjs"), str(listed), str(folder)], check=True)
        report(diagrams, folder, options)


def report(diagrams: dict[str, Diagram], folder: Path, options: Any) -> None:
    engine = build("ocr", "rapidocr", threads=2) if options.ocr else None
    for kind in ("clean", "JPEG 60, tilted by 2 degrees"):
        total = np.zeros(6, int)
        spent = 0.0
        for name, true in diagrams.items():
            if options.only not in (None, name):
                continue
            image = np.asarray(cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_COLOR), np.uint8)
            page = json.loads((folder / f"{name}.json").read_text())
            size = (page["width"], page["height"]) * 2
            words = [
                OcrLine(word["text"], 1.0, tuple(value / side for value, side in zip(word["box"], size, strict=True)))
                for word in page["words"]
            ]
            if kind != "clean":
                image, words = spoilt(image, words)
            if engine:
                words = list(engine.recognize(np.ascontiguousarray(image[:, :, ::-1])))
            start = time.process_time()
            found = read_diagram(image, words)
            spent += time.process_time() - start
            one = counts(found, true)
            total += one
            if options.only:
                print(to_mermaid(true), "\n----\n", to_mermaid(found) if found else None, one)
            elif f1(*one[:3]) < 0.8 or f1(*one[3:]) < 0.6:
                print(f"  {name}: nodes {one[:3]}, edges {one[3:]}")
        nodes, edges = f1(*total[:3]), f1(*total[3:])
        print(f"{kind}: node F1 {nodes:.3f}, edge F1 {edges:.3f}; {spent / max(1, len(diagrams)):.2f} s of processor time each")


if __name__ == "__main__":
    main()

"""The flow charts of the bench as Graphviz draws them, with the words where its plain output says that they stand."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Final

from PIL import Image

from ragd.diagrams.model import Diagram, Node

_DPI: Final = 96
_SHAPES: Final = {"round": "box", "circle": "circle", "rhombus": "diamond"}
_TEXT_POINTS: Final = 14
_WIDE: Final = 0.52
"""Of the letters of Graphviz's usual font: usual width over height."""


def draw(diagrams: dict[str, Diagram], folder: Path) -> None:
    """`<name>.png` and `<name>.json` (size and words, as `render.mjs` writes them) for each. Needs the program `dot`."""
    for name, diagram in diagrams.items():
        text = as_dot(diagram)
        subprocess.run(["dot", "-Tpng", f"-Gdpi={_DPI}", "-o", str(folder / f"{name}.png")], input=text.encode(), check=True)
        plain = subprocess.run(["dot", "-Tplain"], input=text.encode(), capture_output=True, check=True).stdout.decode()
        with Image.open(folder / f"{name}.png") as image:
            width, height = image.size
        (folder / f"{name}.json").write_text(json.dumps({"width": width, "height": height, "words": words(plain, height)}))


def as_dot(diagram: Diagram) -> str:
    """The same diagram in Graphviz's language."""
    lines = [f"digraph {{ rankdir={diagram.direction}; margin=0; pad=0.1;"]
    for group in diagram.groups:
        held = [_node(node) for node in diagram.nodes if node.group == group.id]
        lines.append(f"subgraph cluster_{group.id} {{ label={json.dumps(group.label)}; {' '.join(held)} }}")
    lines += [_node(node) for node in diagram.nodes if not node.group]
    lines += [f"n{edge.source} -> n{edge.target} [label={json.dumps(edge.label)}];" for edge in diagram.edges]
    return "\n".join([*lines, "}"])


def _node(node: Node) -> str:
    style = " style=rounded" if node.shape == "round" else ""
    return f"n{node.id} [label={json.dumps(node.label)} shape={_SHAPES.get(node.shape, node.shape)}{style}];"


def words(plain: str, height: int) -> list[dict[str, object]]:
    """The labels of nodes and edges with their boxes in pixels. Inches in the output count from the lower left corner."""
    found: list[dict[str, object]] = []
    pad = 0.1 * _DPI
    for line in plain.splitlines():
        parts = shlex.split(line)
        if parts[0] == "node":
            text, x, y = parts[6], float(parts[2]), float(parts[3])
        elif parts[0] == "edge" and len(parts) > 6 + 2 * int(parts[3]):
            at = 4 + 2 * int(parts[3])
            text, x, y = parts[at], float(parts[at + 1]), float(parts[at + 2])
        else:
            continue
        high = _TEXT_POINTS * _DPI / 72
        wide = len(text) * high * _WIDE
        across, down = pad + x * _DPI, height - pad - y * _DPI
        if text:
            found.append({"text": text, "box": [across - wide / 2, down - high / 2, across + wide / 2, down + high / 2]})
    return found

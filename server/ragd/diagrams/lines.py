"""The labels of a drawing as lines of text: what is written in it, and what its arrows join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ragd.diagrams.model import Diagram
from ragd.diagrams.reading import Page

MAX_LINES: Final = 4_000


def lines_of(page: Page) -> list[str]:
    """One line for each label and each arrow between labels, each once, in the order of the file."""
    found: Iterable[str] = () if page.diagram is None else _of_diagram(page.diagram)
    return list(dict.fromkeys([*found, *page.texts]))[:MAX_LINES]


def _of_diagram(diagram: Diagram) -> Iterator[str]:
    for group in diagram.groups:
        if group.label:
            yield group.label
    for node in diagram.nodes:
        if node.label:
            yield f"{node.label}: {'; '.join(node.members)}" if node.members else node.label
    labels = {node.id: node.label for node in diagram.nodes}
    for edge in diagram.edges:
        source, target = labels[edge.source], labels[edge.target]
        ends = f"{source} {'–' if edge.kind == 'line' else '→'} {target}" if source and target else ""
        if said := f"{ends}: {edge.label}" if ends and edge.label else ends or edge.label:
            yield said

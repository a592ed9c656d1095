"""Which text describes a diagram: by the language that a block of code or a macro names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ragd.diagrams.model import Diagram
from ragd.diagrams.sources.dot import read_dot
from ragd.diagrams.sources.mermaid import read_mermaid
from ragd.diagrams.sources.plantuml import read_plantuml

_READERS: Final[dict[str, Callable[[str], Diagram | None]]] = {
    "mermaid": read_mermaid, "dot": read_dot, "graphviz": read_dot, "gv": read_dot, "plantuml": read_plantuml,
    "puml": read_plantuml, "uml": read_plantuml,
}  # fmt: skip


LANGUAGES: Final = tuple(_READERS)


def read_source(info: str, text: str) -> Diagram | None:
    """The diagram of a block whose info string is `info` (`mermaid`, `{.dot}`); None where it describes none."""
    word = info.strip().strip("{}.").partition(" ")[0].partition(",")[0].rstrip("}").lower()
    reader = _READERS.get(word)
    return reader(text) if reader else None

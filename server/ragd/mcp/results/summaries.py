"""Summaries of one document: of its own sentences, each with the passage that it stands in; and what a language model is asked.

An extract never invents. A heading stands for its section, and the first whole sentence of a section says what it is about
(Baxendale, "Machine-made index for technical literature", 1958). Where a section has no sentence, its first line stands in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, groupby, islice
from typing import Any, Final

from ragd.answer.prompt import neutral
from ragd.language.plain_text import plain, shortened, units
from ragd.language.sentences import is_sentence, sentences
from ragd.mcp.results.types import Style

_SENTENCES: Final = {"short": 3, "bullet": 1, "detailed": 3}
_MAX_SENTENCE: Final = 300
_MAX_NAME: Final = 120
_CITED: Final = 80
"""Characters that a citation takes beside the name of its section."""
_KNOWN: Final = 40
"""Characters by which a stored summary is found again in the passage that it was taken from."""

_QUESTIONS: Final[Mapping[str, Mapping[Style, str]]] = {
    "en": {
        "short": "Summarise this document in two or three sentences: what it is about and what matters most.",
        "bullet": "Summarise this document as a list of its main points, one line each, at most ten.",
        "detailed": "Summarise this document in detail, part by part, with the figures, conditions and steps that matter.",
    },
    "ja": {
        "short": "この文書の内容と要点を2〜3文で要約してください。",
        "bullet": "この文書の要点を、1行に1つずつ、10項目以内の箇条書きで要約してください。",
        "detailed": "この文書の内容を、重要な数値・条件・手順を含めて、項目ごとに詳しく要約してください。",
    },
}

_Row = Mapping[str, Any]


@dataclass(slots=True)
class _Extract:
    """A summary of a document's own sentences. `[n]` in `text` is the chunk `chunks[n - 1]`."""

    text: str
    chunks: list[_Row] = field(default_factory=list)
    left_out: int = 0
    """Sections that did not fit."""


@dataclass(frozen=True, slots=True)
class _Extracted:
    chunk: _Row
    text: str

    @property
    def depth(self) -> int:
        return len(self.chunk["section_path"])

    @property
    def name(self) -> str:
        path = self.chunk["section_path"]
        return f"{shortened(neutral(' > '.join(path[-2:])), _MAX_NAME)}: " if path else ""

    @property
    def size(self) -> int:
        return len(self.name) + len(self.text) + sum(map(len, self.chunk["section_path"][-1:])) + _CITED


def question(style: Style, language: str | None, keywords: Sequence[str]) -> str:
    """What a language model is asked, in the document's language where we have words for it.

    The document's title is not said: a question is an instruction, and titles are what strangers wrote. Keywords, which are
    single words, lead the search to what the document is about.
    """
    said = _QUESTIONS.get(language or "en", _QUESTIONS["en"])[style]
    words = [word for word in keywords if len(word.split()) == 1 and word.isprintable()][:5]
    return f"{said} ({', '.join(words)})" if words else said


def extract(style: Style, summary: str, chunks: Sequence[_Row], room: int) -> _Extract:
    """A summary that takes, with its citations, about `room` characters at most.

    `short` is the stored `summary` where there is one. When not every section has room, the last ones of those deepest in the
    tree are left out first.
    """
    if style == "short":
        return _short(summary, chunks, room)
    sections = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk["section_id"])]
    found = [said for section in sections if (said := _extracted(section, style))]
    shallow = sorted(range(len(found)), key=lambda at: (found[at].depth, at))
    ends = accumulate(found[at].size for at in shallow)
    fitting = [at for at, end in zip(shallow, ends, strict=True) if end <= room] or shallow[:1]
    kept = [found[at] for at in sorted(fitting)]
    lines = [shortened(f"- {said.name}{said.text}", room) + f" [{number}]" for number, said in enumerate(kept, 1)]
    return _Extract("\n".join(lines), [said.chunk for said in kept], len(found) - len(kept))


def _short(summary: str, chunks: Sequence[_Row], room: int) -> _Extract:
    if summary:
        text = shortened(neutral(summary), room)
        start = summary.rstrip("…")[:_KNOWN]
        known = next((chunk for chunk in chunks if start in " ".join(unit.text for unit in units(chunk["content"]))), None)
        return _Extract(f"{text} [1]", [known]) if known else _Extract(text)
    said = _extracted(chunks, "short")
    return _Extract(f"{shortened(said.text, room)} [1]", [said.chunk]) if said else _Extract("")


def _extracted(section: Sequence[_Row], style: Style) -> _Extracted | None:
    """The first passage of a section that has a sentence, else its first line; none for a section that says nothing."""
    for chunk in section:
        if said := _first(chunk, _SENTENCES[style]):
            return _Extracted(chunk, said)
    for chunk in section:
        if line := _first_line(chunk["content"]):
            return _Extracted(chunk, shortened(neutral(line), _MAX_SENTENCE))
    return None


def _first(chunk: _Row, number: int) -> str:
    """The first whole sentences of a passage."""
    found = (text for unit in units(chunk["content"]) if unit.kind != "table" for text in sentences(unit.text))
    return " ".join(shortened(neutral(text), _MAX_SENTENCE) for text in islice(filter(_says_something, found), number))


def _says_something(text: str) -> bool:
    # What ends in a colon announces what follows; a bar is left of a table.
    return is_sentence(text) and not text.endswith((":", "：", "|"))


def _first_line(content: str) -> str:
    said = (unit.text for unit in units(content))
    # Code is no unit.
    code = (plain(line) for line in content.splitlines() if not line.lstrip().startswith(("```", "~~~")))
    return next(filter(None, chain(said, code)), "")

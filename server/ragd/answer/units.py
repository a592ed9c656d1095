"""What can be quoted from a passage: whole sentences, list items, definitions with their terms, rows with their heads, code.

A file's line ends inside of a sentence are wraps, and joined. Headings, heads of tables and labels are never quoted alone; they
say what follows is about. What the edges of a passage cut through is left out. All of it is linear in the passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from ragd.answer.lines import (
    ANNOUNCES,
    END,
    FENCE,
    FOLLOWS,
    HEADING,
    KEY,
    MANUAL_SECTIONS,
    MARKER,
    PROMPT,
    RULE,
    SETEXT,
    columns,
    continues,
    dedented,
    fenced,
    is_label,
    is_plain,
    is_term,
    rows_with_heads,
    source_blocks,
    term_and_text,
)
from ragd.formats.registry import shape_of
from ragd.language.plain_text import LOGGED, MAX_LINE, joined, plain
from ragd.language.sentences import whole_sentences

Kind = Literal["sentence", "item", "list", "definition", "row", "code"]

_MOST_LINES: Final = 2_000
_LONGEST: Final = 700
"""Characters of a unit that is quoted as one; a longer item or definition is quoted sentence by sentence."""
_LONGEST_SENTENCE: Final = 1_000
_LONGEST_CODE: Final = 3_000
_LEAST: Final = 8
_DEEPER: Final = 2


@dataclass(frozen=True, slots=True)
class Unit:
    """Something whole. `text` is Markdown as it is quoted; `parts` are what it says, plain, each on one line.

    `about` is the heading or label above it.
    """

    kind: Kind
    text: str
    parts: tuple[str, ...]
    about: str = ""

    @property
    def said(self) -> str:
        """All that it says, on one line."""
        return " ".join(self.parts)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    indent: int
    number: int


@lru_cache(maxsize=256)
def units_of(content: str, doc_type: str = "markdown", *, is_cut: bool = True) -> tuple[Unit, ...]:
    """The units of a passage of such a document, in order. `is_cut`: it may begin inside of a sentence.

    Remembered: questions come back to the same passages, which take longer to read than to find.
    """
    if shape_of(doc_type) == "code":
        blocks = [(fenced(body), " ".join(body.split())) for body in source_blocks(content.split("\n")[:_MOST_LINES])]
        return tuple(Unit("code", text, (said,)) for text, said in blocks if len(said) <= _LONGEST_CODE)
    return tuple(_Reader(content, is_markdown=doc_type == "markdown", is_cut=is_cut).read())


class _Reader:
    """Reads a passage block by block."""

    def __init__(self, content: str, *, is_markdown: bool, is_cut: bool) -> None:
        lines = content.expandtabs(4).split("\n")[:_MOST_LINES]
        self._lines = [
            _Line(line.strip()[:MAX_LINE], len(line) - len(line.lstrip()), number) for number, line in enumerate(lines)
        ]
        self._raw = lines
        self._is_markdown = is_markdown
        self._is_cut = is_cut
        self._last = max((line.number for line in self._lines if line.text), default=0)
        self._about = ""
        self._intro = ""
        """The sentence right before, which may introduce a list or code."""
        self._term: tuple[str, int] | None = None
        """The term that is being defined, and its indent."""
        self._found: list[Unit] = []

    def read(self) -> list[Unit]:
        at = 0
        while at < len(self._lines):
            at = self._block(at)
        return self._found

    def _block(self, at: int) -> int:
        """Reads the block that begins in a line; the line after it."""
        line = self._lines[at]
        if not line.text:
            return at + 1
        if self._term and line.indent <= self._term[1]:
            self._term = None
        if fence := FENCE.match(line.text):
            return self._fenced(at, fence.group())
        if HEADING.match(line.text):
            self._title(line.text.lstrip("#").strip())
            return at + 1
        if line.text.startswith("|"):
            return self._table(at)
        if RULE.fullmatch(line.text):
            return at + 1
        if MARKER.match(line.text):
            return self._list(at)
        end = at + 1
        while end < len(self._lines) and self._is_plain(end):
            end += 1
        if end == at + 1 and end < len(self._lines) and SETEXT.fullmatch(self._lines[end].text):
            self._title(line.text)
            return end + 1
        self._text(self._lines[at:end])
        return end

    def _is_plain(self, at: int) -> bool:
        return is_plain(self._lines[at].text)

    def _title(self, text: str) -> None:
        self._about, self._intro, self._term = plain(text), "", None

    def _fenced(self, at: int, fence: str) -> int:
        end = at + 1
        while end < len(self._lines) and not (
            self._lines[end].text.startswith(fence) and not self._lines[end].text.strip(fence[0])
        ):
            end += 1
        if end == len(self._lines):  # cut through
            return end
        info = self._lines[at].text[len(fence) :].strip()
        self._code(self._raw[at + 1 : end], info)
        return end + 1

    def _code(self, lines: Sequence[str], info: str = "") -> None:
        body = dedented(lines)
        if not body.strip() or len(body) > _LONGEST_CODE:
            return
        intro = self._intro or (f"{self._about}:" if self._about else "")
        block = fenced(body, info)
        said = " ".join(body.split())
        self._drop_intro()
        text = f"{intro}\n\n{block}" if intro else block
        self._found.append(Unit("code", text, (f"{plain(intro)} {said}".strip(),), self._about))
        self._intro = ""

    def _drop_intro(self) -> None:
        """What introduces a list or code is quoted with it, not alone."""
        if self._intro and self._found and self._found[-1].text == self._intro:
            self._found.pop()

    def _table(self, at: int) -> int:
        end = at
        while end < len(self._lines) and self._lines[end].text.startswith("|"):
            end += 1
        for text in rows_with_heads([line.text for line in self._lines[at:end]]):
            if len(text) <= _LONGEST_SENTENCE:
                self._found.append(Unit("row", text, (plain(text),), self._about))
        self._intro = ""
        return end

    def _list(self, at: int) -> int:
        """A list: items of one indent, with what is indented below them."""
        items: list[tuple[str, str]] = []
        base = self._lines[at].indent
        end = at
        while end < len(self._lines):
            line = self._lines[end]
            marker = MARKER.match(line.text)
            if not marker or line.indent < base:
                break
            end += 1
            block = [line.text[marker.end() :]]
            while end < len(self._lines) and self._is_plain(end):
                if self._lines[end].indent <= line.indent and not continues(block[-1], self._lines[end].text):
                    break
                block.append(self._lines[end].text)
                end += 1
            nested = "  " if line.indent > base else ""
            items.append((nested + marker.group().strip(), joined(block)))
            blank = end
            while blank < len(self._lines) and not self._lines[blank].text:
                blank += 1
            if blank < len(self._lines) and MARKER.match(self._lines[blank].text) and self._lines[blank].indent >= base:
                end = blank
        self._of_list(items)
        return end

    def _of_list(self, items: list[tuple[str, str]]) -> None:
        intro = self._intro if ANNOUNCES.search(self._intro) or FOLLOWS.search(self._intro) else ""
        whole = "\n".join(f"  {marker} {text}" for marker, text in items)
        if intro and len(whole) <= _LONGEST and len(items) > 1:
            self._drop_intro()
            parts = tuple(f"{plain(intro)} {plain(text)}" for _, text in items)
            self._found.append(Unit("list", f"{intro}\n{whole}", parts, self._about))
            self._intro = ""
            return
        about = plain(intro).rstrip(":：") or self._about
        above = ""
        for marker, text in items:
            if ANNOUNCES.search(text):
                above = plain(text).rstrip(":：")
                self._intro = text
                continue
            if not marker.startswith(" "):
                above = ""
            for piece in [text] if len(text) <= _LONGEST else whole_sentences(text):
                self._add("item", piece, above or about)
        if items and not ANNOUNCES.search(items[-1][1]):
            self._intro = items[-1][1] if END.search(items[-1][1]) else ""

    def _text(self, lines: Sequence[_Line]) -> None:
        """Lines that follow each other: a paragraph, a definition, `key: value` lines, or code that is indented."""
        if self._is_code(lines):
            self._code([self._raw[line.number] for line in lines])
            return
        while lines:
            first = lines[0]
            if first.indent == 0 and first.text in MANUAL_SECTIONS:
                self._title(first.text)
                lines = lines[1:]
                continue
            below = next((at for at, line in enumerate(lines) if line.indent >= first.indent + _DEEPER), 0)
            colon = next((at for at, line in enumerate(lines[:2]) if line.text.startswith(": ")), None)
            if colon is not None and (term := self._intro if colon == 0 else first.text):
                self._define(term, lines[colon:], first.indent, skipped=2)
                return
            if below and all(is_term(line.text) for line in lines[:below]):
                after = next((at for at in range(below, len(lines)) if lines[at].indent <= first.indent), len(lines))
                self._define(", ".join(line.text for line in lines[:below]), lines[below:after], first.indent)
                lines = lines[after:]
            elif lines[-1].text.endswith("::") and is_term(lines[-1].text.rstrip(":")):
                self._intro = lines[-1].text.rstrip(":")
                self._term = (self._intro, first.indent)
                return
            else:
                self._paragraph(lines)
                return

    def _is_code(self, lines: Sequence[_Line]) -> bool:
        announced = bool(ANNOUNCES.search(self._intro)) and all(line.indent >= _DEEPER for line in lines)
        prompted = PROMPT.match(lines[0].text) is not None and lines[0].indent >= _DEEPER
        return prompted or (announced and not END.search(lines[-1].text) and not KEY.match(lines[0].text))

    def _define(self, term: str, lines: Sequence[_Line], indent: int, skipped: int = 0) -> None:
        term = term.rstrip(":： ")
        if self._found and self._found[-1].text == self._intro == term:
            self._found.pop()
        text = joined([lines[0].text[skipped:], *(line.text for line in lines[1:])])
        self._term = (term, indent)
        if len(text) <= _LONGEST:
            self._add("definition", f"{term}: {text}", self._about)
        else:
            for sentence in whole_sentences(text):
                self._add("definition", f"{term}: {sentence}", self._about)
        self._intro = text if ANNOUNCES.search(text) else ""

    def _paragraph(self, lines: Sequence[_Line]) -> None:
        block: list[str] = []
        at = 0
        width = max(map(columns, (line.text for line in lines)))
        while at < len(lines):
            text = lines[at].text
            if block and self._goes_on(block[-1], text, width):
                block.append(text)
                at += 1
                continue
            self._prose(block, is_last=False)
            block = []
            if beside := term_and_text(text):
                at = self._beside(lines, at, beside)
            else:
                block = [text]
                at += 1
        self._prose(block, is_last=lines[-1].number == self._last)

    def _goes_on(self, line: str, following: str, width: int) -> bool:
        if self._is_markdown and not (KEY.match(line) and KEY.match(following)) and not LOGGED.match(following):
            return True
        return continues(line, following, width)

    def _beside(self, lines: Sequence[_Line], at: int, beside: tuple[str, str]) -> int:
        """A term and what it means beside each other, with the lines that go on below the second; the line after them."""
        term, text = beside
        block = [text]
        end = at + 1
        while end < len(lines) and lines[end].indent >= lines[at].indent + _DEEPER:
            block.append(lines[end].text)
            end += 1
        self._add("definition", f"{term}: {joined(block)}", self._about)
        return end

    def _prose(self, block: list[str], *, is_last: bool) -> None:
        if not block:
            return
        text = joined(block).lstrip("> ")
        if LOGGED.match(text):
            self._add("item", text, self._about)
            return
        found = list(whole_sentences(text))
        if len(found) == 1 and not END.search(text) and is_label(text) and not KEY.match(text):
            if ANNOUNCES.search(text):
                self._intro = text
            else:
                self._about, self._intro = plain(text), text
            return
        if found and self._is_cut and not self._found and not self._about and found[0][0].islower():
            found = found[1:]
        if is_last and len(found) > 1 and not END.search(found[-1]) and not ANNOUNCES.search(found[-1]):
            found.pop()
        term = self._term[0] if self._term else ""
        for sentence in found:
            if term:
                self._add("definition", f"{term}: {sentence}", self._about)
            else:
                self._add("sentence", sentence, self._about)
        self._intro = found[-1] if found else ""

    def _add(self, kind: Kind, text: str, about: str) -> None:
        if _LEAST <= len(text) <= _LONGEST_SENTENCE and not (kind == "sentence" and ANNOUNCES.search(text)):
            self._found.append(Unit(kind, text, (plain(text),), about))

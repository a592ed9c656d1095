"""Pages of help as sections: their headings, texts and index entries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Section:
    level: int
    heading: str = ""
    blocks: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    """The index entries that point here."""

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)


@dataclass
class Page:
    source: str
    sections: list[Section]
    summary: str = ""

    @property
    def text(self) -> str:
        return "\n\n".join(section.text for section in self.sections)


class Reader(HTMLParser):
    """A page of LibreOffice's help, of GNOME's (Mallard) or of PostgreSQL's manual as sections."""

    BLOCKS = frozenset({"p", "li", "dt", "dd", "tr", "pre", "screen", "code-block", "item", "title"})
    HIDDEN = frozenset({"script", "style", "head", "info", "comment", "nav", "aside", "footer", "title-hidden"})
    HIDDEN_CLASSES = frozenset({"navheader", "navfooter", "toc", "relatedtopics", "noteicon"})

    def __init__(self, mallard: bool) -> None:
        super().__init__()
        self.sections = [Section(1)]
        self.summary = ""
        self._mallard = mallard
        self._open: list[tuple[str, bool]] = []
        self._text: list[str] = []
        self._heading: int | None = None
        self._entries: list[str] = []
        self._in_summary = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "meta" and values.get("itemprop") == "keywords" and values.get("content"):
            self._entries.append(re.sub(r"\s*,\s*", " ", values["content"] or "").strip())
        if tag in ("meta", "img", "br", "link", "input", "hr", "media", "include"):
            self._text.append(" ")
            return
        hidden = tag in self.HIDDEN or not self.HIDDEN_CLASSES.isdisjoint((values.get("class") or "").split())
        if tag == "desc" and self._mallard:
            self._text, self._in_summary = [], True
        elif self._level(tag) is not None and not self._hidden:
            self._flush()
            self._heading = self._level(tag)
        elif tag in self.BLOCKS:
            self._flush()
        self._open.append((tag, hidden))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "meta":
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag not in (name for name, _ in self._open):
            return
        if tag == "desc" and self._mallard:
            self.summary, self._text, self._in_summary = _one_line(self._text), [], False
        elif tag in self.BLOCKS or (self._heading is not None and re.fullmatch(r"h[1-6]", tag)):
            self._flush()
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._in_summary or not self._hidden:
            self._text.append(data)

    @property
    def _hidden(self) -> bool:
        return any(hidden for _, hidden in self._open)

    def _level(self, tag: str) -> int | None:
        if match := re.fullmatch(r"h([1-6])", tag):
            return int(match[1])
        if self._mallard and tag == "title" and self._open and self._open[-1][0] in ("page", "section"):
            return 1 + sum(name == "section" for name, _ in self._open)
        return None

    def _flush(self) -> None:
        text, self._text = _one_line(self._text), []
        level, self._heading = self._heading, None
        if text and level is not None:
            self.sections.append(Section(level, text, entries=self._entries))
            self._entries = []
        elif text:
            self.sections[-1].blocks.append(text)


def _one_line(parts: Sequence[str]) -> str:
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def read_page(source: str, data: str) -> Page:
    reader = Reader(source.endswith(".page"))
    reader.feed(data[data.find('id="DisplayArea"') - 5 :] if 'id="DisplayArea"' in data else data)
    return Page(source, [section for section in reader.sections if section.heading], reader.summary)

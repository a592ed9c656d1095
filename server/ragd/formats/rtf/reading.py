"""Rich Text Format (specification 1.9.1) as HTML, which the reader of HTML turns into Markdown.

A file is a tree of groups with control words; what a word sets holds until its group ends. Text is in the code page of its font,
or of the file, one byte after the other, so that a character of two bytes may be half escaped and half not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html import escape, unescape
from typing import Final

from ragd.core.errors import DocumentDamaged, TooComplex
from ragd.formats.common.ole import codepage_name
from ragd.formats.rtf.words import CHANGES, CHARACTERS, CHARSETS, FLOWS, KEPT, OPENED, SIGNS, SKIPPED, Flow, State

_TOKEN: Final = re.compile(
    r"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<sign>[^A-Za-z'])|(?P<brace>[{}])"
    r"|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\'?"
)
_LINK: Final = re.compile(r'HYPERLINK\s{1,9}(?:\\l\s{1,9})?"([^"]{1,2000})"', re.IGNORECASE)
_BULLETS: Final = frozenset("•·o◦▪§-–\uf0b7\uf0a7")
_MAX_DEPTH: Final = 2_000
_MAX_PICTURE: Final = 20 * 1024 * 1024
_MAX_LEVEL: Final = 6


@dataclass(slots=True)
class RtfText:
    """A file as HTML. `pictures` are by what the HTML calls them; `stated` are title, author and keywords."""

    html: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    stated: dict[str, str] = field(default_factory=dict)
    left_out: int = 0


class RtfReader:
    """Reads the bytes of the file called `name`. Raises `ParseFailed`."""

    def __init__(self, data: bytes, name: str) -> None:
        self.found = RtfText()
        self._text = data.decode("latin-1")
        self._name = name
        self._state = State()
        self._groups: list[tuple[State, bool]] = []
        self._flows = [Flow("")]
        self._bytes = bytearray()
        self._kept: dict[str, list[str]] = {}
        self._fonts: dict[int, str] = {}
        self._levels: dict[int, int] = {}
        self._font = self._style = self._notes = self._skip = 0
        self._default = "cp1252"
        self._starred = False
        self._format = ""
        self._link = ""
        self._author = ""
        self._property = ""

    def read(self) -> RtfText:
        at, end = 0, len(self._text)
        while at < end and (token := _TOKEN.match(self._text, at)):
            at = token.end()
            if (text := token["text"]) is not None:
                self._plain(text)
            elif (word := token["word"]) is not None:
                number = int(token["number"]) if token["number"] else None
                if word == "bin":
                    at += max(0, number or 0)
                else:
                    self._word(word, number)
            elif token["byte"] is not None:
                self._plain(chr(int(token["byte"], 16)))
            elif (brace := token["brace"]) is not None:
                self._open() if brace == "{" else self._close()
                if not self._groups:
                    break
            elif (sign := token["sign"]) is not None:
                self._sign(sign)
        if self._groups:
            raise DocumentDamaged(f"'{self._name}' is damaged or cut off: not all of its groups end. Get the file again.")
        flow = self._flows[0]
        self._end_paragraph(flow)
        self._end_table(flow)
        self.found.html = "".join(flow.blocks)
        return self.found

    # Groups

    def _open(self) -> None:
        self._flush()
        if len(self._groups) >= _MAX_DEPTH:
            raise TooComplex(f"'{self._name}' is nested more than {_MAX_DEPTH:,} groups deep.")
        self._groups.append((self._state, False))
        self._skip = 0

    def _close(self) -> None:
        self._flush()
        if not self._groups:
            return
        ended = self._state
        self._state, opened_flow = self._groups.pop()
        self._skip = 0
        if opened_flow:
            self._end_flow(self._flows.pop())
        if ended.destination != self._state.destination:
            self._end_destination(ended.destination)

    def _end_destination(self, name: str) -> None:
        text = "".join(self._kept.pop(name, ()))
        if name == "pict":
            if self._state.destination != "sv" or self._property == "pib":  # not what a shape is filled with
                self._picture(text)
        elif name == "sn":
            self._property = text.strip()
        elif name == "sv":
            self._describe(text)
        elif name == "fldinst":
            found = _LINK.search(text)
            self._link = found[1] if found else ""
        elif name == "atnauthor":
            self._author = text.strip()
        elif name in ("title", "author", "keywords"):
            self.found.stated[name] = " ".join(text.split())
        elif name in ("listtext", "pntext") and not self._state.hidden:
            mark = text.strip()
            self._flows[-1].mark = "- " if mark in _BULLETS else f"{mark} " if mark else ""

    def _end_flow(self, flow: Flow) -> None:
        self._end_paragraph(flow)
        self._end_table(flow)
        around = self._flows[-1]
        if flow.kind == "shptxt":
            around.after += flow.blocks
            return
        text = " ".join(flow.blocks)
        if flow.kind == "annotation":
            shown = " ".join(unescape("".join(part.rpartition(">")[2] for part in text.split("<"))).split())
            self.found.comments.append(f"{self._author}: {shown}" if self._author else shown)
        elif text:
            self._notes += 1
            around.line.append(f"[^{self._notes}]")
            around.after.append(f"<p>[^{self._notes}]: {text.replace('<p>', '').replace('</p>', ' ')}</p>")

    # Words

    def _word(self, word: str, number: int | None) -> None:
        if word in ("u", "uc"):
            self._unicode(word, number or 0)
            return
        self._flush()
        self._skip = 0
        starred, self._starred = self._starred, False
        if self._state.destination == "skipped":
            return
        if word in SKIPPED or (starred and word not in OPENED):
            self._state = replace(self._state, destination="skipped")
        elif word in FLOWS:
            self._flows.append(Flow(word))
            self._groups[-1:] = [(self._groups[-1][0], True)] if self._groups else []
            self._state = replace(self._state, destination="", in_table=False, level=0)
        elif word in KEPT:
            self._state = replace(self._state, destination=word)
            self._kept[word] = []
            self._format = ""
        elif word in CHARACTERS:
            self._append(CHARACTERS[word])
        elif change := CHANGES.get(word):
            self._state = change(self._state, number)
        elif word in ("pngblip", "jpegblip"):
            self._format = word
        elif word in ("f", "fcharset", "ansicpg", "deff", "s", "outlinelevel"):
            self._setting(word, number or 0)
        elif not self._state.destination:
            self._structure(word)

    def _setting(self, word: str, number: int) -> None:
        if word == "ansicpg":
            self._default = codepage_name(number)
            self._state = replace(self._state, codec=self._default)
        elif word == "f" and self._state.destination == "fonttbl":
            self._font = number
        elif word == "f":
            self._state = replace(self._state, codec=self._fonts.get(number, self._default))
        elif word == "fcharset":
            # The character set of ANSI fonts says no more than the file's own code page.
            self._fonts[self._font] = codepage_name(CHARSETS[number]) if number in CHARSETS and number else self._default
        elif word == "s" and self._state.destination == "stylesheet":
            self._style = number
        elif word == "s":
            self._state = replace(self._state, level=self._levels.get(number, 0))
        elif word == "outlinelevel":
            level = min(number + 1, _MAX_LEVEL) if 0 <= number < 9 else 0
            if self._state.destination == "stylesheet":
                self._levels[self._style] = level
            else:
                self._state = replace(self._state, level=level)

    def _structure(self, word: str) -> None:
        flow = self._flows[-1]
        if word in ("par", "sect", "page"):
            self._end_paragraph(flow)
        elif word == "fldrslt":
            self._state, self._link = replace(self._state, link=self._link), ""
        elif word == "line":
            flow.line.append("<br>")
        elif word == "trowd":
            flow.head = False
        elif word == "trhdr":
            flow.head = True
        elif word in ("cell", "nestcell"):
            self._end_cell(flow, nested=word == "nestcell")
        elif word in ("row", "nestrow") and flow.cells and word == "row":
            tag = "th" if flow.head else "td"
            flow.rows.append("<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in flow.cells) + "</tr>")
            flow.cells.clear()

    def _unicode(self, word: str, number: int) -> None:
        self._flush()
        if word == "uc":
            self._state = replace(self._state, fallback=max(0, min(number, 100)))
        else:
            self._skip = self._state.fallback
            self._append(chr(number & 0xFFFF) if -0x8000 <= number < 0x10000 else chr(number) if 0 < number < 0x110000 else "")

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._starred = True
        elif sign in "\\{}":
            self._plain(sign)
        elif sign in SIGNS:
            self._flush()
            self._append(SIGNS[sign])
        elif sign in "\r\n":
            self._word("par", None)

    # Text

    def _plain(self, text: str) -> None:
        if self._skip:
            dropped = min(self._skip, len(text))
            self._skip -= dropped
            text = text[dropped:]
        if text and self._state.destination != "skipped":
            self._bytes += text.encode("latin-1")

    def _flush(self) -> None:
        if self._bytes:
            text = self._bytes.decode(self._state.codec, "replace")
            self._bytes.clear()
            self._append(text)

    def _append(self, text: str) -> None:
        state = self._state
        if state.destination in KEPT:
            if state.destination in self._kept:
                self._kept[state.destination].append(text)
        elif state.destination != "skipped" and not state.hidden and text:
            shown = escape(text)
            for tag, is_set in (("i", state.italic), ("b", state.bold)):
                if is_set and text.strip():
                    shown = f"<{tag}>{shown}</{tag}>"
            flow = self._flows[-1]
            if state.link and state.link == flow.link and flow.line:
                flow.line[-1] = f"{flow.line[-1].removesuffix('</a>')}{shown}</a>"
            else:
                flow.line.append(f'<a href="{escape(state.link)}">{shown}</a>' if state.link else shown)
            flow.link = state.link

    def _line(self, flow: Flow) -> str:
        text = "".join(flow.line).strip()
        flow.line.clear()
        flow.link = ""
        mark, flow.mark = flow.mark, ""
        for tag in ("b", "i"):  # runs that were divided for no reason that is seen
            text = text.replace(f"</{tag}><{tag}>", "")
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")
        return f"{escape(mark)}{text}" if text else ""

    def _end_paragraph(self, flow: Flow) -> None:
        level, in_table = self._state.level, self._state.in_table
        text = self._line(flow)
        if in_table or flow.cells:
            flow.cell.append(text)
            return
        self._end_table(flow)
        if text:
            flow.blocks.append(f"<h{level}>{text}</h{level}>" if level else f"<p>{text}</p>")
        flow.blocks += flow.after
        flow.after.clear()

    def _end_cell(self, flow: Flow, *, nested: bool) -> None:
        text = self._line(flow)
        if nested:
            flow.cell.append(f"{text};")
            return
        flow.cells.append("<br>".join(part for part in (*flow.cell, text) if part))
        flow.cell.clear()

    def _end_table(self, flow: Flow) -> None:
        if flow.cells:  # a row that never ends
            flow.rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in flow.cells) + "</tr>")
        if flow.cell:
            flow.blocks += [f"<p>{part}</p>" for part in flow.cell if part]
        if flow.rows:
            flow.blocks.append(f"<table>{''.join(flow.rows)}</table>")
        for held in (flow.rows, flow.cells, flow.cell):
            held.clear()

    def _picture(self, digits: str) -> None:
        hexadecimal = "".join(digits.split())
        if not self._format or not hexadecimal or len(hexadecimal) > 2 * _MAX_PICTURE:
            self.found.left_out += 1
            return
        try:
            data = bytes.fromhex(hexadecimal)
        except ValueError:
            self.found.left_out += 1
            return
        name = f"picture{len(self.found.pictures)}"
        self.found.pictures[name] = data
        self._flows[-1].line.append(f'<img src="{name}">')

    def _describe(self, text: str) -> None:
        """What the shape that holds the last picture says of it."""
        line = self._flows[-1].line
        if self._property == "wzDescription" and line and line[-1].startswith("<img"):
            line[-1] = f'{line[-1].removesuffix(">")} alt="{escape(" ".join(text.split()))}">'

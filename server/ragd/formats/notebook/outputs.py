"""What a cell printed, returned or drew, as text and pictures."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ragd.core.documents import Picture, Place
from ragd.core.errors import ParseFailed
from ragd.formats.common.pictures import picture, reference
from ragd.formats.common.text import fenced
from ragd.formats.html.loader import HtmlLoader
from ragd.formats.registry import PICTURE_MEDIA_TYPES

MAX_OUTPUT_CHARS: Final = 4000
"""Characters of one output that are kept, from its beginning and its end: logs and tables can be as long as they like."""
_HEAD_SHARE: Final = 0.6
"""Share of them that is taken from the beginning; the end of a traceback names the error."""

_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?|[@-Z\\^_])")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
# What Python says of an object that has a better form, such as `<Figure size 640x480 with 1 Axes>`.
_OBJECT: Final = re.compile(r"<[^<>\n]{1,200}>")
_WIDGET: Final = "application/vnd.jupyter.widget-view+json"
_OLD_KINDS: Final = {"pyout": "execute_result", "pyerr": "error"}
_OLD_NAMES: Final = {
    "text": "text/plain", "html": "text/html", "latex": "text/latex", "json": "application/json", "png": "image/png",
    "jpeg": "image/jpeg", "svg": "image/svg+xml",
}  # fmt: skip


class Outputs:
    """Reads the outputs of a notebook's cells. `pictures` are those found; `miss` is called with what was left out."""

    def __init__(self, miss: Callable[[str], None]) -> None:
        self.pictures: list[Picture] = []
        self._miss = miss

    def read(self, outputs: Any, place: Place) -> list[str]:
        """The blocks of Markdown of a cell's outputs; what is printed piece by piece is put together."""
        blocks: list[str] = []
        printed: list[str] = []
        for output in outputs if isinstance(outputs, list) else []:
            if not isinstance(output, dict):
                continue
            kind = str(output.get("output_type"))
            if kind == "stream":
                printed.append(joined(output.get("text")))
                continue
            blocks += self._shown("Output", "".join(printed))
            printed.clear()
            if _OLD_KINDS.get(kind, kind) == "error":
                said = joined(output.get("traceback"), "\n") or f"{output.get('ename', '')}: {output.get('evalue', '')}"
                blocks += self._shown("Error", said)
            else:
                blocks += self._data(_data_of(output), place)
        return [*blocks, *self._shown("Output", "".join(printed))]

    def picture(self, data: Any, mime: str, alt: str, place: Place) -> str:
        """The reference to a picture that a notebook holds, in base64 or, if it is SVG, as text; empty when it is damaged."""
        text = joined(data)
        try:
            content = text.encode() if mime == "image/svg+xml" and "<" in text[:100] else base64.b64decode(text)
        except (binascii.Error, ValueError):
            content = b""
        if not content:
            self._miss("a picture is damaged")
            return ""
        self.pictures.append(picture(content, alt, place))
        return reference(self.pictures[-1])

    def _data(self, data: Mapping[str, Any], place: Place) -> list[str]:
        """The best forms of a result: its picture, and its text unless that only names the object."""
        if _WIDGET in data:
            self._miss("an interactive output (widget) was left out")
            return []
        mime = next((kind for kind in PICTURE_MEDIA_TYPES if data.get(kind)), None)
        image = self.picture(data[mime], mime, "", place) if mime else ""
        plain = joined(data.get("text/plain")).strip()
        if plain and not _OBJECT.fullmatch(plain):
            return [*([image] if image else []), *self._shown("Output", plain)]
        if mime:
            return [image] if image else []
        if text := joined(data.get("text/markdown")).strip() or _html_text(joined(data.get("text/html"))):
            return [self._shortened(text)]
        if text := joined(data.get("text/latex")) or (
            json.dumps(found, ensure_ascii=False) if (found := data.get("application/json")) else ""
        ):
            return self._shown("Output", text)
        if plain:
            return self._shown("Output", plain)
        if data:
            self._miss(f"an output of the kind {next(iter(data))[:60]} was left out")
        return []

    def _shown(self, label: str, text: str) -> list[str]:
        """A fenced block as a terminal would show the text, with a line before it that says what it is."""
        text = self._shortened(_as_shown(text))
        return [f"{label}:", fenced(text)] if text.strip() else []

    def _shortened(self, text: str) -> str:
        text = text.strip("\n")
        if len(text) <= MAX_OUTPUT_CHARS:
            return text
        self._miss(f"an output was shortened to {MAX_OUTPUT_CHARS:,} characters")
        head = int(MAX_OUTPUT_CHARS * _HEAD_SHARE)
        first, last = text[:head], text[head - MAX_OUTPUT_CHARS :]
        # Whole lines, unless they are very long.
        first = first[: cut + 1] if (cut := first.rfind("\n")) > head // 2 else f"{first}\n"
        last = last[cut + 1 :] if 0 <= (cut := last.find("\n")) < len(last) // 2 else last
        return f"{first}… ({len(text) - len(first) - len(last):,} characters left out)\n{last}"


def joined(value: Any, separator: str = "") -> str:
    """A text of a notebook, which is kept as one string or as a list of lines. Surrogates that are no characters are replaced."""
    if isinstance(value, list):
        value = separator.join(item for item in value if isinstance(item, str))
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _data_of(output: Mapping[str, Any]) -> Mapping[str, Any]:
    data = output.get("data")
    return data if isinstance(data, dict) else {new: output[old] for old, new in _OLD_NAMES.items() if old in output}


def _as_shown(text: str) -> str:
    """Without colours and other control characters; of a line that was written over and over (progress bars) the last state."""
    lines = (line.rstrip("\r").rpartition("\r")[2].rstrip() for line in _ESCAPE.sub("", text).split("\n"))
    return _CONTROL.sub("", "\n".join(lines))


def _html_text(html: str) -> str:
    if not html.strip():
        return ""
    try:
        return HtmlLoader().load(html.encode(), "output.html").markdown
    except ParseFailed:  # nothing but scripts, for instance
        return ""

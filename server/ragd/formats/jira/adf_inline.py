"""The inline nodes of the Atlassian Document Format as Markdown.

https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final

from ragd.formats.common.text import code_span

Node = Mapping[str, Any]

INLINE: Final = frozenset((
    "text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "mediaInline", "inlineExtension", "placeholder",
))  # fmt: skip

_EMPHASIS: Final = {"strong": "**", "em": "*", "strike": "~~"}
_FOLLOWABLE: Final = re.compile(r"(?:https?://|mailto:|ftp://|[/#])\S*", re.IGNORECASE)
_MAX_MILLISECONDS: Final = 253_402_300_799_000


@dataclass(frozen=True, slots=True)
class _Run:
    """Text with what marks it: the emphases, outermost first, `code`, and where it leads."""

    text: str
    emphases: tuple[str, ...] = ()
    link: str = ""
    code: bool = False


class InlineWriter:
    """Writes runs of inline nodes. `users` are display names by account id."""

    def __init__(self, users: Mapping[str, str]) -> None:
        self._users = users

    def text(self, nodes: Iterable[Node]) -> str:
        """Nodes of one paragraph. Hard breaks become line ends."""
        runs = [self._run(node) for node in nodes]
        merged = [
            _Run("".join(run.text for run in group), *shape)
            for shape, group in groupby(runs, key=lambda run: (run.emphases, run.link, run.code))
        ]
        return "".join(_written(merged, index) for index in range(len(merged)))

    def line(self, nodes: Iterable[Node]) -> str:
        return " ".join(self.text(nodes).split())

    def _run(self, node: Node) -> _Run:
        kind = node.get("type")
        marks = _mappings(node.get("marks"))
        if kind != "text":
            return _Run(self.shown(str(kind), attributes(node)), link=_link_of(marks))
        kinds = {mark.get("type") for mark in marks}
        text = str(node.get("text") or "")
        if "subsup" in kinds and text[:1] in "0123456789+-−":
            # A lowered number reads as well without; a raised one would be another number.
            raised = any(attributes(mark).get("type") == "sup" for mark in marks)
            text = f"^{text}" if raised and text else text
        emphases = tuple(sign for name, sign in _EMPHASIS.items() if name in kinds)
        return _Run(text, emphases, _link_of(marks), "code" in kinds)

    def shown(self, kind: str, attrs: Mapping[str, Any]) -> str:
        """What a node of this kind that is no text shows."""
        shown = str(attrs.get("text") or "")
        match kind:
            case "hardBreak":
                return "\n"
            case "mention":
                name = shown.removeprefix("@") or self._users.get(str(attrs.get("id") or ""), "") or "unknown user"
                return f"@{name}"
            case "emoji":
                return shown or str(attrs.get("shortName") or "")
            case "date":
                return _date(attrs.get("timestamp"))
            case "inlineCard":
                return _card(attrs)
            case "mediaInline":
                return _media(attrs)
            case "inlineExtension":
                return _extension_note(attrs)
            case _:  # status, placeholder
                return shown


def attributes(node: Node) -> Mapping[str, Any]:
    attrs = node.get("attrs")
    return attrs if isinstance(attrs, Mapping) else {}


def _card(attrs: Mapping[str, Any]) -> str:
    """A smart link: its address, and its name where the document holds it."""
    data = attrs.get("data")
    held: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    address = str(attrs.get("url") or held.get("url") or "").strip()
    name = " ".join(str(held.get("name") or "").split())
    return _linked(name or address, address) if name or address else "[link]"


def _media(attrs: Mapping[str, Any]) -> str:
    """A picture or file: an external one by its address, an attached one by its name, which is all that the document has."""
    name = " ".join(str(attrs.get("alt") or attrs.get("__fileName") or "").split()).replace("[", "(").replace("]", ")")
    address = str(attrs.get("url") or "").strip()
    if attrs.get("type") == "external" and _FOLLOWABLE.fullmatch(address):
        return f"![{name}]({address})"
    return f"[image: {name}]" if name else "[image]"


def _extension_note(attrs: Mapping[str, Any]) -> str:
    """What stands for an extension, whose content an app makes when the page is shown."""
    name = str(attrs.get("extensionKey") or attrs.get("extensionType") or "unnamed")
    text = " ".join(str(attrs.get("text") or "").split())
    return f"[extension {name}: {text}]" if text else f"[extension {name}]"


def flat_text(node: Node) -> str:
    """All text below a node, however deep."""
    texts: list[str] = []
    waiting: list[Any] = [node]
    while waiting:
        current = waiting.pop()
        if not isinstance(current, Mapping):
            continue
        text = current.get("text") or attributes(current).get("text")
        if text:
            texts.append(str(text))
        waiting.extend(reversed(_mappings(current.get("content"))))
    return " ".join(" ".join(texts).split())


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _link_of(marks: Sequence[Mapping[str, Any]]) -> str:
    found = next((str(attributes(mark).get("href") or "").strip() for mark in marks if mark.get("type") == "link"), "")
    return found if _FOLLOWABLE.fullmatch(found) else ""


def _linked(text: str, address: str) -> str:
    if not _FOLLOWABLE.fullmatch(address) or text == address or address.startswith("#"):
        return text
    return f"[{text}]({address.replace('(', '%28').replace(')', '%29')})"


def _written(runs: Sequence[_Run], index: int) -> str:
    """A run with its signs, which go next to its words. Emphasis that begins or ends within a word is left out: the word could
    not be found any more."""
    run = runs[index]
    core = run.text.strip()
    if not core:
        return run.text
    begin = run.text.index(core)
    before, after = run.text[:begin], run.text[begin + len(core) :]
    if run.code:
        core = code_span(core)
    left = runs[index - 1].text[-1:] if index and not before else ""
    right = runs[index + 1].text[:1] if index + 1 < len(runs) and not after else ""
    if not (left.isalnum() and core[:1].isalnum()) and not (right.isalnum() and core[-1:].isalnum()) and "\n" not in core:
        for sign in reversed(run.emphases):
            core = f"{sign}{core}{sign}"
    return before + (_linked(core, run.link) if run.link else core) + after


def _date(timestamp: Any) -> str:
    try:
        moment = int(timestamp)
    except (TypeError, ValueError):
        return ""
    if not 0 <= moment <= _MAX_MILLISECONDS:
        return ""
    return datetime.fromtimestamp(moment / 1000, UTC).date().isoformat()

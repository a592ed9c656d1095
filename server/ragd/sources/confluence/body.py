"""What a body in storage format refers to: people, pages it includes, files it links, pictures and drawings it shows.

Confluence writes the format itself, and lets no broken XML in; so one pass over its `ac:` and `ri:` tags is enough. Code blocks
are CDATA, and are cut out first: what they show is no reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from itertools import zip_longest
from typing import Final

_INCLUDES: Final = frozenset(("include", "excerpt-include"))
_DRAWINGS: Final = frozenset(("drawio", "drawio-sketch"))

_TAG = re.compile(r"<(?P<end>/?)(?P<name>(?:ac|ri):[\w-]+)(?P<rest>(?:[^<>\"]++|\"[^<\"]*+\")*+)>")
_ATTRIBUTE = re.compile(r"(?<![\w:-])([\w:-]++)\s*+=\s*+\"([^\"]*+)\"")


@dataclass(slots=True)
class References:
    """Names in the order of the text, each once. Pages and files are those of the same space and of the same page alone."""

    users: dict[str, None] = field(default_factory=dict)
    includes: dict[str, None] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    pictures: dict[str, None] = field(default_factory=dict)
    drawings: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """A tag that is not closed yet."""

    name: str
    attributes: dict[str, str]


def references(storage: str, space: str) -> References:
    """What the body of a page of `space` (a key) refers to."""
    found = References()
    text = _without_cdata(storage)
    path: list[_Open] = []
    tags = list(_TAG.finditer(text))
    for tag, following in zip_longest(tags, tags[1:]):
        name = tag["name"]
        if tag["end"]:
            while path and path.pop().name != name:
                pass
            continue
        rest = tag["rest"]
        here = _Open(name, {key: unescape(value) for key, value in _ATTRIBUTE.findall(rest)})
        if name == "ri:user":
            _add(found.users, here, "ri:account-id", "ri:userkey", "ri:username")
        elif name == "ri:page" and _macro(path) in _INCLUDES and here.attributes.get("ri:space-key", space) == space:
            _add(found.includes, here, "ri:content-title")
        elif name == "ri:attachment" and not _names_other_page(rest, following):
            _add(found.pictures if any(one.name == "ac:image" for one in path) else found.files, here, "ri:filename")
        elif name == "ac:parameter" and here.attributes.get("ac:name") == "diagramName" and _macro(path) in _DRAWINGS:
            drawing = unescape(text[tag.end() : text.find("<", tag.end())]).strip()
            if drawing:
                found.drawings[drawing] = None
        if not rest.endswith("/"):
            path.append(here)
    return found


def _without_cdata(storage: str) -> str:
    first, *parts = storage.split("<![CDATA[")
    return first + "".join(part.partition("]]>")[2] for part in parts)


def _names_other_page(rest: str, following: re.Match[str] | None) -> bool:
    """Whether a file lies on another page, which a tag inside names."""
    return not rest.endswith("/") and following is not None and following["name"] == "ri:page" and not following["end"]


def _macro(path: list[_Open]) -> str:
    return next((one.attributes.get("ac:name", "") for one in reversed(path) if one.name == "ac:structured-macro"), "")


def _add(to: dict[str, None], tag: _Open, *names: str) -> None:
    value = next((tag.attributes[name] for name in names if tag.attributes.get(name)), "")
    if value:
        to[value] = None

"""Confluence's storage format as a tree: strictly as XML, else leniently as the HTML that it resembles.

The fragment names prefixes (`ac:`, `ri:`) and HTML entities that it doesn't declare, so it is put into a root that declares the
prefixes, and entities are resolved before. It stands inside of that root, where XML allows no DOCTYPE: it can't define entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from html.entities import html5
from typing import Any, Final

from bs4.element import NavigableString, Tag
from lxml import etree

from ragd.formats.common.opc import Element, safe_parser
from ragd.formats.html.tree import is_text, parsable, parse

NAMESPACES: Final = {name: f"urn:{name}" for name in ("ac", "ri", "at")}
_ROOT: Final = f"<root {' '.join(f'xmlns:{prefix}={uri!r}' for prefix, uri in NAMESPACES.items())}>"
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,31});")
_NO_TAG: Final = re.compile(r"<(?!/?[A-Za-z][^<>]*>)")
_NO_REFERENCE: Final = re.compile(r"&(?!#?\w{1,32};)", re.ASCII)
_IN_XML: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,100}\Z", re.ASCII)


def fit(text: str) -> str:
    """The text without what XML can't hold, and without the halves of characters that JSON lets pass."""
    return _UNFIT.sub("\ufffd", text)


def parse_storage(value: str) -> tuple[Element, bool]:
    """The root that holds the fragment's nodes, and whether it was well-formed.

    Raises `ParseFailed` when it is not and nests too deeply or can't be read at all.
    """
    prepared = "".join(_resolved(text) if not verbatim else f"{_CDATA}{text}{_CDATA_END}" for verbatim, text in _split(value))
    try:
        return etree.fromstring(f"{_ROOT}{prepared}</root>", safe_parser()), True
    except etree.XMLSyntaxError:
        return parse_lenient(value), False


def parse_lenient(value: str) -> Element:
    """The same for what is not well-formed, and for HTML. Raises `ParseFailed`."""
    text = tamed("".join(escape(text) if verbatim else text for verbatim, text in _split(value)))
    root = etree.Element("root", nsmap=NAMESPACES)
    waiting: list[tuple[Tag, Element]] = [(parse(parsable(text)), root)]
    while waiting:
        tag, element = waiting.pop()
        last: Element | None = None
        for node in tag.children:
            if isinstance(node, Tag):
                last = etree.SubElement(element, _qualified(node.name), _attributes(node))
                waiting.append((node, last))
            elif isinstance(node, NavigableString) and is_text(node):
                text = fit(str(node))
                if last is None:
                    element.text = (element.text or "") + text
                else:
                    last.tail = (last.tail or "") + text
    return root


def tamed(html: str) -> str:
    """HTML without comments, and with all that begins no tag and no reference as text.

    From each such beginning Python's parser would look for the end as far as the end of the page.
    """
    kept: list[str] = []
    at = 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start)) >= 0:
        kept.append(html[at:start])
        at = end + 3
    kept.append(html[at:])
    return _NO_REFERENCE.sub("&amp;", _NO_TAG.sub("&lt;", "".join(kept)))


def name_of(element: Element) -> str:
    """`ac:link`, `p`. By prefix, since some bodies declare namespaces of their own."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    local = tag.rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix in NAMESPACES else local.lower()


def attribute(element: Element, name: str) -> str:
    """An attribute by its name without the prefix; empty when it isn't there."""
    found = element.get(name)
    if found is None:
        found = next((value for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), "")
    return str(found)


def child(element: Element, *names: str) -> Element | None:
    """The first child of one of these names."""
    return next((node for node in element if name_of(node) in names), None)


def all_text(element: Element | None) -> str:
    """All text inside, without markup and its whitespace as it is."""
    return "" if element is None else "".join(str(text) for text in element.itertext())


def _split(value: str) -> Iterator[tuple[bool, str]]:
    """The fragment in parts: what stands in CDATA sections (True), and what doesn't. What opens and never ends is no section."""
    at = 0
    while (start := value.find(_CDATA, at)) >= 0 and (end := value.find(_CDATA_END, start)) >= 0:
        yield False, value[at:start]
        yield True, value[start + len(_CDATA) : end]
        at = end + len(_CDATA_END)
    yield False, value[at:]


def _resolved(text: str) -> str:
    """HTML's named characters as themselves; names that nobody knows as text."""

    def character(found: re.Match[str]) -> str:
        name = found[1]
        if name in _IN_XML:
            return found[0]
        known = html5.get(f"{name};")
        return escape(known) if known else f"&amp;{name};"

    return _ENTITY.sub(character, text)


def _qualified(name: str) -> str:
    prefix, _, local = name.rpartition(":")
    if not _NAME.match(local):
        return "span"
    return f"{{{NAMESPACES[prefix]}}}{local}" if prefix in NAMESPACES else local


def _attributes(tag: Tag) -> dict[str, str]:
    found: dict[str, Any] = tag.attrs
    return {
        _qualified(str(name)): fit(" ".join(value) if isinstance(value, list) else str(value or ""))
        for name, value in found.items()
        if _NAME.match(str(name).rpartition(":")[2])
    }


@dataclass(frozen=True, slots=True)
class Macro:
    """`targets` are the resource identifiers in parameters; the one without a name is `""`."""

    name: str
    parameters: Mapping[str, str]
    targets: Mapping[str, Element]
    body: Element | None
    text: str | None

    @property
    def target(self) -> Element | None:
        """The first of the targets."""
        return next(iter(self.targets.values()), None)

    def get(self, *names: str) -> str:
        """The first of these parameters that says something."""
        return next((self.parameters[name].strip() for name in names if self.parameters.get(name, "").strip()), "")


def read_macro(element: Element) -> Macro:
    parameters: dict[str, str] = {}
    targets: dict[str, Element] = {}
    body: Element | None = None
    text: str | None = None
    for node in element:
        match name_of(node):
            case "ac:parameter" | "ac:default-parameter":
                name = attribute(node, "name")
                parameters[name] = all_text(node)
                target = next((found for found in node.iter() if name_of(found).startswith("ri:")), None)
                if target is not None:
                    targets[name] = target
            case "ac:rich-text-body":
                body = node
            case "ac:plain-text-body":
                text = (text or "") + all_text(node)
    return Macro(attribute(element, "name").strip().lower(), parameters, targets, body, text)

"""Confluence's macros as HTML: each by its name; one that nobody knows leaves a note and keeps its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from markdown_it import MarkdownIt

from ragd.formats.common.opc import Element
from ragd.formats.confluence import embeds, references
from ragd.formats.confluence.page import MAX_INCLUDE_DEPTH
from ragd.formats.confluence.storage import ElementWriter, StorageWriter
from ragd.formats.confluence.xml import (
    Macro,
    all_text,
    attribute,
    child,
    name_of,
    parse_lenient,
    parse_storage,
    read_macro,
)

NAVIGATION: Final = frozenset((
    "anchor", "breadcrumb", "children", "contributors", "create-from-template", "create-space-button", "favpages", "index",
    "livesearch", "navmap", "pagetree", "pagetreesearch", "popular-labels", "recently-updated", "recently-updated-dashboard",
    "recently-used-labels", "related-labels", "search", "spaces", "toc",
))  # fmt: skip
"""Macros that hold no text of their own: they list or lead to other pages."""

_CONTAINERS: Final = frozenset((
    "alignment", "center", "column", "content-block", "deck", "details", "div", "excerpt", "section", "span", "style",
    "table-filter", "table-joiner", "toc-zone", "ui-tabs", "tabs-group",
))  # fmt: skip
_TITLED: Final = frozenset(("expand", "ui-expand", "ui-tab", "tab-pane", "card", "localtab", "auitabspage"))
_PANELS: Final = {
    "info": "Info", "note": "Note", "tip": "Tip", "warning": "Warning", "panel": "", "success": "Success", "error": "Error",
    "custom": "", "ui-text-box": "", "box": "", "auimessage": "",
}  # fmt: skip
_LANGUAGES: Final = {"c#": "csharp", "html/xml": "xml", "js": "javascript", "none": "", "py": "python", "text": "", "yml": "yaml"}
_LANGUAGE: Final = re.compile(r"[\w+#]{1,30}\Z", re.ASCII)
_VISIBLE: Final = ("title", "name", "label", "labels", "text", "caption", "heading", "query", "cql", "url")
_MAX_SHOWN: Final = 300
# HTML inside is left as text; the bound on nesting is its own.
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _write_macro(writer: StorageWriter, element: Element) -> None:
    macro = read_macro(element)
    if macro.name in NAVIGATION:
        _write_body(writer, macro)
    elif macro.name in _CONTAINERS:
        with writer.inside("div"):
            _write_body(writer, macro)
    elif macro.name in _TITLED:
        writer.paragraph(macro.get("title", "label", "name"), "strong")
        with writer.inside("div"):
            _write_body(writer, macro)
    elif macro.name in _PANELS:
        _write_panel(writer, _PANELS[macro.name], macro.get("title"), lambda: _write_body(writer, macro))
    elif handler := _HANDLERS.get(macro.name):
        handler(writer, macro)
    else:
        _write_unknown(writer, macro)


def _write_adf(writer: StorageWriter, element: Element) -> None:
    """A node of the new editor. It stands in there twice, as itself and as what old readers show: one of them is written."""
    node, fallback = child(element, "ac:adf-node"), child(element, "ac:adf-fallback")
    if node is not None and attribute(node, "type") in ("panel", "decision-list"):
        _write_adf_node(writer, node)
    elif fallback is not None and all_text(fallback).strip():
        with writer.inside("div"):
            writer.children(fallback)
    else:
        writer.children(element)


def _write_adf_node(writer: StorageWriter, node: Element) -> None:
    stated = {attribute(found, "key"): all_text(found).strip() for found in node if name_of(found) == "ac:adf-attribute"}
    if attribute(node, "type") == "panel":
        label = _PANELS.get(stated.get("panel-type", ""), "")
        _write_panel(writer, label, stated.get("panel-icon-text", ""), lambda: writer.children(node))
        return
    with writer.inside("ul"):
        for item in (found for found in node if name_of(found) == "ac:adf-node"):
            with writer.inside("li"):
                writer.phrase("Decision: ", "strong")
                writer.children(item)


def _write_panel(writer: StorageWriter, label: str, title: str, body: Callable[[], None]) -> None:
    def write_inside() -> None:
        writer.paragraph(": ".join(part for part in (label, title) if part), "strong")
        body()

    writer.quotation(write_inside)


def _write_body(writer: StorageWriter, macro: Macro) -> None:
    if macro.body is not None:
        writer.children(macro.body)
    elif macro.text and macro.text.strip():
        writer.paragraph(macro.text)


def _write_unknown(writer: StorageWriter, macro: Macro) -> None:
    writer.page.notes["macros that are not known"] += 1
    said = [f"{name}: {macro.get(name)[:_MAX_SHOWN]}" for name in _VISIBLE if macro.get(name)]
    about = f" ({', '.join(said)})" if said else ""
    writer.badge(f'Confluence macro "{macro.name}"{about}: not shown here')
    if macro.body is not None:
        with writer.inside("div"):
            writer.children(macro.body)
    elif macro.text and macro.text.strip():
        writer.code(macro.text)


def _write_code(writer: StorageWriter, macro: Macro) -> None:
    writer.paragraph(macro.get("title"), "strong")
    stated = macro.get("language", "").lower() or macro.get("").lower()
    language = _LANGUAGES.get(stated, stated)
    writer.code(macro.text or all_text(macro.body), language if _LANGUAGE.match(language) else "")


def _write_html(writer: StorageWriter, html: str) -> None:
    with writer.inside("div"):
        writer.children(parse_lenient(html))


def _write_include(writer: StorageWriter, macro: Macro) -> None:
    """The whole page that is named, or only its excerpt, with a line that says where it is from."""
    target = macro.target
    title = attribute(target, "content-title") if target is not None else macro.get("", "page", "pagetitle")
    envelope = writer.page.envelope
    space = attribute(target, "space-key") if target is not None else ""
    excerpt = macro.name == "excerpt-include"
    what = "excerpt of page" if excerpt else "page"
    named = f'"{f"{space}: " if space else ""}{title}"'
    own = not space or space == envelope.space_key
    if own and title in (envelope.title, *writer.included):
        _leave_out(writer, f"{what} {named} is included here, inside of itself")
        return
    record = envelope.includes.get(title) if own else None
    value = record.get("value", "") if record else ""
    if not record:
        _leave_out(writer, f"{what} {named} is included here; it could not be read")
    elif len(writer.included) >= MAX_INCLUDE_DEPTH or not writer.page.may_include(len(value)):
        _leave_out(writer, f"{what} {named} is included here; left out, since too much is included")
    else:
        root, _ = parse_storage(value)
        part = _excerpt_of(root, macro.get("name", "excerpt-name")) if excerpt else root
        if part is None:
            _leave_out(writer, f"{what} {named} is included here; that page has none")
            return
        with writer.inside("p"), writer.inside("em"):
            writer.text(f"From {what} ")
            writer.link(writer.page.address(record.get("url", "")), title)
            writer.text(":")
        writer.included.append(title)
        with writer.inside("div"):
            writer.children(part)
        writer.included.pop()


def _leave_out(writer: StorageWriter, why: str) -> None:
    writer.page.notes["included pages that are not shown"] += 1
    writer.badge(why)


def _excerpt_of(root: Element, wanted: str) -> Element | None:
    """The body of the page's first excerpt, or of the one that goes by this name."""
    for element in root.iter():
        if name_of(element) in ("ac:structured-macro", "ac:macro") and attribute(element, "name") == "excerpt":
            macro = read_macro(element)
            if macro.body is not None and (not wanted or macro.get("name") == wanted):
                return macro.body
    return None


_HANDLERS: Final[Mapping[str, Callable[[StorageWriter, Macro], None]]] = {
    "code": _write_code,
    "codeblock": _write_code,
    "noformat": _write_code,
    "status": lambda writer, macro: writer.badge(macro.get("title", "colour", "color") or "status"),
    "markdown": lambda writer, macro: _write_html(writer, _MARKDOWN.render(macro.text or all_text(macro.body))),
    "html": lambda writer, macro: _write_html(writer, macro.text or all_text(macro.body)),
    "include": _write_include,
    "excerpt-include": _write_include,
    **embeds.HANDLERS,
}

ELEMENTS: Final[Mapping[str, ElementWriter]] = {
    "ac:structured-macro": _write_macro,
    "ac:macro": _write_macro,
    "ac:adf-extension": _write_adf,
    **references.ELEMENTS,
}
"""For a `StorageWriter`: what writes the elements that HTML does not have."""

"""Macros that show something from elsewhere: Jira issues, files, diagrams, formulas, charts, other web pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from ragd.diagrams.lines import MAX_LINES, lines_of
from ragd.diagrams.structure.drawio import read_drawio
from ragd.formats.confluence.references import write_picture_named
from ragd.formats.confluence.storage import StorageWriter
from ragd.formats.confluence.xml import Macro, all_text, attribute, name_of

_DIAGRAM_LANGUAGES: Final[Mapping[str, str]] = {
    "mermaid": "mermaid", "mermaid-macro": "mermaid", "mermaid-cloud": "mermaid", "mermaiddiagram": "mermaid",
    "plantuml": "plantuml", "plantumlrender": "plantuml", "plantumlcloud": "plantuml", "graphviz": "dot", "flowchart": "dot",
    "sequence-diagram": "", "websequencediagram": "", "markmap": "markdown", "drawing-text": "",
}  # fmt: skip
"""Macros whose text describes a diagram -> the language of that text."""

_KEY: Final = re.compile(r"\b[A-Z][A-Z0-9_]{1,30}-[0-9]{1,10}\b")
_MAX_ROADMAP: Final = 500
_UNNAMED: Final = "without a name"


def _write_jira(writer: StorageWriter, macro: Macro) -> None:
    known = writer.page.envelope.jira
    if key := macro.get("key"):
        record = known.get(key, {})
        label = f"{key}: {record['summary']}" if record.get("summary") else key
        if url := writer.page.address(record.get("url", "")):
            writer.link(url, label)
        else:
            writer.text(label)
        if record.get("status"):
            writer.badge(record["status"])
        return
    query = macro.get("jqlQuery", "jqlquery", "url", "")
    with writer.inside("p"):
        writer.phrase("Jira issues: ", "strong")
        writer.phrase(query, "code")
    named = [key for key in dict.fromkeys(_KEY.findall(query)) if key in known]
    rest = [key for key in known if key not in writer.page.shown_issues] if writer.page.lone_query else []
    if rows := named or rest:
        _write_issues(writer, rows)


def _write_issues(writer: StorageWriter, keys: list[str]) -> None:
    with writer.inside("table"):
        writer.raw("<tr><th>Key</th><th>Summary</th><th>Status</th></tr>")
        for key in keys:
            record = writer.page.envelope.jira[key]
            with writer.inside("tr"):
                with writer.inside("td"), writer.inside("a", href=writer.page.address(record.get("url", ""))):
                    writer.text(key)
                for name in ("summary", "status"):
                    with writer.inside("td"):
                        writer.text(record.get(name, ""))


def _write_drawing(writer: StorageWriter, macro: Macro) -> None:
    """A diagram: its name, its picture where the page has one, and the words in it, which only so can be found."""
    name = macro.get("diagramName", "name", "filename", "diagramDisplayName")
    shown = macro.get("diagramDisplayName", "displayName", "diagramName", "name", "filename")
    writer.paragraph(f"Diagram: {shown or _UNNAMED}", "strong")
    for file in (f"{name}.png", f"{name}.svg", name):
        if write_picture_named(writer, file, shown):
            break
    is_shown = not writer.included and writer.page.first_time(f"drawing {name}")
    source = writer.page.envelope.drawings.get(name, "") if is_shown else ""
    pages = read_drawio(source) if source else []
    lines = [line for page in pages for line in [*([f"{page.name}:"] if len(pages) > 1 and page.name else []), *lines_of(page)]]
    if lines:
        writer.page.drawn.append((f"Diagram: {shown or _UNNAMED}", [page.diagram for page in pages if page.diagram]))
        writer.items(lines[:MAX_LINES])
    elif source:
        writer.page.notes["drawings that could not be read"] += 1


def _write_diagram_source(writer: StorageWriter, macro: Macro) -> None:
    writer.paragraph(macro.get("title"), "strong")
    text = macro.text or all_text(macro.body) or macro.get("data", "source", "code")
    if text.strip():
        writer.code(text, _DIAGRAM_LANGUAGES[macro.name])
    else:
        writer.badge(f"{macro.name} diagram: {macro.get('filename', 'name') or 'its text is stored elsewhere'}")


def _write_file(writer: StorageWriter, macro: Macro) -> None:
    """A preview of an attached file: its name, and where to open it."""
    target = macro.target
    name = attribute(target, "filename") if target is not None else macro.get("name", "file", "")
    _write_file_line(writer, name or writer.page.target_text(target))


def _write_attachments(writer: StorageWriter, macro: Macro) -> None:  # noqa: ARG001
    """The list of all that is attached to the page."""
    is_shown = not writer.included and writer.page.first_time("attachments")
    names = sorted(writer.page.envelope.attachments) if is_shown else []
    if not names:
        writer.badge("list of attached files")
        return
    with writer.inside("ul"):
        for name in names:
            with writer.inside("li"):
                _write_file_line(writer, name)


def _write_file_line(writer: StorageWriter, name: str) -> None:
    url = "" if writer.included else writer.page.file_url(name)
    if url:
        writer.link(url, name)
    else:
        writer.badge(f"file: {name or 'without a name'}")


def _write_address(writer: StorageWriter, macro: Macro) -> None:
    """Something that another site shows inside of the page: where that is."""
    address = writer.page.target_text(macro.target) or macro.get("url", "src", "address", "")
    writer.paragraph(macro.get("title"), "strong")
    if address:
        with writer.inside("p"):
            writer.link(writer.page.address(address), address)
    else:
        writer.badge(f"{macro.name}: without an address")


def _write_formula(writer: StorageWriter, macro: Macro) -> None:
    formula = (macro.text or all_text(macro.body) or macro.get("body", "equation", "formula", "latex", "")).strip().strip("$")
    if "inline" in macro.name:
        writer.text(f"${formula}$")
    else:
        writer.paragraph(f"$${formula}$$")


def _write_chart(writer: StorageWriter, macro: Macro) -> None:
    """The numbers that a chart is drawn from, as the table that they are."""
    axes = [f"{axis}: {macro.get(key)}" for axis, key in (("x", "xLabel"), ("y", "yLabel")) if macro.get(key)]
    title = macro.get("title") or "Chart"
    writer.paragraph(f"{title} ({', '.join(axes)})" if axes else title, "strong")
    if macro.body is not None:
        with writer.inside("div"):
            writer.children(macro.body)


def _write_profile(writer: StorageWriter, macro: Macro) -> None:
    user = next((target for target in macro.targets.values() if name_of(target) == "ri:user"), None)
    writer.text(f"@{macro.get('user') or 'unknown user'}" if user is None else writer.page.target_text(user))


def _write_roadmap(writer: StorageWriter, macro: Macro) -> None:
    """Its lanes, bars and markers by title; the macro keeps them as JSON in a parameter."""
    writer.paragraph(macro.get("title") or "Roadmap", "strong")
    try:
        plan = json.loads(unquote_plus(macro.get("source")) or "null")
    except (ValueError, RecursionError):
        plan = None
    lines = list(_roadmap_lines(plan))[:_MAX_ROADMAP] if isinstance(plan, dict) else []
    if lines:
        writer.items(lines)
    else:
        writer.badge("the roadmap's parts could not be read")


def _roadmap_lines(plan: Mapping[str, Any]) -> Iterator[str]:
    if title := _title(plan):
        yield title
    for lane in _objects(plan, "lanes"):
        bars = [text for bar in _objects(lane, "bars") if (text := _bar(bar))]
        if said := ": ".join(part for part in (_title(lane), "; ".join(bars)) if part):
            yield said
    for marker in _objects(plan, "markers"):
        if title := _title(marker):
            yield f"{title} ({date})" if (date := str(marker.get("markerDate", ""))[:10]) else title


def _bar(bar: Mapping[str, Any]) -> str:
    starts = str(bar.get("startDate", ""))[:10]
    says = str(bar.get("description", "")).strip()
    return f"{_title(bar)}{f' ({starts})' if starts else ''}{f': {says}' if says else ''}"


def _title(part: Mapping[str, Any]) -> str:
    return str(part.get("title") or "").strip()


def _objects(part: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = part.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


HANDLERS: Final[Mapping[str, Callable[[StorageWriter, Macro], None]]] = {
    "jira": _write_jira,
    "jiraissues": _write_jira,
    **dict.fromkeys(("drawio", "inc-drawio", "drawio-sketch", "gliffy"), _write_drawing),
    **dict.fromkeys(("view-file", "viewfile", "viewpdf", "viewdoc", "viewxls", "viewppt", "multimedia"), _write_file),
    **dict.fromkeys(("attachments", "space-attachments", "gallery"), _write_attachments),
    **dict.fromkeys(("widget", "iframe", "html-include", "figma", "loom", "miro"), _write_address),
    **dict.fromkeys(
        ("mathblock", "mathinline", "mathdisplay", "mathblock-ref", "latex", "latex-inline", "latex-block", "math",
         "eazy-math-block", "eazy-math-inline", "easy-math-block", "easy-math-inline"),
        _write_formula,
    ),
    **dict.fromkeys(_DIAGRAM_LANGUAGES, _write_diagram_source),
    "chart": _write_chart,
    "roadmap": _write_roadmap,
    "profile": _write_profile,
    "profile-picture": _write_profile,
}  # fmt: skip

"""Texts of Jira as blocks, from which come ADF (Cloud) and wiki markup (Data Center) of the same meaning.

A text is a list of tuples: ("p", inlines), ("h", level, text), ("ul" | "ol", items, where an item is inlines or (inlines, items
below)), ("code", language, text), ("panel", info | note | warning | success | error, inlines), ("quote", inlines), ("table", rows
of texts, the first is the head), ("media", file name, attachment id), ("expand", title, blocks), ("tasks", [(done, text)]),
("rule",). Inlines are lists of texts ("\\n" is a forced line break) and tuples: ("b" | "i" | "code" | "strike", text),
("link", text, address), ("mention", account id), ("status", text), ("emoji", short name, character), ("card", address). A plain
text stands for its paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from .model import User

_IDS = UUID("5a3ed5b2-9b4c-4f0a-8f0a-2f4e6a7c1d10")
_MARKS = {"b": "strong", "i": "em", "code": "code", "strike": "strike"}
_WIKI_MARKS = {"b": "*{}*", "i": "_{}_", "code": "{{{{{}}}}}", "strike": "-{}-"}
# Jira's panels in wiki markup have a colour in place of a kind.
_WIKI_COLOURS = {"info": "#deebff", "note": "#eae6ff", "warning": "#fffae6", "success": "#e3fcef", "error": "#ffebe6"}


def as_blocks(text: Any) -> list[Any]:
    if text is None:
        return []
    if isinstance(text, str):
        return [("p", [part]) for part in re.split(r"\n\s*\n", text.strip()) if part]
    return list(text)


def plain(text: Any) -> str:
    """All words, for a search."""
    if isinstance(text, str):
        return text
    if isinstance(text, (list, tuple)):
        return " ".join(plain(part) for part in text)
    return ""


def to_adf(text: Any, users: Mapping[str, User]) -> dict[str, Any] | None:
    """A document node; None for no text."""
    if text is None:
        return None
    return {"type": "doc", "version": 1, "content": [_adf_block(block, users) for block in as_blocks(text)]}


def _adf_block(block: Any, users: Mapping[str, User]) -> dict[str, Any]:
    name = block[0]
    if name == "p":
        return {"type": "paragraph", "content": _adf_inlines(block[1], users)}
    if name == "h":
        return {"type": "heading", "attrs": {"level": block[1]}, "content": [{"type": "text", "text": block[2]}]}
    if name in ("ul", "ol"):
        items = [_adf_list_item(name, item, users) for item in block[1]]
        return (
            {"type": "bulletList", "content": items}
            if name == "ul"
            else {"type": "orderedList", "attrs": {"order": 1}, "content": items}
        )
    if name == "code":
        return {"type": "codeBlock", "attrs": {"language": block[1]}, "content": [{"type": "text", "text": block[2]}]}
    if name == "panel":
        return {"type": "panel", "attrs": {"panelType": block[1]}, "content": [_adf_paragraph(block[2], users)]}
    if name == "quote":
        return {"type": "blockquote", "content": [_adf_paragraph(block[1], users)]}
    if name == "table":
        return _adf_table(block[1], users)
    if name == "media":
        attributes = {
            "id": str(uuid5(_IDS, block[2])),
            "type": "file",
            "collection": "",
            "alt": block[1],
            "width": 320,
            "height": 160,
        }
        return {"type": "mediaSingle", "attrs": {"layout": "align-start"}, "content": [{"type": "media", "attrs": attributes}]}
    if name == "expand":
        return {"type": "expand", "attrs": {"title": block[1]}, "content": [_adf_block(inner, users) for inner in block[2]]}
    if name == "tasks":
        tasks = [
            {
                "type": "taskItem",
                "attrs": {"localId": str(uuid5(_IDS, task)), "state": "DONE" if done else "TODO"},
                "content": [{"type": "text", "text": task}],
            }
            for done, task in block[1]
        ]
        return {"type": "taskList", "attrs": {"localId": str(uuid5(_IDS, plain(block)))}, "content": tasks}
    if name == "rule":
        return {"type": "rule"}
    raise ValueError(f"there is no block {name}")


def _adf_paragraph(inlines: Any, users: Mapping[str, User]) -> dict[str, Any]:
    return {"type": "paragraph", "content": _adf_inlines(inlines, users)}


def _adf_list_item(name: str, item: Any, users: Mapping[str, User]) -> dict[str, Any]:
    inlines, below = item if isinstance(item, tuple) else (item, None)
    content = [_adf_paragraph(inlines, users)]
    if below:
        content.append(_adf_block((name, below), users))
    return {"type": "listItem", "content": content}


def _adf_table(rows: list[list[Any]], users: Mapping[str, User]) -> dict[str, Any]:
    def cell(value: Any, head: bool) -> dict[str, Any]:
        inlines = value if isinstance(value, list) else [value]
        return {"type": "tableHeader" if head else "tableCell", "attrs": {}, "content": [_adf_paragraph(inlines, users)]}

    content = [{"type": "tableRow", "content": [cell(value, number == 0) for value in row]} for number, row in enumerate(rows)]
    return {"type": "table", "attrs": {"isNumberColumnEnabled": False, "layout": "default"}, "content": content}


def _adf_inlines(inlines: Any, users: Mapping[str, User]) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for inline in inlines:
        if isinstance(inline, str):
            for number, line in enumerate(inline.split("\n")):
                nodes += [{"type": "hardBreak"}] if number else []
                nodes += [{"type": "text", "text": line}] if line else []
            continue
        name = inline[0]
        if name in _MARKS:
            nodes.append({"type": "text", "text": inline[1], "marks": [{"type": _MARKS[name]}]})
        elif name == "link":
            nodes.append({"type": "text", "text": inline[1], "marks": [{"type": "link", "attrs": {"href": inline[2]}}]})
        elif name == "mention":
            nodes.append(
                {"type": "mention", "attrs": {"id": inline[1], "text": "@" + users[inline[1]].display_name, "accessLevel": ""}}
            )
        elif name == "status":
            nodes.append(
                {"type": "status", "attrs": {"text": inline[1], "color": "green", "localId": str(uuid5(_IDS, inline[1]))}}
            )
        elif name == "emoji":
            nodes.append({"type": "emoji", "attrs": {"shortName": f":{inline[1]}:", "id": inline[1], "text": inline[2]}})
        elif name == "card":
            nodes.append({"type": "inlineCard", "attrs": {"url": inline[1]}})
        else:
            raise ValueError(f"there is no inline {name}")
    return nodes


def to_wiki(text: Any, users: Mapping[str, User]) -> str | None:
    """Wiki markup; None for no text."""
    if text is None:
        return None
    return "\r\n\r\n".join(_wiki_block(block, users) for block in as_blocks(text))


def _wiki_block(block: Any, users: Mapping[str, User]) -> str:
    name = block[0]
    if name == "p":
        return _wiki_inlines(block[1], users)
    if name == "h":
        return f"h{block[1]}. {block[2]}"
    if name in ("ul", "ol"):
        return "\r\n".join(_wiki_items(block[1], "*" if name == "ul" else "#", users))
    if name == "code":
        return f"{{code:{block[1]}}}\r\n{block[2]}\r\n{{code}}"
    if name == "panel":
        return f"{{panel:bgColor={_WIKI_COLOURS[block[1]]}}}\r\n{_wiki_inlines(block[2], users)}\r\n{{panel}}"
    if name == "quote":
        return f"{{quote}}\r\n{_wiki_inlines(block[1], users)}\r\n{{quote}}"
    if name == "table":
        return "\r\n".join(_wiki_row(row, "||" if number == 0 else "|", users) for number, row in enumerate(block[1]))
    if name == "media":
        return f"!{block[1]}|width=320!"
    if name == "expand":
        inner = "\r\n".join(_wiki_block(part, users) for part in block[2])
        return f"{{panel:title={block[1]}}}\r\n{inner}\r\n{{panel}}"
    if name == "tasks":
        return "\r\n".join(f"* {'(/)' if done else '( )'} {task}" for done, task in block[1])
    if name == "rule":
        return "----"
    raise ValueError(f"there is no block {name}")


def _wiki_items(items: list[Any], sign: str, users: Mapping[str, User]) -> list[str]:
    lines: list[str] = []
    for item in items:
        inlines, below = item if isinstance(item, tuple) else (item, None)
        lines.append(f"{sign} {_wiki_inlines(inlines, users)}")
        lines += _wiki_items(below, sign + sign[0], users) if below else []
    return lines


def _wiki_row(row: list[Any], bar: str, users: Mapping[str, User]) -> str:
    cells = [_wiki_inlines(value if isinstance(value, list) else [value], users) for value in row]
    return bar + bar.join(cells) + bar


def _wiki_inlines(inlines: Any, users: Mapping[str, User]) -> str:
    text = ""
    for inline in inlines:
        if isinstance(inline, str):
            text += re.sub(r"([{}\[\]])", r"\\\1", inline).replace("\n", " \\\\\r\n")
        elif inline[0] in _WIKI_MARKS:
            text += _WIKI_MARKS[inline[0]].format(inline[1])
        elif inline[0] == "link":
            text += f"[{inline[1]}|{inline[2]}]"
        elif inline[0] == "mention":
            text += f"[~{users[inline[1]].name}]"
        elif inline[0] == "status":
            text += f"{{color:#14892c}}*{inline[1]}*{{color}}"
        elif inline[0] == "emoji":
            text += inline[2]
        elif inline[0] == "card":
            text += f"[{inline[1]}]"
        else:
            raise ValueError(f"there is no inline {inline[0]}")
    return text

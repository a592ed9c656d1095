"""Pieces of Confluence's storage format, as its editors write them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from uuid import UUID, uuid5

_IDS = UUID("2f6c1c40-53f2-4a42-9a0c-6f2d8f0b7e55")


def macro(name: str, body: str = "", **parameters: str) -> str:
    """`body` is markup already; parameters are texts, `_` in a name stands for `-`."""
    inner = "".join(parameter(key, escape(value)) for key, value in parameters.items())
    local = uuid5(_IDS, name + inner + body)
    return (
        f'<ac:structured-macro ac:name="{name}" ac:schema-version="1" ac:macro-id="{local}">{inner}{body}</ac:structured-macro>'
    )


def parameter(name: str, value: str) -> str:
    return f'<ac:parameter ac:name="{"" if name == "default" else name.replace("_", "-")}">{value}</ac:parameter>'


def rich(body: str) -> str:
    return f"<ac:rich-text-body>{body}</ac:rich-text-body>"


def h(level: int, text: str) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def p(*parts: str) -> str:
    """Parts are markup."""
    return f"<p>{''.join(parts)}</p>"


def ul(items: Sequence[str], tag: str = "ul") -> str:
    return f"<{tag}>{''.join(f'<li><p>{item}</p></li>' for item in items)}</{tag}>"


def code(language: str, text: str, title: str = "") -> str:
    body = f"<ac:plain-text-body><![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]></ac:plain-text-body>"
    return macro("code", body, language=language, **({"title": title} if title else {}))


def panel(kind: str, body: str, title: str = "") -> str:
    """`kind`: info, note, warning, tip."""
    return macro(kind, rich(body), **({"title": title} if title else {}))


def tasks(items: Sequence[tuple[bool, str]]) -> str:
    made = "".join(
        f"<ac:task><ac:task-id>{number}</ac:task-id><ac:task-status>{'complete' if done else 'incomplete'}</ac:task-status>"
        f"<ac:task-body><span>{text}</span></ac:task-body></ac:task>"
        for number, (done, text) in enumerate(items, 1)
    )
    return f"<ac:task-list>{made}</ac:task-list>"


def expand(title: str, body: str) -> str:
    return macro("expand", rich(body), title=title)


def status(text: str, colour: str = "Green") -> str:
    return macro("status", title=text, colour=colour)


def jira(key: str) -> str:
    return macro("jira", server="System Jira", key=key)


def jira_rows(jql: str) -> str:
    return macro("jira", server="System Jira", jqlQuery=jql, columns="key,summary,status", maximumIssues="20")


def page_reference(title: str, space: str = "") -> str:
    key = f' ri:space-key="{space}"' if space else ""
    return f'<ri:page{key} ri:content-title="{escape(title)}" />'


def include(title: str, *, excerpt: bool = False) -> str:
    return macro("excerpt-include" if excerpt else "include", parameter("default", f"<ac:link>{page_reference(title)}</ac:link>"))


def page_link(title: str, text: str, anchor: str = "", space: str = "") -> str:
    at = f' ac:anchor="{escape(anchor)}"' if anchor else ""
    body = f"<ac:plain-text-link-body><![CDATA[{text}]]></ac:plain-text-link-body>"
    return f"<ac:link{at}>{page_reference(title, space)}{body}</ac:link>"


def file_link(name: str, text: str) -> str:
    return f'<ac:link><ri:attachment ri:filename="{escape(name)}" /><ac:link-body>{escape(text)}</ac:link-body></ac:link>'


def mention(account_id: str) -> str:
    return f'<ac:link><ri:user ri:account-id="{account_id}" /></ac:link>'


def image(name: str, alt: str = "", width: int = 360) -> str:
    text = f' ac:alt="{escape(alt)}"' if alt else ""
    return f'<ac:image ac:align="center" ac:width="{width}"{text}><ri:attachment ri:filename="{escape(name)}" /></ac:image>'


def drawio(name: str) -> str:
    return macro("drawio", diagramName=name, diagramDisplayName=name, revision="1", width="640", zoom="1", simple="0")


def table(rows: Sequence[Sequence[str]], merged: Sequence[tuple[str, str]] = ()) -> str:
    """The first row is the head. Each of `merged` makes two rows: its first text spans both, its other one all other columns."""
    head, *rest = rows
    made = "<tr>" + "".join(f"<th><p>{cell}</p></th>" for cell in head) + "</tr>"
    made += "".join("<tr>" + "".join(f"<td><p>{cell}</p></td>" for cell in row) + "</tr>" for row in rest)
    for first, other in merged:
        blank = "<td><p>–</p></td>" * (len(head) - 2)
        made += f'<tr><td rowspan="2"><p>{first}</p></td><td><p>{other}</p></td>{blank}</tr>'
        made += f'<tr><td colspan="{len(head) - 1}"><p>{other}</p></td></tr>'
    return f'<table data-layout="default"><colgroup>{"<col />" * len(head)}</colgroup><tbody>{made}</tbody></table>'


def layout(left: str, right: str) -> str:
    cells = f"<ac:layout-cell>{left}</ac:layout-cell><ac:layout-cell>{right}</ac:layout-cell>"
    return f'<ac:layout><ac:layout-section ac:type="two_equal">{cells}</ac:layout-section></ac:layout>'

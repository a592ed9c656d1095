"""Jira issues: what a Jira source fetched of one, as Markdown.

The envelope is UTF-8 JSON of the format `jira/1`, the same bytes for the same issue:

    {"format": "jira/1", "deployment": "cloud|data_center", "id": "10001", "key": "PROJ-1",
     "project": {"key": "PROJ", "name": "…"}, "summary": "…", "url": "https://…/browse/PROJ-1", "created": "…Z", "updated": "…Z",
     "fields": [["Type", "Bug"], ["Links", ["blocks PROJ-2"]]],     names and values in the order in which they are shown
     "status": "Open", "type": "Bug", "assignee": "…", "reporter": "…", "labels": ["…"], "components": ["…"],
     "texts": [["Description", BODY], ["Environment", BODY]],
     "users": {"<account id or user name>": "Display Name"},
     "comments": [{"id": "9", "author": "…", "created": "…Z", "body": BODY}], "withheld": 0,
     "attachments": [{"name": "a.pdf", "size": 1234}]}

A BODY is `{"format": "adf", "value": {…}}` or `{"format": "wiki", "value": "…"}`.
`withheld` counts comments that not everybody who sees the issue may read; they are not in the envelope.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentDamaged, TooComplex, WrongType
from ragd.core.sections import ANCESTORS
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.naming import MAX_TITLE_CHARS, metadata_of
from ragd.formats.jira.adf import write_adf
from ragd.formats.jira.content import IssueContent
from ragd.formats.jira.wiki_markup import write_wiki
from ragd.providers.protocols import ALONE, LoadContext

_FORMAT: Final = "jira/1"
_COMMENT_TAB: Final = "com.atlassian.jira.plugin.system.issuetabpanels:comment-tabpanel"
_KEPT: Final = ("key", "type", "status", "priority", "resolution", "assignee", "reporter", "created", "updated")


class JiraLoader(FormatLoader):
    """One issue with its fields, texts, comments and the names of its attachments."""

    name = "jira"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        issue = _parsed(data, name)
        try:
            content, title = _written(issue)
            metadata = _metadata(issue)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DocumentDamaged(f"'{name}' is no issue as a Jira source keeps it ({type(error).__name__}).") from error
        except RecursionError as error:
            raise TooComplex(f"'{name}' is nested too deeply to be read.") from error
        return self._document(title, content, metadata, prose=_prose(content.markdown, issue))


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    try:
        issue = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DocumentDamaged(f"'{name}' is no JSON that can be read.") from error
    if not isinstance(issue, dict) or issue.get("format") != _FORMAT:
        raise WrongType(f"'{name}' is no issue of the format {_FORMAT}. Sync the source again.")
    return issue


def _written(issue: Mapping[str, Any]) -> tuple[IssueContent, str]:
    content = IssueContent()
    title = " ".join(f"{issue['key']}: {issue['summary']}".split())
    content.heading(1, title, Place())
    content.lines([f"- {name}: {_listed(value)}" for name, value in issue["fields"]])
    users: Mapping[str, str] = issue["users"]
    for heading, body in issue["texts"]:
        with content.section(2, heading):
            _write(content, body, 2, users)
    if issue["comments"] or issue["withheld"]:
        content.heading(2, "Comments", Place())
    if count := issue["withheld"]:
        content.paragraph(f"{count} comment{'s' * (count > 1)} for a part of the readers only: not included.")
    for comment in issue["comments"]:
        anchor = _anchor(str(comment["id"]), issue["deployment"])
        content.heading(3, f"{comment['author'] or 'Unknown'}, {_minute(comment['created'])}", Place(anchor=anchor))
        _write(content, comment["body"], 3, users)
    if issue["attachments"]:
        content.heading(2, "Attachments", Place())
        content.lines([f"- {' '.join(attachment['name'].split())}" for attachment in issue["attachments"]])
    return content, title[:MAX_TITLE_CHARS]


def _write(content: IssueContent, body: Mapping[str, Any], below: int, users: Mapping[str, str]) -> None:
    if body["format"] == "adf":
        write_adf(content, body["value"], below, users)
    else:
        write_wiki(content, body["value"], below, users)


def _listed(value: Any) -> str:
    return " ".join(", ".join(map(str, value)).split()) if isinstance(value, list) else " ".join(str(value).split())


def _anchor(comment: str, deployment: str) -> str:
    if deployment == "cloud":
        return f"?focusedCommentId={comment}"
    return f"?focusedCommentId={comment}&page={_COMMENT_TAB}#comment-{comment}"


def _minute(moment: str) -> str:
    """`2026-01-02 03:04 UTC` of `2026-01-02T03:04:05Z`."""
    return f"{moment[:10]} {moment[11:16]} UTC" if len(moment) >= 16 else moment


def _prose(markdown: str, issue: Mapping[str, Any]) -> str:
    """What people wrote: the names of fields are English in every language."""
    first = next((at for heading, _ in issue["texts"] if (at := markdown.find(f"\n## {heading}\n")) >= 0), len(markdown))
    return f"{issue['summary']}\n{markdown[first:]}"


def _metadata(issue: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: str(issue[name]) for name in _KEPT if issue.get(name)}
    tags = list(dict.fromkeys([*issue["labels"], *issue["components"]]))
    project = issue["project"]["key"]
    return {ANCESTORS: [project]} | metadata_of(**kept, project=project, tags=tags)

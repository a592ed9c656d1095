"""What is put behind a page's address to open it at a heading or a comment, as each deployment makes it."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal
from urllib.parse import quote

from ragd.core.documents import Place

Deployment = Literal["cloud", "data_center"]

# What a fragment may hold as it is; parentheses would end a link in Markdown.
_SAFE: Final = "-._~!$&'*+,;=:@/?"


class Anchors:
    """The anchors of one page's headings, in their order; the second of equal ones ends with `.1`, the third with `.2`."""

    def __init__(self, deployment: Deployment, page_title: str) -> None:
        self._before = "" if deployment == "cloud" else f"{''.join(page_title.split())}-"
        self._blank = "-" if deployment == "cloud" else ""
        self._seen: Counter[str] = Counter()

    def next(self, heading: str) -> str:
        """`heading` is its text without markup."""
        name = self._before + self._blank.join(heading.split())
        before = self._seen[name]
        self._seen[name] += 1
        return f"#{quote(f'{name}.{before}' if before else name, safe=_SAFE)}"


def comment_place(deployment: Deployment, page_url: str, comment_id: str) -> Place:
    number = quote(comment_id, safe="")
    mark = "&" if "?" in page_url else "?"
    jump = "" if deployment == "cloud" else f"#comment-{number}"
    return Place(anchor=f"{mark}focusedCommentId={number}{jump}")

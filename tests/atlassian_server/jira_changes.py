"""What people do in Jira. Each change of an issue or of a part of it is its update; it reaches searches after `index_lag_s`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .model import Attachment, Comment, Issue
from .store import Store


class JiraChanges(Store):
    def add_issue(self, project: str, summary: str, description: Any = None, **fields: Any) -> Issue:
        """`description` and comments are text (blank lines part paragraphs) or blocks of `blocks.py`."""
        now = self.clock.now()
        with self.lock:
            place = self.projects[project]
            place.last_number += 1
            number, key = str(self.next_number("issue", 10001)), f"{project}-{place.last_number}"
            issue = Issue(
                number, now, now, next(iter(self.users)), now, None, key, project, place.last_number, summary, description
            )
            _set(issue, fields)
            return self.keep_issue(issue)

    def edit_issue(self, key: str, **fields: Any) -> Issue:
        issue = self._issue_to_change(key)
        with self.lock:
            _set(issue, fields)
        return issue

    def delete_issue(self, key: str) -> None:
        issue = self._issue_to_change(key)
        with self.lock:
            issue.deleted = True

    def restrict_issue(self, key: str, readers: Iterable[str] | None = ()) -> None:
        """As a security level does: only these tokens may read it."""
        with self.lock:
            self.issue(key).readers = None if readers is None else frozenset(readers)

    def comment_issue(self, key: str, body: Any, *, author: str = "") -> Comment:
        issue = self._issue_to_change(key)
        with self.lock:
            number = str(self.next_number("issue comment", 30001))
            who, now = author or issue.author, issue.updated
            return self.keep_part(Comment(number, now, now, who, owner=issue.id, kind="issue", body=body))

    def attach_issue(self, key: str, name: str, data: bytes, media_type: str) -> Attachment:
        issue = self._issue_to_change(key)
        with self.lock:
            number, now = str(self.next_number("issue attachment", 20001)), issue.updated
            part = Attachment(number, now, now, issue.author, owner=issue.id, name=name, media_type=media_type, content=data)
            return self.keep_part(part)

    def edit_issue_comment(self, key: str, id: str, body: Any) -> Comment:
        issue = self._issue_to_change(key)
        with self.lock:
            comment = self.comments[id]
            comment.body, comment.updated = body, issue.updated
        return comment

    def delete_issue_part(self, key: str, id: str) -> None:
        """Remove a comment or an attachment of an issue, which is an update of the issue."""
        issue = self._issue_to_change(key)
        with self.lock:
            self.of_owner[issue.id].remove(id)
            if self.comments.pop(id, None) is None:
                del self.attachments[id]

    def remove_project(self, key: str) -> None:
        with self.lock:
            del self.projects[key]
            for issue in [issue for issue in self.issues.values() if issue.project == key]:
                del self.issues[issue.id]

    def _issue_to_change(self, key: str) -> Issue:
        issue = self.issue(key)
        now = self.clock.now()
        issue.will_change(now, self.index_lag_s)
        issue.updated = now
        return issue


def _set(issue: Issue, fields: dict[str, Any]) -> None:
    for name, value in fields.items():
        if name.startswith("customfield_"):
            issue.custom = {**issue.custom, name: value}
        elif hasattr(issue, name):
            setattr(issue, name, value)
        else:
            raise ValueError(f"an issue has no field {name}")

"""Jira as a source: issues with their comments, and the files attached to them.

A cheap listing names the keys of all issues, 5,000 a request; it gives neither their versions nor their attachments. Both come
with `changes`, which says of each issue that changed what is attached to it now, and with a deep listing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, Final

from ragd.core.errors import SourceRefused
from ragd.sources.atlassian.check import check_site
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.atlassian.fields import Fields
from ragd.sources.atlassian.responses import RequestRefused
from ragd.sources.atlassian.values import chunks, text_of
from ragd.sources.base import CloudPreview, Container, Current, Fetched, HttpOptions, Listed, Unfetched, Usage
from ragd.sources.jira.api import BATCH, ITEM_FAULTS, Issue, JiraApi, Patience, in_batches, skip_for
from ragd.sources.jira.cloud import JiraCloud
from ragd.sources.jira.dc import JiraDataCenter
from ragd.sources.jira.issues import TEXT_FIELDS, CustomField, project_of
from ragd.sources.jira.items import ISSUE, Items

_MAX_COUNTED: Final = 20
"""Projects whose issues a preview counts, a request for each, when there are too many to list."""
_PREVIEWED: Final = 5000
"""Issues that a preview lists to count them."""
_SHOWN_NAMES: Final = 10

_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]{0,254}")
_MOST_JQL: Final = 2000
_PROJECTS_A_QUERY: Final = 100
_PATIENCE_OF_A_PERSON: Final = 3


class JiraSource:
    """Projects, or what a JQL finds, at one site."""

    type = "jira"

    def __init__(self, config: Mapping[str, Any], token: str, http: HttpOptions) -> None:
        self._config = config
        self._http = http
        self._client = AtlassianClient(config["base_url"], Auth.of(config, token), http, product="jira")
        self._api = _api(config, self._client)

    @classmethod
    def parse_config(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        fields = Fields(values, ("projects", "jql", "custom_fields"), "jira")
        config = {
            **fields.site(),
            "projects": _projects(fields),
            "jql": fields.query("jql", _MOST_JQL, "labels = howto"),
            "custom_fields": fields.texts("custom_fields"),
            **fields.shared(),
        }
        fields.check()
        return config

    def close(self) -> None:
        self._client.close()

    def check(self) -> CloudPreview:
        account = check_site(self._client, self._config, product="jira")
        visible = self._api.projects()
        self._check_names(visible)
        keys = [text_of(issue, "key") for issue in islice(self._found(visible), _PREVIEWED + 1)]
        complete = len(keys) <= _PREVIEWED
        listed = Counter(map(project_of, keys))
        chosen = self._chosen(visible)
        projects = sorted(listed) if chosen is None else chosen
        containers = [
            Container(key, visible.get(key, key), listed[key] if complete else self._count(key) if index < _MAX_COUNTED else None)
            for index, key in enumerate(projects)
        ]
        warnings = () if keys else ("No issue is found. Check projects and jql, and what the account may read.",)
        return CloudPreview(account, self._config["deployment"], tuple(containers), tuple(keys[:_SHOWN_NAMES]), warnings)

    def listing(self, *, deep: bool) -> Iterator[Listed]:
        found = self._found(self._api.projects())
        yield from self._looked_at(found) if deep else map(self._items.listed, found)

    def changes(self, since: datetime) -> Iterator[Listed]:
        # Dates in JQL are read in the zone of the account and have minutes; milliseconds are the same for all.
        yield from self._looked_at(self._found(self._api.projects(), f"updated >= {int(since.timestamp() * 1000)}"))

    def fetch(self, items: Sequence[Listed]) -> Iterator[Fetched | Unfetched]:
        ids = [item.remote_id for item in items if item.kind == ISSUE]
        yield from self._fetched(self._api, ids, Patience())
        for item in items:
            if item.kind != ISSUE:
                yield self._items.fetched_attachment(item, self._client)

    def current(self, items: Sequence[Listed], token: str, *, content: bool) -> dict[str, Current]:
        """Attachments are readable when their issue is, and still attached to it."""
        client = self._client.with_auth(Auth.of(self._config, token), replace(self._http, usage=Usage()))
        api = _api(self._config, client)
        owners = list(dict.fromkeys((item.owner or item.id).partition("/")[2] for item in items))
        with_files = any(item.kind != ISSUE for item in items)
        fields = self._fields if content else ["updated", "attachment"] if with_files else ["updated"]
        found: dict[str, Current] = {}
        for _, issue in in_batches(owners, BATCH, lambda ids: api.issues(ids, fields), Patience(_PATIENCE_OF_A_PERSON)):
            if isinstance(issue, Mapping):
                current = self._current(api, issue, content=content)
                found |= {current.id: current} if current else {}
                for attached in self._items.attachments(issue, all_of_them=True):
                    file = self._items.fetched_attachment(attached, client)
                    if isinstance(file, Fetched):
                        found[file.id] = Current(file.id, file.version, file.updated_at, file if content else None)
        return {item.id: found[item.id] for item in items if item.id in found}

    # What is chosen

    def _chosen(self, visible: Mapping[str, str]) -> list[str] | None:
        """Keys of the projects to read, of those that are there: a JQL that names one that is not is refused as a whole. None
        where the JQL alone decides."""
        if self._config["projects"]:
            return [key for key in self._config["projects"] if key in visible]
        return None if self._config["jql"] else sorted(visible)

    def _queries(self, visible: Mapping[str, str]) -> Iterator[str]:
        """JQL, bounded as Cloud wants it, that together finds each issue once."""
        own = f"({self._config['jql']})" if self._config["jql"] else ""
        chosen = self._chosen(visible)
        if chosen is None:
            yield own
            return
        for part in chunks(chosen, _PROJECTS_A_QUERY):
            keys = ", ".join(f'"{key}"' for key in part)
            yield f"project in ({keys})" + (f" AND {own}" if own else "")

    def _found(self, visible: Mapping[str, str], also: str = "") -> Iterator[Issue]:
        try:
            for query in self._queries(visible):
                yield from self._api.search(f"{query} AND {also}" if also else query)
        except RequestRefused as error:
            if not self._config["jql"]:
                raise
            raise SourceRefused(f"Jira refuses the JQL: {error.said or error.message}", "config.jql") from error

    def _looked_at(self, found: Iterator[Issue]) -> Iterator[Listed]:
        """These issues with their versions and attachments. One that can't be had is listed nevertheless, to be fetched: that it
        fails is for the ledger to report."""
        keys = {text_of(issue, "id"): issue for issue in found}
        fields = ["updated", *(["attachment"] if self._config["attachments"] else [])]
        for issue_id, issue in in_batches(list(keys), BATCH, lambda ids: self._api.issues(ids, fields), Patience()):
            if not isinstance(issue, Mapping):
                yield self._items.unknown(keys[issue_id])
                continue
            yield self._items.listed(issue)
            if self._config["attachments"]:
                yield from self._items.attachments(issue)

    def _count(self, key: str) -> int | None:
        own = f" AND ({self._config['jql']})" if self._config["jql"] else ""
        return self._api.count(f'project = "{key}"{own}')

    def _check_names(self, visible: Mapping[str, str]) -> None:
        missing = [key for key in self._config["projects"] if key not in visible]
        if missing:
            message = f"There is no project {', '.join(missing)}, or the account may not see it."
            raise SourceRefused(f"{message} It sees: {', '.join(sorted(visible)[:20]) or 'none'}.", "config.projects")
        unknown = [name for name in self._config["custom_fields"] if name not in self._known_fields]
        if unknown:
            raise SourceRefused(
                f"Jira has no field called {', '.join(unknown)}. Write its name as issues show it, or its id.",
                "config.custom_fields",
            )

    # What is fetched

    @cached_property
    def _known_fields(self) -> dict[str, list[CustomField]]:
        return self._api.custom_fields(self._config["custom_fields"])

    @property
    def _custom(self) -> list[CustomField]:
        """In the order in which the configuration names them."""
        return [field for name in self._config["custom_fields"] for field in self._known_fields.get(name, ())]

    @property
    def _fields(self) -> list[str]:
        fields = [*TEXT_FIELDS, *(field.id for field in self._custom)]
        return [*fields, "comment"] if self._config["comments"] else fields

    @cached_property
    def _items(self) -> Items:
        return Items(self._config, self._web_base(), self._http.max_size)

    def _web_base(self) -> str:
        """Where people open issues. Atlassian's gateway for apps (`api.atlassian.com/ex/jira/…`) is not that place."""
        if "/ex/jira/" not in self._client.base_url:
            return self._client.base_url
        return text_of(self._client.get(f"{self._api.prefix}/serverInfo"), "baseUrl").rstrip("/") or self._client.base_url

    def _current(self, api: JiraApi, issue: Issue, *, content: bool) -> Current | None:
        version = self._items.version(issue)
        if not content:
            return Current(f"{ISSUE}/{text_of(issue, 'id')}", version, version)
        answer = self._answer(api, issue)
        return Current(answer.id, version, version, answer) if isinstance(answer, Fetched) else None

    def _fetched(self, api: JiraApi, ids: Sequence[str], patience: Patience) -> Iterator[Fetched | Unfetched]:
        for issue_id, issue in in_batches(ids, BATCH, lambda batch: api.issues(batch, self._fields), patience):
            if not isinstance(issue, Mapping):
                yield Unfetched(f"{ISSUE}/{issue_id}", issue)
                continue
            yield self._answer(api, issue, patience)

    def _answer(self, api: JiraApi, issue: Issue, patience: Patience | None = None) -> Fetched | Unfetched:
        """The issue with all its comments, which may take further requests."""
        try:
            comments = api.comments(issue) if self._config["comments"] else []
        except ITEM_FAULTS as error:
            if patience is not None:
                patience.failed(error)
            return Unfetched(f"{ISSUE}/{text_of(issue, 'id')}", skip_for(error))
        return self._items.fetched(issue, comments, self._custom)


def _projects(fields: Fields) -> list[str]:
    keys = list(dict.fromkeys(key.upper() for key in fields.texts("projects")))
    for index, key in enumerate(keys):
        if not _KEY.fullmatch(key):
            message = f"'{key[:80]}' is no project key. Write what stands before the number of its issues: PROJ of PROJ-12."
            fields.note(f"projects[{index}]", message)
    return keys


def _api(config: Mapping[str, Any], client: AtlassianClient) -> JiraApi:
    return JiraCloud(client) if config["deployment"] == "cloud" else JiraDataCenter(client)

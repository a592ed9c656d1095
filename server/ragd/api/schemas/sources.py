"""Sources: what a folder that is followed or a cloud source is told, and how it stands."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from ragd.api.schemas.base import Page, RequestBody
from ragd.api.schemas.jobs import FailedFile
from ragd.core.storage import LiveMode
from ragd.sources.service import State
from ragd.store.ledger import CycleKind, ItemState, Phase


class FolderConfig(RequestBody):
    """What a source of type `folder` is asked to do. Globs are written as in a `.gitignore`, and match in any case."""

    path: str = Field(description="Absolute path of the folder.")
    include: list[str] = Field(default=[], description="Only files that match one of these.")
    exclude: list[str] = Field(default=[], description="No file or folder that matches one of these.")
    gitignore: bool = Field(default=True, description="Leave out what `.gitignore` files name.")
    watch: bool = Field(default=True, description="Follow changes while the daemon runs.")
    poll: bool | None = Field(default=None, description="Find changes by looking; null: on network drives only.")


class Auth(RequestBody):
    """Who a source is read as."""

    kind: Literal["api_token", "pat", "oauth"]
    email: str | None = Field(default=None, description="Of the account; `api_token` needs it.")
    token: str = Field(
        description="Where the token is: `env:NAME`, `file:PATH`, `keyring:NAME`; or `request`: each request brings it."
    )


class CloudConfig(RequestBody):
    """What a source of type `confluence` or `jira` is asked to do. Globs match the path (`SPACE/Title`, an issue key)."""

    base_url: str = Field(description="Such as `https://example.atlassian.net/wiki`; may carry a context path.")
    deployment: Literal["cloud", "data_center"] | None = Field(default=None, description="Else by the address.")
    auth: Auth
    spaces: list[str] = Field(default=[], description="Confluence: keys of spaces; empty: all.")
    cql: str = Field(default="", description="Confluence: a further filter.")
    projects: list[str] = Field(default=[], description="Jira: keys of projects; empty: all.")
    jql: str = Field(default="", description="Jira: a further filter.")
    custom_fields: list[str] = Field(default=[], description="Jira: names or ids of further fields.")
    attachments: bool = True
    comments: bool = True
    include: list[str] = Field(default=[], description="Only items whose path matches one of these.")
    exclude: list[str] = Field(default=[], description="No item whose path matches one of these.")


# Checked by the app, which tells every wrong field at once; the schemas are here for those who read them.
_FOLDER, _CLOUD = FolderConfig.model_json_schema(), CloudConfig.model_json_schema()
_CLOUD["properties"]["auth"] = _CLOUD.pop("$defs")["Auth"]


def _partly(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "required"}


Config = Annotated[dict[str, Any], WithJsonSchema({"anyOf": [_FOLDER, _CLOUD]})]
PartOfConfig = Annotated[dict[str, Any], WithJsonSchema({"anyOf": [_partly(_FOLDER), _partly(_CLOUD)]})]

_SCHEDULE = "Cloud sources: `every 30m`, a cron line, or `off`; null: as the settings say (`sync.schedule`)."
_LIVE = "Cloud sources: what is asked at a hit; null: as the settings say (`live.mode`)."
_PUBLIC = "Cloud sources: whoever may ask this daemon may read what the source's own account reads."


class SourceCreate(RequestBody):
    type: str = Field(description="`folder`, `confluence`, `jira`, or what an installed package adds.")
    name: str | None = Field(default=None, description="Else the folder's or the type's name, with a number when that is taken.")
    collection: str | None = None
    config: Config
    schedule: str | None = Field(default=None, description=_SCHEDULE)
    live: LiveMode | None = Field(default=None, description=_LIVE)
    public: bool | None = Field(default=None, description=_PUBLIC)


class SourceChange(RequestBody):
    name: str | None = None
    config: PartOfConfig | None = Field(default=None, description="Only what is to change.")
    enabled: bool | None = None
    schedule: str | None = Field(default=None, description=_SCHEDULE)
    live: LiveMode | None = Field(default=None, description=_LIVE)
    public: bool | None = Field(default=None, description=_PUBLIC)


class SyncBody(RequestBody):
    allow_empty: bool = Field(
        default=False, description="A folder that is found empty, or a space that is nearly all gone, is meant to be: delete it."
    )
    full: bool = Field(default=False, description="Cloud sources: compare the version of every item.")


class RetryBody(RequestBody):
    items: list[str] | None = Field(default=None, description="Ids of items that were left out; null: all of them.")


class SourceResult(BaseModel):
    """What the last reading did. With `everything` false only what had changed was looked at.

    Cloud sources: `remote` counts what the remote side has, `complete` says that `remote = indexed + skipped`; `held` is gone
    there and kept here, because too much went at once.
    """

    added: int
    updated: int
    unchanged: int
    moved: int
    deleted: int
    skipped: int
    ignored: int
    failed_count: int
    failed: list[FailedFile]
    chunks: int
    embedded: int
    reused: int
    everything: bool
    job_id: str
    remote: int | None = None
    indexed: int | None = None
    held: int | None = None
    complete: bool | None = None
    requests: int | None = None
    throttled_s: float | None = None
    notice: str | None = None


class Source(BaseModel):
    id: str
    type: str
    name: str
    collection: str
    config: dict[str, Any]
    schedule: str | None
    live: LiveMode
    public: bool
    due_at: str | None = Field(description="When it is read next by itself.")
    waits_for_token: bool = Field(
        description="Its token comes with each request, so whoever keeps it has to ask for its reading."
    )
    enabled: bool
    state: State
    followed: bool
    polling: bool
    notice: str | None
    document_count: int
    job_id: str | None
    last_started_at: str | None
    last_finished_at: str | None
    last_result: SourceResult | None
    last_error: str | None
    created_at: str
    updated_at: str


class SourcePreview(BaseModel):
    """What a folder would give: counts, the first names, and the first of what can't be read."""

    files: int
    by_type: dict[str, int]
    names: list[str]
    skipped: int
    ignored: int
    failed_count: int
    failed: list[FailedFile]


class Container(BaseModel):
    """A space or project; `items` is null where the remote side does not count."""

    key: str
    name: str
    items: int | None


class CloudPreview(BaseModel):
    """What a cloud source would give, seen with its own token: who that is, what there is, the first names."""

    account: str
    deployment: str
    containers: list[Container]
    names: list[str]
    warnings: list[str]


class SkippedItem(BaseModel):
    """An item that was left out, and why. `title` is null unless the asking user's token may read it."""

    id: str
    title: str | None
    reason: str | None
    message: str | None


class LedgerCycle(BaseModel):
    """One reading of a cloud source, as `GET /api/sources/{id}/ledger` tells it. `complete`: `remote = indexed + skipped`.

    `skipped` names the items of the newest cycle that came to its end, at most a hundred; `skipped_count` counts them all.
    """

    id: str
    kind: CycleKind
    phase: Phase
    started_at: str
    finished_at: str | None
    remote: int
    indexed: int
    added: int
    updated: int
    unchanged: int
    deleted: int
    skipped_count: int
    skipped: list[SkippedItem]
    held: int
    embedded: int
    requests: int
    throttled_s: float
    active_s: float
    complete: bool
    notice: str | None


class SourceLedger(BaseModel):
    """Newest cycle first. `counts` is how many items are in each state now."""

    cycles: list[LedgerCycle]
    counts: dict[str, int]


class LedgerItem(BaseModel):
    """One item of the remote side and what became of it. `title` is null unless the asking user's token may read it."""

    id: str
    kind: str
    title: str | None
    container: str
    owner: str | None
    state: ItemState
    reason: str | None
    message: str | None
    version: str | None
    remote_updated_at: str | None
    fetched_at: str | None


class LedgerPage(Page[LedgerItem]): ...


class SourcePage(Page[Source]): ...

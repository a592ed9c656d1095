"""What a cloud source is: one interface to implement, and the values that pass through it.

A source says what there is (`listing`), what changed (`changes`) and what an item holds (`fetch`). What is done with it, what is
compared, deleted, counted and tried again, is the sync's concern (`cycle.py`) and the same for all. A new source is one class and
one line in the provider table, kind `source`; `docs/sources.md` shows one, and `testing.CloudSourceContract` holds it to this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, Protocol, runtime_checkable

Reason = Literal["too_large", "unsupported", "forbidden", "gone", "parse_error", "empty", "filtered", "failed"]
"""Why an item of the remote side is not in the index. `failed`: the remote side could not give it, though it should."""

RETRIED: frozenset[Reason] = frozenset(("failed", "forbidden", "gone"))
"""What may be otherwise the next time, though the item does not change; these are asked for again in each cycle."""


FROM_REQUEST: Final = "request"
"""`auth.token` of a source whose token comes with each request, and is kept nowhere."""

ALWAYS_REFETCH: Final = "+"
"""At the end of a fetched fingerprint: the item shows what may change without a sign of its own, such as another page that it
includes, so every deep listing has it fetched again."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Why an item is left out, for people: `message` says what to do where something can be done."""

    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class Listed:
    """One item as the remote side lists it.

    `id` is unique in the source and never changes (`page/123`, `attachment/456`, `issue/10001`). `fingerprint` differs whenever
    the item is to be fetched again: its version, its place in a tree. What a listing does not give stands behind a `|` in what
    `changes` and `fetch` say; a fingerprint without `|` is compared with what stands before it. None: this listing gives none,
    `changes` does. `container` (a space, a project) is what the guard against mass deletion counts by. `owner` is the
    item whose permissions hold for this one (the page of an attachment); None: its own. `hint` is what `fetch` needs to know
    besides, JSON-ready and kept as it is.
    """

    id: str
    kind: str
    title: str
    container: str
    fingerprint: str | None = None
    owner: str | None = None
    updated_at: str | None = None
    left_out: Skip | None = None
    hint: Mapping[str, Any] = field(default_factory=dict)

    @property
    def remote_id(self) -> str:
        """What the remote side calls it: `123` of `page/123`."""
        return self.id.partition("/")[2]


@dataclass(frozen=True, slots=True)
class Fetched:
    """An item as it is now.

    `version` is what the remote side calls it (`7`), and what `Current` is compared with. `source` is its path as people know it
    (`SPACE/Title`, an issue key), `uri` what a citation opens. `name` is a file name, whose extension chooses the loader where
    `loader` is None. `load(limit)` gives the bytes, at most `limit`; it raises `PayloadTooLarge` or another `RagError` for the
    item alone, and is called once, perhaps in another thread.
    """

    id: str
    fingerprint: str
    version: str
    title: str
    source: str
    uri: str
    name: str
    load: Callable[[int], bytes]
    loader: str | None = None
    updated_at: str | None = None


@dataclass(frozen=True, slots=True)
class Unfetched:
    """An item that could not be had, which costs that item alone. `skip.reason` is `gone` when it is no longer there."""

    id: str
    skip: Skip


@dataclass(frozen=True, slots=True)
class Current:
    """What a person's token may read of an item at this moment: its version and, where it was asked for, its content."""

    id: str
    version: str
    updated_at: str | None = None
    fetched: Fetched | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """A space or project as a preview shows it; `items` is None where the remote side does not count."""

    key: str
    name: str
    items: int | None


@dataclass(frozen=True, slots=True)
class CloudPreview:
    """What a source of this configuration would read. `account` is who the token belongs to, `names` the first items."""

    account: str
    deployment: str
    containers: tuple[Container, ...]
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Usage:
    """What the remote side was asked, counted up by the client. Safe enough for one sync; a query has its own."""

    requests: int = 0
    throttled_s: float = 0.0


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """How sources reach their remote side. Sizes are in bytes.

    `pause(seconds)` sleeps and raises what ends the run when somebody asked for that. `longest_wait_s` is how long one request
    may wait for its turn or for a throttling server, before `SourceThrottled` hands the queue to other jobs. `allowed_hosts` are
    names and networks at private addresses that may be asked: `ragd.core.reach.AllowedHosts` keeps a client to them.
    """

    pause: Callable[[float], None]
    requests_per_minute: int = 600
    timeout_s: float = 30.0
    longest_wait_s: float = 30.0
    attempts: int = 5
    ca_bundle: str = ""
    allowed_hosts: tuple[str, ...] = ()
    max_size: int = 50 * 1024 * 1024
    usage: Usage = field(default_factory=Usage)


@runtime_checkable
class CloudSource(Protocol):
    """One configured place elsewhere. Built as `Class(config, token, http)`; `config` is what `parse_config` returned.

    Every method raises `SourceRefused` when another try can't help (a wrong token or address), `SourceThrottled` when it is to be
    asked again later, `SourceUnavailable` for the rest. A listing that is cut short raises; it never just ends.
    """

    type: str

    @classmethod
    def parse_config(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration that a person gave, checked and completed, JSON-ready.

        Raises `ValidationFailed` with a `FieldProblem` (`config.NAME`) for each field that is wrong. Asks nobody.
        """
        ...

    def check(self) -> CloudPreview:
        """Test address and token, and look at what would be read. Raises `SourceRefused` that says what to change."""
        ...

    def listing(self, *, deep: bool) -> Iterator[Listed]:
        """Every item there is, each once, also those that are left out. With `deep` every one has its fingerprint.

        Without, items that have an owner may be missing: they stay as long as their owner is listed and unchanged.
        """
        ...

    def changes(self, since: datetime) -> Iterator[Listed]:
        """Items that changed since then (aware, UTC), with fingerprints; rather too many than one too few.

        Of an item that changed, all that it owns is among them, changed or not: what is not there is gone.
        """
        ...

    def fetch(self, items: Sequence[Listed]) -> Iterator[Fetched | Unfetched]:
        """What these hold now, one answer for each, in as few requests as the remote side allows."""
        ...

    def current(self, items: Sequence[Listed], token: str, *, content: bool) -> dict[str, Current]:
        """By id, those of these that `token` may read now; what is absent it may not read, or it is gone.

        For `content` false the versions are enough. Called from several threads, for one question at a time each; raises
        `SourceRefused` for a token that is none.
        """
        ...

    def close(self) -> None: ...

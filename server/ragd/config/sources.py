"""Settings of sources: watching folders, synchronising with services, checking access to their items."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ragd.config.fields import Group
from ragd.core.storage import LiveMode


class WatchSettings(Group):
    enabled: bool = True
    """Whether the daemon watches the folders of its folder sources."""
    debounce_s: Annotated[float, Field(ge=0.05)] = 2.0
    """Seconds of quiet after a change before the files are looked at."""
    poll_s: Annotated[float, Field(ge=0.1)] = 30.0
    """Seconds between two looks at a folder on a network drive, which tells of no changes."""
    rescan_hours: Annotated[float, Field(gt=0)] = 24.0
    """Hours between two looks at a whole folder, whatever was seen to change."""


def _off(value: Any) -> Any:
    return "off" if value is False else value


_YamlOff = BeforeValidator(_off)
"""YAML reads a bare `off` as false."""


class SyncSettings(Group):
    schedule: Annotated[str, _YamlOff] = "every 30m"
    """When sources elsewhere are read that say nothing themselves: `every 30m` (or `h`, `d`), a cron line, or `off`."""
    jitter: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of the time between two readings by which each is put off, at random, so that not all come at once."""
    quiet_hours: tuple[str, ...] = ()
    """Times of the day, by this machine's clock, when no reading begins by itself, such as `["09:00-11:30", "22:00-02:00"]`."""
    requests_per_minute: Annotated[int, Field(ge=1)] = 600
    """Requests that the reading of one source may send in a minute."""
    overlap_hours: Annotated[int, Field(ge=24)] = 24
    """Changes are asked for from so long before the last reading began: search indexes lag, and their dates know no time zone."""
    deep_hours: Annotated[float, Field(gt=0)] = 24.0
    """After so many hours the versions of all items are compared once more, not only those that the remote side calls changed."""
    guard_items: Annotated[int, Field(ge=0)] = 20
    """When more items than this, and more than `guard_share` of a space or project, are gone at once, they stay as they were."""
    guard_share: Annotated[float, Field(ge=0, le=1)] = 0.8
    """See `guard_items`."""
    slice_s: Annotated[float, Field(gt=0)] = 20.0
    """Seconds after which a reading makes way for other jobs that wait, and goes on after them."""
    longest_wait_s: Annotated[float, Field(ge=0)] = 30.0
    """Seconds that a reading waits for a throttling server before it makes way for other jobs until the server's time is up."""
    timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """Seconds without any byte after which a request has failed and is tried again."""
    attempts: Annotated[int, Field(ge=1)] = 5
    """How often one request is tried."""
    ca_bundle: str = ""
    """A file of certificate authorities that are trusted besides those of the operating system."""


class LiveSettings(Group):
    mode: Annotated[LiveMode, _YamlOff] = "live"
    """What is asked at a hit of a source that says nothing itself. `live`: the asking user's token must read the item's current
    content. `cached`: the token must prove that it may read the item; the passage comes from the index. `off`: nobody is asked,
    which needs a source that is marked as public."""
    budget_ms: Annotated[int, Field(ge=1)] = 800
    """Milliseconds of a query for asking remote sides; what was not answered is left out unless it was proved before."""
    proof_ttl: Annotated[float, Field(ge=0)] = 300.0
    """Seconds for which a token's proof of access holds when the remote side does not answer in time, or in mode `cached`."""
    cache_ttl: Annotated[float, Field(ge=0)] = 20.0
    """Seconds for which an item's current content is not asked for again with the same token."""

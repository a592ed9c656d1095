"""Where the daemon stands between its start and its end, for those who must wait or leave."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """`ready` is set once everything can be answered, `stopping` once the daemon is to end."""

    ready: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)

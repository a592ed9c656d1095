"""What goes wrong on demand. `Faults` keeps the list; `serving.py` does it to the sockets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["status", "reset", "cut", "slow", "delay", "html", "garbled"]


@dataclass(slots=True)
class Fault:
    """`kind`: `status` answers that status; `reset` and `cut` send half the body, then reset the socket or close it; `slow` sends
    it in hundreds of pieces with `delay_s` between; `delay` waits that long, then answers as ever; `html` a log-in page;
    `garbled` no JSON.
    """

    path: re.Pattern[str]
    kind: Kind
    status: int
    times: int | None
    retry_after: str | None
    delay_s: float
    after: int


class Faults:
    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._broken: set[str] = set()
        self._storm: tuple[int, int, str | None] | None = None
        self._counted = 0
        self.cursors_expired = 0
        self.met = 0
        """How many requests met one of `fail` or of a storm."""

    def fail(
        self,
        path: str = "",
        status: int = 500,
        times: int | None = None,
        retry_after: str | None = None,
        kind: Kind = "status",
        *,
        delay_s: float = 0.01,
        after: int = 0,
    ) -> None:
        """Requests whose `PATH?QUERY` (as sent, percent-encoded) matches the expression `path` fail; `times` None: for ever.

        The first `after` of them are spared. 429 with `retry_after` None comes without that header.
        """
        self._faults.append(Fault(re.compile(path), kind, status, times, retry_after, delay_s, after))

    def storm(self, every: int, length: int, retry_after: str | None = None) -> None:
        """After each `every` good requests, the next `length` are answered 429."""
        self._storm = (every, length, retry_after)
        self._counted = 0

    def break_item(self, item: str) -> None:
        """Whatever would show the content of this item (`page/123`, `issue/10001`), also among others, answers 500."""
        self._broken.add(item.rsplit("/", 1)[-1])

    def mend_item(self, item: str) -> None:
        self._broken.discard(item.rsplit("/", 1)[-1])

    def is_broken(self, item_id: str) -> bool:
        return item_id in self._broken

    def expire_cursors(self) -> None:
        """Cursors and page tokens given out so far are refused."""
        self.cursors_expired += 1

    def clear(self) -> None:
        self._faults.clear()
        self._broken.clear()
        self._storm = None

    def take(self, target: str) -> Fault | None:
        """The fault for a request, counted down."""
        for fault in self._faults:
            if not fault.path.search(target) or fault.times == 0:
                continue
            if fault.after:
                fault.after -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
            self.met += 1
            return fault
        if self._storm is not None:
            every, length, retry_after = self._storm
            self._counted += 1
            if self._counted % (every + length) > every or self._counted % (every + length) == 0:
                self.met += 1
                return Fault(re.compile(""), "status", 429, None, retry_after, 0.0, 0)
        return None

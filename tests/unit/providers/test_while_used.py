"""What is large is there while it is used, and gone after."""

from __future__ import annotations

import time

from ragd.providers.while_used import WhileUsed


def test_it_is_opened_once_and_given_up_when_nobody_has_used_it_for_a_while() -> None:
    opened: list[int] = []

    def open_it() -> int:
        opened.append(len(opened))
        return opened[-1] + 100

    held = WhileUsed(open_it, idle_s=0.05)
    assert held.opened is None, "nothing is opened before it is needed"
    assert (held.get(), held.get(), held.opened) == (100, 100, 100)
    end = time.monotonic() + 600
    while held.opened is not None:
        assert time.monotonic() < end
        time.sleep(0.005)
    assert held.get() == 101
    assert opened == [0, 1]

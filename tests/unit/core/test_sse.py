"""Server-sent events, however their bytes arrive."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragd.core.sse import parse_events

STREAM = (
    'event: delta\r\ndata: {"text": "a\u2028b\u0085c"}\r\n\r\n: still there\n\n'
    'data: [1,\ndata: 2]\n\nevent: end\ndata: {}\n\ndata: "cut'
)


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_events_are_the_same_wherever_the_stream_is_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[first:last] for first, last in pairwise(edges)]
    assert list(parse_events(pieces)) == [("delta", {"text": "a\u2028b\x85c"}), ("message", [1, 2]), ("end", {})]


def test_an_event_that_breaks_off_is_none() -> None:
    assert list(parse_events(['event: done\ndata: {"answer": "half'])) == []

"""Replays of traces of either type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragd.app.replays.ingestion import IngestionReplay
from ragd.app.replays.query import QueryReplay, ReplayRequest
from ragd.store.traces import Traces


@dataclass(frozen=True, slots=True)
class Replays:
    """Repeats what a trace is of."""

    traces: Traces
    query: QueryReplay
    ingestion: IngestionReplay

    def run(self, trace_id: str, asked: ReplayRequest) -> dict[str, Any]:
        """What differs. Raises `TraceNotFound`, and what the replay of its type raises."""
        trace = self.traces.get(trace_id)
        return (self.query if trace["trace_type"] == "query" else self.ingestion).run(trace, asked)

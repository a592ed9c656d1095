"""Which runs people mean by an id, a name or a strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ragd.core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragd.client.blocking import Client

_SHORTEST_ID: Final = 4


def find_run(client: Client, named: str) -> dict[str, Any]:
    """The whole run that is meant, the newest of several. Raises `NotFound`."""
    return _whole(client, _matching(list(client.pages("/api/evaluations")), named)[0])


def find_pair(client: Client, first: str, second: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two whole runs: the newest that the first name fits, and the newest of the second on the same dataset, if there is one.

    Raises `NotFound`.
    """
    rows = list(client.pages("/api/evaluations"))
    one = _matching(rows, first)[0]
    others = [row for row in _matching(rows, second) if row["run_id"] != one["run_id"]] or [one]
    same = [row for row in others if _asked(row) == _asked(one)]
    return _whole(client, one), _whole(client, (same or others)[0])


def _asked(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["dataset_hash"], row["metrics"]["overall"]["questions"]


def _matching(rows: Sequence[dict[str, Any]], named: str) -> list[dict[str, Any]]:
    """The runs that people mean by an id, a name, a strategy or the beginning of an id: what is found first in this order."""
    ways = (
        [row for row in rows if row["run_id"] == named],
        [row for row in rows if row["name"] == named],
        [row for row in rows if row["strategy"] == named],
        [row for row in rows if len(named) >= _SHORTEST_ID and row["run_id"].startswith(named)],
    )
    for found in ways:
        if found:
            return found
    raise NotFound(f"There is no evaluation '{named}': no run has this id, name or strategy. See `rag eval list`.")


def _whole(client: Client, row: Mapping[str, Any]) -> dict[str, Any]:
    run: dict[str, Any] = client.get(f"/api/evaluations/{row['run_id']}")
    return run

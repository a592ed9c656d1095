"""Which settings several processes can share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragd.app.ingestion import require_shared
from ragd.config.loading import Directories, load_settings
from ragd.core.errors import SettingsError

POSTGRES = "postgresql://somebody@db.example.com/rag"


def check(**explicit: Any) -> None:
    dotted = {name.replace("__", "."): value for name, value in explicit.items()}
    require_shared(load_settings(Path("/nowhere"), environment={}, explicit=dotted))


def test_content_and_indexes_in_servers_can_be_shared() -> None:
    check(store__url=POSTGRES)
    server = {"index_server__url": "http://qdrant.example.com:6333"}
    check(store__url=POSTGRES, dense__backend="qdrant", sparse__backend="qdrant", token_index__provider="none", **server)


@pytest.mark.parametrize(
    ("explicit", "named"),
    [
        ({}, "store.url"),
        ({"store__url": POSTGRES, "dense__backend": "usearch"}, "dense.backend"),
        ({"store__url": POSTGRES, "dense__backend": "qdrant"}, "dense.backend"),
        ({"store__url": POSTGRES, "sparse__backend": "tantivy"}, "sparse.backend"),
        ({"store__url": POSTGRES, "token_index__provider": "file"}, "token_index.provider"),
    ],
)
def test_what_only_one_process_can_use_is_refused_by_the_settings_name(explicit: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        check(**explicit)


def test_a_process_of_several_keeps_its_own_things_apart(tmp_path: Path) -> None:
    alone = Directories(tmp_path, tmp_path / "models", tmp_path / "config")
    one_of_many = Directories(tmp_path, tmp_path / "models", tmp_path / "config", process="worker-1")
    assert alone.own == tmp_path
    assert one_of_many.own == tmp_path / "processes" / "worker-1"
    assert one_of_many.logs == one_of_many.own / "logs"

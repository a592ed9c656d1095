"""Opening the dense and the sparse index; one that is of no use is put aside and made anew, empty."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from ragd.config.settings import Settings
from ragd.core.errors import IndexDamaged, IndexOutdated
from ragd.core.ids import hash32
from ragd.ingest.indexes import Indexes
from ragd.providers.protocols import DenseStore, Embedder, SparseStore
from ragd.providers.registry import build

log = logging.getLogger(__name__)

Index = TypeVar("Index", bound=DenseStore | SparseStore)

_PUT_ASIDE = re.compile(r"\.(damaged|outdated)-")


def open_indexes(settings: Settings, folder: Path, embedder: Embedder, kb_ids: Iterable[str], notices: list[str]) -> Indexes:
    """Both indexes below `folder`, each read once for every collection. `notices` tell people what was put aside."""
    options, kb_ids = settings.dense, list(kb_ids)
    # Vectors of another model are another index; the folder's name says which model made it.
    identity = hash32(embedder.model_id, embedder.revision)[:12]
    dense_folder = folder / f"dense-{options.backend}-{identity}"
    others = [path.name for path in folder.glob("dense-*") if not path.name.endswith(identity)]
    model_changed = not dense_folder.exists() and any(not _PUT_ASIDE.search(name) for name in others)
    limits = {"exact_filter_max": options.exact_filter_max, "ef_search": options.ef_search}
    open_dense: Callable[[], DenseStore] = partial(build, "dense", options.backend, folder=dense_folder, **limits)
    dense = _open(open_dense, dense_folder, "dense", kb_ids, notices)
    sparse_folder = folder / f"sparse-{settings.sparse.backend}"
    open_sparse: Callable[[], SparseStore] = partial(build, "sparse", settings.sparse.backend, folder=sparse_folder)
    return Indexes(dense, _open(open_sparse, sparse_folder, "sparse", kb_ids, notices), model_changed)


def _open(open_it: Callable[[], Index], folder: Path, side: str, kb_ids: Iterable[str], notices: list[str]) -> Index:
    index: Index | None = None
    try:
        index = open_it()
        for kb_id in kb_ids:
            index.ids(kb_id)
    except IndexDamaged as error:
        log.warning("index put aside", extra={"index": side, "reason": error.message})
        if index is not None:
            index.close()
        outdated = isinstance(error, IndexOutdated)
        aside = folder.with_name(f"{folder.name}.{'outdated' if outdated else 'damaged'}-{time.strftime('%Y%m%d-%H%M%S')}")
        folder.rename(aside)
        notices.append(
            f"The {side} index was {'made by an earlier version' if outdated else 'damaged'}. It was put aside as "
            f"{aside.name} and is being rebuilt from the stored documents."
        )
        index = open_it()
    return index

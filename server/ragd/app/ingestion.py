"""What ingestion works with, by the settings: loaders, worker processes, indexes, and what makes drafts of files."""

from __future__ import annotations

import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from ragd.app.models import Models
from ragd.config.secrets import resolve
from ragd.config.settings import Settings
from ragd.core.errors import IndexDamaged, IndexOutdated, SettingsError
from ragd.core.ids import hash32
from ragd.core.tracing import ProviderRef
from ragd.formats.common.naming import extension
from ragd.formats.registry import is_text_file, loader_name_for
from ragd.ingest.discovery.file_rules import check_globs
from ragd.ingest.discovery.files import LoaderFor
from ragd.ingest.discovery.globs import compile_globs
from ragd.ingest.drafts import Described, Drafter
from ragd.ingest.indexes import Indexes
from ragd.ingest.text_stages import TextProviders
from ragd.ingest.workers.pool import WorkerPool
from ragd.ingest.workers.process import WorkerOptions
from ragd.providers.index_schema import IndexSchema
from ragd.providers.protocols import DenseStore, Embedder, ProviderKind, SparseStore
from ragd.providers.registry import build, index_provider, provider_class
from ragd.providers.token_protocols import TokenIndex
from ragd.providers.token_view import TokenView, basis_of, has_basis, identity_of
from ragd.store.assets import Assets

log = logging.getLogger(__name__)

Index = TypeVar("Index", bound=DenseStore | SparseStore | TokenIndex)

_PUT_ASIDE = re.compile(r"\.(damaged|outdated)-")
# Processes that read files, where the settings don't say: the embedding model needs the cores more.
_MOST_WORKERS: Final = 4


def open_indexes(
    settings: Settings, folder: Path, embedder: Embedder, kb_ids: Iterable[str], notices: list[str], *, read: bool = True
) -> Indexes:
    """The indexes below `folder`. `notices` say to people what was put aside.

    With `read` the ids of each are read, which finds damage; without, the word index is only opened.

    Raises `SettingsError` when token vectors are to be kept and there is no basis for the model's.
    """
    options, kb_ids = settings.dense, list(kb_ids)
    # Vectors of another model are another index; the folder's name says which model made it.
    identity = hash32(embedder.model_id, embedder.revision)[:12]
    backend = index_provider("dense", options.backend, settings.store.url)
    dense_folder = folder / f"dense-{backend}-{identity}"
    others = [path.name for path in folder.glob("dense-*") if not path.name.endswith(identity)]
    model_changed = not dense_folder.exists() and any(not _PUT_ASIDE.search(name) for name in others)
    limits: dict[str, Any] = {"exact_filter_max": options.exact_filter_max, "ef_search": options.ef_search}
    if getattr(provider_class("dense", backend), "has_precision", False):
        limits["precision"] = options.graph_precision
    place = _place("dense", backend, dense_folder, settings)
    open_dense: Callable[[], DenseStore] = partial(build, "dense", backend, **place, **limits)
    dense = _open(open_dense, dense_folder, "dense", kb_ids, notices)
    backend = index_provider("sparse", settings.sparse.backend, settings.store.url)
    sparse_folder = folder / f"sparse-{backend}"
    place = _place("sparse", backend, sparse_folder, settings)
    open_sparse: Callable[[], SparseStore] = partial(build, "sparse", backend, **place)
    sparse = _open(open_sparse, sparse_folder, "sparse", kb_ids, notices, None if read else _only_opened)
    return Indexes(dense, sparse, model_changed, _open_tokens(settings, folder, embedder, kb_ids, notices))


def require_shared(settings: Settings) -> None:
    """Raises `SettingsError` for settings by which content or an index is kept where only one process can use it."""
    if not settings.store.url.startswith("postgresql"):
        raise SettingsError(
            "Several processes share one PostgreSQL: set store.url to its address. SQLite is for a single process."
        )
    chosen: dict[ProviderKind, tuple[str, str]] = {
        "dense": ("dense.backend", settings.dense.backend),
        "sparse": ("sparse.backend", settings.sparse.backend),
        "token_index": ("token_index.provider", settings.token_index.provider),
    }
    for kind, (setting, name) in chosen.items():
        provider = index_provider(kind, name, settings.store.url)
        made_by = None if provider == "none" else provider_class(kind, provider)
        served = getattr(made_by, "needs_server", False) and settings.index_server.url
        if made_by is not None and not served and not getattr(made_by, "in_database", False):
            raise SettingsError(
                f"{setting}: {provider} keeps its index where only one process can use it. Several processes need one in "
                "PostgreSQL (auto), or in a Qdrant or Milvus server at index_server.url."
            )


def _place(kind: ProviderKind, provider: str, folder: Path, settings: Settings) -> dict[str, Any]:
    """Where an index is, as its class says: in `folder`, in a server (`needs_server`), or in the content's database.

    There (`in_database`) it has the folder's name. The folder is then empty, and says which index was used last.
    """
    made_by = provider_class(kind, provider)
    if getattr(made_by, "in_database", False):
        folder.mkdir(parents=True, exist_ok=True)
        password = resolve(settings.store.password, "store.password")
        return {"url": settings.store.url, "password": password, "index": folder.name}
    server = {"server": settings.index_server} if getattr(made_by, "needs_server", False) else {}
    return dict[str, Any](folder=folder, **server)


def _open_tokens(
    settings: Settings, folder: Path, embedder: Embedder, kb_ids: Iterable[str], notices: list[str]
) -> TokenView | None:
    """The token index; None where the settings want none. Codes that are of no use any more are removed."""
    options = settings.token_index
    provider = options.provider
    if provider == "auto":
        provider = index_provider("token_index", provider, settings.store.url) if has_basis(embedder, options.basis) else "none"
    basis = None if provider == "none" else basis_of(embedder, options.basis)
    own = None if basis is None else folder / f"tokens-{provider}-{identity_of(embedder, basis)}"
    for path in folder.glob("tokens-*"):
        if path != own and not _PUT_ASIDE.search(path.name):
            shutil.rmtree(path, ignore_errors=True)
    if settings.store.url.startswith("postgresql"):
        _remove_other_schemas(settings, "tokens", own)
    if basis is None or own is None:
        return None
    place = _place("token_index", provider, own, settings)
    open_tokens: Callable[[], TokenIndex] = partial(build, "token_index", provider, **place)
    return TokenView(_open(open_tokens, own, "token", kb_ids, notices), basis)


def _remove_other_schemas(settings: Settings, prefix: str, own: Path | None) -> None:
    password = resolve(settings.store.password, "store.password")
    schema = IndexSchema(settings.store.url, own.name if own else prefix, password=password, provider="store.url")
    try:
        schema.remove_siblings(prefix)
    finally:
        schema.close()


def _only_opened(index: SparseStore, kb_id: str) -> object:
    return index.frequencies(kb_id, ())


def _open(
    open_it: Callable[[], Index],
    folder: Path,
    side: str,
    kb_ids: Iterable[str],
    notices: list[str],
    look: Callable[[Index, str], object] | None = None,
) -> Index:
    """The index, opened for each collection; one that `look` (else reading its ids) finds to be damaged is put aside."""
    index: Index | None = None
    try:
        index = open_it()
        for kb_id in kb_ids:
            if look is None:
                index.ids(kb_id)
            else:
                look(index, kb_id)
    except IndexDamaged as error:
        log.warning("index put aside", extra={"index": side, "reason": error.message})
        if getattr(index, "in_database", False):
            assert index is not None
            for kb_id in kb_ids:
                index.drop(kb_id)
            notices.append(f"The {side} index was damaged. It was removed and is being rebuilt from the stored documents.")
            return index
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


def remove_put_aside(folder: Path) -> None:
    """Remove the indexes below `folder` that were put aside: they hold words of documents that have been deleted since."""
    for path in folder.glob("*"):
        if _PUT_ASIDE.search(path.name):
            shutil.rmtree(path, ignore_errors=True)


def loader_for(loaders: Mapping[str, str], name: str) -> str | None:
    """The loader that reads a file of this name, by the setting `ingest.loaders`; None when none does."""
    chosen = loaders.get(extension(name))
    return loader_name_for(name) if chosen is None else None if chosen == "none" else chosen


def encoding_for(encodings: Mapping[str, str]) -> Callable[[str, str], str | None]:
    """What gives the encoding of a text file by its path and name, by the setting `ingest.encodings`; None where it sets none.

    Raises `ValidationFailed` for a pattern that can match nothing.
    """
    check_globs(encodings, "ingest.encodings")
    rows = [(compile_globs([pattern], any_case=True), encoding) for pattern, encoding in encodings.items()]

    def chosen(source: str, name: str) -> str | None:
        if not rows or not is_text_file(name):
            return None
        return next((encoding for globs, encoding in rows if globs.covers(source)), None)

    return chosen


def worker_options(settings: Settings) -> tuple[int, WorkerOptions]:
    """How many processes read files, and what each may use."""
    options, ocr = settings.ingest, settings.ocr
    worker = WorkerOptions(
        memory=options.memory_mb * 1024 * 1024,
        ocr_provider=ocr.provider,
        ocr_threads=ocr.threads,
        ocr_budget_s=ocr.budget_s,
        max_pictures=options.max_pictures,
        max_picture_size=options.max_picture_size,
        max_picture_pixels=options.max_picture_pixels,
    )
    return options.workers or max(1, min(_MOST_WORKERS, (os.cpu_count() or 1) // 2)), worker


def new_drafter(
    settings: Settings, models: Models, parser: WorkerPool, loaders: LoaderFor, assets: Assets, described: Described
) -> Drafter:
    """What turns files into drafts. What reads pictures, and in which version, is part of what a file becomes."""
    embedder = models.embedder()
    ocr_profile = str(provider_class("ocr", settings.ocr.provider).installed_profile())
    semantic = settings.splitter.strategy == "semantic"
    splitting: dict[str, Any] = {"chunk_overlap": settings.splitter.chunk_overlap}
    if semantic:
        splitting["percentile"] = settings.splitter.semantic_percentile
    providers = TextProviders(
        cleaner=settings.ingest.cleaner,
        splitter=settings.splitter.strategy,
        enricher=settings.ingest.enricher,
        analyzer=settings.sparse.analyzer,
        splitting=splitting,
        embeds=semantic,
    )
    return Drafter(
        parser=parser,
        loaders=loaders,
        loader_version=lambda name: str(provider_class("loader", name).version),
        encodings=encoding_for(settings.ingest.encodings),
        known_assets=partial(assets.known, ocr_profile=ocr_profile),
        ocr=ProviderRef("ocr", settings.ocr.provider, ocr_profile),
        providers=providers,
        stages=providers.open(embedder, models.analyzer()),
        embedder=embedder,
        chunk_size=settings.splitter.chunk_size,
        max_document_size=settings.limits.max_document_size,
        described=described,
    )

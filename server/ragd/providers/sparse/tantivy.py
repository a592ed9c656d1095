"""BM25 in tantivy (https://github.com/quickwit-oss/tantivy), one index folder for each knowledge base.

The terms are ours: handed over joined by blanks and cut at blanks again; a query is built term by term, so that no text of a user
is ever parsed. tantivy orders entries of one score by segments, which a merge changes; here their ids do.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ragd.core.errors import IndexDamaged, IndexOutdated, RagError, ServiceUnavailable
from ragd.core.results import Scored
from ragd.providers.depth import best_of_all, in_order, with_ties
from ragd.providers.protocols import AllowedIds, Phrases
from ragd.providers.sparse.bm25_query import PHRASE_WEIGHT, term_weights, usable_phrases

_WRITER_HEAP = 32 << 20

_PASSING_TROUBLE = ("no space", "storagefull", "read-only", "readonly", "permission denied", "lockbusy", "quota")


@dataclass(slots=True)
class _Index:
    index: Any
    writer: Any
    searcher: Any


class TantivyStore:
    """Owns `folder`: tantivy lets one writer in, which is opened with the first use of a knowledge base and kept."""

    name = "tantivy"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._open: dict[str, _Index] = {}

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        if not entries:
            return
        with self._lock, self._tantivy(kb_id):
            import tantivy

            index = self._index(kb_id, create=True)
            with _commit(index):
                for entry_id, terms in dict(entries).items():
                    index.writer.delete_documents_by_term("id", entry_id)
                    index.writer.add_document(tantivy.Document(id=entry_id, terms=" ".join(terms)))

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._lock, self._tantivy(kb_id):
            index = self._index(kb_id)
            if index is None or not ids:
                return
            with _commit(index):
                for entry_id in ids:
                    index.writer.delete_documents_by_term("id", entry_id)

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        wanted = usable_phrases(phrases)
        if k <= 0 or not (terms or wanted) or (allowed is not None and not allowed):
            return []
        with self._tantivy(kb_id):
            from tantivy import Occur, Query

            # A search waits for a writer only where the index must be opened first.
            if (index := self._open.get(kb_id)) is None:
                with self._lock:
                    index = self._index(kb_id)
            if index is None:
                return []
            schema, searcher = index.index.schema, index.searcher
            should = []
            for term, times in term_weights(terms, searcher.num_docs, partial(searcher.doc_freq, "terms")).items():
                query = Query.term_query(schema, "terms", term, index_option="freq")
                should.append((Occur.Should, query if times == 1 else Query.boost_query(query, float(times))))
            for phrase in wanted:
                query = Query.phrase_query(schema, "terms", list(phrase))
                should.append((Occur.Should, Query.boost_query(query, float(PHRASE_WEIGHT))))
            query = Query.boolean_query(should)
            if allowed is not None:
                best = partial(_best, searcher, query)
                if (found := best_of_all(best, k, allowed, lambda: searcher.num_docs)) is not None:
                    return found
                among = Query.const_score_query(Query.term_set_query(schema, "id", list(allowed)), 0.0)
                query = Query.boolean_query([(Occur.Must, query), (Occur.Must, among)])
            return _best(searcher, query, k)

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        with self._tantivy(kb_id):
            if (index := self._open.get(kb_id)) is None:
                with self._lock:
                    index = self._index(kb_id)
            if index is None:
                return 0, dict.fromkeys(terms, 0)
            return index.searcher.num_docs, {term: index.searcher.doc_freq("terms", term) for term in terms}

    def ids(self, kb_id: str) -> set[str]:
        with self._lock, self._tantivy(kb_id):
            from tantivy import Query

            index = self._index(kb_id)
            if index is None:
                return set()
            # The filter leaves out what is deleted but not yet merged away.
            return {entry_id for entry_id, _ in index.searcher.terms_with_prefix("id", "", filter_query=Query.all_query())}

    def drop(self, kb_id: str) -> None:
        with self._lock:
            if (index := self._open.pop(kb_id, None)) is not None:
                _release(index)
            if (folder := self._folder / kb_id).exists():
                shutil.rmtree(folder)

    def close(self) -> None:
        with self._lock:
            for index in self._open.values():
                _release(index)
            self._open.clear()

    def _index(self, kb_id: str, *, create: bool = False) -> Any:
        if kb_id not in self._open:
            import tantivy

            folder = self._folder / kb_id
            if not folder.is_dir() and not create:
                return None
            builder = tantivy.SchemaBuilder()
            builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
            builder.add_text_field("terms", tokenizer_name="whitespace", index_option="position")
            schema = builder.build()
            if folder.is_dir() and any(folder.iterdir()):
                index = tantivy.Index.open(str(folder))
                if index.schema != schema:
                    raise IndexOutdated(
                        f"The sparse index {folder} was made by an earlier version and keeps no order of words. "
                        "Rebuild it with 'rag reindex'."
                    )
            else:
                folder.mkdir(parents=True, exist_ok=True)
                index = tantivy.Index(schema, path=str(folder))
            writer = index.writer(heap_size=_WRITER_HEAP, num_threads=1)
            _remove_leftovers(folder, writer)
            self._open[kb_id] = _Index(index, writer, index.searcher())
        return self._open[kb_id]

    @contextmanager
    def _tantivy(self, kb_id: str) -> Iterator[None]:
        """tantivy's errors (bare `ValueError`, and panics, which are no `Exception`) in our tree."""
        try:
            yield
        except RagError:
            raise
        except BaseException as error:
            if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
                raise
            text = str(error)
            if "LockBusy" in text:
                raise ServiceUnavailable(
                    f"The sparse index {self._folder / kb_id} is open in another process. Stop the other daemon first."
                ) from error
            if any(sign in text.lower() for sign in _PASSING_TROUBLE):
                raise ServiceUnavailable(f"The sparse index {self._folder / kb_id} could not be used: {text}") from error
            raise IndexDamaged(f"The sparse index (tantivy) can't be used: {text}. Rebuild it with 'rag reindex'.") from error


def _best(searcher: Any, query: Any, k: int) -> list[Scored]:
    hits = with_ties(lambda limit: searcher.search(query, limit, count=False).hits, k)
    return in_order([(score, searcher.doc(address)["id"][0]) for score, address in hits], k)


def _remove_leftovers(folder: Path, writer: Any) -> None:
    """Remove what a killed process had written for a commit that it did not finish; nobody else has the folder.

    A commit names its files by numbers that go on from the last finished one, so a file that is left makes the next one fail.
    """
    writer.garbage_collect_files()
    for path in folder.glob(".tmp*"):  # what was about to replace tantivy's own lists
        path.unlink()


@contextmanager
def _commit(index: _Index) -> Iterator[None]:
    """All of the changes or none; a rollback also brings a writer back to life that an error has ended."""
    try:
        yield
        index.writer.commit()
    except BaseException:
        index.writer.rollback()
        raise
    index.index.reload()
    index.searcher = index.index.searcher()


def _release(index: _Index) -> None:
    index.writer.wait_merging_threads()

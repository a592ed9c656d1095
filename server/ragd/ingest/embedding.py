"""The stage `embedding`: vectors from the cache or from the model, and token codes out of the same runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ragd.core.tracing import ProviderRef, shared_span
from ragd.ingest.drafts import Draft
from ragd.ingest.indexes import Indexes
from ragd.ingest.reading import INDEXING, Report, Tally, embedding_progress
from ragd.providers.protocols import Embedder, Vectors
from ragd.providers.token_protocols import JointEmbedder, TokenCodes
from ragd.store.database.engine import batches
from ragd.store.vectors import VectorCache

_KEPT_TOGETHER: Final = 512
"""Texts after which their vectors are written: ten seconds of the model's work, all that a kill can lose of a large file's."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a run's groups of drafts get their vectors from."""

    vectors: VectorCache
    indexes: Indexes
    embedder: Embedder

    def embed(
        self, group: Sequence[Draft], tally: Tally, *, report: Report, total: int, tokens: bool
    ) -> tuple[dict[str, Vectors], dict[str, TokenCodes]]:
        """Vectors of every chunk of a group and token codes of those for which the model ran, each by `dense_key`.

        It runs for those without a vector, and with `tokens` for those without token codes, too.
        """
        texts = {chunk.dense_key: chunk.dense_view for draft in group for chunk in draft.version.chunks}
        provider = ProviderRef("embedder", self.embedder.model_id, self.embedder.revision)
        with shared_span([draft.trace for draft in group], "stage.embedding", provider) as spans:
            vectors = self.vectors.get(list(texts))
            uncoded = self._uncoded(group)
            missing = [key for key in texts if key not in vectors or (tokens and key in uncoded)]
            report(INDEXING, tally.done, total)
            before = tally.past_embedding
            new: dict[str, Vectors] = {}
            codes: dict[str, TokenCodes] = {}
            first = group[0].trace
            if missing:
                progress = embedding_progress(report, tally, documents=len(group), texts=len(missing), total=total)
                for part in batches(missing, _KEPT_TOGETHER):
                    # One request embeds for all of them, and can be said to come from one only.
                    with first.calls(spans[first.trace_id]):
                        made = self._run_model([(key, texts[key]) for key in part], codes, progress)
                    kept = dict(zip(part, made, strict=True))
                    self.vectors.put(kept)
                    new |= kept
                vectors = new | vectors
            tally.uncoded += len(uncoded - codes.keys())
            counted: set[str] = set()
            for draft in group:
                keys = [chunk.dense_key for chunk in draft.version.chunks]
                # A text that stands twice in a group is embedded for the first document and reused by the other.
                embedded = sum(1 for key in dict.fromkeys(keys) if key in new and key not in counted)
                counted.update(keys)
                counts = {"embedded": embedded, "reused": len(keys) - embedded}
                draft.trace.counters.update({**counts, "cache_hits": counts["reused"], "cache_misses": embedded})
                draft.trace.event("ingest.embedding_batch", counts, spans[draft.trace.trace_id])
                tally.embedded += embedded
                tally.reused += counts["reused"]
        tally.past_embedding = before + len(group)
        return vectors, codes

    def _uncoded(self, group: Sequence[Draft]) -> set[str]:
        """The `dense_key` of every chunk of the group that the token index lacks."""
        if self.indexes.tokens is None:
            return set()
        known = {kb_id: self.indexes.tokens.index.ids(kb_id) for kb_id in {draft.version.kb_id for draft in group}}
        chunks = ((draft.version.kb_id, chunk) for draft in group for chunk in draft.version.chunks)
        return {chunk.dense_key for kb_id, chunk in chunks if chunk.dense_id not in known[kb_id]}

    def _run_model(
        self, texts: Sequence[tuple[str, str]], codes: dict[str, TokenCodes], progress: Callable[[int], None]
    ) -> Vectors:
        """The vectors of these (key, text), in order; their token codes go to `codes`, where there is an index of them."""
        view, embedder = self.indexes.tokens, self.embedder
        if view is None or not isinstance(embedder, JointEmbedder):
            return embedder.embed_passages([text for _, text in texts], progress)

        def keep(index: int, tokens: Vectors) -> None:
            key, text = texts[index]
            codes[key] = view.encode(text, tokens)

        return embedder.embed_passages_and_tokens([text for _, text in texts], keep, progress)

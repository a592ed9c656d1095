"""Text embedding by Ollama: `POST {url}/api/embed`. Source: Ollama's API reference, "Generate embeddings"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragd.core.http import Patience
from ragd.providers.embedders.remote import RemoteEmbedder


class OllamaEmbedder(RemoteEmbedder):
    """A model that Ollama has pulled."""

    style = "ollama"

    def ask(self, texts: Sequence[str], patience: Patience) -> list[Any]:
        body = {"model": self.model_id, "input": list(texts), "truncate": True}
        answer = self.service.post("/api/embed", body, patience)
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if rows is None and isinstance(answer, dict) and "embedding" in answer:
            # The shape before version 0.2, which gateways in front of Ollama still use: the vector of one text.
            rows = [answer["embedding"]]
        if not isinstance(rows, list):
            raise self.service.nonsense("it has no list 'embeddings'")
        return rows

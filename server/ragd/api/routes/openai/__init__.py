"""OpenAI's interface, for programs that speak it: collections as models that answer, embeddings, reranking.

Rerank is in the shape of Jina and Cohere, since OpenAI has none. Failures are in OpenAI's shape: see `api.errors`.
"""

from __future__ import annotations

from typing import Any, Final

from ragd.api.schemas.openai import OpenAiErrorBody
from ragd.core.errors import RagError

TAG: Final = "OpenAI-compatible"
"""The tag of its operations. The editor uses none of them, and gets no types of them."""

FAILURES: Final[dict[int | str, dict[str, Any]]] = {"default": {"model": OpenAiErrorBody, "description": "Any failure"}}

OWNER: Final = "rag-assistant"


class ModelNotFound(RagError):
    """No model of this name is here, or it does something else."""

    code, status = "MODEL_NOT_FOUND", 404


def require_model(named: str, there: str, what: str) -> None:
    """Raises `ModelNotFound` unless the request names the one model that does this here."""
    if named != there:
        raise ModelNotFound(f"There is no {what} model '{named}' here; it is '{there}'. GET /v1/models lists what there is.")

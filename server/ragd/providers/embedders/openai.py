"""Text embedding by a service that speaks OpenAI's interface: `POST {url}/embeddings`.

Source: the OpenAI API reference, "Create embeddings"; vLLM, text-embeddings-inference, LiteLLM and others answer alike.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import numpy as np

from ragd.core.http import Patience
from ragd.providers.embedders.remote import RemoteEmbedder


class OpenAiEmbedder(RemoteEmbedder):
    """Any model behind such an address. Numbers are asked for as they are; base64 is understood as well."""

    style = "openai"

    def ask(self, texts: Sequence[str], patience: Patience) -> list[Any]:
        body = {"model": self.model_id, "input": list(texts), "encoding_format": "float"}
        answer = self.service.post("/embeddings", body, patience)
        items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self.service.nonsense("it has no list 'data'")
        # A service that leaves the places out keeps the order.
        places = [item.get("index", position) for position, item in enumerate(items)]
        by_place = dict(zip(places, items, strict=True)) if all(type(place) is int for place in places) else {}
        if sorted(by_place) != list(range(len(texts))) or len(items) != len(texts):
            raise self.service.nonsense(f"its places are not those of {len(texts)} texts")
        return [self._row(by_place[place].get("embedding")) for place in range(len(texts))]

    def _row(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            data = base64.b64decode(value, validate=True)
            return np.frombuffer(data, "<f4")
        except (binascii.Error, ValueError) as error:
            raise self.service.nonsense("a vector in base64 is broken") from error

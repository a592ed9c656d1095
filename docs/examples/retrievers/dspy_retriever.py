"""Passages of the daemon for DSPy: a module that a program calls where it needs context.

RAG_URL and RAG_TOKEN say where it is: `url` and `token` of `daemon.json` in its data directory.
"""

import json
import os
import urllib.request

import dspy


class RagAssistantRetriever(dspy.Module):
    """`context = RagAssistantRetriever("default")("When does the lease end?").passages`"""

    def __init__(self, collection: str = "default", top_k: int = 5) -> None:
        super().__init__()
        self.collection = collection
        self.top_k = top_k

    def forward(self, query: str) -> dspy.Prediction:
        request = urllib.request.Request(
            os.environ["RAG_URL"] + "/api/query",
            json.dumps({"query": query, "collection": self.collection, "top_k": self.top_k}).encode(),
            {"Authorization": f"Bearer {os.environ['RAG_TOKEN']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found = json.load(answer)
        results = found["results"]
        return dspy.Prediction(
            passages=[hit["content"] for hit in results],
            sources=[hit["source"] for hit in results],
            scores=[hit["score"] for hit in results],
            confidence=found["confidence"],
        )

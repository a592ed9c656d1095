"""Passages of the daemon as a Haystack component.

RAG_URL and RAG_TOKEN say where it is: `url` and `token` of `daemon.json` in its data directory.
"""

import json
import os
import urllib.request

from haystack import Document, component


@component
class RagAssistantRetriever:
    """`pipeline.add_component("retriever", RagAssistantRetriever("default"))`"""

    def __init__(self, collection: str = "default", top_k: int = 5) -> None:
        self.collection = collection
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, list[Document]]:
        request = urllib.request.Request(
            os.environ["RAG_URL"] + "/api/query",
            json.dumps({"query": query, "collection": self.collection, "top_k": self.top_k}).encode(),
            {"Authorization": f"Bearer {os.environ['RAG_TOKEN']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found = json.load(answer)["results"]
        kept = ("doc_id", "source", "source_uri", "title", "section_path", "page", "line_range")
        documents = [
            Document(id=hit["chunk_id"], content=hit["content"], score=hit["score"], meta={k: hit[k] for k in kept if k in hit})
            for hit in found
        ]
        return {"documents": documents}

"""Passages of the daemon as a LlamaIndex retriever.

RAG_URL and RAG_TOKEN say where it is: `url` and `token` of `daemon.json` in its data directory.
"""

import json
import os
import urllib.request

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class RagAssistantRetriever(BaseRetriever):
    """`RagAssistantRetriever("default").retrieve("When does the lease end?")`"""

    def __init__(self, collection: str = "default", top_k: int = 5) -> None:
        self._asked = {"collection": collection, "top_k": top_k}
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        request = urllib.request.Request(
            os.environ["RAG_URL"] + "/api/query",
            json.dumps({"query": query_bundle.query_str, **self._asked}).encode(),
            {"Authorization": f"Bearer {os.environ['RAG_TOKEN']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found = json.load(answer)["results"]
        kept = ("doc_id", "source", "source_uri", "title", "section_path", "page", "line_range")
        return [
            NodeWithScore(
                node=TextNode(id_=hit["chunk_id"], text=hit["content"], metadata={k: hit[k] for k in kept if k in hit}),
                score=hit["score"],
            )
            for hit in found
        ]

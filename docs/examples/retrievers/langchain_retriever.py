"""Passages of the daemon as a LangChain retriever.

RAG_URL and RAG_TOKEN say where it is: `url` and `token` of `daemon.json` in its data directory.
"""

import json
import os
import urllib.request

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class RagAssistantRetriever(BaseRetriever):
    """`RagAssistantRetriever(collection="default").invoke("When does the lease end?")`"""

    collection: str = "default"
    top_k: int = 5
    filters: dict | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002
        asked = {"query": query, "collection": self.collection, "top_k": self.top_k, "filters": self.filters}
        request = urllib.request.Request(
            os.environ["RAG_URL"] + "/api/query",
            json.dumps(asked).encode(),
            {"Authorization": f"Bearer {os.environ['RAG_TOKEN']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found = json.load(answer)["results"]
        return [
            Document(id=hit["chunk_id"], page_content=hit["content"], metadata={k: v for k, v in hit.items() if k != "content"})
            for hit in found
        ]

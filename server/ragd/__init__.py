"""RAG Assistant: search over private documents, with citations that open the source at the exact place."""

__version__ = "0.1.0"

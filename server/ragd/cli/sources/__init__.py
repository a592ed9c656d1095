"""`rag sources` and `rag sync`."""

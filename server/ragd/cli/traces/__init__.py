"""`rag traces`."""

"""`rag doctor`."""

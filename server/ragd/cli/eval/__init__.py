"""`rag eval`."""

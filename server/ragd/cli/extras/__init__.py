"""`rag extras`."""

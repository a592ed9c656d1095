"""`rag bundle`."""

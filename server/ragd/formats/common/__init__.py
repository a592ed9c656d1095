"""The reader of common."""

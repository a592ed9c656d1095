"""The reader of markdown."""

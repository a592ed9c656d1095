"""The reader of text."""

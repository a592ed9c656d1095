"""The reader of page."""

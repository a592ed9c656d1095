"""The reader of pdf."""

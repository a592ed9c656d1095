"""The reader of notebook."""

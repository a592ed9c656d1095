"""The reader of excel."""

"""The reader of powerpoint."""

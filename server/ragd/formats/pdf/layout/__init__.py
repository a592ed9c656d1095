"""The reader of layout."""

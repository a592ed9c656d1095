"""The reader of html."""

"""The reader of code."""

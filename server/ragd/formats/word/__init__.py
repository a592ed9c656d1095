"""The reader of word."""

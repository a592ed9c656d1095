"""The reader of tables."""

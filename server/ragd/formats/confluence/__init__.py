"""The reader of confluence."""

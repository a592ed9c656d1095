"""The reader of email."""

"""The database: everything that was read from documents, and what was done with it."""

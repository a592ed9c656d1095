"""The database: its engine, tables and migrations."""

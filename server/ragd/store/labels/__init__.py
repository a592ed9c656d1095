"""Labels in the database."""

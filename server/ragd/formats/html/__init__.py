"""Web pages, and HTML inside of other files."""

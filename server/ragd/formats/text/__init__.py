"""Plain text, light markup, structured data and source code."""

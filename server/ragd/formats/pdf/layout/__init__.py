"""A PDF page put in order: columns, paragraphs, tables, and what is repeated at its edges."""

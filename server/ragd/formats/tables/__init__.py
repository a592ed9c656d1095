"""CSV files, and tables as Markdown for all that have rows and columns."""

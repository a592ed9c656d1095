"""Models that run here: rows, download, conversion."""

"""Cloud sources, read in cycles."""

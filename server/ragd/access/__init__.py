"""What the asking user may see of each source."""

"""What the user may see of each source."""

"""Find, start and call a daemon."""

"""Which files there are to read, and which may be read."""

"""Documents into chunks."""

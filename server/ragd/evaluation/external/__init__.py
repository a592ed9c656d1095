"""Metrics of other people's evaluation tools, which run in environments of their own."""

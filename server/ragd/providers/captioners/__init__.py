"""Providers: captioners."""

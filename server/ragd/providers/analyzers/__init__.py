"""Providers: analyzers."""

"""Providers: embedders."""

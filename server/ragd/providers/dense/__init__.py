"""Providers: dense."""

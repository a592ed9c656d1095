"""Providers: sparse."""

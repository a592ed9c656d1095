"""Providers: tokenizers."""

"""Providers: rerankers."""

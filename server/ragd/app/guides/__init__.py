"""Guides to documents and collections: what they are about, and what can be asked."""

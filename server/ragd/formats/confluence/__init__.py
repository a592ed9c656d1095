"""Confluence pages, as their source fetched them."""

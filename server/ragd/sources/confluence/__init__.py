"""Confluence as a source, Cloud and Data Center."""

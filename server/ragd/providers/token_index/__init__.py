"""Compressed token vectors of passages, for late interaction at query time."""

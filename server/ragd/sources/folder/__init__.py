"""Folders, read and followed."""

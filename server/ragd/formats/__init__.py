"""Readers of file formats, one folder each; `registry.py` says which file goes to which."""

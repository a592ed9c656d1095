"""Processes that read files, so that a bad file costs itself alone."""

"""Finished runs for machines and people: JUnit XML, a Markdown report with plots, a summary."""

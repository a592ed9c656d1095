"""Cleaning, titles, summaries and keywords."""

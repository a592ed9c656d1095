"""Jira issues, as their source fetched them."""

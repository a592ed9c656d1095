"""Asking Atlassian sites: a thin client, and what a person writes about a site."""

"""The reader of jira."""

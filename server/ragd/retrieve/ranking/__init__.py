"""From candidates to a ranking."""

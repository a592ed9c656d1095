"""Replays: what was done once, done again with today's data and settings or with changed ones, and what differs."""

"""Runs of an evaluation and of a search for settings, whoever asks the questions: a command, or a job of the daemon."""

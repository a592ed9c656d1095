"""Answers in words, made of the passages that a search found, with citations that can be checked."""

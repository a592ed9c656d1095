"""Judgements of answers and passages by a language model: one short question each, in a fixed form."""

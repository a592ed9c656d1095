"""Requests and answers of REST as models, one module for each family of routes: what OpenAPI says, and what the extension's types
are made from.

Answers are sent without the fields that were not set, so that a place names only what it has.
"""

"""Requests and answers of REST as models, one module for each family of routes. Answers have only the fields that were set."""

"""Providers: llms."""

"""Providers: ocr."""

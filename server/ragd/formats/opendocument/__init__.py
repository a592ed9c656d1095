"""OpenDocument (.odt)."""

"""Electronic books (.epub)."""

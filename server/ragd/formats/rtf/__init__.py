"""Rich Text Format (.rtf)."""

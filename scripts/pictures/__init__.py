"""Pictures with known contents, and how well their types are told."""

"""Pictures of documents."""

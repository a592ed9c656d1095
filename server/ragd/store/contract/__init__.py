"""What the service contract asks of the database beyond what collections, documents and jobs give."""

"""What can be exchanged: models, indexes, readers. `registry.py` is the one table, `protocols.py` says what each kind does."""

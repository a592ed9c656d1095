"""The facts store: everything that was read from documents, and what was done with it."""

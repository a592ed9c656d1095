"""The documents of `data/samples/` that are made by a program: a module for each format."""

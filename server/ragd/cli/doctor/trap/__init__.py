"""A folder for the module path of watched processes: its `sitecustomize` is imported by each of them at its start."""

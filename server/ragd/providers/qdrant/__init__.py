"""Qdrant, as a server or inside this process: a dense and a sparse index."""

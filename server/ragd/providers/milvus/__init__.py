"""Milvus, as a server or by Milvus Lite inside this process: a dense and a sparse index."""

"""Diagrams: what a drawing of boxes and arrows says, as nodes and edges, as Mermaid and as sentences.

`structure` reads them from files that say what is a box and what an arrow, `pixels` from pictures.
"""

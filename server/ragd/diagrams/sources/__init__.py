"""Diagrams that are written as text: Mermaid, Graphviz's DOT, PlantUML. What isn't understood is passed over, never guessed."""

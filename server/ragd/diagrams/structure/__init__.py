"""Diagrams from files that say what is a box and what an arrow. No model, no guess: what isn't stated is not an edge."""

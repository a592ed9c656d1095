"""What is measured, with what, and what people said of answers: runs, datasets, feedback."""

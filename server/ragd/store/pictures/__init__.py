"""What is said of pictures."""

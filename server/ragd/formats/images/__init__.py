"""The reader of images."""

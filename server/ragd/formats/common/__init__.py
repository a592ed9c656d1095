"""What the readers of several formats share: content under construction, encodings, archives, names and pictures."""

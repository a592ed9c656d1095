"""Where documents come from again and again: folders that are watched."""

"""What is remembered of live versions, so that it is read once and not for each question."""

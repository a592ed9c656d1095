"""From a question to what is searched for."""

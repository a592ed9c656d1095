"""How good the answers are: questions with known answers, asked of the production pipeline, and what came of it."""

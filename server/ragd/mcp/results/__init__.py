"""Results as MCP wants them: text for a model, typed fields beside it."""

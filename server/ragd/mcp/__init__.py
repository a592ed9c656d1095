"""The interface for agents: the Model Context Protocol, by stdio (`rag mcp`) and by HTTP (the daemon's `/mcp`). Off by default.

It is one more client of the REST contract: each tool asks the same routes as any program does, with the same checks, permissions
and errors, and turns the answer into text for a model and typed fields for a program. Nothing else depends on this package.
"""

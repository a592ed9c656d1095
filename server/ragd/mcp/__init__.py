"""The interface for agents, off by default: MCP by stdio (`rag mcp`) and by HTTP (`/mcp` of the daemon), a client of REST."""

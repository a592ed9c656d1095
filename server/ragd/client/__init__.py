"""Find, start and call a daemon: one client of the REST contract for the command line, the MCP server and tests."""

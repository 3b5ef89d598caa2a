"""mcpgen turns an API description into an MCP server people are glad to own."""

__version__ = "0.2.0"

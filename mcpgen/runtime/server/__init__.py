"""The MCP side: list the tools, check a call, run it, report."""

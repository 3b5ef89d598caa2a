"""`NAME-mcp install CLIENT`: enter this server into the settings of an MCP client, and remove it.

Only the standard library is used, and nothing of this is imported by a server that serves.
"""

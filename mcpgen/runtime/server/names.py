"""The names of the three tools that a server started with `--lazy` lists."""

SEARCH, DESCRIBE, CALL = "search_tools", "describe_tool", "call_tool"

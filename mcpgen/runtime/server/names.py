"""The names of the tools that a server started with `--lazy` or `--code` lists."""

SEARCH, DESCRIBE, CALL, RUN = "search_tools", "describe_tool", "call_tool", "run_code"

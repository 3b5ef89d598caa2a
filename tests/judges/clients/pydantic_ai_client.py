"""Drive Pydantic AI's toolset of an MCP server."""

import asyncio
import json
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai.mcp import MCPToolset


async def main(task):
    server = task.get("url") or StdioTransport(**task["stdio"])
    async with MCPToolset(server, init_timeout=120) as toolset:
        tools = await toolset.list_tools()
        answer = await toolset.direct_call_tool(task["tool"], task["arguments"])
        print(json.dumps({"tools": len(tools), "answer": json.dumps(answer, default=str)}))


asyncio.run(main(json.loads(sys.argv[1])))

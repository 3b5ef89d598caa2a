"""Drive the client of FastMCP."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main(task):
    server = task.get("url") or StdioTransport(**task["stdio"])
    async with Client(server) as client:
        tools = await client.list_tools()
        result = await client.call_tool(task["tool"], task["arguments"])
        print(json.dumps({"tools": len(tools), "answer": result.content[0].text}))


asyncio.run(main(json.loads(sys.argv[1])))

"""Drive the official Python SDK 2.x; the option `mode` is that of its `Client`."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(task):
    server = task.get("url") or stdio_client(StdioServerParameters(**task["stdio"]))
    async with Client(server, **task["options"]) as client:
        names, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        result = await client.call_tool(task["tool"], task["arguments"])
        print(json.dumps({"tools": len(names), "answer": result.content[0].text}))


asyncio.run(main(json.loads(sys.argv[1])))

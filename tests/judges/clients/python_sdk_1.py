"""Drive the official Python SDK 1.x."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def main(task):
    if "url" in task:
        streams = streamablehttp_client(task["url"])
    else:
        streams = stdio_client(StdioServerParameters(**task["stdio"]))
    async with streams as opened, ClientSession(opened[0], opened[1]) as client:
        await client.initialize()
        names, cursor = [], None
        while True:
            page = await client.list_tools(cursor)
            names += [tool.name for tool in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                break
        result = await client.call_tool(task["tool"], task["arguments"])
        print(json.dumps({"tools": len(names), "answer": result.content[0].text}))


asyncio.run(main(json.loads(sys.argv[1])))

"""Drive langchain-mcp-adapters: the tools as LangChain's."""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main(task):
    if "url" in task:
        connection = {"transport": "streamable_http", "url": task["url"]}
    else:
        connection = {"transport": "stdio", **task["stdio"]}
    tools = await MultiServerMCPClient({"server": connection}).get_tools()
    tool = next(tool for tool in tools if tool.name == task["tool"])
    answer = await tool.ainvoke(task["arguments"])
    print(json.dumps({"tools": len(tools), "answer": json.dumps(answer)}))


asyncio.run(main(json.loads(sys.argv[1])))

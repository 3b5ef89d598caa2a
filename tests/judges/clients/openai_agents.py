"""Drive the OpenAI Agents SDK: the tools as functions of an agent."""

import asyncio
import json
import sys

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil


async def main(task):
    if "url" in task:
        server = MCPServerStreamableHttp({"url": task["url"]}, client_session_timeout_seconds=120)
    else:
        server = MCPServerStdio(task["stdio"], client_session_timeout_seconds=120)
    async with server:
        tools = await server.list_tools()
        functions = [MCPUtil.to_function_tool(tool, server, True) for tool in tools]
        result = await server.call_tool(task["tool"], task["arguments"])
        print(json.dumps({"tools": len(functions), "answer": result.content[0].text}))


asyncio.run(main(json.loads(sys.argv[1])))

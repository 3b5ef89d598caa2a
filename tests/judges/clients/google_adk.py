"""Drive Google's Agent Development Kit: the tools as function declarations."""

import asyncio
import json
import sys

from google.adk.tools.mcp_tool.mcp_session_manager import (
    StdioConnectionParams,
    StreamableHTTPConnectionParams,
)
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from mcp import StdioServerParameters


async def main(task):
    if "url" in task:
        connection = StreamableHTTPConnectionParams(url=task["url"], timeout=120)
    else:
        parameters = StdioServerParameters(**task["stdio"])
        connection = StdioConnectionParams(server_params=parameters, timeout=120)
    toolset = McpToolset(connection_params=connection)
    tools = await toolset.get_tools()
    declarations = [tool._get_declaration() for tool in tools]
    answer = ""
    for tool in tools:
        if tool.name == task["tool"]:
            answer = await tool._run_async_impl(
                args=task["arguments"], tool_context=Nobody(), credential=None
            )
    print(json.dumps({"tools": len(declarations), "answer": json.dumps(answer, default=str)}))
    await toolset.close()


class Nobody:
    """The context of a call outside of an agent."""

    def __getattr__(self, name):
        return None


asyncio.run(main(json.loads(sys.argv[1])))

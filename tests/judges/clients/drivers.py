"""Drive clients in Python: each gives the number of tools it lists, and the answer to a call."""

import asyncio
import json
import sys


async def fastmcp(task):
    """Drive the client of FastMCP."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(task.get("url") or StdioTransport(**task["stdio"])) as client:
        result = await client.call_tool(task["tool"], task["arguments"])
        return len(await client.list_tools()), result.content[0].text


async def google_adk(task):
    """Drive Google's Agent Development Kit: the tools as function declarations."""
    from google.adk.tools.mcp_tool import mcp_session_manager as manager
    from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
    from mcp import StdioServerParameters

    class Nobody:
        """The context of a call outside of an agent."""

        def __getattr__(self, name):
            return None

    if "url" in task:
        connection = manager.StreamableHTTPConnectionParams(url=task["url"], timeout=120)
    else:
        parameters = StdioServerParameters(**task["stdio"])
        connection = manager.StdioConnectionParams(server_params=parameters, timeout=120)
    toolset = McpToolset(connection_params=connection)
    tools = {tool.name: tool for tool in await toolset.get_tools()}
    declarations = [tool._get_declaration() for tool in tools.values()]
    answer = await tools[task["tool"]]._run_async_impl(
        args=task["arguments"], tool_context=Nobody(), credential=None
    )
    await toolset.close()
    return len(declarations), answer


async def langchain(task):
    """Drive langchain-mcp-adapters: the tools as LangChain's."""
    from langchain_mcp_adapters.client import MultiServerMCPClient

    connection = {"transport": "stdio", **task.get("stdio", {})}
    if "url" in task:
        connection = {"transport": "streamable_http", "url": task["url"]}
    tools = await MultiServerMCPClient({"server": connection}).get_tools()
    tool = next(tool for tool in tools if tool.name == task["tool"])
    return len(tools), await tool.ainvoke(task["arguments"])


async def openai_agents(task):
    """Drive the OpenAI Agents SDK: the tools as functions of an agent."""
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil

    kind = MCPServerStreamableHttp if "url" in task else MCPServerStdio
    given = {"url": task["url"]} if "url" in task else task["stdio"]
    async with kind(given, client_session_timeout_seconds=120) as server:
        tools = await server.list_tools()
        functions = [MCPUtil.to_function_tool(tool, server, True) for tool in tools]
        result = await server.call_tool(task["tool"], task["arguments"])
        return len(functions), result.content[0].text


async def pydantic_ai(task):
    """Drive Pydantic AI's toolset of an MCP server."""
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai.mcp import MCPToolset

    server = task.get("url") or StdioTransport(**task["stdio"])
    async with MCPToolset(server, init_timeout=120) as toolset:
        answer = await toolset.direct_call_tool(task["tool"], task["arguments"])
        return len(await toolset.list_tools()), answer


async def python_sdk(task):
    """Drive the official Python SDK 2.x; the option `mode` is that of its `Client`."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = task.get("url") or stdio_client(StdioServerParameters(**task["stdio"]))
    async with Client(server, **task["options"]) as client:
        count, page = 0, await client.list_tools()
        while page:
            count += len(page.tools)
            page = page.next_cursor and await client.list_tools(cursor=page.next_cursor)
        result = await client.call_tool(task["tool"], task["arguments"])
        return count, result.content[0].text


async def python_sdk_1(task):
    """Drive the official Python SDK 1.x."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    streams = streamablehttp_client(task["url"]) if "url" in task else None
    streams = streams or stdio_client(StdioServerParameters(**task["stdio"]))
    async with streams as opened, ClientSession(opened[0], opened[1]) as client:
        await client.initialize()
        count, page = 0, await client.list_tools()
        while page:
            count += len(page.tools)
            page = page.nextCursor and await client.list_tools(page.nextCursor)
        result = await client.call_tool(task["tool"], task["arguments"])
        return count, result.content[0].text


if __name__ == "__main__":
    count, answer = asyncio.run(globals()[sys.argv[2]](json.loads(sys.argv[1])))
    text = answer if isinstance(answer, str) else json.dumps(answer, default=str)
    print(json.dumps({"tools": count, "answer": text}))

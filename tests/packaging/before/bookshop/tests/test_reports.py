"""Our own test."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import Client

from bookshop_mcp import App


def test_the_order_on_its_way_stays() -> None:
    async def run() -> Any:
        async with Client(App("bookshop_mcp").server) as client:
            return await client.call_tool("cancel_order", {"orderId": "or_1"})

    assert "on its way" in asyncio.run(run()).content[0].text

"""The toolset `transactions`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_transaction_list(api: Api) -> Answer[Any]:
    """Create a list of transactions."""
    return await api.request("POST", "/transactions/list")


async def get_transactions(api: Api) -> Answer[Any]:
    """Returns the transactions of an account."""
    return await api.request("POST", "/transactions/get")


async def search_transactions(api: Api) -> Answer[Any]:
    """Search transactions."""
    return await api.request("POST", "/transactions/search")

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def list_forecasts(api: Api, *, station: str) -> Answer[Any]:
    """List forecasts."""
    return await api.request("GET", "/forecasts", query={"station": station})


async def list_readings(api: Api, *, station: str) -> Answer[Any]:
    """List readings."""
    return await api.request("GET", "/readings", query={"station": station})

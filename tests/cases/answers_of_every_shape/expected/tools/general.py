"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def get_cover(api: Api) -> Answer[Any]:
    """Get cover."""
    return await api.request("GET", "/cover", accept="image/*, */*;q=0.5")


async def get_either(api: Api) -> Answer[models.GetEitherAnswer | models.GetEitherAnswer2]:
    """Get either."""
    return await api.request("POST", "/either")


async def get_nullable(api: Api) -> Answer[models.GetNullableAnswer]:
    """Get nullable."""
    return await api.request("GET", "/null")


async def get_picture(api: Api) -> Answer[Any]:
    """Get picture."""
    return await api.request("GET", "/picture", accept="image/png, */*;q=0.5")


async def get_report(api: Api) -> Answer[Any]:
    """Get report."""
    return await api.request("GET", "/report", accept="application/json, */*;q=0.5")


async def get_whatever(api: Api) -> Answer[Any]:
    """Get whatever."""
    return await api.request("GET", "/whatever", accept="application/json, */*;q=0.5")


async def list_all(api: Api) -> Answer[Any]:
    """List all."""
    return await api.request("GET", "/list")

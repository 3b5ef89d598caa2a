"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def get_logo(api: Api) -> Answer[models.Logo]:
    """Get the logo."""
    return await api.request("GET", "/logo")


async def get_status(api: Api) -> Answer[models.GetStatusAnswer]:
    """Get the status."""
    return await api.request("GET", "/status")


async def list_history(api: Api) -> Answer[Any]:
    """List history."""
    return await api.request("GET", "/history")


async def list_parts(api: Api) -> Answer[list[models.ListPartsAnswerItem]]:
    """List parts."""
    return await api.request("GET", "/parts")


async def search_parts(api: Api) -> Answer[Any]:
    """Search parts."""
    return await api.request("GET", "/parts/search")

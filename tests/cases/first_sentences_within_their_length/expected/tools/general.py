"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def associate_vpc_with_hosted_zone(api: Api) -> Answer[Any]:
    """Associate a shelf."""
    return await api.request("POST", "/zones")


async def delete_shelf_authorization(api: Api) -> Answer[Any]:
    """Removes authorization to submit an associate_vpc_with_hosted_zone request to associate a
    specified shelf with a hosted...
    """
    return await api.request("DELETE", "/authorizations")


async def list_names(api: Api) -> Answer[Any]:
    """Retrieves the Amazon Resource Name of the view that is the default for the Region in which
    you call this operation.
    """
    return await api.request("GET", "/names")

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def company_address_create(api: Api) -> Answer[Any]:
    """Create company address."""
    return await api.request("POST", "/api/company/address/")


async def company_address_list(api: Api) -> Answer[Any]:
    """List company address."""
    return await api.request("GET", "/api/company/address/")


async def delete_build_item(api: Api, *, id: int) -> Answer[Any]:
    """Delete build item."""
    return await api.request("DELETE", "/api/build/item/{id}/", path_args={"id": id})


async def download_list(api: Api) -> Answer[Any]:
    """Download list."""
    return await api.request("GET", "/download/list")


async def get_build_item(api: Api, *, id: int) -> Answer[Any]:
    """Get build item."""
    return await api.request("GET", "/api/build/item/{id}/", path_args={"id": id})


async def replace_build_item(api: Api, *, id: int) -> Answer[Any]:
    """Replace build item."""
    return await api.request("PUT", "/api/build/item/{id}/", path_args={"id": id})


async def update_build_item(api: Api, *, id: int) -> Answer[Any]:
    """Update build item."""
    return await api.request("PATCH", "/api/build/item/{id}/", path_args={"id": id})


async def users_update_role(api: Api) -> Answer[Any]:
    """Update users role."""
    return await api.request("POST", "/users/role")


async def views(api: Api) -> Answer[Any]:
    """List views of a table."""
    return await api.request("GET", "/views")


async def virtual_machines_create_or_update(api: Api) -> Answer[Any]:
    """Create or update virtual machines."""
    return await api.request("PUT", "/machines")

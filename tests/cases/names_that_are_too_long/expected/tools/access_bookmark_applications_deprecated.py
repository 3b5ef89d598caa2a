"""The toolset `access_bookmark_applications_deprecated`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def delete_a_bookmark_application(api: Api, *, app_id: str) -> Answer[Any]:
    """Delete a bookmark application."""
    return await api.request("DELETE", "/apps/{app_id}/bookmarks", path_args={"app_id": app_id})


async def list_bookmark_applications(api: Api, *, app_id: str) -> Answer[Any]:
    """List bookmark applications."""
    return await api.request("GET", "/apps/{app_id}/bookmarks", path_args={"app_id": app_id})

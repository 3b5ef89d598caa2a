"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def add_project_task(api: Api, *, project: str) -> Answer[Any]:
    """Add a task to a project."""
    return await api.request("PUT", "/projects/{project}/tasks", path_args={"project": project})


async def add_tag_bulk(api: Api) -> Answer[Any]:
    """Bulk-add tags to tasks."""
    return await api.request("POST", "/tags/bulk")


async def archive_project(api: Api, *, project: str) -> Answer[Any]:
    """Archives a project."""
    return await api.request("PATCH", "/projects/{project}/archive", path_args={"project": project})


async def create_project(api: Api) -> Answer[Any]:
    """Creates a new project."""
    return await api.request("PUT", "/projects")


async def delete_project(api: Api, *, project: str) -> Answer[Any]:
    """Removes a project."""
    return await api.request("DELETE", "/projects/{project}", path_args={"project": project})


async def get_project_all(api: Api) -> Answer[Any]:
    """Returns all projects of the caller."""
    return await api.request("POST", "/projects/all")


async def get_tag_info(api: Api) -> Answer[Any]:
    """Get tag info."""
    return await api.request("POST", "/tags/info")


async def merge_project(api: Api, *, project: str) -> Answer[Any]:
    """Merges two projects into one."""
    return await api.request("POST", "/projects/{project}", path_args={"project": project})


async def remove_project_tasks(api: Api, *, project: str) -> Answer[Any]:
    """Removes done tasks."""
    return await api.request("POST", "/projects/{project}/tasks", path_args={"project": project})


async def replace_project(api: Api, *, project: str) -> Answer[Any]:
    """Update a project."""
    return await api.request("PUT", "/projects/{project}", path_args={"project": project})


async def replace_project_filter(api: Api, *, project: str) -> Answer[Any]:
    """Create or replace the filter of a project."""
    return await api.request("PUT", "/projects/{project}/filter", path_args={"project": project})


async def search_users(api: Api) -> Answer[Any]:
    """Search."""
    return await api.request("POST", "/users/search")


async def send_settings_password_forgotten(api: Api) -> Answer[Any]:
    """Send the user a link."""
    return await api.request("POST", "/settings/password/forgotten")


async def update_settings_password(api: Api) -> Answer[Any]:
    """Change password."""
    return await api.request("POST", "/settings/password")

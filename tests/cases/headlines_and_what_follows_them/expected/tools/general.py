"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def analyse_report(api: Api) -> Answer[Any]:
    """Analyses a bundle and returns a Report."""
    return await api.request("POST", "/reports")


async def analytics(api: Api) -> Answer[Any]:
    """Get Case Count Analytics."""
    return await api.request("GET", "/analytics")


async def cancel_session(api: Api, *, id: str) -> Answer[Any]:
    """Cancel session."""
    return await api.request("POST", "/sessions/{id}/cancel", path_args={"id": id})


async def contest_dispute(api: Api, *, id: str) -> Answer[Any]:
    """Contest a Dispute."""
    return await api.request("POST", "/disputes/{id}/contest", path_args={"id": id})


async def create_source(api: Api) -> Answer[Any]:
    """Create source."""
    return await api.request("POST", "/sources")


async def delete_document(api: Api, *, id: str) -> Answer[Any]:
    """Delete document."""
    return await api.request("DELETE", "/documents/{id}", path_args={"id": id})


async def delete_goal(api: Api, *, id: str) -> Answer[Any]:
    """Delete a goal, with its parts."""
    return await api.request("DELETE", "/goals/{id}", path_args={"id": id})


async def delete_reaction(api: Api, *, id: str) -> Answer[Any]:
    """Delete a comment reaction."""
    return await api.request("DELETE", "/reactions/{id}", path_args={"id": id})


async def delete_script(api: Api, *, id: str) -> Answer[Any]:
    """Delete a Script."""
    return await api.request("DELETE", "/scripts/{id}", path_args={"id": id})


async def get_goal(api: Api, *, id: str) -> Answer[Any]:
    """Get a goal."""
    return await api.request("GET", "/goals/{id}", path_args={"id": id})


async def get_script(api: Api, *, id: str) -> Answer[Any]:
    """Get script content from a worker with an environment."""
    return await api.request("GET", "/scripts/{id}", path_args={"id": id})


async def list_goals(api: Api) -> Answer[Any]:
    """List Goals."""
    return await api.request("GET", "/goals")


async def list_projects(api: Api) -> Answer[Any]:
    """List all projects owned by a user."""
    return await api.request("GET", "/projects")


async def list_reactions(api: Api) -> Answer[Any]:
    """List reactions for a comment."""
    return await api.request("GET", "/reactions")


async def registry_list_versions(api: Api) -> Answer[Any]:
    """Returns matching versions."""
    return await api.request("GET", "/versions")


async def replace_goal(api: Api, *, id: str) -> Answer[Any]:
    """Update a goal."""
    return await api.request("PUT", "/goals/{id}", path_args={"id": id})


async def update_connection(api: Api, *, id: str) -> Answer[Any]:
    """Update a connection."""
    return await api.request("PATCH", "/connections/{id}", path_args={"id": id})


async def update_goal(api: Api, *, id: str) -> Answer[Any]:
    """Change a goal."""
    return await api.request("PATCH", "/goals/{id}", path_args={"id": id})


async def upload_script(api: Api, *, id: str) -> Answer[Any]:
    """Upload a script with all its modules."""
    return await api.request("PUT", "/scripts/{id}", path_args={"id": id})


async def watch_sets(api: Api) -> Answer[Any]:
    """Watch changes of a DaemonSet."""
    return await api.request("GET", "/watch")

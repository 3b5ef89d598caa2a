"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_users(api: Api) -> Answer[Any]:
    """Create users."""
    return await api.request("POST", "/users")


async def delete_fileset_snapshot(api: Api, *, id: str) -> Answer[Any]:
    """Delete fileset snapshot."""
    return await api.request("DELETE", "/fileset/snapshot/{id}", path_args={"id": id})


async def delete_fileset_snapshots(api: Api, *, id: str) -> Answer[Any]:
    """Delete fileset snapshots."""
    return await api.request("DELETE", "/fileset/{id}/snapshot", path_args={"id": id})


async def get_a_b_dash(api: Api) -> Answer[Any]:
    """Get a b dash."""
    return await api.request("GET", "/a-b")


async def get_a_b_underscore(api: Api) -> Answer[Any]:
    """Get a b underscore."""
    return await api.request("GET", "/a_b")


async def get_current_by_city(api: Api, *, city: str) -> Answer[Any]:
    """Get current by city."""
    return await api.request("GET", "/current", query={"city": city})


async def get_current_by_lat_lon(
    api: Api,
    *,
    lon: str,
    lat: str,
) -> Answer[Any]:
    """Get current by lat lon."""
    return await api.request(
        "GET",
        "/current",
        query={
            "lon": lon,
            "lat": lat,
        },
    )


async def get_report_all(api: Api) -> Answer[Any]:
    """Get report all."""
    return await api.request("GET", "/reports/all")


async def get_report_all_csv(api: Api) -> Answer[Any]:
    """Get report all csv."""
    return await api.request("GET", "/reports/all.csv")


async def get_team(api: Api) -> Answer[Any]:
    """Get team."""
    return await api.request("GET", "/team")


async def get_team_by_team(api: Api, *, team: str) -> Answer[Any]:
    """Get team by team."""
    return await api.request("GET", "/team/{team}", path_args={"team": team})


async def list_teams_v1(api: Api) -> Answer[Any]:
    """List teams v1."""
    return await api.request("GET", "/v1/teams")


async def list_teams_v2(api: Api) -> Answer[Any]:
    """List teams v2."""
    return await api.request("GET", "/v2/teams")


async def list_users(api: Api) -> Answer[Any]:
    """List users."""
    return await api.request("GET", "/users")


async def update_list_patch(api: Api, *, id: str) -> Answer[Any]:
    """Update fields of a list."""
    return await api.request("PATCH", "/lists/{id}", path_args={"id": id})


async def update_list_post(api: Api, *, id: str) -> Answer[Any]:
    """Update members of a list."""
    return await api.request("POST", "/lists/{id}", path_args={"id": id})


async def upload_key_certificate(
    api: Api,
    *,
    id: str,
    use: str,
) -> Answer[Any]:
    """Upload a certificate and its key."""
    return await api.request(
        "POST",
        "/keys/{id}/certificates/{use}/upload",
        path_args={
            "id": id,
            "use": use,
        },
    )


async def upload_key_certificate_certificate(
    api: Api,
    *,
    id: str,
    use: str,
) -> Answer[Any]:
    """Upload a certificate alone."""
    return await api.request(
        "POST",
        "/keys/{id}/certificates/{use}/upload-certificate",
        path_args={
            "id": id,
            "use": use,
        },
    )

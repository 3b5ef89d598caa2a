"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def create_charging_location(api: Api) -> Answer[Any]:
    """Create charging location."""
    return await api.request("POST", "/charging-locations")


async def create_project_feature_resource(api: Api, *, project_pk: str) -> Answer[Any]:
    """Create project feature resource."""
    return await api.request(
        "POST",
        "/api/v1/projects/{project_pk}/feature-resources/",
        path_args={"project_pk": project_pk},
    )


async def delete_charging_location(api: Api, *, chargingLocationId: str) -> Answer[Any]:
    """Delete charging location."""
    return await api.request(
        "DELETE",
        "/charging-locations/{chargingLocationId}",
        path_args={"chargingLocationId": chargingLocationId},
    )


async def get_client(api: Api, *, id: str) -> Answer[Any]:
    """Get client."""
    return await api.request("GET", "/client/{id}", path_args={"id": id})


async def get_clip(api: Api, *, pid: str) -> Answer[Any]:
    """Get clip."""
    return await api.request("GET", "/clips/{pid}", path_args={"pid": pid})


async def get_project_feature_resource(
    api: Api,
    *,
    project_pk: str,
    id: str,
) -> Answer[Any]:
    """Get project feature resource."""
    return await api.request(
        "GET",
        "/api/v1/projects/{project_pk}/feature-resources/{id}/",
        path_args={
            "project_pk": project_pk,
            "id": id,
        },
    )


async def get_ride_types(api: Api) -> Answer[Any]:
    """Get ride types."""
    return await api.request("GET", "/ridetypes")


async def get_setting(api: Api) -> Answer[Any]:
    """Get setting."""
    return await api.request("GET", "/setting")


async def list_clients(api: Api) -> Answer[Any]:
    """List clients."""
    return await api.request("GET", "/client")


async def list_station_times(api: Api, *, id: str) -> Answer[Any]:
    """List station times."""
    return await api.request("GET", "/stations/{id}/times", path_args={"id": id})


async def org_details(api: Api, *, org_id: str) -> Answer[Any]:
    """Get organization details (org)."""
    return await api.request("GET", "/orgs/{org_id}/details", path_args={"org_id": org_id})


async def send_payments_public(api: Api, *, id: str) -> Answer[Any]:
    """Send Payments Public."""
    return await api.request("POST", "/transactions/{id}/payments", path_args={"id": id})


async def update_project_feature_resource(
    api: Api,
    *,
    project_pk: str,
    id: str,
) -> Answer[models.UpdateProjectFeatureResourceAnswer]:
    """Update partial."""
    return await api.request(
        "PATCH",
        "/api/v1/projects/{project_pk}/feature-resources/{id}/",
        path_args={
            "project_pk": project_pk,
            "id": id,
        },
    )


async def user_details(api: Api, *, id: str) -> Answer[Any]:
    """Get organization details (user)."""
    return await api.request("GET", "/users/{id}/details", path_args={"id": id})

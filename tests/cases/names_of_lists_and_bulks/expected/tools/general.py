"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def actor_v1_post(api: Api) -> Answer[Any]:
    """Post actor v1."""
    return await api.request("POST", "/actors")


async def archive_films_bulk(api: Api) -> Answer[Any]:
    """Archive films bulk."""
    return await api.request("POST", "/films/bulk-archive")


async def associate_sensor(
    api: Api,
    *,
    trackingId: str,
    sensorId: str,
) -> Answer[Any]:
    """Associate a sensor."""
    return await api.request(
        "PUT",
        "/associations/{trackingId}/sensors/{sensorId}",
        path_args={
            "trackingId": trackingId,
            "sensorId": sensorId,
        },
    )


async def create_sms(api: Api) -> Answer[Any]:
    """Submit bulk SMS."""
    return await api.request("POST", "/sms")


async def create_subscription(api: Api) -> Answer[Any]:
    """Subscribe to films."""
    return await api.request("POST", "/subscriptions")


async def delete_film_bulk(api: Api) -> Answer[Any]:
    """Delete film bulk."""
    return await api.request("DELETE", "/films/bulk")


async def films_get_byactor_id(api: Api, *, actorId: str) -> Answer[Any]:
    """Get films byactor id."""
    return await api.request("GET", "/actors/{actorId}", path_args={"actorId": actorId})


async def get_actor(api: Api) -> Answer[Any]:
    """Get actor."""
    return await api.request("GET", "/actors")


async def get_calendar(api: Api) -> Answer[list[models.FilmResource]]:
    """Get calendar."""
    return await api.request("GET", "/calendar")


async def get_film_popular(api: Api) -> Answer[list[models.FilmResource]]:
    """Get film popular."""
    return await api.request("GET", "/films/popular")


async def get_studio(api: Api, *, id: str) -> Answer[models.GetStudioAnswer]:
    """Get a studio."""
    return await api.request("GET", "/studios/{id}", path_args={"id": id})


async def list_films(api: Api) -> Answer[list[models.FilmResource]]:
    """List films."""
    return await api.request("GET", "/film")


async def list_genres(api: Api, *, type: str) -> Answer[Any]:
    """Get genres."""
    return await api.request("GET", "/genres/{type}", path_args={"type": type})


async def list_reviews(api: Api, *, ids: str) -> Answer[list[models.FilmResource]]:
    """List reviews."""
    return await api.request("GET", "/reviews/{ids}", path_args={"ids": ids})


async def list_studios(api: Api) -> Answer[models.ListStudiosAnswer]:
    """Get studios of the film."""
    return await api.request("GET", "/studios/")


async def list_web_acls(api: Api) -> Answer[Any]:
    """List web acls."""
    return await api.request("GET", "/acls")


async def migrate_films(api: Api, *, id: str) -> Answer[Any]:
    """Migrate films."""
    return await api.request("POST", "/migrations/{id}/films/migrate", path_args={"id": id})


async def send_alerta(api: Api) -> Answer[Any]:
    """Send SMS in bulk."""
    return await api.request("POST", "/alerta")

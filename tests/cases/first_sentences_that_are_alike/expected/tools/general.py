"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def clips_cut(api: Api, *, id: str) -> Answer[Any]:
    """Cut a film (clips)."""
    return await api.request("POST", "/clips/{id}/cut", path_args={"id": id})


async def find_lists(api: Api) -> Answer[Any]:
    """List the lists of the user."""
    return await api.request("GET", "/v1/lists")


async def find_new_lists(api: Api) -> Answer[Any]:
    """List the lists of the user (new)."""
    return await api.request("GET", "/v2/lists")


async def movie_details(api: Api, *, movie_id: str) -> Answer[Any]:
    """Get Details (movie)."""
    return await api.request("GET", "/movie/{movie_id}", path_args={"movie_id": movie_id})


async def movie_images(api: Api, *, movie_id: str) -> Answer[Any]:
    """Lists the stills of a movie."""
    return await api.request("GET", "/movie/{movie_id}/images", path_args={"movie_id": movie_id})


async def season_images(
    api: Api,
    *,
    tv_id: str,
    number: str,
) -> Answer[Any]:
    """Get Images (season)."""
    return await api.request(
        "GET",
        "/tv/{tv_id}/season/{number}/images",
        path_args={
            "tv_id": tv_id,
            "number": number,
        },
    )


async def trailers_cut(api: Api, *, id: str) -> Answer[Any]:
    """Cut a film (trailers)."""
    return await api.request("POST", "/trailers/{id}/cut", path_args={"id": id})


async def tv_details(api: Api, *, tv_id: str) -> Answer[Any]:
    """Get Details (tv)."""
    return await api.request("GET", "/tv/{tv_id}", path_args={"tv_id": tv_id})

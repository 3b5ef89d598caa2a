"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def add_fields(api: Api, *, body: models.AddFieldsBody | Omit = OMIT) -> Answer[Any]:
    """Add fields, of which those in JSON may be empty."""
    return await api.request("POST", "/fields", form=wire.form_fields(body, deep_object=("deep",)))


async def add_parts(api: Api, *, body: models.AddPartsBody | Omit = OMIT) -> Answer[Any]:
    """Add parts, of which those in JSON may be empty."""
    return await api.request(
        "POST", "/parts", multipart=wire.multipart_fields(body, json_part=("list", "meta"))
    )


async def create_pet(api: Api, *, body: models.Cat | models.Dog) -> Answer[Any]:
    """Create pet."""
    return await api.request("POST", "/pets", json=body)


async def get_file(
    api: Api,
    *,
    name: str,
    ending: str,
) -> Answer[Any]:
    """Get file."""
    return await api.request(
        "GET",
        "/files/{name}.{ending}",
        path_args={
            "name": name,
            "ending": ending,
        },
    )


async def odd_literals(api: Api, *, id: str) -> Answer[Any]:
    """Get odd literals."""
    return await api.request("GET", "/a%20b/{id}/c%2Fd/(\xe9)", path_args={"id": id})


async def search_books(api: Api, *, term: str) -> Answer[Any]:
    """Search books."""
    return await api.request(
        "GET",
        "/search",
        query={
            "kind": "book",
            "term": term,
        },
    )


async def start_run(
    api: Api,
    *,
    number: int,
    mode: str,
) -> Answer[Any]:
    """Start run."""
    return await api.request(
        "POST",
        "/runs/{number}-{mode}:start",
        path_args={
            "number": number,
            "mode": mode,
        },
    )


async def submit_map(api: Api, *, body: dict[str, Any]) -> Answer[Any]:
    """Submit map."""
    return await api.request("POST", "/map", form=wire.form_fields(body))


async def submit_objects(api: Api, *, body: models.SubmitObjectsBody) -> Answer[Any]:
    """Submit objects."""
    return await api.request("POST", "/objects", form=wire.form_fields(body))


async def update_pet(
    api: Api,
    *,
    id: str,
    near: models.UpdatePetNear | Omit = OMIT,
    owner: models.UpdatePetOwner,
    friend: models.Cat | None | Omit = OMIT,
) -> Answer[Any]:
    """Update pet."""
    return await api.request(
        "PATCH",
        "/pets/{id}",
        path_args={"id": id},
        query={"near": wire.deep_object(near)},
        json={
            "owner": owner,
            "friend": friend,
        },
    )

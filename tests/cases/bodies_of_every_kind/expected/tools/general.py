"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def create_dockerfile(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Create dockerfile."""
    return await api.request(
        "POST",
        "/dockerfile",
        content=body,
        media_type="text/plain",
    )


async def create_form(
    api: Api,
    *,
    tags: list[str],
    extra: models.CreateFormExtra | Omit = OMIT,
    filter: models.CreateFormFilter | Omit = OMIT,
) -> Answer[Any]:
    """Create form."""
    return await api.request(
        "POST",
        "/form",
        form={
            "tags": wire.csv(tags),
            "extra": wire.json_text(extra),
            "filter": wire.deep_object(filter),
        },
    )


async def create_mixed(
    api: Api,
    *,
    id: str,
    address: models.CreateMixedAddress | Omit = OMIT,
    photo: str | Omit = OMIT,
) -> Answer[Any]:
    """Create mixed."""
    return await api.request(
        "POST",
        "/mixed",
        multipart={
            "id": id,
            "address": wire.json_part(address),
            "photo": wire.file(photo, media_type="image/png"),
        },
        media_type="multipart/mixed; boundary=never",
    )


async def create_plan(api: Api, *, title: str | Omit = OMIT) -> Answer[Any]:
    """Create plan."""
    return await api.request(
        "POST",
        "/plan",
        json={"title": title},
        optional_body=True,
    )


async def create_template(api: Api, *, name: str | Omit = OMIT) -> Answer[Any]:
    """Create template."""
    return await api.request(
        "POST",
        "/template",
        json={"name": name},
        optional_body=True,
    )


async def create_text(api: Api, *, body: str) -> Answer[Any]:
    """Create text."""
    return await api.request(
        "POST",
        "/text",
        content=body,
        media_type="text/csv",
        accept="text/plain, */*;q=0.5",
    )


async def get_without_fields(api: Api) -> Answer[Any]:
    """Get without fields."""
    return await api.request("GET", "/without")


async def replace_union(
    api: Api, *, body: models.ReplaceUnionBody | list[int] | Omit = OMIT
) -> Answer[Any]:
    """Replace union."""
    return await api.request("PUT", "/union", json=body)


async def upload(
    api: Api,
    *,
    photo: str,
    meta: models.UploadMeta | Omit = OMIT,
    note: str | Omit = OMIT,
) -> Answer[Any]:
    """Upload."""
    return await api.request(
        "POST",
        "/upload",
        multipart={
            "photo": wire.file(photo, media_type="image/png"),
            "meta": wire.json_part(meta),
            "note": note,
        },
    )

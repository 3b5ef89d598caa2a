"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api, wire

if TYPE_CHECKING:
    from .. import models


async def create_album(api: Api, *, body: dict[str, Any]) -> Answer[Any]:
    """Create an album."""
    return await api.request("POST", "/album", multipart=wire.multipart_fields(body, file=("*",)))


async def create_cover(api: Api, *, picture: str | models.CreateCoverPicture) -> Answer[Any]:
    """Create a cover."""
    return await api.request("POST", "/cover", multipart={"picture": wire.file(picture)})


async def create_labels(
    api: Api, *, body: dict[str, list[models.CreateLabelsBodyValueItem]]
) -> Answer[Any]:
    """Create labels."""
    return await api.request(
        "POST", "/labels", multipart=wire.multipart_fields(body, json_parts=("*",))
    )


async def put_archive(api: Api, *, body: str) -> Answer[Any]:
    """Put an archive."""
    return await api.request(
        "PUT",
        "/archive",
        content=wire.from_base64(body),
        media_type="application/dicom, application/pdf",
    )


async def put_picture(api: Api, *, body: str) -> Answer[Any]:
    """Put a picture."""
    return await api.request(
        "PUT",
        "/picture",
        content=wire.from_base64(body),
        media_type="image/gif, image/jpeg, image/webp",
    )

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(nullable=("/properties/body/anyOf/0/properties/note",))
async def add_attachment(api: Api, *, body: models.AddAttachmentBody) -> Answer[Any]:
    """Add attachment."""
    return await api.request(
        "POST",
        "/attachments",
        multipart=wire.multipart_fields(
            body,
            file={
                "cover": {},
                "picture": {"media_type": "image/png"},
                "clips": {"media_type": "video/mp4"},
                "poster": {},
            },
            text_part={"note": {"media_type": "text/plain"}},
        ),
    )


@wire.sends(nullable=("/properties/caption",))
async def add_photo(
    api: Api,
    *,
    photo: str,
    anything: str | Omit = OMIT,
    caption: Any | Omit = OMIT,
    label: Any | Omit = OMIT,
    pages: list[str] | Omit = OMIT,
    raw: str | Omit = OMIT,
    scan: str | Omit = OMIT,
    sidecar: str | Omit = OMIT,
    thumbnail: str | Omit = OMIT,
) -> Answer[Any]:
    """Add photo."""
    return await api.request(
        "POST",
        "/photos",
        multipart={
            "photo": wire.file(photo),
            "anything": wire.file(anything),
            "caption": wire.json_part(caption),
            "label": wire.text_part(label, media_type="text/plain"),
            "pages": wire.file(pages),
            "raw": wire.file(raw, media_type="image/x-raw"),
            "scan": wire.file(scan, media_type="image/png, image/jpeg"),
            "sidecar": sidecar,
            "thumbnail": wire.file(thumbnail, media_type="image/png"),
        },
    )


async def add_reel(api: Api, *, body: models.AddReelBody | models.Song) -> Answer[Any]:
    """Add reel."""
    return await api.request(
        "POST", "/reels", multipart=wire.multipart_fields(body, file=("reel",))
    )


async def add_stamp(api: Api, *, image: str) -> Answer[Any]:
    """Add stamp."""
    return await api.request("POST", "/stamps", json={"image": image})


async def import_photos(api: Api, *, urls: list[str]) -> Answer[Any]:
    """Import photos."""
    return await api.request("POST", "/imports", json={"urls": urls})


async def set_cover(
    api: Api,
    *,
    image: str | Omit = OMIT,
    url: str | Omit = OMIT,
) -> Answer[Any]:
    """Set cover."""
    return await api.request(
        "PUT",
        "/covers",
        multipart={
            "image": wire.file(image, media_type="image/png"),
            "url": url,
        },
    )

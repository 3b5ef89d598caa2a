"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(nullable=("/properties/authors/items",))
async def add_label(
    api: Api,
    *,
    author: str,
    authors: list[str] | Omit = OMIT,
    crop: models.AddLabelCrop | Omit = OMIT,
    either: str | Omit = OMIT,
    old: str | Omit = OMIT,
) -> Answer[Any]:
    """Add a label."""
    return await api.request(
        "POST",
        "/labels",
        multipart={
            "author": wire.text_part(author, media_type="application/xml"),
            "authors": wire.text_part(authors, media_type="application/xml"),
            "crop": wire.deep_object(crop),
            "either": wire.text_part(either, media_type="application/xml"),
            "old": wire.text_part(old, media_type="application/xml"),
        },
    )


async def add_scan(api: Api, *, body: models.AddScanBody | Omit = OMIT) -> Answer[Any]:
    """Add a scan."""
    return await api.request(
        "POST",
        "/scans",
        multipart=wire.multipart_fields(
            body,
            file={
                "frames": {},
                "photo": {"headers": {"X-Side": "front"}, "media_type": "image/png"},
                "scan": {"media_type": "image/tiff"},
            },
            json_part=("size", "stamp"),
            space_delimited=("pages",),
            text_part={
                "caption": {"media_type": "text/markdown"},
                "place": {"media_type": "application/xml"},
            },
        ),
    )


async def order_prints(
    api: Api,
    *,
    address: models.OrderPrintsAddress | Omit = OMIT,
    crop: models.OrderPrintsCrop | Omit = OMIT,
    note: str | Omit = OMIT,
    papers: list[str] | Omit = OMIT,
    repeated: list[str] | Omit = OMIT,
    sizes: list[str] | Omit = OMIT,
) -> Answer[Any]:
    """Order prints."""
    return await api.request(
        "POST",
        "/prints",
        multipart={
            "address": wire.form(address),
            "crop": wire.deep_object(crop),
            "note": note,
            "papers": wire.pipe_delimited(papers),
            "repeated": repeated,
            "sizes": wire.csv(sizes),
        },
    )


async def set_filter(
    api: Api,
    *,
    filter: models.SetFilterFilter | Omit = OMIT,
    rest: str | Omit = OMIT,
) -> Answer[Any]:
    """Set a filter."""
    return await api.request(
        "POST",
        "/filters",
        form={
            "filter": wire.deep_object(filter),
            "rest": rest,
        },
    )

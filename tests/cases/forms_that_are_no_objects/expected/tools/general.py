"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


async def add_attachment(
    api: Api,
    *,
    issueIdOrKey: str,
    body: str | Omit = OMIT,
) -> Answer[Any]:
    """Add attachment."""
    return await api.request(
        "POST",
        "/issue/{issueIdOrKey}/attachments",
        path_args={"issueIdOrKey": issueIdOrKey},
        multipart=wire.multipart_fields(body),
    )


async def detect_food_in_text(api: Api, *, body: str) -> Answer[Any]:
    """Detect food in text."""
    return await api.request("POST", "/food/detect", form=wire.form_fields(body))


@wire.sends(nullable=("/properties/body",))
async def formany(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Submit u (formany)."""
    return await api.request("POST", "/y", form=wire.form_fields(body))


async def formarr(api: Api, *, body: list[str] | Omit = OMIT) -> Answer[Any]:
    """Submit u (formarr)."""
    return await api.request("POST", "/w", multipart=wire.multipart_fields(body))


@wire.sends(nullable=("/properties/body",))
async def formnone(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Submit u (formnone)."""
    return await api.request("POST", "/x", multipart=wire.multipart_fields(body))


async def formstr(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Submit u (formstr)."""
    return await api.request("POST", "/v", form=wire.form_fields(body))


async def upload(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Submit u (upload)."""
    return await api.request("POST", "/u", multipart=wire.multipart_fields(body))

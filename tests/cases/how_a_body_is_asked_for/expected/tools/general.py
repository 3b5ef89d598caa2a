"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def bodies_open(api: Api, *, body: models.BodiesOpenBody) -> Answer[Any]:
    """Send more than is named."""
    return await api.request("POST", "/open", json=body)


async def create_optional(
    api: Api, *, body: models.CreateOptionalBody | Omit = OMIT
) -> Answer[Any]:
    """Send or send nothing."""
    return await api.request("POST", "/optional", json=body)


@wire.sends(nullable=("/properties/body",), merge_patch=True)
async def merge_patch_first(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Send a merge patch first."""
    return await api.request(
        "POST",
        "/merge-patch-first",
        json=body,
        media_type="application/merge-patch+json",
    )


async def open_form(api: Api, *, body: models.OpenFormBody) -> Answer[Any]:
    """Send an open form."""
    return await api.request("POST", "/open-form", form=wire.form_fields(body))


async def open_inside(
    api: Api,
    *,
    extra: models.OpenInsideExtra | Omit = OMIT,
    labels: models.OpenInsideLabels | Omit = OMIT,
) -> Answer[Any]:
    """Send more inside."""
    return await api.request(
        "POST",
        "/open-inside",
        json={
            "extra": extra,
            "labels": labels,
        },
    )


async def send_alternatives(
    api: Api, *, body: models.SendAlternativesBody | models.SendAlternativesBody2
) -> Answer[Any]:
    """Send alternatives."""
    return await api.request("POST", "/alternatives", json=body)


@wire.sends(nullable=("/properties/body",))
async def send_anything(api: Api, *, body: Any) -> Answer[Any]:
    """Send anything."""
    return await api.request("POST", "/anything", json=body)


async def send_array(api: Api, *, body: list[int]) -> Answer[Any]:
    """Send an array."""
    return await api.request("POST", "/array", json=body)


async def send_body(api: Api, *, request_body: models.SendBodyRequestBody) -> Answer[Any]:
    """Send a body."""
    return await api.request("POST", "/body", json=request_body)


async def send_closed_form(
    api: Api, *, body: models.SendClosedFormBody | Omit = OMIT
) -> Answer[Any]:
    """Send a closed form."""
    return await api.request("POST", "/closed-form", form=wire.form_fields(body))


@wire.sends(nullable=("/properties/body/items",))
async def send_comma(api: Api, *, body: list[str | float | bool | dict[str, Any]]) -> Answer[Any]:
    """Send with a comma."""
    return await api.request(
        "POST",
        "/comma",
        json=body,
        media_type="application/json; version=1.0",
    )


async def send_fields(
    api: Api,
    *,
    title: str,
    n: int | Omit = OMIT,
) -> Answer[Any]:
    """Send fields."""
    return await api.request(
        "POST",
        "/fields",
        json={
            "title": title,
            "n": n,
        },
    )


async def send_flag(api: Api, *, body: bool) -> Answer[Any]:
    """Send a flag."""
    return await api.request(
        "POST",
        "/flag",
        content=body,
        media_type="text/plain",
    )


async def send_form_as_one(api: Api, *, body: models.SendFormAsOneBody) -> Answer[Any]:
    """Send a form as one."""
    return await api.request(
        "POST", "/form-as-one", form=wire.form_fields(body, csv=("tags",), deep_object=("meta",))
    )


@wire.sends(nullable=("/properties/body",))
async def send_form_first(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Send a form first."""
    return await api.request("POST", "/form-first", form=wire.form_fields(body))


@wire.sends(nullable=("/properties/body",))
async def send_json_first(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Send JSON first."""
    return await api.request("POST", "/json-first", json=body)


async def send_lines(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Send lines of JSON."""
    return await api.request(
        "POST",
        "/lines",
        content=body,
        media_type="application/x-ndjson",
    )


async def send_map(api: Api, *, body: dict[str, Any]) -> Answer[Any]:
    """Send a map."""
    return await api.request("POST", "/map", json=body)


async def send_map_with_fields(api: Api, *, body: models.SendMapWithFieldsBody) -> Answer[Any]:
    """Send a map with fields."""
    return await api.request("POST", "/map-with-fields", json=body)


async def send_meant(api: Api, *, a: int) -> Answer[Any]:
    """Send what is meant."""
    return await api.request("PATCH", "/meant", json={"a": a})


async def send_meant_alternatives(
    api: Api, *, body: models.SendMeantAlternativesBody | models.SendMeantAlternativesBody2
) -> Answer[Any]:
    """Send one of two."""
    return await api.request("PUT", "/meant-alternatives", json=body)


@wire.sends(nullable=("/properties/body",))
async def send_multipart_first(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Send multipart first."""
    return await api.request("POST", "/multipart-first", multipart=wire.multipart_fields(body))


async def send_number(api: Api, *, body: int) -> Answer[Any]:
    """Send a number."""
    return await api.request(
        "POST",
        "/number",
        content=body,
        media_type="text/plain",
    )


async def send_object(api: Api, *, body: dict[str, Any]) -> Answer[Any]:
    """Send an object."""
    return await api.request("POST", "/object", json=body)


async def send_object_as_text(api: Api, *, body: str) -> Answer[Any]:
    """Send an object as text."""
    return await api.request(
        "POST",
        "/object-as-text",
        content=body,
        media_type="text/plain",
    )


async def send_only_read(api: Api, *, n: int | Omit = OMIT) -> Answer[Any]:
    """Send what is only read."""
    return await api.request(
        "POST",
        "/only-read",
        json={"n": n},
        optional_body=True,
    )


async def send_picture(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Send a picture."""
    return await api.request(
        "POST",
        "/picture",
        content=wire.from_base64(body),
        media_type="image/png",
    )


async def send_text(api: Api, *, body: str) -> Answer[Any]:
    """Send a text."""
    return await api.request("POST", "/text", json=body)


@wire.sends(nullable=("/properties/body",))
async def send_wildcard(api: Api, *, body: Any | Omit = OMIT) -> Answer[Any]:
    """Send what you like."""
    return await api.request("POST", "/wildcard", json=body)


async def send_xml(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Send XML."""
    return await api.request(
        "POST",
        "/xml",
        content=body,
        media_type="application/xml",
    )

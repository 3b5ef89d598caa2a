"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(nullable=("/properties/any", "/properties/anydesc", "/properties/anytrue"))
async def any_prop(
    api: Api,
    *,
    k: str,
    any: Any | Omit = OMIT,
    anydesc: Any | Omit = OMIT,
    anytrue: Any | Omit = OMIT,
) -> Answer[Any]:
    """Submit any prop."""
    return await api.request(
        "POST",
        "/anyprop",
        json={
            "k": k,
            "any": any,
            "anydesc": anydesc,
            "anytrue": anytrue,
        },
    )


async def disc_body(api: Api, *, body: models.A | models.B) -> Answer[Any]:
    """Submit disc body."""
    return await api.request("POST", "/disc", json=body)


async def dup_like(
    api: Api,
    *,
    x: str,
    x_y: str,
    x_y_minus: str | Omit = OMIT,
    x_y_query: str | Omit = OMIT,
    X_Y: str | Omit = OMIT,
) -> Answer[Any]:
    """Like dup."""
    return await api.request(
        "GET",
        "/a/{x}/b/{x_y}",
        path_args={
            "x": x,
            "x_y": x_y,
        },
        query={
            "x-y": x_y_minus,
            "x.y": x_y_query,
            "X_Y": X_Y,
        },
    )


async def enc_hdr(
    api: Api,
    *,
    f: str | Omit = OMIT,
    t: str | Omit = OMIT,
) -> Answer[Any]:
    """Submit enc hdr."""
    return await api.request(
        "POST",
        "/enchdr",
        multipart={
            "f": wire.file(f, headers={"X-Custom": "hh"}, media_type="image/png, image/jpeg"),
            "t": wire.text_part(t, media_type="text/markdown"),
        },
    )


@wire.sends(nullable=("/properties/body/items/properties/value",))
async def json_patch(api: Api, *, body: list[models.JsonPatchBodyItem]) -> Answer[Any]:
    """Patch json."""
    return await api.request(
        "PATCH",
        "/patch",
        json=body,
        media_type="application/json-patch+json",
    )


async def nested_err(api: Api, *, user: models.NestedErrUser) -> Answer[Any]:
    """Submit nested err."""
    return await api.request("POST", "/nested", json={"user": user})


async def null_opt(
    api: Api,
    *,
    a: int | Omit = OMIT,
    c: Any | Omit = OMIT,
    e: Literal["x"] | None | Omit = OMIT,
    n: str | None | Omit = OMIT,
) -> Answer[Any]:
    """Submit null opt."""
    return await api.request(
        "POST",
        "/nullopt",
        json={
            "a": a,
            "c": c,
            "e": e,
            "n": n,
        },
    )


async def parts(
    api: Api,
    *,
    photo: str | Omit = OMIT,
    rows: list[models.PartsRowsItem] | Omit = OMIT,
) -> Answer[Any]:
    """Submit parts."""
    return await api.request(
        "POST",
        "/parts",
        multipart={
            "photo": wire.file(photo, media_type="image/png, image/jpeg"),
            "rows": wire.json_parts(rows),
        },
    )


async def pat(
    api: Api,
    *,
    p: str,
    m: float | Omit = OMIT,
    l: list[Literal["a", "b"]] | Omit = OMIT,
    d: str | Omit = OMIT,
) -> Answer[Any]:
    """Get pat."""
    return await api.request(
        "GET",
        "/pat",
        query={
            "p": p,
            "m": m,
            "l": l,
            "d": d,
        },
    )


@wire.sends(nullable=("/properties/f/properties/a", "/properties/l/items", "/properties/j"))
async def query_nulls(
    api: Api,
    *,
    v: str | Omit = OMIT,
    f: models.QueryNullsF | Omit = OMIT,
    l: list[str] | Omit = OMIT,
    j: str | None | Omit = OMIT,
) -> Answer[Any]:
    """Query nulls."""
    return await api.request(
        "GET",
        "/nulls",
        query={
            "v": v,
            "f": wire.deep_object(f),
            "l": l,
            "j": wire.json_text(j),
        },
    )


async def spaced(
    api: Api,
    *,
    id: str,
    x_h: str | Omit = OMIT,
) -> Answer[Any]:
    """Get spaced."""
    return await api.request(
        "GET",
        "/with a space/{id}",
        path_args={"id": id},
        headers={"X-H": x_h},
    )


@wire.sends(nullable=("/properties/body",))
async def star_body(api: Api, *, body: Any) -> Answer[Any]:
    """Star body."""
    return await api.request("POST", "/star", json=body)


async def wild_body(api: Api, *, body: str) -> Answer[Any]:
    """Replace wild body."""
    return await api.request(
        "PUT",
        "/wild",
        content=wire.from_base64(body),
        media_type="image/*",
    )

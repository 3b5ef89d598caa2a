"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def get_filled(api: Api, *, other: str | Omit = OMIT) -> Answer[Any]:
    """Get what is filled."""
    return await api.request(
        "GET",
        "/filled",
        query={"other": other},
        security=(("query", "token"), ("token",)),
    )


async def get_mutual(api: Api) -> Answer[Any]:
    """Get with a certificate."""
    return await api.request("GET", "/mutual", security=(("mtls",),))


async def get_x(api: Api) -> Answer[Any]:
    """Get with what holds for all."""
    return await api.request("GET", "/x")


async def replace_filled(
    api: Api,
    *,
    key: str | Omit = OMIT,
    x_token: str,
    other: str | Omit = OMIT,
) -> Answer[Any]:
    """Replace what is open."""
    return await api.request(
        "PUT",
        "/filled",
        query={
            "key": key,
            "other": other,
        },
        headers={"x-token": x_token},
        security=(),
    )


async def send_filled_body(
    api: Api,
    *,
    other: str,
    authorization: models.SendFilledBodyAuthorization | Omit = OMIT,
    basic: str | Omit = OMIT,
    reset: str | Omit = OMIT,
) -> Answer[Any]:
    """Send what is filled."""
    return await api.request(
        "POST",
        "/filled-body",
        json={
            "other": other,
            "authorization": authorization,
            "basic": basic,
            "reset": reset,
        },
        security=(("other", "reset", "token"),),
    )


async def send_x(api: Api) -> Answer[Any]:
    """Send without any."""
    return await api.request("POST", "/x", security=())

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit
from ..runtime.client import wire

if TYPE_CHECKING:
    from .. import models


async def cancel_orders(api: Api, *, body: models.Order | Omit = OMIT) -> Answer[Any]:
    """Cancel orders."""
    return await api.request("POST", "/orders/cancel", json=body)


async def create_order(
    api: Api,
    *,
    item: str,
    count: int | Omit = OMIT,
) -> Answer[Any]:
    """Create order."""
    return await api.request(
        "POST",
        "/orders",
        json={
            "item": item,
            "count": count,
        },
    )


async def refresh_orders(api: Api, *, full: bool | Omit = OMIT) -> Answer[Any]:
    """Refresh orders."""
    return await api.request(
        "POST",
        "/orders/refresh",
        json={"full": full},
        optional_body=True,
    )


async def upload_picture(api: Api, *, file: str) -> Answer[Any]:
    """Upload picture."""
    return await api.request("POST", "/orders/picture", multipart={"file": wire.file(file)})

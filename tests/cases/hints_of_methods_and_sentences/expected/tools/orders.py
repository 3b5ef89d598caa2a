"""The toolset `orders`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def add_note(
    api: Api,
    *,
    id: str,
    body: dict[str, Any] | Omit = OMIT,
) -> Answer[Any]:
    """Add note."""
    return await api.request(
        "PUT",
        "/orders/{id}/note",
        path_args={"id": id},
        json=body,
    )


async def cancel_order(api: Api) -> Answer[Any]:
    """Cancel order."""
    return await api.request("POST", "/orders/cancel")


async def create_order_mark(api: Api, *, id: str) -> Answer[Any]:
    """Create order mark."""
    return await api.request("PUT", "/orders/{id}", path_args={"id": id})


async def create_order_note(api: Api, *, id: str) -> Answer[Any]:
    """Create order note."""
    return await api.request("POST", "/orders/{id}/note", path_args={"id": id})


async def find_orders(api: Api) -> Answer[Any]:
    """Find orders."""
    return await api.request("POST", "/orders/find")


async def orders_bulk_delete(api: Api) -> Answer[Any]:
    """Bulk delete orders."""
    return await api.request("POST", "/orders/bulk")


async def update_order(api: Api, *, id: str) -> Answer[Any]:
    """Update order."""
    return await api.request("POST", "/orders/{id}", path_args={"id": id})

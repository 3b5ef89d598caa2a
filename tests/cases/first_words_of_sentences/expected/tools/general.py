"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def add_balance(api: Api) -> Answer[Any]:
    """Top up the balance of an account."""
    return await api.request("POST", "/balance")


async def board_club_join_request(api: Api, *, id: str) -> Answer[Any]:
    """Update board club join request."""
    return await api.request("PATCH", "/clubs/{id}/applications", path_args={"id": id})


async def completions(api: Api) -> Answer[Any]:
    """Generates an answer to a chat."""
    return await api.request("POST", "/completions")


async def create_charge(api: Api) -> Answer[Any]:
    """Create charge."""
    return await api.request("POST", "/charges")


async def delete_order(api: Api, *, id: str) -> Answer[models.DeleteOrderAnswer]:
    """Deletes an order."""
    return await api.request("DELETE", "/orders/{id}", path_args={"id": id})


async def empty_balance(api: Api) -> Answer[Any]:
    """Permanently or temporarily empties the balance."""
    return await api.request("DELETE", "/balance")


async def finalize_order(api: Api, *, id: str) -> Answer[Any]:
    """Finalize order."""
    return await api.request("POST", "/orders/{id}/finalize", path_args={"id": id})


async def get_order(api: Api, *, id: str) -> Answer[models.GetOrderAnswer]:
    """Returns an order by its id."""
    return await api.request("GET", "/orders/{id}", path_args={"id": id})


async def get_sentinel(api: Api) -> Answer[Any]:
    """Get Sentinel settings of your team."""
    return await api.request("GET", "/sentinel")


async def github_issues(api: Api) -> Answer[Any]:
    """Get GitHub issues of the shop."""
    return await api.request("GET", "/issues")


async def list_subjects(api: Api) -> Answer[Any]:
    """List subjects [DEPRECATED]."""
    return await api.request("GET", "/search/subjects")


async def multi_ack_alarms(api: Api) -> Answer[Any]:
    """Ack multi alarms."""
    return await api.request("POST", "/alarms/ack")


async def order_items(api: Api, *, id: str) -> Answer[Any]:
    """Returns list of items."""
    return await api.request("GET", "/orders/{id}/items", path_args={"id": id})


async def order_replace(api: Api, *, id: str) -> Answer[Any]:
    """Replace an order."""
    return await api.request("PUT", "/orders/{id}", path_args={"id": id})


async def order_rollback(api: Api, *, id: str) -> Answer[Any]:
    """Syncs an order with its last state."""
    return await api.request("POST", "/orders/{id}/rollback", path_args={"id": id})


async def read_table(api: Api) -> Answer[Any]:
    """Read a range of a table."""
    return await api.request("GET", "/tables")


async def reports(api: Api) -> Answer[Any]:
    """Get monthly report list."""
    return await api.request("GET", "/reports")


async def set_balance(api: Api) -> Answer[Any]:
    """Sets the balance to a value."""
    return await api.request("PUT", "/balance")


async def set_items(api: Api, *, id: str) -> Answer[Any]:
    """Create/modify/delete items."""
    return await api.request("PUT", "/orders/{id}/items", path_args={"id": id})


async def stop_locating_device(api: Api) -> Answer[models.StopLocatingDeviceAnswer]:
    """Stop locating device."""
    return await api.request("POST", "/locate")


async def subject_search(api: Api) -> Answer[Any]:
    """Search for subjects [Experimental]."""
    return await api.request("POST", "/search/subjects")


async def update_order(api: Api, *, id: str) -> Answer[models.UpdateOrderAnswer]:
    """Partially update order."""
    return await api.request("PATCH", "/orders/{id}", path_args={"id": id})

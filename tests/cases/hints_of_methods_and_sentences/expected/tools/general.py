"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def account_info(api: Api) -> Answer[Any]:
    """Submit account info."""
    return await api.request("POST", "/accounts/info")


async def add_event(api: Api) -> Answer[Any]:
    """Create an event with a start and end date."""
    return await api.request("POST", "/events/new")


async def create_cash_drop(api: Api) -> Answer[Any]:
    """Create cash drop."""
    return await api.request("POST", "/drops")


async def create_escrow(api: Api) -> Answer[Any]:
    """Create an escrow."""
    return await api.request("POST", "/escrows")


async def create_key(api: Api) -> Answer[Any]:
    """Create a key and revoke the former one."""
    return await api.request("POST", "/keys")


async def flights(api: Api) -> Answer[Any]:
    """Search for flights and book the first."""
    return await api.request("POST", "/flights/search")


async def get_block_by_hash(api: Api) -> Answer[Any]:
    """Get a block by its hash."""
    return await api.request("POST", "/chain/getBlockByHash")


async def get_document(api: Api) -> Answer[Any]:
    """Get a document, creating it if it is missing."""
    return await api.request("POST", "/documents/get")


async def get_login(api: Api) -> Answer[Any]:
    """Login page."""
    return await api.request("GET", "/login")


async def get_logout(api: Api) -> Answer[Any]:
    """Get logout."""
    return await api.request("GET", "/logout")


async def get_pki_crl_rotate(api: Api) -> Answer[Any]:
    """Rotate pki crl."""
    return await api.request("GET", "/pki/crl/rotate")


async def get_queue(api: Api) -> Answer[Any]:
    """Clear episode download queue."""
    return await api.request("GET", "/queue")


async def get_queue_clear(api: Api) -> Answer[Any]:
    """Get the queue to clear."""
    return await api.request("GET", "/queue/clear")


async def get_status(api: Api) -> Answer[Any]:
    """Update status."""
    return await api.request("GET", "/status")


async def get_user(api: Api) -> Answer[Any]:
    """Get a user."""
    return await api.request("POST", "/users/get-or-create")


async def get_user_logout(api: Api) -> Answer[Any]:
    """Logs out current logged in user session."""
    return await api.request("GET", "/user/logout")


async def get_watch(api: Api) -> Answer[Any]:
    """Get a watch and set its muted state."""
    return await api.request("GET", "/watch")


async def get_watch_info(api: Api) -> Answer[Any]:
    """Gets a watch and sets its state."""
    return await api.request("POST", "/watches/info")


async def get_webhook(api: Api) -> Answer[Any]:
    """Trigger a new execution by GET webhook."""
    return await api.request("GET", "/webhook")


async def get_webhook_info(api: Api) -> Answer[Any]:
    """Get webhook info."""
    return await api.request("POST", "/webhooks/info")


async def list_deleted(api: Api) -> Answer[Any]:
    """List what was deleted."""
    return await api.request("GET", "/deleted")


async def list_sliders(api: Api) -> Answer[Any]:
    """Resets all sliders."""
    return await api.request("GET", "/sliders")


async def list_watches(api: Api, *, seen: bool | Omit = OMIT) -> Answer[Any]:
    """List watches."""
    return await api.request("GET", "/watches", query={"seen": seen})


async def search(api: Api) -> Answer[Any]:
    """Search."""
    return await api.request("GET", "/search")


async def search_events(api: Api) -> Answer[Any]:
    """Search by start or end date."""
    return await api.request("POST", "/events/search")


async def sync_stocks(api: Api) -> Answer[Any]:
    """Get info (sync stocks)."""
    return await api.request("POST", "/stocks/info")


async def take_message(api: Api) -> Answer[Any]:
    """Get the message and then delete it."""
    return await api.request("POST", "/messages/get")


async def token_info(api: Api) -> Answer[Any]:
    """Gets and updates the token."""
    return await api.request("POST", "/tokens/info")


async def vehicle_info(api: Api) -> Answer[Any]:
    """Check in a vehicle."""
    return await api.request("POST", "/vehicles/info")

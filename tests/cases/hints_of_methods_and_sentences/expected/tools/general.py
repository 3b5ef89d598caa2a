"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def account_info(api: Api) -> Answer[Any]:
    """Submit account info."""
    return await api.request("POST", "/accounts/info")


async def create_cash_drop(api: Api) -> Answer[Any]:
    """Create cash drop."""
    return await api.request("POST", "/drops")


async def create_escrow(api: Api) -> Answer[Any]:
    """Create an escrow."""
    return await api.request("POST", "/escrows")


async def create_key(api: Api) -> Answer[Any]:
    """Create a key and revoke the former one."""
    return await api.request("POST", "/keys")


async def get_block_by_hash(api: Api) -> Answer[Any]:
    """Get a block by its hash."""
    return await api.request("POST", "/chain/getBlockByHash")


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


async def get_user_logout(api: Api) -> Answer[Any]:
    """Logs out current logged in user session."""
    return await api.request("GET", "/user/logout")


async def get_watch(api: Api) -> Answer[Any]:
    """Get a watch and set its muted state."""
    return await api.request("GET", "/watch")


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


async def token_info(api: Api) -> Answer[Any]:
    """Get info."""
    return await api.request("POST", "/tokens/info")


async def vehicle_info(api: Api) -> Answer[Any]:
    """Check in a vehicle."""
    return await api.request("POST", "/vehicles/info")

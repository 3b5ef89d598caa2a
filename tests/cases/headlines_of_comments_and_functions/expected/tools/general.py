"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def accept_keys(api: Api) -> Answer[Any]:
    """Accept SSH Keys."""
    return await api.request("POST", "/ssh-keys")


async def add_check(api: Api) -> Answer[Any]:
    """Adds a check to the account."""
    return await api.request("POST", "/checks")


async def add_payment(api: Api) -> Answer[Any]:
    """Add a payment with the following rules."""
    return await api.request("POST", "/payments")


async def close_sessions(api: Api) -> Answer[Any]:
    """Closes all sessions and returns them."""
    return await api.request("DELETE", "/sessions")


async def create_template(api: Api) -> Answer[Any]:
    """Create a template: verify its syntax, persist the updated counter, and announce it to
    every subscriber.
    """
    return await api.request("POST", "/templates")


async def delete_logs(api: Api) -> Answer[Any]:
    """Deletes logs and archives."""
    return await api.request("DELETE", "/logs")


async def edit_payments(api: Api) -> Answer[Any]:
    """Change payments of an account."""
    return await api.request("PATCH", "/payments")


async def find_templates(api: Api) -> Answer[models.FindTemplatesAnswer]:
    """Get Templates."""
    return await api.request("GET", "/templates")


async def keys(api: Api) -> Answer[Any]:
    """List SSH Keys."""
    return await api.request("GET", "/ssh-keys")


async def ledger_balance(api: Api) -> Answer[Any]:
    """Template and tokenize."""
    return await api.request("POST", "/ledger")


async def list_payments(api: Api) -> Answer[Any]:
    """Get Payments [V3]."""
    return await api.request("GET", "/payments")


async def logs(api: Api) -> Answer[Any]:
    """Get logs."""
    return await api.request("GET", "/logs")


async def patch_ledger(api: Api) -> Answer[Any]:
    """Patch the ledger."""
    return await api.request("PATCH", "/ledger")


async def prices(api: Api) -> Answer[Any]:
    """Get Price List."""
    return await api.request("GET", "/prices")


async def read_template(api: Api, *, name: str) -> Answer[Any]:
    """Get the raw content of a template."""
    return await api.request("GET", "/templates/{name}", path_args={"name": name})


async def remove_template(api: Api, *, name: str) -> Answer[Any]:
    """Deletes the template."""
    return await api.request("DELETE", "/templates/{name}", path_args={"name": name})


async def replace_checks(api: Api) -> Answer[Any]:
    """Replace the checks by these rules."""
    return await api.request("PUT", "/checks")


async def replace_template(api: Api, *, name: str) -> Answer[Any]:
    """Update Template Key."""
    return await api.request("PUT", "/templates/{name}", path_args={"name": name})


async def session_info(api: Api) -> Answer[Any]:
    """Get OpenID Connect Userinfo."""
    return await api.request("GET", "/sessions")


async def sessions_list_by_owner(api: Api) -> Answer[Any]:
    """List sessions by owner."""
    return await api.request("PUT", "/sessions")


async def sessions_open(api: Api) -> Answer[Any]:
    """Opens a session and logs it."""
    return await api.request("POST", "/sessions")

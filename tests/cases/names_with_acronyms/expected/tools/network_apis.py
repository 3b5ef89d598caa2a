"""The toolset `network_apis`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_oauth_app(api: Api) -> Answer[Any]:
    """Create oauth app."""
    return await api.request("POST", "/oauth/apps")


async def get_ip_as_text(api: Api) -> Answer[Any]:
    """Get ip as text."""
    return await api.request("GET", "/ip/text")


async def get_ipv6_addresses(api: Api) -> Answer[Any]:
    """Get ipv6 addresses."""
    return await api.request("GET", "/addresses/v6")


async def link_github_account(api: Api) -> Answer[Any]:
    """Link github account."""
    return await api.request("PUT", "/github")


async def list_vms(api: Api) -> Answer[Any]:
    """List vms."""
    return await api.request("GET", "/vms")


async def preview_saml_metadata(api: Api) -> Answer[Any]:
    """Preview saml metadata."""
    return await api.request("GET", "/apps/metadata")


async def resolve_user_ids_by_name(api: Api) -> Answer[Any]:
    """Resolve user ids by name."""
    return await api.request("POST", "/users/ids")

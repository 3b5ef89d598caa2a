"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def archive_crm_object_contact_batch(api: Api) -> Answer[Any]:
    """Archive crm object contact batch."""
    return await api.request("POST", "/crm/v3/objects/contacts/batch/archive")


async def capture_charge(api: Api, *, charge: str) -> Answer[Any]:
    """Capture charge."""
    return await api.request("POST", "/v1/charges/{charge}/capture", path_args={"charge": charge})


async def create_customer(api: Api) -> Answer[Any]:
    """Create customer."""
    return await api.request("POST", "/v1/customers")


async def delete_customer(api: Api, *, customer: str) -> Answer[Any]:
    """Delete customer."""
    return await api.request("DELETE", "/v1/customers/{customer}", path_args={"customer": customer})


async def get_crm_object_contact(api: Api, *, contactId: str) -> Answer[Any]:
    """Get crm object contact."""
    return await api.request(
        "GET", "/crm/v3/objects/contacts/{contactId}", path_args={"contactId": contactId}
    )


async def get_customer(api: Api, *, customer: str) -> Answer[Any]:
    """Get customer."""
    return await api.request("GET", "/v1/customers/{customer}", path_args={"customer": customer})


async def has_collections(api: Api) -> Answer[Any]:
    """Has collections."""
    return await api.request("POST", "/v1/collections/has")


async def list_customers(api: Api) -> Answer[Any]:
    """List customers."""
    return await api.request("GET", "/v1/customers")


async def query_entities(api: Api) -> Answer[Any]:
    """Query entities."""
    return await api.request("POST", "/v1/entities/query")


async def read_item(api: Api, *, item_id: str) -> Answer[Any]:
    """Read item."""
    return await api.request("GET", "/v1/items/{item_id}", path_args={"item_id": item_id})


async def replace_customer(api: Api, *, customer: str) -> Answer[Any]:
    """Replace customer."""
    return await api.request("PUT", "/v1/customers/{customer}", path_args={"customer": customer})


async def scheduled_jobs_get(api: Api) -> Answer[Any]:
    """Get scheduled jobs."""
    return await api.request("GET", "/v1/jobs")


async def search_charges(api: Api) -> Answer[Any]:
    """Search charges."""
    return await api.request("GET", "/v1/charges/search")


async def update_customer(api: Api, *, customer: str) -> Answer[Any]:
    """Update customer."""
    return await api.request("POST", "/v1/customers/{customer}", path_args={"customer": customer})

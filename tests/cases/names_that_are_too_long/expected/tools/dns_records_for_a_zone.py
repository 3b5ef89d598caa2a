"""The toolset `dns_records_for_a_zone`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_dns_record_with_details(api: Api, *, zone_id: str) -> Answer[Any]:
    """Create dns record with details."""
    return await api.request("POST", "/zones/{zone_id}/dns_records", path_args={"zone_id": zone_id})

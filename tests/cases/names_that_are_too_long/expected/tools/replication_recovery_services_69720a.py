"""The toolset `replication_recovery_services_69720a`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def list_replication_services_providers_vaults(api: Api, *, vault: str) -> Answer[Any]:
    """List replication services providers vaults."""
    return await api.request(
        "GET",
        "/vaults/{vault}/replicationRecoveryServicesProvidersOfVaults",
        path_args={"vault": vault},
    )

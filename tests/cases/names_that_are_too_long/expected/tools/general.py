"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def get_published(api: Api, *, project_name: str) -> Answer[Any]:
    """Get published."""
    return await api.request(
        "GET", "/published/{project_name}", path_args={"project_name": project_name}
    )


async def get_published_by_architecture_name(
    api: Api,
    *,
    project_name: str,
    repository_name: str,
    architecture_name: str,
) -> Answer[Any]:
    """Get published by architecture name."""
    return await api.request(
        "GET",
        "/published/{project_name}/{repository_name}/{architecture_name}",
        path_args={
            "project_name": project_name,
            "repository_name": repository_name,
            "architecture_name": architecture_name,
        },
    )


async def get_published_by_repository_name(
    api: Api,
    *,
    project_name: str,
    repository_name: str,
) -> Answer[Any]:
    """Get published by repository name."""
    return await api.request(
        "GET",
        "/published/{project_name}/{repository_name}",
        path_args={
            "project_name": project_name,
            "repository_name": repository_name,
        },
    )


async def post_payment_psp_ref_every_detail_amount_updates(
    api: Api, *, paymentPspReference: str
) -> Answer[Any]:
    """Post payment psp ref every detail amount updates."""
    return await api.request(
        "POST",
        "/payments/{paymentPspReference}/amountUpdates",
        path_args={"paymentPspReference": paymentPspReference},
    )


async def post_payment_psp_reference_every_detail_captures(
    api: Api, *, paymentPspReference: str
) -> Answer[Any]:
    """Post payment psp reference every detail captures."""
    return await api.request(
        "POST",
        "/payments/{paymentPspReference}/captures",
        path_args={"paymentPspReference": paymentPspReference},
    )


async def post_payment_psp_reference_every_detail_reversals(
    api: Api, *, paymentPspReference: str
) -> Answer[Any]:
    """Post payment psp reference every detail reversals."""
    return await api.request(
        "POST",
        "/payments/{paymentPspReference}/reversals",
        path_args={"paymentPspReference": paymentPspReference},
    )

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def describe_payment(
    api: Api, *, body: models.DescribePaymentBody | Omit = OMIT
) -> Answer[Any]:
    """Describe a payment."""
    return await api.request("POST", "/descriptions", json=body)


async def save_payment(api: Api, *, body: models.SavePaymentBody | Omit = OMIT) -> Answer[Any]:
    """Save a payment."""
    return await api.request("POST", "/templates", json=body)


async def start_payment(api: Api, *, body: models.StartPaymentBody | Omit = OMIT) -> Answer[Any]:
    """Start a payment."""
    return await api.request("POST", "/payments", json=body)

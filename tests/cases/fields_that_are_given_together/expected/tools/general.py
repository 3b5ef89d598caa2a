"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(names={"/properties/body/properties/card_holder": "card holder"})
async def create_payment(api: Api, *, body: models.CreatePaymentBody) -> Answer[Any]:
    """Create payment."""
    return await api.request("POST", "/payments", json=body)

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    nullable=("/properties/payee/properties/reference", "/properties/payer/properties/reference"),
    names={
        "/properties/payee/properties/type": "@type",
        "/properties/payer/properties/type": "@type",
    },
)
async def create_payment(
    api: Api,
    *,
    amount: int,
    currency: str,
    payee: models.Party | Omit = OMIT,
    payer: models.Party | Omit = OMIT,
) -> Answer[Any]:
    """Create payment."""
    return await api.request(
        "POST",
        "/payments",
        json={
            "amount": amount,
            "currency": currency,
            "payee": payee,
            "payer": payer,
        },
    )


async def create_quote(
    api: Api,
    *,
    amount: int,
    currency: str,
    payee: models.Party | Omit = OMIT,
    payer: models.Party | Omit = OMIT,
) -> Answer[Any]:
    """Create quote."""
    return await api.request(
        "POST",
        "/quotes",
        json={
            "amount": amount,
            "currency": currency,
            "payee": payee,
            "payer": payer,
        },
    )

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_batch(
    api: Api,
    *,
    amounts: list[models.Amount] | Omit = OMIT,
    parcels: list[models.Address] | Omit = OMIT,
) -> Answer[Any]:
    """What the parcels need takes more than the budget, by less than a fourth."""
    return await api.request(
        "POST",
        "/batches",
        json={
            "amounts": amounts,
            "parcels": parcels,
        },
    )


async def create_cart(
    api: Api,
    *,
    carts: list[models.Cart] | Omit = OMIT,
    orders: list[models.Donation] | Omit = OMIT,
) -> Answer[Any]:
    """Create cart."""
    return await api.request(
        "POST",
        "/carts",
        json={
            "carts": carts,
            "orders": orders,
        },
    )


async def create_donation(api: Api, *, body: models.Donation | Omit = OMIT) -> Answer[Any]:
    """Create donation."""
    return await api.request("POST", "/donations", json=body)


async def create_grader(api: Api, *, grader: models.TextGrader | models.ScoreGrader) -> Answer[Any]:
    """Create grader."""
    return await api.request("POST", "/graders", json={"grader": grader})


async def create_payment(
    api: Api,
    *,
    method: models.Card | models.Bank,
    born: str | Omit = OMIT,
    receipt: models.Address | Omit = OMIT,
) -> Answer[Any]:
    """Create payment."""
    return await api.request(
        "POST",
        "/payments",
        json={
            "method": method,
            "born": born,
            "receipt": receipt,
        },
    )

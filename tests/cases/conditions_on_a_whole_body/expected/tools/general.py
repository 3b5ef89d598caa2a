"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_draft(api: Api, *, body: models.CreateDraftBody | Omit = OMIT) -> Answer[Any]:
    """Create draft."""
    return await api.request("POST", "/drafts", json=body)


async def create_letter(api: Api, *, body: models.Note | Omit = OMIT) -> Answer[Any]:
    """Create letter."""
    return await api.request("POST", "/letters", json=body)


async def create_payout(api: Api, *, body: models.CreatePayoutBody) -> Answer[Any]:
    """Create payout."""
    return await api.request("POST", "/payouts", json=body)


async def name_it(
    api: Api,
    *,
    code: str | Omit = OMIT,
    name: str | Omit = OMIT,
    place: models.NameItPlace | Omit = OMIT,
) -> Answer[Any]:
    """Name it."""
    return await api.request(
        "PUT",
        "/names",
        json={
            "code": code,
            "name": name,
            "place": place,
        },
    )

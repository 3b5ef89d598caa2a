"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_payment(
    api: Api,
    *,
    method: models.Card | models.Cash | models.Phone,
    hint: models.Card | models.Cash | Omit = OMIT,
    named: models.ByPost | models.ByAir | Omit = OMIT,
    shared: models.CreatePaymentShared | models.CreatePaymentShared2 | Omit = OMIT,
) -> Answer[Any]:
    """Create payment."""
    return await api.request(
        "POST",
        "/payments",
        json={
            "method": method,
            "hint": hint,
            "named": named,
            "shared": shared,
        },
    )

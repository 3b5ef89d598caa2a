"""Change, in coins."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .. import ToolError, tool


@tool(read_only=True)
def give_change(due: Annotated[int, Field(ge=1)], given: int = 100) -> list[int]:
    """Return the coins that a customer gets back."""
    if given < due:
        raise ToolError("the customer gave less than what is due")
    left, coins = given - due, []
    for coin in (50, 20, 10, 5, 2, 1):
        coins += [coin] * (left // coin)
        left %= coin
    return coins

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def create_page(
    api: Api,
    *,
    blocks: list[
        models.CreatePageBlocksItem
        | models.CreatePageBlocksItem2
        | models.CreatePageBlocksItem3
        | models.CreatePageBlocksItem4
        | models.CreatePageBlocksItem5
        | models.CreatePageBlocksItem6
        | models.CreatePageBlocksItem7
        | models.CreatePageBlocksItem8
        | models.CreatePageBlocksItem9
        | models.CreatePageBlocksItem10
        | models.CreatePageBlocksItem11
        | models.CreatePageBlocksItem12
        | models.CreatePageBlocksItem13
        | models.CreatePageBlocksItem14
        | models.CreatePageBlocksItem15
        | models.CreatePageBlocksItem16
        | models.CreatePageBlocksItem17
        | models.CreatePageBlocksItem18
        | models.CreatePageBlocksItem19
        | models.CreatePageBlocksItem20
    ],
) -> Answer[Any]:
    """Create a page."""
    return await api.request("POST", "/pages", json={"blocks": blocks})

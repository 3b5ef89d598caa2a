"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api, wire

if TYPE_CHECKING:
    from .. import models


async def add_marks(api: Api, *, body: models.AddMarksBody) -> Answer[Any]:
    """Add marks."""
    return await api.request(
        "POST",
        "/marks",
        multipart=wire.multipart_fields(body, csv={"boxes": {"within": "|"}}, file=("picture",)),
    )

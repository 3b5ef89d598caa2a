"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    names={
        "/properties/body/anyOf/0/properties/lang": "@lang",
        "/properties/body/anyOf/1/properties/lang": "@lang",
    }
)
async def add_part(
    api: Api,
    *,
    id: str,
    body: models.AddPartBody | models.AddPartBody2,
) -> Answer[Any]:
    """Add part."""
    return await api.request(
        "POST",
        "/talks/{id}/parts",
        path_args={"id": id},
        json=wire.with_fields(
            body, fixed={"/admin_id": "7", "/@lang": "en"}, defaults={"/files/kind": "image"}
        ),
    )


async def replace_talk(api: Api, *, talk: models.ReplaceTalkBody) -> Answer[Any]:
    """Replace talk."""
    return await api.request(
        "PUT",
        "/talks",
        form=wire.form_fields(
            wire.with_fields(talk, fixed={"/seats": 40}, defaults={"/hall": "main"})
        ),
    )

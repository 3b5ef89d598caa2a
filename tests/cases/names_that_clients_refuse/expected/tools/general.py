"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    names={"/properties/nested/properties/ref": "$ref", "/properties/nested/properties/a_b": "a b"}
)
async def replace_thing(
    api: Api,
    *,
    id_path: str,
    filter_eq: str | Omit = OMIT,
    date_lt: str | Omit = OMIT,
    date_gt: str | Omit = OMIT,
    maxItems: int | Omit = OMIT,
    MaxItems: int | Omit = OMIT,
    class_: str | Omit = OMIT,
    x_request_id: str | Omit = OMIT,
    id_body: str,
    type: str | Omit = OMIT,
    _id: str | Omit = OMIT,
    nested: models.ReplaceThingNested | Omit = OMIT,
) -> Answer[Any]:
    """Replace thing."""
    return await api.request(
        "PUT",
        "/things/{id}",
        path_args={"id": id_path},
        query={
            "filter[eq]": filter_eq,
            "date<": date_lt,
            "date>": date_gt,
            "maxItems": maxItems,
            "MaxItems": MaxItems,
            "class": class_,
        },
        headers={"X-Request-ID": x_request_id},
        json={
            "id": id_body,
            "@type": type,
            "_id": _id,
            "nested": nested,
        },
    )

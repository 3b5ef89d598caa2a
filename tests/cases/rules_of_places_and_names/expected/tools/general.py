"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_shape(
    api: Api,
    *,
    point: list[int | str],
    labels: models.CreateShapeLabels | Omit = OMIT,
    marks: dict[str, Any] | Omit = OMIT,
    path: list[int | str] | Omit = OMIT,
    revision: str | Omit = OMIT,
    tags: dict[str, Any] | Omit = OMIT,
    version: str | Omit = OMIT,
) -> Answer[Any]:
    """Create shape."""
    return await api.request(
        "POST",
        "/shapes",
        json={
            "point": point,
            "labels": labels,
            "marks": marks,
            "path": path,
            "revision": revision,
            "tags": tags,
            "version": version,
        },
    )

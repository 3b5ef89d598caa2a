"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def set_plate(
    api: Api,
    *,
    plate: str,
    day: str | Omit = OMIT,
    zone: str | Omit = OMIT,
    digest: str | Omit = OMIT,
    serial: str | Omit = OMIT,
    code: str,
    kind: str | Omit = OMIT,
    never: str | Omit = OMIT,
    owners: list[models.SetPlateOwnersItem] | Omit = OMIT,
    path: str | Omit = OMIT,
    state: str | Omit = OMIT,
) -> Answer[Any]:
    """Set plate."""
    return await api.request(
        "PUT",
        "/plates/{plate}",
        path_args={"plate": plate},
        query={
            "day": day,
            "zone": zone,
            "digest": digest,
            "serial": serial,
        },
        json={
            "code": code,
            "kind": kind,
            "never": never,
            "owners": owners,
            "path": path,
            "state": state,
        },
    )

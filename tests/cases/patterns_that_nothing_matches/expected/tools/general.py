"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    area: str | Omit = OMIT,
    country: str | Omit = OMIT,
    kind: str | Omit = OMIT,
    never: str | Omit = OMIT,
    owners: list[models.SetPlateOwnersItem] | Omit = OMIT,
    path: str | Omit = OMIT,
    state: str | Omit = OMIT,
) -> Answer[models.SetPlateAnswer]:
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
            "area": area,
            "country": country,
            "kind": kind,
            "never": never,
            "owners": owners,
            "path": path,
            "state": state,
        },
    )

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any, Literal

from .. import OMIT, Answer, Api, Omit


async def create_contact(
    api: Api,
    *,
    name: str,
    mail: bool | Omit = OMIT,
) -> Answer[Any]:
    """Create contact."""
    return await api.request(
        "POST",
        "/contacts",
        headers={"Contacts-Version": "2.14"},
        json={
            "name": name,
            "mail": mail,
        },
    )


async def list_contacts(
    api: Api,
    *,
    data_version: Literal["1", "2"] | Omit = OMIT,
    version: str | Omit = OMIT,
    gone: str,
    archived: bool | Omit = OMIT,
) -> Answer[Any]:
    """List contacts."""
    return await api.request(
        "GET",
        "/contacts",
        query={
            "version": version,
            "gone": gone,
            "archived": archived,
        },
        headers={
            "Contacts-Version": "2.14",
            "Data-Version": data_version,
        },
    )

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def create_campaign(api: Api, *, body: models.CreateCampaignBody) -> Answer[Any]:
    """Create campaign."""
    return await api.request("POST", "/campaigns", json=body)


async def create_invitation(api: Api, *, who: models.CreateInvitationWho | None) -> Answer[Any]:
    """Create invitation."""
    return await api.request("POST", "/invitations", json={"who": who})


async def create_note(api: Api, *, body: models.CreateNoteBody) -> Answer[Any]:
    """Create note."""
    return await api.request("POST", "/notes", json=body)


async def create_site(api: Api, *, body: models.CreateSiteBody) -> Answer[Any]:
    """Create site."""
    return await api.request("POST", "/sites", json=body)

"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def get_flag(api: Api) -> Answer[models.GetFlagAnswer]:
    """Get flag."""
    return await api.request("GET", "/flag")


async def get_list(api: Api) -> Answer[models.GetListAnswer]:
    """Get list."""
    return await api.request("GET", "/list")


async def get_nothing(api: Api) -> Answer[models.GetNothingAnswer]:
    """Get nothing."""
    return await api.request("GET", "/nothing")


async def get_object(api: Api) -> Answer[models.GetObjectAnswer]:
    """Get object."""
    return await api.request("GET", "/object")


async def get_page(api: Api) -> Answer[models.GetPageAnswer]:
    """Get page."""
    return await api.request("GET", "/page")


async def get_token(api: Api) -> Answer[models.GetTokenAnswer]:
    """Get token."""
    return await api.request("GET", "/token")


async def list_pages(api: Api) -> Answer[models.ListPagesAnswer]:
    """List pages."""
    return await api.request("GET", "/pages")


async def list_shelves(api: Api) -> Answer[models.ListShelvesAnswer]:
    """List shelves."""
    return await api.request("GET", "/shelves")

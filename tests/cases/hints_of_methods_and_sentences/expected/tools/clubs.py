"""The toolset `clubs`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_club(api: Api) -> Answer[Any]:
    """Create club."""
    return await api.request("POST", "/clubs")


async def create_club_either(api: Api) -> Answer[Any]:
    """Create or replace a club."""
    return await api.request("POST", "/clubs/either")


async def merge_club_merged(api: Api) -> Answer[Any]:
    """Merge two clubs."""
    return await api.request("POST", "/clubs/merged")

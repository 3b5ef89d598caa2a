"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def apply_watermark(api: Api) -> Answer[Any]:
    """Register account."""
    return await api.request("POST", "/e")


async def books_bulk_delete(api: Api) -> Answer[Any]:
    """Bulk delete books."""
    return await api.request("DELETE", "/d")


async def crop_image(api: Api) -> Answer[Any]:
    """Crop an image [Files]."""
    return await api.request("POST", "/a")


async def describe_queue(api: Api) -> Answer[Any]:
    """Describe queue."""
    return await api.request("POST", "/carts/mine")


async def get_cart(api: Api) -> Answer[Any]:
    """Returns the cart of the customer."""
    return await api.request("GET", "/carts/mine")


async def get_collection(api: Api) -> Answer[Any]:
    """Get a collection of all shelves."""
    return await api.request("GET", "/d")


async def get_labelled(api: Api) -> Answer[Any]:
    """Get the objects of a slide [Slides]."""
    return await api.request("GET", "/a")


async def get_network(api: Api) -> Answer[Any]:
    """Retrieves information about a virtual network."""
    return await api.request("GET", "/b")


async def get_reel(api: Api, *, reel: str) -> Answer[Any]:
    """Returns information about a single reel."""
    return await api.request("GET", "/reels/{reel}", path_args={"reel": reel})


async def patch_site(api: Api) -> Answer[Any]:
    """Partial update of a site."""
    return await api.request("PATCH", "/d")


async def put_heading(api: Api) -> Answer[Any]:
    """Updates an income."""
    return await api.request("PUT", "/a")


async def rewrite_url(api: Api) -> Answer[Any]:
    """Match and replace parts of a URL."""
    return await api.request("POST", "/d")


async def set_account(api: Api) -> Answer[Any]:
    """(Re)set the account."""
    return await api.request("PUT", "/carts/mine")


async def set_reel(api: Api, *, reel: str) -> Answer[Any]:
    """Replace reel mask."""
    return await api.request("PUT", "/reels/{reel}", path_args={"reel": reel})


async def start_deployment(api: Api) -> Answer[Any]:
    """Start deployment."""
    return await api.request("POST", "/b")


async def watch_pods(api: Api) -> Answer[Any]:
    """Watch changes to a list of Pod."""
    return await api.request("GET", "/e")


async def wind_reel(api: Api, *, reel: str) -> Answer[Any]:
    """Rewinds a reel to its first scene."""
    return await api.request("POST", "/reels/{reel}", path_args={"reel": reel})


async def write_translations(api: Api) -> Answer[Any]:
    """Write translations."""
    return await api.request("PUT", "/b")

"""The tool `web_search`. `TOOLBOX_SEARCH_URL` is a service that answers `?q=` with `{"results":
[...]}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ToolError
from .asking import ask, setting

if TYPE_CHECKING:
    from .. import models


async def web_search(*, query: str, limit: int = 5) -> models.WebSearchAnswer:
    """Search the web."""
    found = await ask(
        "GET", setting("TOOLBOX_SEARCH_URL", "searching"), params={"q": query, "limit": limit}
    )
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list):
        raise ToolError("the service answered without results")
    return {
        "results": [
            {
                "title": str(one.get("title", "")),
                "url": str(one["url"]),
                "snippet": str(one.get("snippet", ""))[:500],
            }
            for one in results[:limit]
            if isinstance(one, dict) and str(one.get("url", "")).startswith(("http://", "https://"))
        ]
    }

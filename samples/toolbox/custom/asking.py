"""Questions to services: one at a time, with a time limit and a size limit, and errors the model
can act on.
"""

from __future__ import annotations

import json
import os
from typing import Any

import httpx2

from .. import ToolError

SECONDS = 10.0
BYTES = 1_000_000


def setting(name: str, purpose: str, default: str = "") -> str:
    """An environment variable. Raises ToolError where it is not set and has no default."""
    value = os.environ.get(name, "").strip() or default
    if not value:
        raise ToolError(f"{purpose} is not set up: whoever runs this server has to set `{name}`")
    return value


async def ask(method: str, url: str, **request: Any) -> Any:
    """The JSON a service answers with. Raises ToolError for everything else."""
    seconds = float(os.environ.get("TOOLBOX_SECONDS") or SECONDS)
    try:
        async with (
            httpx2.AsyncClient(timeout=seconds, follow_redirects=False) as client,
            client.stream(method, url, **request) as response,
        ):
            content = b""
            async for part in response.aiter_bytes():
                content += part
                if len(content) > BYTES:
                    raise ToolError("the service sent more than can be read; ask for less")
    except httpx2.TimeoutException:
        raise ToolError(
            f"the service did not answer within {seconds:g} seconds; try again later"
        ) from None
    except httpx2.HTTPError as error:
        raise ToolError(
            f"the service cannot be reached ({type(error).__name__}); try again later"
        ) from None
    if response.status_code == 404:
        raise ToolError("the service knows nothing of that name; check the spelling, or say more")
    if response.status_code >= 300:
        raise ToolError(f"the service refused with status {response.status_code}")
    try:
        return json.loads(content)
    except ValueError:
        raise ToolError("the service answered with something that is not JSON") from None

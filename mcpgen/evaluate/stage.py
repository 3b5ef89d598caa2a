"""A project's server in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ..paths import FACTS, import_root
from .recorder import addresses


@contextlib.asynccontextmanager
async def serving(folder: Path, api: str, *options: str) -> AsyncIterator[Any]:
    """Yield the official client, connected to a project's server. `api`: the base URL of each of
    its APIs; their tokens come from `/token` there, and credentials are made up. Raises UsageError
    without a project.
    """
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    from ..live.environment import home_of, package_of
    from ..live.inside.call import agree

    home = home_of(folder)
    facts = json.loads((home / FACTS).read_bytes())
    credentials = {
        variable: "evaluation" for auth in facts["auth"].values() for variable in auth["variables"]
    }
    start = StdioServerParameters(
        command=sys.executable,
        args=["-m", package_of(folder), *options],
        env={
            **os.environ,
            **credentials,
            **addresses(facts, api),
            "PYTHONPATH": str(import_root(home)),
        },
    )
    async with Client(stdio_client(start, errlog=sys.stderr), elicitation_callback=agree) as client:
        yield client

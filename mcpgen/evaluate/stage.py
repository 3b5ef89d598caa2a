"""A project's server in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ..problems import UsageError


@contextlib.asynccontextmanager
async def serving(folder: Path, api: str, *options: str) -> AsyncIterator[Any]:
    """The official client, connected to a project's server that calls that API; credentials are
    made up. Raises UsageError where there is no project.
    """
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    from ..live.inside.call import agree

    packages = sorted(folder.glob("src/*/api.json"))
    if not packages:
        hint = "generate one first: `mcpgen generate openapi.yaml`"
        raise UsageError.of("E1473", f"`{folder}` is not a generated project", hint)
    facts = json.loads(packages[0].read_bytes())
    prefix = facts["env_prefix"]
    credentials = {
        variable: "evaluation" for auth in facts["auth"].values() for variable in auth["variables"]
    }
    settings = {f"{prefix}_BASE_URL": api, f"{prefix}_ALLOW_PRIVATE": "true"}
    start = StdioServerParameters(
        command=sys.executable,
        args=["-m", packages[0].parent.name, *options],
        env={**os.environ, **credentials, **settings, "PYTHONPATH": str(folder / "src")},
    )
    async with Client(stdio_client(start, errlog=sys.stderr), elicitation_callback=agree) as client:
        yield client

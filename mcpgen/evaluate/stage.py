"""A project's server in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ..paths import FACTS, homes, import_root
from ..problems import UsageError


@contextlib.asynccontextmanager
async def serving(folder: Path, api: str, *options: str) -> AsyncIterator[Any]:
    """The official client, connected to a project's server that calls that API; credentials are
    made up. Raises UsageError where there is no project.
    """
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    from ..live.environment import package_of
    from ..live.inside.call import agree

    packages = [home for home in homes(folder.resolve()) if (home / FACTS).is_file()]
    if not packages:
        hint = "generate one first: `mcpgen generate openapi.yaml`"
        raise UsageError.of("E1473", f"`{folder}` is not a generated project", hint)
    facts = json.loads((packages[0] / FACTS).read_bytes())
    prefix = facts["env_prefix"]
    credentials = {
        variable: "evaluation" for auth in facts["auth"].values() for variable in auth["variables"]
    }
    settings = {f"{prefix}_BASE_URL": api, f"{prefix}_ALLOW_PRIVATE": "true"}
    start = StdioServerParameters(
        command=sys.executable,
        args=["-m", package_of(folder), *options],
        env={**os.environ, **credentials, **settings, "PYTHONPATH": str(import_root(packages[0]))},
    )
    async with Client(stdio_client(start, errlog=sys.stderr), elicitation_callback=agree) as client:
        yield client

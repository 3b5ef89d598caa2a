"""A project's server in a process of its own, and an API behind it that records."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..problems import UsageError
from .tasks import RecordedRequest


@dataclass(slots=True)
class Recorder:
    """The API: every request it got since it was last asked; the answer to each is `{}`."""

    url: str = ""
    requests: list[RecordedRequest] = field(default_factory=list)

    def taken(self) -> list[RecordedRequest]:
        """The requests since the last time."""
        requests, self.requests = self.requests, []
        return requests


@contextlib.contextmanager
def recording() -> Iterator[Recorder]:
    """An API on a free port of this machine."""
    recorder = Recorder()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = _json(self.rfile.read(length))
            recorder.requests.append(
                RecordedRequest(method=self.command, target=self.path, body=body)
            )
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the report is about the requests."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


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

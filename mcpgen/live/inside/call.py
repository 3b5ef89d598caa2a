"""Call one tool of a package and say what was sent: JSON on stdin and stdout.

In: `package`, `tool`, `arguments`, `dry_run`. Out: `requests` (method, url, headers, body; where an
answer came its `status` and `answer`; secrets masked), and `result` (as `tools/call` returns it) or
`error`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import zlib
from collections.abc import AsyncIterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MOST_BODY = 4_000
"""Characters of a request's body, and bytes of an answer's, that are noted."""
ANY_HEADER = 47
"""zlib's word for gzip or zlib, whichever it is."""


def main() -> int:
    """Read the order, carry it out, and print the outcome."""
    order = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what tools print must not reach the answer
    with answers:
        json.dump(asyncio.run(outcome(order)), answers)
    return 0


async def outcome(order: dict[str, Any]) -> dict[str, Any]:
    """What came of an order."""
    from mcp import Client

    requests: list[dict[str, Any]] = []
    try:
        app = application(order["package"], requests, dry_run=order["dry_run"])
    except Exception as error:
        if type(error).__name__ not in ("StartError", "SettingsError"):
            raise
        return {"requests": requests, "error": str(error)}
    async with Client(app.server) as client:
        return {"requests": requests, **await answer(client, order)}


async def answer(client: Any, order: dict[str, Any]) -> dict[str, Any]:
    """The result of a call, or why the protocol refuses it (a tool that does not exist)."""
    from mcp.shared.exceptions import MCPError

    try:
        result = await client.call_tool(order["tool"], order["arguments"])
    except MCPError as error:
        return {"error": error.message}
    return {"result": result.model_dump(mode="json", by_alias=True, exclude_none=True)}


def application(package: str, requests: list[dict[str, Any]], *, dry_run: bool) -> Any:
    """The server's application, whose requests to the API are noted, and in a dry run not sent."""
    facts = import_module(f"{package}.runtime.package").Package.named(package).facts()
    settings = import_module(f"{package}.runtime.settings").read(facts)
    import_module(f"{package}.runtime.log").configure("error", settings.redactor)
    if find_spec(f"{package}.runtime.client") is not None:
        note_requests(package, settings.redactor, requests, dry_run=dry_run)
    return import_module(f"{package}.runtime.app").App(package, settings=settings)


def note_requests(
    package: str, mask: Any, requests: list[dict[str, Any]], *, dry_run: bool
) -> None:
    """Make the package's transport note each request before it is sent."""
    transport = import_module(f"{package}.runtime.client.network").Transport
    refused = import_module(f"{package}.runtime.errors").Refused
    send = transport.send

    async def noting(self: Any, method: str, url: Any, headers: Any, content: Any) -> Any:
        request = {
            "method": method,
            "url": mask(str(url)),
            "headers": {name: mask(value) for name, value in headers.items()},
            "body": body_text(content, mask),
        }
        requests.append(request)
        if dry_run:
            raise refused("this was a dry run")
        return noted_answer(await send(self, method, url, headers, content), request, mask)

    transport.send = noting


def noted_answer(answer: Any, request: dict[str, Any], mask: Any) -> Any:
    """The answer to a request, noted as it is read: its status, and the beginning of its body."""
    chunks = answer.chunks
    unpacked = zlib.decompressobj(ANY_HEADER)
    is_packed = answer.headers.get("content-encoding", "") == "gzip"
    request |= {"status": answer.status, "answer": ""}
    content = bytearray()

    async def copied() -> AsyncIterator[bytes]:
        async for chunk in chunks():
            if len(content) < MOST_BODY:
                content.extend(unpacked.decompress(chunk, MOST_BODY) if is_packed else chunk)
                request["answer"] = mask(content[:MOST_BODY].decode("utf-8", "replace"))
            yield chunk

    answer.chunks = copied
    return answer


def body_text(content: bytes | None, mask: Any) -> str:
    """The beginning of a request's body, or how long it is where it is no text."""
    if content is None:
        return ""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return f"({len(content):,} bytes)"
    return str(mask(text))[:MOST_BODY]


if __name__ == "__main__":
    sys.exit(main())

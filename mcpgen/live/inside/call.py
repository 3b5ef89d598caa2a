"""Call one tool of a package and report the requests: JSON on stdin and stdout.

In: `package`, `tool`, `arguments`, `dry_run`. Out: `requests` (method, url, headers, body; after an
answer its `status` and `answer`; secrets masked), and `result` (as `tools/call` returns it) or
`error`.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import re
import sys
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MOST_BODY = 4_000
"""Characters of a request's body, and bytes of an answer's, that are noted."""
MOST_READ = 25 * MOST_BODY
"""Bytes that are masked: half a secret at their end is not found, and is not shown."""
MASK = "****"
TOKENS = re.compile(
    r"""(\b(?:\w*(?:token|secret|assertion)|password|(?:device_|user_)?code)["']?\s*[:=]\s*["']?)"""
    r"""[^"'&\s,}]+"""
)
"""Names of secrets in a request to a token endpoint, or in its answer."""
ANY_HEADER = 47
"""zlib's word for gzip or zlib, whichever it is."""


def main() -> int:
    """Read the order from stdin, carry it out, and print the outcome; return 0."""
    order = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what tools print must not reach the answer
    with answers:
        json.dump(asyncio.run(outcome(order)), answers)
    return 0


async def outcome(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order and return its outcome; `error` if the server cannot start."""
    from mcp import Client

    requests: list[dict[str, Any]] = []
    try:
        app, settings = application(order["package"], requests, dry_run=order["dry_run"])
    except Exception as error:
        if type(error).__name__ not in ("StartError", "SettingsError"):
            raise
        return {"requests": [], "error": str(error)}
    async with Client(
        app.server, elicitation_callback=agree if order["dry_run"] else None
    ) as client:
        result = await answer(client, order)
    # Masked at the end: a token is not known before the answer that brings it was read
    return {"requests": [masked(request, settings) for request in requests], **result}


async def agree(context: Any, params: Any) -> Any:
    """Agree to a call, as a person would: it reaches no real API."""
    from mcp.types import ElicitResult

    return ElicitResult(action="accept")


async def answer(client: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Return the `result` of a call, or the `error` of the protocol (an unknown tool)."""
    from mcp.shared.exceptions import MCPError

    try:
        result = await client.call_tool(order["tool"], order["arguments"])
    except MCPError as error:
        return {"error": error.message}
    return {"result": result.model_dump(mode="json", by_alias=True, exclude_none=True)}


def application(package: str, requests: list[dict[str, Any]], *, dry_run: bool) -> Any:
    """Return the server's application and its settings. Its requests to the API are added to
    `requests`, and not sent in a dry run.
    """
    app = import_module(package).App
    runtime = app.__module__.rpartition(".")[0]  # the package's own copy, or the installed one
    facts = import_module(f"{runtime}.package").Package.named(package).facts()
    settings = import_module(f"{runtime}.settings").read(facts)
    import_module(f"{runtime}.log").configure("error", settings.redactor)
    if find_spec(f"{runtime}.client") is not None:
        note_requests(runtime, requests, dry_run=dry_run)
    return app(package, settings=settings), settings


def note_requests(runtime: str, requests: list[dict[str, Any]], *, dry_run: bool) -> None:
    """Make the runtime's transport add each request to `requests`; in a dry run it then raises
    Refused.
    """
    network = import_module(f"{runtime}.client.network")
    transport, refused = network.Transport, network.Refused
    send = transport.send

    async def noting(self: Any, method: str, url: Any, headers: Any, content: Any) -> Any:
        request = {"method": method, "url": str(url), "headers": dict(headers), "body": content}
        requests.append(request)
        if dry_run:
            raise refused("this was a dry run")
        return noted_answer(await send(self, method, url, headers, content), request)

    transport.send = noting


def noted_answer(answer: Any, request: dict[str, Any]) -> Any:
    """Return the answer to a request; while it is read, its status and the beginning of its body
    are added to `request`.
    """
    chunks = answer.chunks
    reader = zlib.decompressobj(ANY_HEADER)
    is_packed = answer.headers.get("content-encoding", "") == "gzip"
    content = bytearray()
    request |= {"status": answer.status, "answer": content}

    def unpacked(chunk: bytes) -> bytes:
        if is_packed:
            with suppress(zlib.error):  # what is not gzip is noted as it came
                return reader.decompress(chunk, MOST_READ)
        return chunk

    async def copied() -> AsyncIterator[bytes]:
        async for chunk in chunks():
            if len(content) < MOST_READ:
                content.extend(unpacked(chunk))
            yield chunk

    answer.chunks = copied
    return answer


def masked(request: dict[str, Any], settings: Any) -> dict[str, Any]:
    """Return a copy of a request for display: secrets masked, body and answer as text of
    `MOST_BODY` characters at most.
    """
    mask = settings.redactor
    names = {credential.wire_name.lower() for credential in settings.credentials.values()}
    headers = {name: mask(value) for name, value in request["headers"].items()}
    for name, value in headers.items():
        if name.lower() in names | {"authorization"} and MASK not in value:
            headers[name] = re.sub(r"\S+$", MASK, value)  # too short to be masked everywhere
    body = text_of(request["body"])
    texts = {"body": body, "answer": text_of(request.get("answer"))}
    for key, text in texts.items():
        if "grant_type" in body:
            text = TOKENS.sub(rf"\g<1>{MASK}", text)
        texts[key] = mask(text)[:MOST_BODY]
    shown = {**request, "url": mask(request["url"]), "headers": headers, **texts}
    return {key: value for key, value in shown.items() if key in request}


def text_of(content: bytes | None) -> str:
    """Return a body as text, cut after `MOST_READ` bytes; for binary content, its length."""
    if not content:
        return ""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(content[:MOST_READ])
    except UnicodeDecodeError:
        return f"({len(content):,} bytes)"


if __name__ == "__main__":
    sys.exit(main())

"""Every kind of answer and failure through the official client, in both eras: nothing raises,
everything is bounded.
"""

import asyncio
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from test_network import _silence
from upstream import Upstream, http, ok

sys.path.append(str(Path(__file__).parents[1] / "server"))

from calls import run
from shop import BOOKS, PACKAGE, PREFIX, write_package

from tests.generated import importable

LIMIT = 2_000
OUTPUT = {"type": "object", "properties": {"result": {"description": "Array of books"}}}
BOOK = {"id": 1, "title": "T", "author": {"name": "N"}, "tags": ["a"], "price": 1.5, "sold": True}


async def _reset(request: Any, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _half(request: Any, writer: asyncio.StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[1,"
    )
    await writer.drain()
    writer.close()


# What the API does; whether it is an error; what the model has to be told
CASES: dict[str, tuple[Any, bool, str]] = {
    "null in every field": (ok([dict.fromkeys(BOOK)]), False, '"title":null'),
    "an extra field": (ok([BOOK | {"new": {"deep": [1]}}]), False, '"new":{"deep":[1]}'),
    "an outsider of an enumeration": (ok([BOOK | {"tags": ["unheard of"]}]), False, "unheard of"),
    "an object for an array": (ok(BOOK), False, '"author":{"name":"N"}'),
    "a text for an array": (ok("none"), False, '"none"'),
    "null": (ok(None), False, "null"),
    "HTML with 200": (http(200, "<html><h1>Log in</h1></html>", "text/html"),
        True, "with an HTML page in place of JSON\nAnswer: Log in"),
    "a failure with 200": (ok({"ok": False, "error": "gone"}), True, "that it failed: gone\nNext"),
    "no content": (http(204, "", ""), False, "204"),
    "an empty body": (http(200, ""), False, "no content"),
    "5 MB of JSON": (ok([BOOK] * 65_000), False, "truncated: true"),
    "5 MB of text": (http(200, "x" * 5_000_000, "text/plain"), False, "truncated: true"),
    "a PNG": (http(200, b"\x89PNG\r\n\x1a\n", "image/png"), False, ""),
    "an MP3": (http(200, b"ID3", "audio/mpeg"), False, ""),
    "a PDF": (http(200, b"%PDF-1.7", "application/pdf"), False, "application/pdf"),
    "a large PDF": (
        http(200, b"%PDF-" + bytes(2_000_000), "application/pdf"), False, "2,000,005 bytes"),
    "CSV": (http(200, "a,b\n1,2", "text/csv"), False, "a,b\n1,2"),
    "XML": (http(200, "<a>1</a>", "application/xml"), False, "<a>1</a>"),
    "lines of JSON": (http(200, '{"a":1}\n{"a":2}', "application/x-ndjson"), False, '{"a":2}'),
    "server-sent events": (http(200, "data: 1\n\n", "text/event-stream"), False, "data: 1"),
    "broken JSON": (http(200, '[{"a": 1'), False, '[{"a": 1'),
    "JSON nested too deeply": (http(200, "[" * 50_000 + "]" * 50_000), False, "JSON"),
    "a number of 5,000 digits": (http(200, "9" * 5_000), False, "999"),
    "half a surrogate pair": (http(200, '["\\ud800"]'), False, "�"),
    "a wrong charset": (http(200, b"\xff\xfe\xfa", "text/plain; charset=us-ascii"), False, "�"),
    "gzip": (http(200, gzip.compress(b"[7]"), "application/json", "Content-Encoding: gzip"),
        False, "[7]"),
    "brotli": (http(200, b"x", "application/json", "Content-Encoding: br"), True,
        "this server reads `gzip` alone\nThe same call will be answered the same way"),
    "an error in brotli": (http(404, b"x", "application/json", "Content-Encoding: br"), True,
        "404 Not Found\nThe text of the answer is missing: the API encoded"),
    **{str(status): (
        http(status, '{"message": "the reason"}', "application/json", "Retry-After: 0"),
        True, "the reason") for status in (400, 401, 403, 404, 409, 422, 429, 500, 503)},
    "an error as HTML": (
        http(502, "<html><h1>Bad gateway</h1>" + "x" * 50_000, "text/html"), True, "Bad gateway"),
    "silence": (_silence, True, "sent nothing"),
    "a reset": (_reset, True, "API"),
    "half an answer": (_half, True, "incomplete"),
    "a redirect elsewhere": (
        http(302, "", "", "Location: https://evil.test/"), True, "another origin"),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_nothing_an_api_does_is_a_fault_of_the_protocol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    # As generated: an output schema says what to expect and constrains nothing
    tools = [
        tool | {"outputSchema": OUTPUT} if tool["name"] == "list_books" else tool for tool in BOOKS
    ]
    package = write_package(tmp_path, {"tools/books.json": json.dumps(tools)})
    given = {"API_KEY": "canary-key", "RETRIES": "0", "TIMEOUT": "0.5"}
    given["MAX_RESULT_TOKENS"] = str(LIMIT // 4)
    settings = {f"{PREFIX}_{name}": value for name, value in given.items()}

    async def main() -> dict[str, Any]:
        async with Upstream(*(reply for reply, _, _ in CASES.values())) as upstream:
            monkeypatch.setenv(f"{PREFIX}_BASE_URL", upstream.url)
            tools = module("runtime.app").App(PACKAGE)
            async with Client(tools.server, mode=mode) as client:
                return {
                    name: await client.call_tool("list_books", {"genre": "poetry"})
                    for name in CASES
                }

    with importable(package.parent, PACKAGE, **settings) as module:
        results = run(main())
    for name, (_, fails, told) in CASES.items():
        result = results[name].model_dump(mode="json", by_alias=True)
        text = "\n".join(block.get("text", "") for block in result["content"])
        assert (bool(result["isError"]), told in text) == (fails, True), f"{name}: {text[:300]}"
        assert result["content"]
        assert fails or isinstance(result["structuredContent"], dict), name
        assert len(text) < max(LIMIT + 600, 6_000 if fails else 0), name
        assert len(json.dumps(result.get("structuredContent"))) < LIMIT * 3, name
        assert "canary-key" not in json.dumps(result)

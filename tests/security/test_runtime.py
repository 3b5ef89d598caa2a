"""What a generated server does with hostile arguments, answers and callers, where no other test has
it.
"""

from __future__ import annotations

import asyncio
import http.server
import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from .shop import document, operation, query, rendered

ROOT = Path(__file__).parents[2]
SECRET = "canary-key-0123456789abcdef"


class Upstream:
    """The API behind the tools: it answers with what it got."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                upstream.requests.append(
                    (self.path, {key.lower(): value for key, value in self.headers.items()})
                )
                body = json.dumps(
                    [{"path": self.path, "n": n} for n in range(upstream.items)]
                ).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing on stderr."""

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128  # a hundred callers connect at once

        self.items = 1
        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """The API behind the tools."""
    made = Upstream()
    yield made
    made.close()


GIVEN = document(
    {"/books": {"get": operation(operationId="listBooks",
        parameters=[
            query("q"), query("n", type="array", items={"type": "integer"}),
            query("o", type="object")],
        responses={"200": {
            "description": "OK",
            "content": {"application/json": {"schema": {
                "type": "array", "uniqueItems": True, "items": {"type": "object"}}}}}})}},
    components={"securitySchemes": {"key": {
        "type": "apiKey", "in": "header", "name": "X-API-Key"}}},
    security=[{"key": []}],
)  # fmt: skip


@pytest.fixture
def server(tmp_path: Path, upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The generated server, in this process."""
    for path, text in rendered(tmp_path, GIVEN).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    for name, value in environment(upstream).items():
        monkeypatch.setenv(name, value)
    importlib.invalidate_caches()
    yield importlib.import_module("shop_mcp.runtime.app").App("shop_mcp")
    for name in [name for name in sys.modules if name.split(".")[0] == "shop_mcp"]:
        del sys.modules[name]


def environment(upstream: Upstream) -> dict[str, str]:
    """What the server needs to reach the API."""
    return {"MCPGEN_SHOP_BASE_URL": upstream.url, "MCPGEN_SHOP_KEY": SECRET}


def call(server: Any, **arguments: Any) -> Any:
    """One call of the tool through the official client."""

    async def run() -> Any:
        async with Client(server.server) as client:
            return await client.call_tool("list_books", arguments)

    return asyncio.run(asyncio.wait_for(run(), 30))


def deep(levels: int) -> Any:
    """An object nested as deep."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "arguments",
    [{"o": deep(200)}, {"n": list(range(100_000))}, {"q": float("nan")}, {"o": '{"a": 1, "a": 2}'},
     {"q": "\ud800"}, {"q": "x" * 9_000_000}],
    ids=["deep", "long", "NaN", "key twice", "surrogate", "huge"],
)  # fmt: skip
def test_arguments_that_are_not_json_or_too_much_are_refused(
    server: Any, upstream: Upstream, arguments: dict[str, Any]
) -> None:
    """Judged by the checker itself: a client would not even write some of them down."""
    check = importlib.import_module("shop_mcp.runtime.arguments.checker")
    schema = json.loads((Path(check.__file__).parents[2] / "tools" / "general.json").read_text())[
        0
    ]["inputSchema"]
    started = time.process_time()
    with pytest.raises(check.BadArguments):
        check.Checker("list_books", schema).checked(arguments)
    assert time.process_time() - started < 2
    assert upstream.requests == []


@pytest.mark.parametrize(
    "name", ["api_key", "key", "X-API-Key", "authorization", "base_url", "_headers", "security"]
)
def test_a_credential_or_an_address_is_no_argument(
    server: Any, upstream: Upstream, name: str
) -> None:
    result = call(server, **{name: "mine"})
    assert result.is_error and name in result.content[0].text
    assert upstream.requests == []
    assert SECRET not in str(result)


def test_unique_items_of_an_answer_cost_nothing(server: Any, upstream: Upstream) -> None:
    upstream.items = 4_000
    started = time.process_time()
    result = call(server)
    assert not result.is_error
    assert time.process_time() - started < 3


def start(
    tmp_path: Path, upstream: Upstream, *words: str, **more: str
) -> subprocess.CompletedProcess[str]:
    """Start the server as a process that is not meant to serve for long."""
    for path, text in rendered(tmp_path, GIVEN).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    given = {f"MCPGEN_SHOP_{name}": value for name, value in more.items()}
    return subprocess.run(
        [sys.executable, "-m", "shop_mcp", *words],
        cwd=tmp_path / "src",
        env={**os.environ, **environment(upstream), **given},
        input="",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_without_a_flag_it_speaks_on_stdio(tmp_path: Path, upstream: Upstream) -> None:
    done = start(tmp_path, upstream)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Serving MCP at" not in done.stderr


@pytest.mark.parametrize(("words", "settings"), [
    (["--host", "0.0.0.0"], {}),
    (["--host", "0.0.0.0", "--allowed-host", "a.example"], {}),
    (["--host", "0.0.0.0"], {"HTTP_TOKEN": "x" * 40}),
    (["--host", "::"], {"HTTP_TOKEN": "x" * 40}),
    (["--host", "0.0.0.0", "--allowed-host", "a.example"], {"HTTP_TOKEN": "short"}),
])  # fmt: skip
def test_others_are_served_only_by_name_and_with_a_credential(
    tmp_path: Path, upstream: Upstream, words: list[str], settings: dict[str, str]
) -> None:
    done = start(tmp_path, upstream, "--http", "--port", "0", *words, **settings)
    assert done.returncode not in (0, -9)
    assert "Serving MCP at" not in done.stderr and "Traceback" not in done.stderr


def test_a_token_is_compared_in_constant_time() -> None:
    source = (ROOT / "mcpgen" / "runtime" / "transports" / "tokens.py").read_text("utf-8")
    assert "hmac.compare_digest(" in source and " == self._token" not in source


def test_callers_never_get_each_others_answers(server: Any, upstream: Upstream) -> None:
    """A thousand interleaved calls of two callers: each gets what it asked for, and its own request
    alone is sent.
    """

    async def run() -> list[str]:
        async with Client(server.server) as one, Client(server.server) as two:
            crossed = []
            for _ in range(10):
                asked = [
                    (client, f"{name}-{n}")
                    for n in range(50)
                    for client, name in ((one, "a"), (two, "b"))
                ]
                found = await asyncio.gather(
                    *(client.call_tool("list_books", {"q": q}) for client, q in asked)
                )
                texts = [result.content[0].text for result in found]
                crossed += [
                    q
                    for (_, q), text in zip(asked, texts, strict=True)
                    if f'q={q}"' not in text.replace("\\", "")
                ]
            return crossed

    assert asyncio.run(asyncio.wait_for(run(), 120)) == []
    assert len(upstream.requests) == 1_000


def test_verify_finds_every_edit(tmp_path: Path) -> None:
    from mcpgen.cli import run

    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(GIVEN))
    folder = tmp_path / "out"
    assert run(["generate", str(path), "-o", str(folder), "--quiet"]) == 0
    assert run(["verify", str(folder)]) == 0
    owned = json.loads((folder / "mcpgen.lock").read_text())["files"]
    for name in sorted(owned)[::7]:
        text = (folder / name).read_bytes()
        (folder / name).write_bytes(text + b"\n")
        assert run(["verify", str(folder)]) == 4, name
        (folder / name).write_bytes(text)
    lock = (folder / "mcpgen.lock").read_text()
    (folder / "mcpgen.lock").write_text(lock.replace("api.example.com", "evil.example"))
    assert run(["verify", str(folder)]) == 4

"""What a generated server does with hostile arguments, answers and callers, where no other test has
it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from mcpgen.runtime.arguments.checker import BadArguments, Checker
from mcpgen.runtime.arguments.contract import ContractChecker
from tests.generated import importable, written
from tests.loopback import JSON, Asked, Loopback

from .shop import document, operation, query, rendered

ROOT = Path(__file__).parents[2]
SECRET = "canary-key-0123456789abcdef"


class Upstream(Loopback):
    """The API behind the tools: it answers with what it got."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.items = 1
        super().__init__(self.echoed)

    def echoed(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Say what was asked for."""
        self.requests.append(asked)
        items = [{"path": asked.target, "n": n} for n in range(self.items)]
        return 200, JSON, json.dumps(items).encode()


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
def server(tmp_path: Path, upstream: Upstream) -> Iterator[Any]:
    """The generated server, in this process."""
    source = written(rendered(tmp_path, GIVEN), tmp_path) / "src"
    with importable(source, "shop_mcp", **environment(upstream)) as module:
        yield module("runtime.app").App("shop_mcp")


def environment(upstream: Upstream) -> dict[str, str]:
    """What the server needs to reach the API."""
    return {"SHOP_MCP_BASE_URL": upstream.url, "SHOP_MCP_KEY": SECRET}


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
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    """Judged by the checker itself: a client would not even write some of them down."""
    (tool,) = json.loads(rendered(tmp_path, GIVEN)["src/shop_mcp/tools/general.json"])
    started = time.process_time()
    with pytest.raises(BadArguments):
        Checker("list_books", tool["inputSchema"]).checked(arguments)
    assert time.process_time() - started < 2


def test_what_a_text_of_json_holds_is_counted_too() -> None:
    listed = {"type": "object", "properties": {"a": {"type": "array"}}}
    for checker in (Checker("t", listed), ContractChecker("t", listed, {"arguments": {"a": "a"}})):
        with pytest.raises(BadArguments, match="50,000"):
            checker.checked({"a": json.dumps([0] * 50_001)})


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


def test_a_token_is_compared_in_constant_time() -> None:
    source = (ROOT / "mcpgen" / "runtime" / "transports" / "guard.py").read_text("utf-8")
    assert "hmac.compare_digest(given" in source and "== given" not in source


def test_callers_never_get_each_others_answers(server: Any, upstream: Upstream) -> None:
    """A thousand interleaved calls of two callers: each gets what it asked for, and its own request
    alone is sent.
    """

    async def run() -> list[str]:
        async with Client(server.server) as one, Client(server.server) as two:
            both, crossed = ((one, "a"), (two, "b")), []
            for _ in range(10):
                asked = [(client, f"{name}-{n}") for n in range(50) for client, name in both]
                calls = (client.call_tool("list_books", {"q": q}) for client, q in asked)
                for (_, q), result in zip(asked, await asyncio.gather(*calls), strict=True):
                    text = result.content[0].text.replace("\\", "")
                    crossed += [q] if f'q={q}"' not in text else []
            return crossed

    assert asyncio.run(asyncio.wait_for(run(), 120)) == []
    assert len(upstream.requests) == 1_000

"""Requests to an application in this process: what becomes of answers that are no good."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from yarl import URL

from mcpgen.runtime.client import BadAnswer, Refused, TimedOut
from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.parts.asgi import CHALLENGE, outer
from mcpgen.runtime.parts.asgi.in_process import InProcess
from tests.loopback import JSON, Loopback

SETTINGS = ApiSettings(name="shop", env_prefix="SHOP", base_url="http://localhost", timeout=0.3)
START = {"type": "http.response.start", "status": 200, "headers": [(b"X-A", b"1"), (b"x-a", b"2")]}

App = Callable[..., Awaitable[None]]


async def sent(app: App, path: str = "/books?limit=2", settings: ApiSettings = SETTINGS) -> Any:
    sender = InProcess(app, "/mcp", settings)
    return await sender.send("POST", URL(f"http://localhost{path}"), {"Accept": "*/*"}, b"body")


async def read(reply: Any) -> bytes:
    return b"".join([piece async for piece in reply.chunks()])


async def test_a_request_arrives_as_it_was_sent() -> None:
    seen: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.update(scope, content=(await receive())["body"])
        await send(START)
        await send({"type": "http.response.body", "body": b"one ", "more_body": True})
        await send({"type": "http.response.body", "body": b"two"})

    reply = await sent(app, "/b%C3%BCcher/a%2Fb?limit=2")
    assert (reply.status, reply.headers, await read(reply)) == (200, {"x-a": "1, 2"}, b"one two")
    assert (seen["method"], seen["path"], seen["query_string"]) == (
        "POST", "/bücher/a/b", b"limit=2",
    )  # fmt: skip
    assert seen["raw_path"] == b"/b%C3%BCcher/a%2Fb" and seen["content"] == b"body"
    assert dict(seen["headers"])[b"content-length"] == b"4"


async def test_each_request_has_a_state_of_its_own() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope["state"]["mine"] = True
        await send({**START, "status": 401, "headers": [(b"www-authenticate", b"Basic")]})
        await send({"type": "http.response.body"})

    scope: dict[str, Any] = {"state": {"greeting": "hello"}}
    token = outer.set(scope)
    await sent(app)
    outer.reset(token)
    assert scope == {"state": {"greeting": "hello"}, CHALLENGE: (401, "Basic")}


async def test_a_fault_before_the_answer_is_a_500() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise ZeroDivisionError

    reply = await sent(app)
    assert (reply.status, await read(reply)) == (500, b"")


@pytest.mark.parametrize("fails", [True, False])
async def test_an_answer_that_breaks_off_is_incomplete(fails: bool) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        if fails:
            raise ZeroDivisionError

    reply = await sent(app)
    with pytest.raises(BadAnswer, match="incomplete"):
        await read(reply)


async def test_an_application_that_answers_nothing_is_told() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        return None

    with pytest.raises(BadAnswer, match="without an answer"):
        await sent(app)


async def test_a_silent_application_is_left_and_learns_of_it() -> None:
    left = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        assert (await receive())["type"] == "http.disconnect"
        left.set()

    with pytest.raises(TimedOut):
        await sent(app)
    await asyncio.wait_for(left.wait(), 5)


async def test_a_stream_without_an_end_stops_with_its_reader() -> None:
    ended = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        try:
            while True:
                await send({"type": "http.response.body", "body": b"x" * 9, "more_body": True})
        finally:
            ended.set()

    reply = await sent(app, settings=replace(SETTINGS, timeout=30))
    async for piece in reply.chunks():
        assert piece == b"x" * 9
        break
    reply.drop()
    await asyncio.wait_for(ended.wait(), 5)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/x/books", "/%6Dcp"])
async def test_the_endpoint_itself_is_not_called(path: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    with pytest.raises(Refused, match="part of"):
        await sent(app, path)


async def test_a_request_to_another_origin_goes_over_the_network() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    with closing(Loopback(lambda asked: (200, JSON, b'{"from": "elsewhere"}'))) as elsewhere:
        settings = replace(SETTINGS, allow_private=True)
        sender = InProcess(app, "/mcp", settings)
        reply = await sender.send("GET", URL(f"{elsewhere.url}/books"), {}, None)
        assert await read(reply) == b'{"from": "elsewhere"}'
        await sender.aclose()

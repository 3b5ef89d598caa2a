"""An API that misbehaves: every wait, size and number has an end, and the error says which."""

import asyncio
import contextlib
import dataclasses
import gzip
import json
import logging
import re
import socket
import ssl
import threading
import time
import tracemalloc
from typing import Any

import aiohttp
import pytest
from calls import PREFIX, api_key, ask, calling, reaching, runtime, settings
from upstream import Upstream, http, ok
from yarl import URL

from mcpgen.runtime.client import network
from mcpgen.runtime.client.queues import reach
from mcpgen.runtime.results import answer
from tests.loopback import free_port

BOMB = gzip.compress(bytes(64 * 1024 * 1024), 9)


def get(api: Any) -> Any:
    return api.request("GET", "/x")


def post(api: Any) -> Any:
    return api.request("POST", "/x", json={})


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", [
    "http://evil.test/x", "//evil.test/x", "https://127.0.0.1/x", "http://127.0.0.1:1/x",
    "file:///etc/passwd", "/a/../../admin", "/%2e%2e/admin", "http://u:p@127.0.0.1/x",
    "\\\\evil.test\\x", "javascript:1", "/" + "a" * 9000,
])  # fmt: skip
def test_a_redirect_that_leaves_is_not_followed(status: int, location: str) -> None:
    done = calling([http(status, "", "", f"Location: {location}")], get)
    assert isinstance(done.error, runtime.client.Redirected) and len(done.requests) == 1


@pytest.mark.parametrize(("location", "said"), [
    ("/admin", "/admin`, which is not below the API's base path `/v1/`"),
    ("/v1/../admin", "/admin`, which is not below the API's base path `/v1/`"),
    ("../admin", "/admin`, which is not below the API's base path `/v1/`"),
    ("/v10/x", "/v10/x`, which is not below the API's base path `/v1/`"),
    ("/%761/x", "/%761/x`, which is not below the API's base path `/v1/`"),
    ("/v1/a%2f..%2f..%2fadmin", "/v1/a%2f..%2f..%2fadmin`, which is not below"),
    ("/v1/..;/admin", "/v1/..;/admin`, which is not below"),
    ("/v1/%" + "25" * 9 + "2e", "which is not below"),
    ("http://u:p@HOST/v1/x", "/v1/x` with a user name or password"),
    ("http://127.0.0.1:1/v1/x", "/v1/x`, which is another origin"),
    ("http://127.0.0.1:0/v1/x", "not an http URL"),
    ("https://HOST/v1/x", "/v1/x`, which is another origin"),
])  # fmt: skip
async def test_a_redirect_that_leaves_the_base_path_is_refused_and_told(
    location: str, said: str
) -> None:
    async with Upstream() as upstream:
        place = location.replace("HOST", f"127.0.0.1:{upstream.port}")
        upstream.replies = [http(307, "", "", f"Location: {place}?key=secret-1234")]
        async with runtime.api.Api(settings(f"{upstream.url}/v1")) as api:
            with pytest.raises(runtime.client.Redirected) as caught:
                await api.request("GET", "/x")
        count, text = len(upstream.requests), str(caught.value)
    assert count == 1 and said in text and "secret-1234" not in text and "u:p" not in text


@pytest.mark.parametrize("method", ["QUERY", "POST"])
def test_a_redirect_to_get_leaves_the_body_behind(method: str) -> None:
    done = ask(method, "/x", http(303, "", "", "Location: /v1/result"), ok([1]), json={"a": 1})
    first, second = done.requests
    assert (first.method, first.target, first.body) == (method, "/v1/x", b'{"a":1}')
    assert (second.method, second.target, second.body) == ("GET", "/v1/result", b"")
    assert second.header("content-type") is None and done.answer.data == [1]


@pytest.mark.parametrize(("method", "status", "then"), [
    ("GET", 301, "GET"), ("GET", 303, "GET"), ("GET", 307, "GET"), ("HEAD", 302, "HEAD"),
    ("HEAD", 303, "HEAD"), ("POST", 307, "POST"), ("PUT", 308, "PUT"),
])  # fmt: skip
def test_a_redirect_on_the_same_origin_is_followed_with_its_credential(
    method: str, status: int, then: str
) -> None:
    auth = {"k": {"kind": "bearer", "scheme": "Bearer", "variables": ["BOOKSHOP_MCP_K"]}}
    given: dict[str, Any] = {"facts": {"auth": auth, "security": [["k"]]}, "K": "token-1234"}
    body = {} if method in ("GET", "HEAD") else {"json": {"a": 1}}
    replies = http(status, "", "", "Location: /v1/z/../y?p=1#f"), http(
        200, "{}" * (method != "HEAD")
    )
    second = ask(method, "/x", *replies, **body, **given).requests[1]
    assert (second.method, second.target) == (then, "/v1/y?p=1")
    assert second.header("authorization") == "Bearer token-1234"
    assert second.body == (b'{"a":1}' if body else b"")


@pytest.mark.parametrize("status", [301, 302])
def test_a_request_that_changes_something_is_not_turned_into_another(status: int) -> None:
    done = calling([http(status, "", "", "Location: /v1/y?code=s3")], post)
    assert isinstance(done.error, runtime.client.Redirected) and len(done.requests) == 1
    assert "took the request" in str(done.error)
    assert "`/v1/y`" in str(done.error) and "s3" not in str(done.error)


@pytest.mark.parametrize(
    "then", [http(404, "{}"), http(401, "{}"), http(302, "", "", "Location: https://x.test/")]
)
def test_a_result_that_is_not_where_it_should_be_is_not_asked_for_by_doing_it_twice(
    then: bytes,
) -> None:
    done = calling([http(303, "", "", "Location: /v1/y"), then], post)
    assert isinstance(done.error, runtime.client.Redirected) and done.error.sent
    assert "took the request" in str(done.error) and len(done.requests) == 2


def test_redirects_end() -> None:
    done = calling([http(302, "", "", "Location: /v1/x")], get)
    assert isinstance(done.error, runtime.client.Redirected) and len(done.requests) == 4


def test_what_is_told_of_a_redirect_is_redacted_and_short() -> None:
    facts = {"auth": {"k": api_key("header", "K", "KEY")}, "security": [["k"]]}
    for location in ("/admin/a-real-key/x", "http://evil.test/a-real-key" + "/x" * 900):
        done = calling([http(302, "", "", f"Location: {location}")], get, facts, KEY="a-real-key")
        assert "****" in str(done.error) and "a-real-key" not in str(done.error)
        assert len(str(done.error)) < 500


# Answers that never end, end too early, or are not what they say


@pytest.mark.parametrize("limit", ["65536", "1048576"])
@pytest.mark.parametrize("bomb", [BOMB, b"\x1f\x8b\x08\x08" + bytes(6) + b"name" * 300_000])
def test_a_gzip_bomb_stops_at_the_limit_with_little_memory(bomb: bytes, limit: str) -> None:
    tracemalloc.start()
    done = calling(
        [http(200, bomb, "application/json", "Content-Encoding: gzip")], get,
        MAX_RESPONSE_BYTES=limit,
    )  # fmt: skip
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(done.error, runtime.client.BadAnswer) and "larger than" in str(done.error)
    assert peak < int(limit) + 2 * 1024 * 1024


@pytest.mark.parametrize("padding", [b"", bytes(2), bytes(100_000)])
def test_gzip_is_read_also_in_several_members_with_zeros_behind_each(padding: bytes) -> None:
    body = gzip.compress(b'{"a":') + padding + gzip.compress(b"1}") + padding
    done = calling([http(200, body, "application/json", "Content-Encoding: gzip")], get)
    assert done.answer.data == {"a": 1} and done.requests[0].header("accept-encoding") == "gzip"


@pytest.mark.parametrize(("coding", "body"), [
    ("br", b"x"), ("zstd", b"x"), ("deflate", b"x"), ("gzip, gzip", b"x"), ("compress", b"x"),
    ("utf-8, br", b"{}"), ("identity, gzip", b"{}"), ("none, x-gzip", b"{}"),
    ("gzip", b"not gzip"), ("gzip", gzip.compress(b"{}" * 1000, mtime=0)[:-9]),
])  # fmt: skip
def test_other_codings_and_broken_ones_are_errors(coding: str, body: bytes) -> None:
    done = calling([http(200, body, "application/json", f"Content-Encoding: {coding}")], get)
    assert isinstance(done.error, runtime.client.BadAnswer)


def test_header_fields_are_read_as_utf_8_or_else_as_latin_1() -> None:
    head = b"HTTP/1.1 200 OK\r\nA: \xc3\xa9\r\nB: \xe9\r\nB: 2\r\nContent-Length: 0\r\n\r\n"
    headers = calling([head], get).answer.headers
    assert (headers["a"], headers["b"]) == ("\xe9", "\xe9, 2")


@pytest.mark.parametrize("coding", ["utf-8", "none", "aws-chunked", "identity"])
def test_a_coding_that_is_none_changes_no_bytes(coding: str) -> None:
    done = calling([http(200, "{}", "application/json", f"Content-Encoding: {coding}")], get)
    assert done.answer.data == {}


@pytest.mark.parametrize("reply", [
    b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n12345",
    b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234567890123456789",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nab",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"SSH-2.0-OpenSSH\r\n\r\n", b"\x16\x03\x01\x00\x00",
    b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000 + b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 10_000 + b"\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 300 + b"Content-Length: 0\r\n\r\n",
])  # fmt: skip
def test_half_answers_and_answers_that_are_not_http_are_errors(reply: bytes) -> None:
    async def broken(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(reply)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()

    done = calling([broken], get, RETRIES="0")
    assert isinstance(done.error, runtime.client.BadAnswer)
    assert "\r" not in str(done.error) and "SSH" not in str(done.error)


def unreached(cause: BaseException) -> aiohttp.ClientConnectorError:
    """The error of a connection that was not made."""
    error = aiohttp.ClientConnectorError.__new__(aiohttp.ClientConnectorError)
    error._os_error = cause  # type: ignore[assignment]
    return error


TO = "no connection to the API: "
PRIVATE = (
    "nothing was sent: the host of the API is at a private address; the operator of this server can"
    f" allow that by naming the API in `{PREFIX}_BASE_URL`, or for every host with"
    f" `{PREFIX}_ALLOW_PRIVATE=true`"
)


@pytest.mark.parametrize(("error", "kind", "says"), [
    (aiohttp.ConnectionTimeoutError(), "TimedOut", "no connection to the API within 5 seconds"),
    (TimeoutError(), "TimedOut", f"the API sent nothing for 30 seconds (`{PREFIX}_TIMEOUT`)"),
    (ValueError("canary"), "Refused", "nothing was sent: the request cannot be written as HTTP"),
    (aiohttp.ServerDisconnectedError("canary"), "BadAnswer",
     "the API's answer is incomplete, or not HTTP"),
    (OSError("canary"), "BadAnswer",
     "the connection to the API broke before the answer was complete"),
    (unreached(runtime.network.PrivateAddress("canary")), "Refused", PRIVATE),
    (unreached(ConnectionRefusedError()), "Unreachable", f"{TO}`api.test:443` refuses connections"),
    (unreached(socket.gaierror()), "Unreachable", f"{TO}the host `api.test` is not known"),
    (unreached(ssl.SSLError()), "Unreachable", f"{TO}the TLS handshake with `api.test:443` failed"),
    (unreached(ssl.SSLCertVerificationError()), "Unreachable",
     f"{TO}the TLS certificate is not trusted that `api.test:443` shows"),
    (unreached(OSError()), "Unreachable", f"{TO}`api.test:443` cannot be reached"),
    (KeyError("k"), "KeyError", "'k'"),
])  # fmt: skip
def test_each_failure_of_a_connection_has_its_words(error: Exception, kind: str, says: str) -> None:
    found = runtime.network.failure_of(error, settings(), URL("https://api.test/x?k=canary"))
    assert (type(found).__name__, str(found)) == (kind, says)


def test_bytes_after_an_answer_are_not_the_next_answer() -> None:
    extra = http(200, '{"who": "somebody else"}')

    async def twice(api: Any) -> Any:
        assert (await api.request("GET", "/first")).data == {}
        return await api.request("GET", "/second")

    done = calling([http(200, "{}") + extra, http(200, '{"who": "me"}')], twice)
    assert done.answer.data == {"who": "me"}


@pytest.mark.parametrize("method", ["DELETE", "HEAD"])
def test_the_body_of_an_answer_that_has_none_is_nobodys_answer(method: str) -> None:
    async def twice(api: Any) -> Any:
        with pytest.raises(runtime.client.BadAnswer):
            await api.request(method, "/first")
        return await api.request("GET", "/second")

    replies = [http(204, '{"who": "nobody"}'), http(200, '{"who": "me"}')]
    assert calling(replies, twice, RETRIES="0").answer.data == {"who": "me"}


async def test_an_answer_to_half_a_request_is_heard() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(http(413, '{"message": "too big"}'))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1000)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    made = settings(url, TIMEOUT="5", MAX_REQUEST_BYTES="30000000")
    async with runtime.api.Api(made, runtime.auth) as api:
        for _ in range(2):  # the connection is not used again
            with pytest.raises(runtime.api.BadStatus):
                await api.request("POST", "/", json={"a": "x" * 20_000_000})
    server.close()


@pytest.mark.parametrize("late", [b"", http(200, '{"who": "somebody else"}')])
def test_a_connection_that_was_hung_up_or_spoke_out_of_turn_is_not_used_again(late: bytes) -> None:
    async def answer(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(http(200, "{}"))
        await asyncio.sleep(0.05)
        writer.write(late)
        if not late:
            writer.close()

    async def twice(api: Any) -> Any:
        await api.request("GET", "/first")
        await asyncio.sleep(0.2)
        return await api.request("POST", "/second", json={})

    done = calling([answer, http(200, '{"who": "me"}')], twice)
    assert done.answer.data == {"who": "me"} and len(done.requests) == 2


async def test_connections_that_the_api_closed_together_cost_no_call() -> None:
    """The one that is longest idle stays open, so that the others are found on the way to it."""
    writers: list[asyncio.StreamWriter] = []
    arrived = asyncio.Event()

    async def answer(request: Any, writer: asyncio.StreamWriter) -> None:
        position = len(writers)
        writers.append(writer)
        if len(writers) == 8:
            arrived.set()
        await arrived.wait()
        await asyncio.sleep(0.02 * position)
        writer.write(http(200, "{}"))

    async with reaching(*[answer] * 8, ok({}), RETRIES="0") as (api, _):
        await asyncio.gather(*(get(api) for _ in range(8)))
        for writer in writers[1:]:
            writer.close()
        await asyncio.sleep(0.1)
        answers = await asyncio.gather(*(get(api) for _ in range(8)))
    assert [answer.status for answer in answers] == [200] * 8


def test_a_connection_in_use_all_the_time_is_renewed_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name of the API may lead elsewhere by now."""
    monkeypatch.setattr(network, "LIFE_SECONDS", 0.3)
    used: set[asyncio.StreamWriter] = set()

    async def answer(request: Any, writer: asyncio.StreamWriter) -> None:
        used.add(writer)
        writer.write(http(200, "{}"))

    async def often(api: Any) -> Any:
        for _ in range(8):
            await get(api)
            await asyncio.sleep(0.1)
        return await get(api)

    assert calling([answer], often).answer.status == 200 and 2 <= len(used) < 9


@pytest.mark.parametrize(
    ("method", "body", "length"), [("GET", {}, None), ("POST", {}, "0"), ("PUT", {"json": 1}, "1")]
)
def test_every_request_says_where_it_goes_who_sends_it_and_how_long_it_is(
    method: str, body: dict[str, Any], length: str | None
) -> None:
    request = ask(method, "/x", http(200, "{}"), **body).requests[0]
    assert request.fields[0][0] == "Host" and request.header("Host").startswith("127.0.0.1:")
    assert request.header("User-Agent").endswith("-mcp")
    assert request.header("Accept-Encoding") == "gzip"
    assert request.header("Content-Length") == length


def test_a_connection_that_breaks_is_an_error() -> None:
    async def reset(request: Any, writer: asyncio.StreamWriter) -> None:
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        writer.close()

    done = calling([reset], get, RETRIES="1")
    assert isinstance(done.error, runtime.client.BadAnswer) and len(done.requests) == 2
    assert len(calling([reset], post).requests) == 1


# Time


async def _silence(request: Any, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def _drip(request: Any, writer: asyncio.StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    while True:
        writer.write(b"1\r\n[\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


def test_an_api_that_says_nothing_is_given_up() -> None:
    done = calling([_silence], get, TIMEOUT="0.3")
    assert isinstance(done.error, runtime.client.TimedOut)
    assert "BOOKSHOP_MCP_TIMEOUT" in str(done.error)


@pytest.mark.parametrize("reply", [_drip, _silence])
def test_a_call_has_a_total_time_however_slowly_it_goes_on(reply: Any) -> None:
    done = calling([reply], get, TOTAL_TIMEOUT="0.5")
    assert isinstance(done.error, runtime.client.TimedOut) and "TOTAL_TIMEOUT" in str(done.error)


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_an_answer_may_be_as_long_as_the_limit_and_no_longer(coding: str) -> None:
    for more in (0, 1):
        body = b"x" * (65_536 + more)
        sent = gzip.compress(body) if coding == "gzip" else body
        answer = http(200, sent, "text/plain", f"Content-Encoding: {coding}")
        done = calling([answer], get, MAX_RESPONSE_BYTES="65536")
        assert bool(done.error) == bool(more)


def test_an_endless_answer_stops_at_the_limit() -> None:
    async def endless(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding:"
            b" chunked\r\n\r\n"
        )
        while True:
            writer.write(b"1000\r\n" + b"[" * 4096 + b"\r\n")
            await writer.drain()

    done = calling([endless], get, MAX_RESPONSE_BYTES="100000")
    assert isinstance(done.error, runtime.client.BadAnswer)
    assert "MAX_RESPONSE_BYTES" in str(done.error)


@pytest.mark.parametrize(("media_type", "event"), [
    ("text/event-stream", b"data: %d\n\n"), ("text/plain", b"line %d\n"),
    ("application/x-ndjson", b'{"n": %d}\n'), ("application/json", b'{"n": %d}\n'),
])  # fmt: skip
def test_a_stream_is_what_came_in_time(media_type: str, event: bytes) -> None:
    async def events(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode())
        for number in range(1000):
            writer.write(event % number)
            await writer.drain()
            await asyncio.sleep(0.1)

    for limit in (
        {"TOTAL_TIMEOUT": "0.8"},
        {"TOTAL_TIMEOUT": "5", "MAX_RESPONSE_BYTES": "1024", "TIMEOUT": "0.1"},
    ):
        done = calling([events], get, **limit)
        assert done.answer.text.startswith((event % 0).decode()) and done.answer.incomplete


@pytest.mark.parametrize("beginning", [b'{"a":\n', b"[1,\n", b'{"a": 1', b""])
def test_half_of_a_json_value_is_no_stream(beginning: bytes) -> None:
    async def stuck(request: Any, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        writer.write(head + beginning)
        await writer.drain()
        await asyncio.sleep(5)

    done = calling([stuck], get, TOTAL_TIMEOUT="0.6")
    assert isinstance(done.error, runtime.client.TimedOut)


async def test_cancelling_a_call_ends_the_request_at_once() -> None:
    async with reaching(_silence) as (api, upstream):
        task = asyncio.create_task(get(api))
        while not upstream.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(upstream.closed.wait(), 15)


async def test_cancelled_calls_give_back_their_place() -> None:
    opened = reaching(*[_silence] * 6, ok({}), MAX_CONCURRENCY="2", RETRIES="0")
    async with opened as (api, upstream):
        for turn in range(1, 4):
            calls = asyncio.gather(get(api), get(api), get(api))
            while len(upstream.requests) < 2 * turn:
                await asyncio.sleep(0.005)
            calls.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calls
        upstream.closed.clear()
        assert (await get(api)).status == 200


# Trying again


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_what_can_be_repeated_is_repeated(method: str, status: int) -> None:
    empty = http(status, "", "")
    done = ask(method, "/x", empty, empty, http(204, "", ""))
    assert done.answer.status == 204 and len(done.requests) == 3


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_changes_something_is_sent_once(status: int) -> None:
    done = calling([http(status, "{}")], post)
    assert isinstance(done.error, runtime.api.BadStatus) and len(done.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500, 501])
def test_what_would_fail_again_is_not_repeated(status: int) -> None:
    done = calling([http(status, "{}")], get)
    assert (done.error.status, len(done.requests)) == (status, 1)


def test_attempts_end() -> None:
    done = calling([http(503, "{}")], get, RETRIES="2")
    assert (done.error.status, len(done.requests)) == (503, 3)


@pytest.mark.parametrize(("values", "honoured"), [
    (["1"], 1.0), (["0.9"], 0.9), (["1", "1"], 0.9), (["31"], None), (["999999999"], None),
    (["Fri, 31 Dec 2999 23:59:59 GMT"], None), (["9" * 400], None),
])  # fmt: skip
def test_retry_after_is_honoured_when_it_is_bearable(
    values: list[str], honoured: float | None
) -> None:
    """More than half a minute is left to the caller."""
    fields = [f"Retry-After: {value}" for value in values]
    started = time.monotonic()
    done = calling(
        [http(429, "{}", "application/json", *fields), ok([1])], get, TOTAL_TIMEOUT="600"
    )
    seconds = time.monotonic() - started
    if honoured is None:
        assert (done.error.status, len(done.requests)) == (429, 1) and seconds < 20
    else:
        assert done.answer.data == [1] and seconds >= honoured


def test_a_bomb_of_many_gzip_members_is_refused() -> None:
    def get_members(count: int) -> Any:
        body = gzip.compress(b"[]") + gzip.compress(b"") * (count - 1)
        return calling([http(200, body, "application/json", "Content-Encoding: gzip")], get)

    assert get_members(1_024).answer.data == []
    done = get_members(1_025)
    assert isinstance(done.error, runtime.client.BadAnswer)
    assert "more than 1,024 gzip members" in str(done.error)


def test_fields_of_one_name_are_joined_in_order() -> None:
    done = calling([http(200, "[]", "application/json", "X-A: 1", "x-a: 2", "X-a: 3")], get)
    assert done.answer.headers["x-a"] == "1, 2, 3"


async def test_a_host_that_is_not_known_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    async with runtime.api.Api(settings("http://books.invalid:8000", RETRIES="0")) as api:
        with pytest.raises(runtime.client.Unreachable) as caught:
            await get(api)
    said = "no connection to the API: the host `books.invalid` is not known"
    assert str(caught.value) == said


async def test_a_host_that_refuses_connections_is_tried_again_and_then_reported() -> None:
    port = free_port()
    reports: list[str] = []

    async def report(text: str) -> None:
        reports.append(text)

    runtime.api.progress.set(report)
    made = settings(f"http://127.0.0.1:{port}", RETRIES="2")
    object.__setattr__(made, "backoff", 0.01)
    async with runtime.api.Api(made) as api:
        with pytest.raises(runtime.client.Unreachable) as caught:
            await get(api)
    said = f"no connection to the API: `127.0.0.1:{port}` refuses connections"
    attempts = [text.split(";")[1].split(" in ")[0] for text in reports]
    assert said in str(caught.value) and attempts == [" attempt 2 of 3", " attempt 3 of 3"]


async def test_progress_is_told_while_the_api_works_and_a_broken_listener_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runtime.api, "TICK", 0.1)
    reports: list[str] = []

    async def slow(request: Any, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.45)
        writer.write(ok({}))

    async def report(text: str) -> None:
        reports.append(text)
        raise RuntimeError("listener gone")

    async with reaching(slow) as (api, _):
        runtime.api.progress.set(report)
        assert (await get(api)).status == 200
    assert 3 <= len(reports) <= 5 and all("waiting for the API" in text for text in reports)


# How much at a time


async def test_a_thousand_calls_at_once_are_bounded_and_the_rest_are_told_to_come_back() -> None:
    async def slow(request: Any, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.02)
        writer.write(ok({}))
        await writer.drain()

    async with Upstream(slow) as upstream:
        made = settings(upstream.url, MAX_CONCURRENCY="8", MAX_WAITING="92")
        async with runtime.api.Api(made) as api:
            results = await asyncio.gather(*(get(api) for _ in range(1000)), return_exceptions=True)
        busy = [result for result in results if isinstance(result, runtime.client.Busy)]
        assert (len(busy), len(upstream.requests)) == (900, 100) and upstream.most <= 8
        assert "busy" in str(busy[0])


async def test_answers_do_not_cross_between_concurrent_calls() -> None:
    async def echo(request: Any, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.001 * (int(request.path.rpartition("/")[2]) % 7))
        writer.write(ok({"path": request.path}))
        await writer.drain()

    async with reaching(echo, MAX_WAITING="500") as (api, _):

        async def call(number: int) -> None:
            answer = await api.request("GET", "/n/{n}", path_args={"n": number})
            assert answer.data == {"path": f"/n/{number}"}

        await asyncio.gather(*(call(number) for number in range(300)))


async def test_a_rate_limit_spreads_calls() -> None:
    async with reaching(RATE_LIMIT="20") as (api, upstream):
        started = time.monotonic()
        await asyncio.gather(*(get(api) for _ in range(30)))
        # However slow the machine is, the last ten cannot have been sent earlier
        assert time.monotonic() - started >= 0.4 and len(upstream.requests) == 30


async def test_whoever_waits_is_told_for_what(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def report(text: str) -> None:
        told.append(text)
        raise ConnectionError  # whoever asked is gone, and the call goes on

    async def slow(_: Any, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        writer.write(ok({}))

    monkeypatch.setattr(runtime.api, "TICK", 0.05)
    runtime.api.progress.set(report)  # in the context of this test's task alone
    busy = http(429, "{}", "application/json", "Retry-After: 2")
    async with reaching(http(503, "{}"), busy, slow) as (api, _):
        first = asyncio.create_task(get(api))
        while not any("429" in text for text in told):
            await asyncio.sleep(0.01)
        await asyncio.gather(first, get(api))
    async with reaching(RATE_LIMIT="2", MAX_CONCURRENCY="1") as (api, _):
        await asyncio.gather(*(get(api) for _ in range(3)))
    for pattern in (
        r"the API answered 503; attempt 2 of 3 in 0\.\d s",
        r"the API answered 429; attempt 3 of 3 in 2\.0 s", r"waiting [12]\.\d s, as the API asked",
        r".*waiting.*\(0 s\)", "waiting for other calls to finish",
        r"waiting 0\.\d s for the rate limit",
    ):  # fmt: skip
        assert any(re.fullmatch(pattern, text) for text in told), (pattern, told)


async def test_a_rate_counts_what_is_used_and_not_what_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(runtime.limits.time, "monotonic", lambda: now)
    rate = runtime.limits.Rate(2, 3.0)
    assert [await rate.take() for _ in range(7)] == [0.0] * 6 + [0.5] and await rate.take() == 1.0
    rate.give_back()
    assert await rate.take() == 1.0
    now += 1.5
    assert [await rate.take() for _ in range(2)] == [0.0, 0.5]
    now += 1_000.0
    assert [await rate.take() for _ in range(7)] == [0.0] * 6 + [0.5]


async def test_a_call_that_is_cancelled_gives_back_its_turn() -> None:
    async with reaching(ok({}), RATE_LIMIT="1/m", TOTAL_TIMEOUT="90") as (api, upstream):
        await get(api)
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(get(api), 0.05)
        assert len(upstream.requests) == 1


async def test_a_rate_that_leaves_no_room_is_said_at_once() -> None:
    async with Upstream() as upstream:
        made = settings(upstream.url, RATE_LIMIT="1/h", TOTAL_TIMEOUT="5")
        async with runtime.api.Api(made) as api:
            await get(api)
            for _ in range(3):
                with pytest.raises(runtime.client.Busy, match="rate limit"):
                    await get(api)
            # Those that were refused have taken nothing: the next place is an hour away
            assert await api._rate.take() <= 3_600
        assert len(upstream.requests) == 1


# Addresses


PUBLIC = "93.184.216.34 2606:2800:220:1::1 64:ff9b::5db8:d822 ::ffff:93.184.216.34".split()
PRIVATE = """127.0.0.1 10.0.0.1 169.254.169.254 192.168.1.1 100.64.0.1 0.0.0.0 ::1 :: fd00::1
    fe80::1%eth0 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1::
    224.0.0.1 ff02::1 240.0.0.1 255.255.255.255 fec0::1 2001:db8::1 198.51.100.1""".split()


@pytest.mark.parametrize("address", [*PUBLIC, *PRIVATE])
def test_public_addresses_are_told_from_private_ones(address: str) -> None:
    assert runtime.network.is_public(address) is (address in PUBLIC)


def lead(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Let every host name lead to these addresses; the list is of the names that are asked for."""
    asked: list[str] = []

    async def resolve(host: str, port: int, **_: Any) -> Any:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    return asked


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["::1"], ["93.184.216.34", "10.0.0.1"], ["::ffff:127.0.0.1"]]
)
async def test_a_name_that_leads_inside_is_refused_unless_the_operator_named_it(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    async with Upstream() as upstream:
        asked = lead(monkeypatch, *addresses)
        made = settings(None, {"base_url": f"http://inside.test:{upstream.port}"})
        async with runtime.api.Api(made) as api:
            with pytest.raises(runtime.client.Refused, match=r"private.*BASE_URL"):
                await get(api)
            with pytest.raises(runtime.client.ApiError):
                await reach(api)
            further, no = runtime.api.Api(made), runtime.api.Api(made)
            no.settings = dataclasses.replace(made, base_url="")
            api.every = (no, further)
            with pytest.raises(runtime.client.ApiError):
                await reach(api)
            api.every = (no,)
            await reach(api)
    assert (upstream.requests, asked) == ([], ["inside.test"] * 3)


async def test_a_proxy_that_the_operator_names_is_asked_for_names_and_not_for_what_is_inside() -> (
    None
):
    async with Upstream() as proxy:
        given = {"PROXY_URL": proxy.url.replace("//", "//me:secret-1234@"), "RETRIES": "0"}
        made = settings(None, {"base_url": "http://api.test/v1"}, **given)
        assert made.readable("secret-1234 x") != "secret-1234 x"
        async with runtime.api.Api(made) as api:
            for _ in range(2):
                assert (await get(api)).status == 200
            await reach(api)
        basic = "Basic bWU6c2VjcmV0LTEyMzQ="
        for request in proxy.requests:
            assert request.target == "http://api.test/v1/x" and request.header("host") == "api.test"
            assert request.header("proxy-authorization") == basic
        made = settings(None, {"base_url": "http://93.184.216.34/v1"}, **given)
        async with runtime.api.Api(made) as api:
            assert (await get(api)).status == 200
        for host in ("10.0.0.1", "[::1]", "localhost", "127.1", "2130706433", "0x7f.1"):
            made = settings(None, {"base_url": f"http://{host}/v1"}, **given)
            async with runtime.api.Api(made) as api:
                with pytest.raises(runtime.client.Refused, match="private"):
                    await get(api)
        assert len(proxy.requests) == 3


@pytest.mark.parametrize(
    ("reply", "said"), [(http(407), "answered 407"), (None, "cannot be reached")]
)
async def test_a_proxy_that_refuses_or_is_not_there_is_named(reply: Any, said: str) -> None:
    async with Upstream(reply) as proxy:
        port = proxy.port if reply else free_port()
        made = settings("https://api.test", PROXY_URL=f"http://127.0.0.1:{port}", RETRIES="0")
        async with runtime.api.Api(made) as api:
            with pytest.raises(runtime.client.Unreachable, match=f"PROXY_URL` {said}"):
                await get(api)


async def test_what_the_operator_named_may_be_private() -> None:
    async with reaching() as (api, _):
        assert (await get(api)).status == 200
    async with Upstream() as upstream:
        made = settings(None, {"base_url": upstream.url}, ALLOW_PRIVATE="true")
        async with runtime.api.Api(made) as api:
            assert (await get(api)).status == 200


async def test_one_port_of_a_private_host_opens_no_other() -> None:
    async with Upstream() as named, Upstream() as other:
        made = settings(None, {"allowed_origins": [other.url]}, ALLOW_ORIGINS=named.url)
        async with runtime.api.Api(made) as api:
            assert (await api.request("GET", "/x", base_url=f"{named.url}/up")).status == 200
            with pytest.raises(runtime.client.Refused, match="private"):
                await api.request("GET", "/x", base_url=f"{other.url}/up")
    assert other.requests == []


async def test_the_next_address_of_a_host_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Upstream() as upstream:
        lead(monkeypatch, "127.0.0.9", "127.0.0.1")
        made = settings(f"http://localhost:{upstream.port}", RETRIES="0")
        async with runtime.api.Api(made) as api:
            assert (await get(api)).status == 200


async def test_an_api_that_does_not_read_a_large_body_is_given_up() -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)
        writer.close()

    server = await asyncio.start_server(deaf, "127.0.0.1", 0, limit=1)
    port = server.sockets[0].getsockname()[1]
    limits = {"RETRIES": "0", "TOTAL_TIMEOUT": "0.5", "MAX_REQUEST_BYTES": "64000000"}
    made = settings(f"http://127.0.0.1:{port}", **limits)
    async with runtime.api.Api(made) as api:
        with pytest.raises(runtime.client.TimedOut):
            body = b"x" * 32_000_000
            await api.request("POST", "/x", content=body, media_type="text/plain")
    server.close()


def test_proxies_and_key_logs_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    assert calling([], get).answer.status == 200
    assert runtime.network.tls(settings()).keylog_filename is None


async def test_https_to_a_port_that_speaks_http_is_an_error() -> None:
    async with Upstream() as upstream:
        made = settings(f"https://127.0.0.1:{upstream.port}", RETRIES="0", CONNECT_TIMEOUT="1")
        async with runtime.api.Api(made) as api:
            with pytest.raises(runtime.client.ApiError) as caught:
                await get(api)
            with pytest.raises(runtime.client.ApiError):
                await reach(api)
        assert isinstance(caught.value, runtime.client.Unreachable | runtime.client.TimedOut)
        assert upstream.requests == []


def test_debug_logs_hold_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    facts = {"auth": {"k": api_key("query", "key", "K")}, "security": [["k"]]}
    with caplog.at_level(logging.DEBUG):
        done = calling([ok({})], get, facts, K="canary/secret+1")
    assert "canary" in json.dumps([request.target for request in done.requests])
    assert caplog.records and "canary" not in caplog.text


MANY = {b"{}": 510_000, b'{"":0}': 510_000, b'{"a":{"b":{"c":{}}}}': 210_000, b"0": 1_010_000,
        b'"\\",["': 1_010_000}  # fmt: skip
"""Items of lists, and how many are too many; the last one is a text that looks like several."""


@pytest.mark.parametrize("item", MANY, ids=range(len(MANY)))
def test_an_answer_of_too_many_values_is_refused_before_it_is_read(item: bytes) -> None:
    def got(count: int) -> Any:
        body = b"[" + b",".join([item] * count) + b"]"
        call = calling([http(200, body)], lambda api: api.request("GET", "/books"))
        return call.error or len(call.answer.data)

    error = got(MANY[item])
    assert "holds more than 1,000,000 values" in str(error) and "Ask for less" in error.advice
    assert got(MANY[item] // 2) == MANY[item] // 2


def test_commas_in_texts_are_no_values() -> None:
    body = json.dumps({"text": "," * 1_100_000 + '"[' * 9, "other": ["\\", '"']}).encode()
    done = calling([http(200, body)], lambda api: api.request("GET", "/books"))
    assert done.answer.data["other"] == ["\\", '"']


def test_a_large_answer_is_read_beside_the_other_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[int, bool] = {}

    def loads(text: str, **options: Any) -> Any:
        threads[len(text)] = threading.current_thread() is threading.main_thread()
        return json.JSONDecoder(**options).decode(text)

    monkeypatch.setattr("mcpgen.runtime.results.answer.json.loads", loads)
    for size in (1_000, 2_000_000):
        body = json.dumps({"text": "x" * size}).encode()
        assert (
            len(calling([http(200, body)], lambda api: api.request("GET", "/")).answer.data["text"])
            == size
        )
    assert list(threads.values()) == [True, False]


DENSE = b"[" + b",".join([b'{"a":0}'] * 200_000) + b"]"
TEXT = json.dumps({"text": "x" * 6_000_000}).encode()


@pytest.mark.parametrize(("body", "size", "most"), [(DENSE, 400_000, 2), (TEXT, 600_001, 1)])
async def test_large_answers_at_once_have_the_room_of_one(
    body: bytes, size: int, most: int
) -> None:
    assert answer.values_in(answer.Answer(200, {}, body)) == size
    running: list[int] = [0]

    async def call(api: Any) -> Any:
        with runtime.side.taking():
            data = (await get(api)).data
            running.append(running[-1] + 1)
            await asyncio.sleep(0.2)
            running.append(running[-1] - 1)
        return len(data)

    async with Upstream(http(200, body)) as upstream, _opened(upstream) as api:
        assert len(set(await asyncio.gather(*[call(api) for _ in range(6)]))) == 1
    assert max(running) == most and running[-1] == 0


async def test_an_answer_that_gets_no_room_in_time_is_refused_and_costs_no_other_call() -> None:
    async with Upstream(http(200, TEXT)) as upstream, _opened(upstream, TOTAL_TIMEOUT="6") as api:
        with runtime.side.taking():
            assert len((await get(api)).data["text"]) == len((await get(api)).data["text"])
            for task in [asyncio.create_task(_alone(api)) for _ in range(2)]:
                error = await task
                assert isinstance(error, network.NoRoom) and error.advice.startswith("Try again")
        assert await _alone(api) is None


def _opened(upstream: Upstream, **environment: str) -> Any:
    """The API of an upstream."""
    return runtime.api.Api(settings(upstream.url, **environment))


async def _alone(api: Any) -> Exception | None:
    """The failure of a call of its own, None where it works."""
    with runtime.side.taking():
        try:
            await get(api)
        except runtime.client.ApiError as error:
            return error
    return None

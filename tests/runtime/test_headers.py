"""Header fields and cookies: one grammar, and some names that are never an argument's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from calls import ask, calling, runtime
from upstream import http, ok

KEY = {
    "key": {
        "kind": "api_key",
        "place": "header",
        "wire_name": "X-API-Key",
        "variables": ["MCPGEN_BOOKSHOP_KEY"],
    }
}


@pytest.mark.parametrize("value", [
    "a\r\nX-Evil: 1", "a\nb", "a\0b", "é", " a", "a ", "\ta", "a\x7f", "x" * 9000, ["a", "b\r\n"],
    {"a": "\n"},
])  # fmt: skip
def test_a_header_that_is_more_than_a_value_is_refused_by_name_and_not_by_value(value: Any) -> None:
    done = ask("GET", "/x", headers={"X-Tag": value})
    assert isinstance(done.error, runtime.errors.Refused)
    assert "X-Tag" in str(done.error) and "Evil" not in str(done.error) and done.requests == []


@pytest.mark.parametrize("name", [
    "Host", "hOST", "Cookie", "Content-Length", "content-type", "accept", "Transfer-Encoding",
    "Connection", "TE", "Upgrade", "Expect", "X-Forwarded-For", "Forwarded",
    "X-HTTP-Method-Override", "Authorization", "Proxy-Authorization", "X Y", "X\r\nY", "", "X:Y",
    "é",
])  # fmt: skip
def test_fields_that_steer_the_connection_are_no_arguments(name: str) -> None:
    done = ask("GET", "/x", headers={name: "1"})
    assert isinstance(done.error, runtime.errors.Refused) and done.requests == []


def test_every_forbidden_name_is_one_field_name_in_lower_case() -> None:
    names = runtime.http.FORBIDDEN_HEADERS
    assert not [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)]
    framing = "connection content-length content-type expect host te trailer transfer-encoding"
    coding = "upgrade via content-encoding accept accept-encoding keep-alive proxy-connection"
    routing = "forwarded x-forwarded-host x-forwarded-for x-original-url x-http-method-override"
    carrying = "authorization cookie proxy-authorization"
    assert set(f"{framing} {coding} {routing} {carrying}".split()) <= names
    assert set(carrying.split()) == runtime.http.CREDENTIAL_HEADERS


def test_header_values_arrive_as_they_are() -> None:
    wire = runtime.wire
    headers = {
        "X-Text": "a b; c=%20", "X-List": [1, True, "x"], "X-Object": {"R": 1},
        "X-Exploded": wire.simple({"R": 1, "G": 2}), "X-Json": wire.json_text({"a": [1]}),
        "X-Empty": "", "X-None": [], "X-Omit": wire.OMIT, "If-Match": '"abc"',
    }  # fmt: skip
    [request] = ask("GET", "/x", headers=headers, accept="text/csv").requests
    got = {name: value for name, value in request.fields if name.startswith(("X-", "If-"))}
    assert got == {
        "X-Text": "a b; c=%20", "X-List": "1,true,x", "X-Object": "R,1", "X-Exploded": "R=1,G=2",
        "X-Json": '{"a":[1]}', "X-Empty": "", "If-Match": '"abc"',
    }  # fmt: skip
    assert request.header("accept") == "text/csv"


@pytest.mark.parametrize("name", ["X-API-Key", "x-api-key", "X-API-KEY"])
def test_a_credential_wins_over_an_argument_of_that_name(name: str) -> None:
    [request] = ask(
        "GET",
        "/x",
        headers={name: "mine"},
        facts={"auth": KEY, "security": [["key"]]},
        KEY="the-real-one",
    ).requests
    assert request.header("x-api-key") == "the-real-one"


@pytest.mark.parametrize(("value", "sent"), [
    ("a; admin=1", "a%3B%20admin%3D1"), ('"', "%22"), ("a,b", "a%2Cb"),
    ("a\r\nSet: 1", "a%0D%0ASet%3A%201"), (["a", "b,c"], "a,b%2Cc"), ({"R": 1}, "R,1"),
    (True, "true"),
])  # fmt: skip
def test_a_cookie_argument_is_one_cookie(value: Any, sent: str) -> None:
    [request] = ask("GET", "/x", cookies={"sid": value, "other": "1"}).requests
    assert request.header("cookie") == f"sid={sent}; other=1"


def test_a_cookie_name_is_a_token() -> None:
    done = ask("GET", "/x", cookies={"a=b; c": "1"})
    assert isinstance(done.error, runtime.errors.Refused) and done.requests == []


def test_what_the_api_sets_in_one_call_does_not_go_out_with_the_next() -> None:

    async def twice(api: Any) -> None:
        await api.request("GET", "/x")
        await api.request("GET", "/x", cookies={"mine": "1"})

    done = calling([http(200, "{}", "application/json", "Set-Cookie: sid=A; Path=/")], twice)
    assert [request.header("cookie") for request in done.requests] == [None, "mine=1"]


CONSTANTS = {"headers": {"X-Version": "2", "Accept": "application/vnd.shop+json"}}


def test_constant_headers_stand_in_every_request() -> None:

    call = ask("POST", "/x", ok({}), json={"a": 1}, facts=CONSTANTS)
    header = call.requests[0].header
    assert header("x-version") == "2" and header("accept") == "application/vnd.shop+json"
    assert header("content-type") == "application/json"


def test_a_constant_content_type_is_for_requests_without_a_body() -> None:

    facts = {"headers": {"Content-Type": "application/vnd.shop+json"}}
    read = ask("GET", "/x", ok({}), facts=facts)
    written = ask("POST", "/x", ok({}), json={}, facts=facts)
    assert read.requests[0].header("content-type") == "application/vnd.shop+json"
    assert written.requests[0].header("content-type") == "application/json"


def test_an_operation_without_a_body_may_say_its_content_type() -> None:

    call = ask("GET", "/x", ok({}), content_type="application/json")
    assert call.requests[0].header("content-type") == "application/json"
    assert call.requests[0].body == b""

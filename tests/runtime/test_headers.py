"""Header fields and cookies: one grammar, and some names that are never an argument's."""

import re
from typing import Any

import pytest
from calls import api_key, ask, calling, runtime
from upstream import http

from mcpgen.config.credentials import CREDENTIAL_HEADERS

KEY = {"key": api_key("header", "X-API-Key", "KEY")}




@pytest.mark.parametrize("value", [
    "a\r\nX-Evil: 1", "a\nb", "a\0b", "é", " a", "a ", "\ta", "a\x7f", "x" * 9000, ["a", "b\r\n"],
    {"a": "\n"},
])  # fmt: skip
def test_a_header_that_is_more_than_a_value_is_refused_by_name_and_not_by_value(value: Any) -> None:
    done = ask("GET", "/x", headers={"X-Tag": value})
    assert isinstance(done.error, runtime.client.Refused)
    assert "X-Tag" in str(done.error) and "Evil" not in str(done.error) and done.requests == []


@pytest.mark.parametrize(("name", "given"), [
    ("Accept", {"accept": "a\nb"}), ("Content-Type", {"content_type": "a\nb"}),
])  # fmt: skip
def test_a_media_type_that_is_no_value_is_refused_by_its_field(name: str, given: Any) -> None:
    done = ask("GET", "/x", **given)
    assert f"`{name}`" in str(done.error) and done.requests == []


@pytest.mark.parametrize("name", [
    "Host", "hOST", "Cookie", "Content-Length", "content-type", "accept", "Transfer-Encoding",
    "Connection", "TE", "Upgrade", "Expect", "X-Forwarded-For", "Forwarded",
    "X-HTTP-Method-Override", "Authorization", "Proxy-Authorization", "X Y", "X\r\nY", "", "X:Y",
    "é",
])  # fmt: skip
def test_fields_that_steer_the_connection_are_no_arguments(name: str) -> None:
    done = ask("GET", "/x", headers={name: "1"})
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []


def test_a_safe_method_is_idempotent() -> None:  # RFC 9110, section 9.2.2
    assert runtime.facts.SAFE | {"PUT", "DELETE"} == runtime.facts.IDEMPOTENT


def test_every_forbidden_name_is_one_field_name_in_lower_case() -> None:
    names = runtime.facts.FORBIDDEN_HEADERS
    assert not [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)]
    framing = "connection content-length content-type expect host te trailer transfer-encoding"
    coding = "upgrade via content-encoding accept accept-encoding keep-alive proxy-connection"
    routing = "forwarded x-forwarded-host x-forwarded-for x-original-url x-http-method-override"
    carrying = "authorization cookie proxy-authorization"
    assert set(f"{framing} {coding} {routing} {carrying}".split()) <= names
    assert set(carrying.split()) == CREDENTIAL_HEADERS


def test_header_values_arrive_as_they_are() -> None:
    wire = runtime.wire
    sent = {
        "X-Text": ("a b; c=%20", "a b; c=%20"), "X-List": ([1, True, "x"], "1,true,x"),
        "X-Object": ({"R": 1}, "R,1"), "X-Exploded": (wire.simple({"R": 1, "G": 2}), "R=1,G=2"),
        "X-Json": (wire.json_text({"a": [1]}), '{"a":[1]}'), "X-Empty": ("", ""),
        "X-None": ([], None), "X-Omit": (wire.OMIT, None), "If-Match": ('"abc"', '"abc"'),
    }  # fmt: skip
    headers = {name: value for name, (value, _) in sent.items()}
    [request] = ask("GET", "/x", headers=headers, accept="text/csv").requests
    assert {name: request.header(name) for name in sent} == {name: sent[name][1] for name in sent}
    assert request.header("accept") == "text/csv"


@pytest.mark.parametrize("name", ["X-API-Key", "x-api-key", "X-API-KEY"])
def test_a_credential_wins_over_an_argument_of_that_name(name: str) -> None:
    facts = {"auth": KEY, "security": [["key"]]}
    [request] = ask("GET", "/x", headers={name: "mine"}, facts=facts, KEY="the-real-one").requests
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
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []


def test_what_the_api_sets_in_one_call_does_not_go_out_with_the_next() -> None:

    async def twice(api: Any) -> None:
        await api.request("GET", "/x")
        await api.request("GET", "/x", cookies={"mine": "1"})

    done = calling([http(200, "{}", "application/json", "Set-Cookie: sid=A; Path=/")], twice)
    assert [request.header("cookie") for request in done.requests] == [None, "mine=1"]


JSON, SHOP = "application/json", "application/vnd.shop+json"
CONSTANTS = {"headers": {"X-Version": "2", "Accept": SHOP, "Content-Type": SHOP}}


@pytest.mark.parametrize(("given", "content_type"), [
    ({"method": "POST", "json": {"a": 1}, "facts": CONSTANTS}, JSON),
    ({"method": "GET", "facts": CONSTANTS}, SHOP), ({"method": "GET", "content_type": JSON}, JSON),
])  # fmt: skip
def test_constant_headers_and_content_types_stand_in_requests(
    given: dict[str, Any], content_type: str
) -> None:
    [request] = ask(path="/x", **given).requests
    assert request.header("content-type") == content_type
    assert request.body == (b'{"a":1}' if "json" in given else b"")
    assert request.header("accept") == (SHOP if "facts" in given else JSON)
    assert request.header("x-version") == ("2" if "facts" in given else None)

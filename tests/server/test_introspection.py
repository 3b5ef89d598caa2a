"""Callers' tokens that are no JWTs: the authorization server is asked about each (RFC 7662)."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest
from served import Start, call

from mcpgen.runtime.parts.oauth import introspection as tokens
from mcpgen.runtime.parts.oauth.tokens import BadToken, Grant, Unavailable
from mcpgen.runtime.settings import SettingsError, read
from tests.issuer import Issuer
from tests.loopback import JSON, Asked, Loopback

AUDIENCE = "http://127.0.0.1/mcp"
ABOUT: dict[str, Any] = {"audiences": [AUDIENCE], "resource": AUDIENCE, "scopes": frozenset(),
                         "offered": (), "ca_file": None}  # fmt: skip
GOOD = {"active": True, "aud": AUDIENCE, "scope": "books:read", "sub": "me", "client_id": "desk"}


class Endpoint(Loopback):
    """An authorization server that knows some tokens."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {"good": GOOD}
        self.asked: list[Asked] = []
        self.answer: tuple[int, dict[str, str], bytes] | None = None
        """Answer to every question, in place of the right one."""
        self.faults: dict[str, tuple[int, dict[str, str], bytes]] = {}
        """The same for single tokens."""
        super().__init__(self.introspected)

    def introspected(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Say what a token is good for."""
        self.asked.append(asked)
        [token] = parse_qs(asked.body.decode())["token"]
        said = {"exp": int(time.time()) + 300, **self.known.get(token, {"active": False})}
        return self.faults.get(token) or self.answer or (200, JSON, json.dumps(said).encode())


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An authorization server."""
    server = Endpoint()
    yield server
    server.close()


def settings(endpoint: Endpoint, **more: str) -> dict[str, str]:
    """The settings that trust it."""
    return {
        "HTTP_ISSUER": endpoint.url, "HTTP_AUDIENCE": AUDIENCE,
        "INTROSPECTION_URL": f"{endpoint.url}/introspect", "INTROSPECTION_CLIENT_ID": "shop",
        "INTROSPECTION_CLIENT_SECRET": "canary-s3cret%", **more,
    }  # fmt: skip


def trusting(issuer: str, url: str) -> Any:
    """What judges the tokens of an authorization server."""
    return tokens.Introspection([issuer], url, "shop", "canary-s3cret%", **ABOUT)


def outcomes(endpoint: Endpoint, *given: str) -> list[type]:
    """What comes of tokens, one after another."""
    authority = trusting(endpoint.url, f"{endpoint.url}/introspect")

    async def outcome(token: str) -> type:
        try:
            return type(await authority.grant(token))
        except (BadToken, Unavailable) as error:
            return type(error)

    async def ask() -> list[type]:
        return [await outcome(token) for token in given]

    return asyncio.run(ask())


def test_a_token_is_good_for_what_the_endpoint_says(
    start: Start, endpoint: Endpoint, api: Any
) -> None:
    server = start(**settings(endpoint, HTTP_WRITE_SCOPES="books:write"))
    described = json.loads(server.get("/.well-known/oauth-protected-resource/mcp")[2])
    assert described["authorization_servers"] == [endpoint.url]
    status, headers, _ = server.bearer("made-up")
    assert (status, 'error="invalid_token"' in headers["www-authenticate"]) == (401, True)
    assert server.bearer("good", call("get_book", {"book_id": "1"}))[0] == 200
    write = call("update_book", {"book_id": "1", "title": "T"})
    status, headers, _ = server.bearer("good", write)
    assert (status, 'scope="books:write"' in headers["www-authenticate"]) == (403, True)
    # The client asks for more, and repeats the call with another token
    endpoint.known["better"] = {**GOOD, "scope": "books:read books:write"}
    assert server.bearer("better", write)[0] == 200
    for asked in endpoint.asked:
        assert (asked.method, asked.target) == ("POST", "/introspect")
        login = base64.b64decode(asked.fields["authorization"].removeprefix("Basic "))
        assert login == b"shop:canary-s3cret%25"  # RFC 6749, section 2.3.1
    assert "authorization" not in api.requests[0].fields
    said = server.stop()
    assert '"client": "desk"' in said and '"subject": "me"' in said
    assert not any(secret in said for secret in ("canary", '"good"', "better"))


@pytest.mark.parametrize("count", [1, 2])
def test_tokens_of_an_issuer_with_keys_are_never_introspected(
    start: Start, endpoint: Endpoint, issuer: Issuer, count: int
) -> None:
    issuers = [issuer.url, endpoint.url][:count]
    more = {"HTTP_ISSUER": ",".join(issuers), "HTTP_JWKS_URL": f"{issuer.url}/keys"}
    server = start(**settings(endpoint, **more))
    described = server.get("/.well-known/oauth-protected-resource/mcp")[2]
    assert json.loads(described)["authorization_servers"] == issuers
    forged, other = issuer.token(key=issuer.other), issuer.token(iss="https://else.example")
    endpoint.known |= {forged: GOOD, other: GOOD, "claims": {**GOOD, "iss": issuer.url}}
    given = {issuer.token(): 200, "good": 200, other: 200, forged: 401, "made-up": 401}
    given["claims"] = 200 if count == 1 else 401  # the endpoint speaks for its own issuer
    assert {token: server.bearer(token)[0] for token in given} == given
    asked = [parse_qs(asked.body.decode())["token"][0] for asked in endpoint.asked]
    assert asked == ["good", other, "made-up", "claims"]
    assert server.get("/ready")[0] == 200
    endpoint.answer = (503, {}, b"")
    assert [server.bearer(issuer.token(sub="you"))[0], server.bearer("another")[0]] == [200, 503]


def test_a_server_is_ready_once_tokens_of_both_kinds_can_be_checked(
    endpoint: Endpoint, issuer: Issuer
) -> None:
    signed = tokens.Issuer({issuer.url: f"{issuer.url}/keys"}, **ABOUT)
    for answer, is_ready in (((503, {}, b""), False), (None, True)):
        endpoint.answer = answer
        others = trusting(endpoint.url, f"{endpoint.url}/introspect")
        either = tokens.EitherKind(signed, others, **ABOUT)
        assert asyncio.run(either.is_ready()) is is_ready


REFUSED: list[dict[str, Any]] = [
    {"active": False}, {"aud": "https://else.example"}, {"aud": None}, {"aud": [["x"]]},
    {"iss": "https://else.example"}, {"exp": 1}, {"exp": "soon"}, {"exp": None}, {"exp": 10**400},
    {"exp": float("nan")}, {"nbf": 10**11}, {"scope": 5}, {"scope": None}, {"typ": "Refresh"},
    {"token_type": "DPoP"}, {"token_use": "refresh_token"}, {"nonce": "n"},
]  # fmt: skip


def test_what_is_no_current_access_token_for_this_server_is_refused(endpoint: Endpoint) -> None:
    good = [{"aud": ["https://else.example", AUDIENCE]}, {"iss": endpoint.url}]
    good.append({"typ": "Bearer", "token_type": "bearer"})
    for number, more in enumerate([*good, *REFUSED]):
        endpoint.known[str(number)] = {**GOOD, **more}
    given = [str(number) for number in range(len(endpoint.known) - 1)]
    assert outcomes(endpoint, *given) == [Grant] * len(good) + [BadToken] * len(REFUSED)


def test_tokens_that_are_far_too_long_are_never_asked_about(
    start: Start, endpoint: Endpoint
) -> None:
    server = start(**settings(endpoint))
    endpoint.known |= {"x" * length: GOOD for length in (32_768, 32_769)}
    assert [server.bearer("x" * length)[0] for length in (32_768, 32_769)] == [200, 431]
    assert len(endpoint.asked) == 1


OWN_FAULT: list[tuple[int, dict[str, str], bytes]] = [
    (403, {}, b"<html>Forbidden</html>"), (400, JSON, b'{"error": "invalid_request"}'),
    (413, {}, b""), (500, JSON, b"{}"), (302, {"Location": "/blocked"}, b""), (200, {}, b"<html>"),
    (200, JSON, json.dumps({**GOOD, "x": "x" * 300_000}).encode()),
]  # fmt: skip
"""Answers of an endpoint, or of a firewall before it, about single tokens."""


@pytest.mark.parametrize("answer", OWN_FAULT, ids=range(len(OWN_FAULT)))
def test_a_token_that_the_endpoint_does_not_answer_costs_no_other_caller(
    endpoint: Endpoint, answer: Any
) -> None:
    endpoint.faults = {f"garbage{number}": answer for number in range(4)}
    endpoint.known |= {f"good{number}": GOOD for number in range(3)}
    given = ["garbage1", "good0", "garbage2", "good1", "garbage2", "garbage3", "good2"]
    kinds = {"garbage": Unavailable, "good": Grant}
    expected = [kinds[token.rstrip("0123456789")] for token in given]
    assert outcomes(endpoint, *given) == expected
    # Nothing had been answered yet, so the first one needed a question of this server's own; the
    # second one is held for a moment
    asked = [parse_qs(each.body.decode())["token"][0] for each in endpoint.asked]
    assert asked == ["garbage1", tokens.OWN_QUESTION, *dict.fromkeys(given[1:])]


UNANSWERED: list[tuple[int, dict[str, str], bytes]] = [
    (500, JSON, b"{}"), (401, JSON, b'{"active": true}'), (204, {}, b""), (200, JSON, b"[]"),
    (200, JSON, b"{}"), (200, JSON, b'{"active": "true"}'), (200, JSON, b"no JSON"),
    (200, JSON, b"[" * 200_000), (200, JSON, json.dumps({**GOOD, "x": "x" * 300_000}).encode()),
    (307, {"Location": "/elsewhere"}, b""),
]  # fmt: skip


@pytest.mark.parametrize("answer", UNANSWERED, ids=range(len(UNANSWERED)))
def test_without_an_answer_nobody_comes_in_and_redirects_are_not_followed(
    endpoint: Endpoint, answer: Any
) -> None:
    endpoint.answer = answer
    assert outcomes(endpoint, "good", "good", "other") == [Unavailable] * 3
    # Not about another token either: it is left alone for a moment
    asked = [parse_qs(each.body.decode())["token"][0] for each in endpoint.asked]
    assert asked == ["good", tokens.OWN_QUESTION]


def test_a_server_whose_endpoint_is_away_is_not_ready_and_keeps_clients_waiting(
    start: Start, endpoint: Endpoint
) -> None:
    endpoint.answer = (503, {}, b"")
    server = start(**settings(endpoint))
    assert server.get("/ready")[0] == 503
    status, headers, _ = server.bearer("good")
    assert (status, headers["retry-after"]) == (503, "1")
    assert "www-authenticate" not in headers
    endpoint.answer = None
    time.sleep(tokens.RETRY_SECONDS + 0.1)
    assert [server.get("/ready")[0], server.bearer("good")[0]] == [200, 200]
    endpoint.answer = (503, {}, b"")
    assert server.bearer("good")[0] == 200  # for half a minute
    assert server.bearer("another")[0] == 503
    said = server.stop()
    assert '"reason": "status 503"' in said and "canary" not in said and "another" not in said


def test_an_answer_holds_for_a_short_time_and_no_longer_than_the_token(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.known["brief"] = {**GOOD, "exp": time.time() - 1}
    assert outcomes(endpoint, "good", "good", "made-up", "made-up", "brief", "brief") == [
        Grant, Grant, BadToken, BadToken, Grant, Grant,
    ]  # fmt: skip
    assert len(endpoint.asked) == 4
    monkeypatch.setattr(tokens, "ANSWER_SECONDS", 0.0)
    monkeypatch.setattr(tokens, "MOST_TOKENS", 1)
    assert outcomes(endpoint, "good", "made-up", "good") == [Grant, BadToken, Grant]
    assert len(endpoint.asked) == 7


@pytest.mark.parametrize("answer", [None, (503, {}, b"")])
def test_a_clock_that_is_set_back_prolongs_nothing(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    back, on = itertools.count(0, -3600), itertools.count(0, 40)
    clock = SimpleNamespace(time=lambda: time.time() + next(back), monotonic=on.__next__)
    monkeypatch.setattr(tokens, "time", clock)
    endpoint.answer = answer
    outcomes(endpoint, "good", "good")
    assert len([asked for asked in endpoint.asked if b"token=good&" in asked.body]) == 2


def test_calls_at_the_same_time_share_one_question(endpoint: Endpoint) -> None:
    authority = trusting(endpoint.url, f"{endpoint.url}/introspect")

    async def ask() -> list[Grant]:
        gone = asyncio.create_task(authority.grant("good"))
        await asyncio.sleep(0)
        gone.cancel()
        return await asyncio.gather(*(authority.grant("good") for _ in range(50)))

    assert len({id(grant) for grant in asyncio.run(ask())}) == len(endpoint.asked) == 1


@pytest.mark.parametrize(("more", "text"), [
    ({"HTTP_ISSUER": ""}, "HTTP_ISSUER` is not set"),
    ({"HTTP_AUDIENCE": ""}, "HTTP_AUDIENCE` is not set"),
    ({"INTROSPECTION_CLIENT_ID": ""}, "INTROSPECTION_CLIENT_ID` is not set"),
    ({"INTROSPECTION_CLIENT_SECRET": ""}, "INTROSPECTION_CLIENT_SECRET` is not set"),
    ({"HTTP_JWKS_URL": "https://a.example/keys,https://b.example/keys"}, "more URLs than `P_HTTP_ISSUER`"),
])  # fmt: skip
def test_settings_that_are_incomplete_are_said_at_the_start(
    endpoint: Endpoint, more: dict[str, str], text: str
) -> None:
    facts = {"name": "p", "env_prefix": "P", "calls_api": False, "parts": ["http", "oauth"]}
    environ = {f"P_{name}": value for name, value in settings(endpoint, **more).items()}
    with pytest.raises(SettingsError, match=text):
        read(facts, environ, http=True)


def test_the_endpoint_needs_https() -> None:
    for issuer, url in (("http", "https"), ("https", "http")):
        with pytest.raises(ValueError, match="must be an https URL"):
            trusting(f"{issuer}://login.example", f"{url}://login.example")

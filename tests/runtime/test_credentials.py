"""Each credential at its exact place, chosen by the rules, going nowhere else, and shown to
nobody.
"""

import asyncio
import base64
import io
import json
import logging
import os
import pickle
import subprocess
import sys
import traceback
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from authority import CLIENT_ID, CLIENT_SECRET
from calls import api_key, ask, calling, run, runtime, settings
from upstream import Upstream, http, ok

from mcpgen.runtime.log import JsonLines

CANARY = "c4nary/Sécret+1".replace("é", "e")
P = "BOOKSHOP_MCP"


AUTH: dict[str, Any] = {
    "header": api_key("header", "X-API-Key", "HEADER"),
    "query": api_key("query", "api key", "QUERY"), "cookie": api_key("cookie", "sid", "COOKIE"),
    "basic": {"kind": "basic", "scheme": "Basic", "variables": [f"{P}_USERNAME", f"{P}_PASSWORD"]},
    "bearer": {"kind": "bearer", "scheme": "Bearer", "variables": [f"{P}_TOKEN"]},
    "custom": {"kind": "bearer", "scheme": "GenieKey", "variables": [f"{P}_GENIE"]},
    "mutual": {"kind": "unsupported", "variables": []},
}  # fmt: skip


VALUES = {
    "header": {"HEADER": CANARY}, "query": {"QUERY": CANARY}, "cookie": {"COOKIE": CANARY},
    "basic": {"USERNAME": "me", "PASSWORD": CANARY}, "bearer": {"TOKEN": CANARY},
    "custom": {"GENIE": CANARY},
}  # fmt: skip


def get(security: Any = None) -> Callable[[Any], Any]:
    return lambda api: api.request(
        "GET", "/x", query={"q": "1"}, cookies={"a": "b"}, security=security
    )


def sent(request: Any) -> dict[str, Any]:
    """Everything of a request that could hold a credential."""
    headers = {name: request.header(name) for name in ("authorization", "x-api-key")}
    found = {name: value for name, value in headers.items() if value}
    query = urllib.parse.parse_qsl(request.query)
    return {"query": query, "cookie": request.header("cookie"), **found}


@pytest.mark.parametrize(("name", "expected"), [
    ("header", {"x-api-key": CANARY}), ("query", {"query": [("q", "1"), ("api key", CANARY)]}),
    ("cookie", {"cookie": f"a=b; sid={CANARY}"}),
    ("basic", {"authorization": "Basic " + base64.b64encode(f"me:{CANARY}".encode()).decode()}),
    ("bearer", {"authorization": f"Bearer {CANARY}"}),
    ("custom", {"authorization": f"GenieKey {CANARY}"}),
])  # fmt: skip
def test_each_credential_stands_at_its_place_and_no_other(
    name: str, expected: dict[str, Any]
) -> None:
    [request] = calling([], get(((name,),)), {"auth": AUTH}, **VALUES[name]).requests
    assert sent(request) == {"query": [("q", "1")], "cookie": "a=b"} | expected


def test_a_pasted_scheme_word_is_not_sent_twice() -> None:
    [request] = calling([], get((("bearer",),)), {"auth": AUTH}, TOKEN="bearer abc-12345").requests
    assert request.header("authorization") == "Bearer abc-12345"


def test_a_credential_wins_over_query_and_cookie_arguments_of_its_name() -> None:
    given = {"query": {"api key": "mine", "z": {"api key": "x"}}, "cookies": {"sid": "mine"}}
    facts = {"auth": AUTH, "security": [["query", "cookie"]]}
    [request] = ask("GET", "/x", **given, facts=facts, QUERY=CANARY, COOKIE=CANARY).requests
    assert urllib.parse.parse_qsl(request.query) == [("api key", CANARY)]
    assert request.header("cookie") == f"sid={CANARY}"


@pytest.mark.parametrize(("security", "have", "used"), [
    ([["header", "bearer"]], ["header", "bearer"], {"header", "bearer"}),
    ([["header"], ["bearer"]], ["header", "bearer"], {"header"}),
    ([["header"], ["bearer"]], ["bearer"], {"bearer"}),
    ([["header", "bearer"], ["query"]], ["bearer", "query"], {"query"}),
    ([[], ["header"]], ["header"], {"header"}), ([["header"], []], [], set()),
    ([], ["header"], set()), ([["mutual"], ["bearer"]], ["bearer"], {"bearer"}),
    ([["header"]], [], None), ([["header", "bearer"]], ["bearer"], None),
    ([["mutual"]], ["bearer"], None), ([["unknown"]], ["bearer"], None),
])  # fmt: skip
def test_the_first_alternative_that_is_complete_is_used(
    security: Any, have: list[str], used: set[str] | None
) -> None:
    variables = {name: value for one in have for name, value in VALUES[one].items()}
    for facts, use in (({"security": security}, get()), ({}, get(tuple(map(tuple, security))))):
        done = calling([], use, {"auth": AUTH, **facts}, **variables)
        if used is None:
            assert isinstance(done.error, runtime.client.MissingCredential) and done.requests == []
            continue
        got = sent(done.requests[0])
        found = {
            "header": "x-api-key" in got,
            "bearer": "authorization" in got,
            "query": len(got["query"]) > 1,
        }
        assert {name for name, there in found.items() if there} == used


def test_a_missing_credential_names_every_way_to_set_it_and_others_work() -> None:
    done = calling([], get((("header",), ("basic", "query"))), {"auth": AUTH}, USERNAME="me")
    text = str(done.error)
    assert f"`{P}_HEADER`, or `{P}_PASSWORD` and `{P}_QUERY`" in text and "_USERNAME`" not in text
    assert calling([], get(()), {"auth": AUTH}).answer.status == 200


def test_the_users_own_hook_signs_requests_and_stands_for_its_schemes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def authorize(request: Any) -> None:
        request.headers["X-Signature"] = request.conceal(
            f"signed-{request.method}-{len(request.content or b'')}"
        )

    monkeypatch.setattr(runtime.auth, "authorize", authorize)
    monkeypatch.setattr(runtime.auth, "PROVIDES", frozenset({"mutual"}))
    reply = http(403, '{"message": "signed-POST-7 is wrong"}')
    done = ask("POST", "/x", reply, json={"a": 1}, security=(("mutual",),), facts={"auth": AUTH})
    assert done.requests[0].header("x-signature") == "signed-POST-7"
    assert "signed-POST-7" not in str(runtime.report.report_error(done.error, done.settings))


def test_the_hook_cannot_move_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async def authorize(request: Any) -> None:
        request.url = request.url.with_host("evil.test")

    monkeypatch.setattr(runtime.auth, "authorize", authorize)
    done = calling([], get())
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []


# Origins




@pytest.mark.parametrize(("allowed", "known", "outcome"), [
    (False, False, "refused"), (False, True, "without credential"), (True, False, "with credential"),
])  # fmt: skip
async def test_an_operation_on_another_server_needs_leave_and_gets_no_credential_unless_the_operator_says(
    allowed: bool, known: bool, outcome: str
) -> None:
    async with Upstream() as own, Upstream() as other:
        facts = {"base_url": own.url, "auth": AUTH, "security": [["bearer"]]}
        facts |= {"allowed_origins": [other.url] * known, "headers": {"X-Own": "1"}}
        variables = {"TOKEN": CANARY, "ALLOW_PRIVATE": "1"}
        if allowed:
            variables["ALLOW_ORIGINS"] = f"https://x.test, {other.url}/ignored"
        async with runtime.api.Api(settings(None, facts, **variables)) as api:
            try:
                await api.request("GET", "/x", base_url=f"{other.url}/up")
            except runtime.client.Refused as error:
                assert "ALLOW_ORIGINS" in str(error)
        assert own.requests == []
        requests = other.requests
    found = {(None, None): "without credential", (f"Bearer {CANARY}", "1"): "with credential"}
    got = [(each.header("authorization"), each.header("x-own")) for each in requests]
    assert [found[each] for each in got] == [outcome] * (outcome != "refused")


def test_the_operators_base_url_goes_before_the_operations_own() -> None:
    done = ask("GET", "/x", base_url="https://uploads.example.com/v2")
    assert done.requests[0].target == "/v1/x"


def test_an_operations_own_path_counts_from_the_origin_of_the_operators_base_url() -> None:
    assert ask("GET", "/x", base_url="/").requests[0].target == "/x"
    assert ask("GET", "/x", base_url="/v9").requests[0].target == "/v9/x"


@pytest.mark.parametrize(("url", "reason"), [
    ("https://u:canary@b.test", "has a user name or password in it"),
    ("ftp://b.test", "not an http or https URL with a host"),
])  # fmt: skip
async def test_an_operation_whose_own_address_cannot_be_is_refused(url: str, reason: str) -> None:
    async with runtime.api.Api(settings()) as api:
        with pytest.raises(runtime.client.Refused) as refused:
            await api.request("GET", "/x", base_url=url)
    assert str(refused.value) == f"the operation's own server URL {reason}"


async def test_two_apis_in_one_process_keep_their_credentials_apart() -> None:
    facts = {"auth": AUTH, "security": [["bearer"]]}
    async with Upstream() as first, Upstream() as second:
        one = settings(first.url, facts, TOKEN="first-token")
        two = settings(second.url, facts, TOKEN="second-token")
        async with runtime.api.Api(one) as a, runtime.api.Api(two) as b:
            await asyncio.gather(*(api.request("GET", "/x") for api in (a, b) * 20))
        for upstream, token in ((first, "first-token"), (second, "second-token")):
            sent = {request.header("authorization") for request in upstream.requests}
            assert sent == {f"Bearer {token}"}


# Secrets


def own_frames(error: BaseException, package: str) -> list[str]:
    """The traceback of an error, and the local variables of every frame of the runtime."""
    found = traceback.format_exception(error)
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__package__") == package:
            found += [
                f"{frame.f_code.co_name}: {name} = {value!r}"
                for name, value in frame.f_locals.items()
            ]
    return found


FAILURES: dict[str, Any] = {
    "401": http(401, json.dumps(
        {"message": f"bad key {CANARY}", "again": urllib.parse.quote(CANARY, safe="")})),
    "400 basic": http(
        400, json.dumps({"you_sent": base64.b64encode(f"me:{CANARY}".encode()).decode()})),
    "500 text": http(500, f"<html><p>{CANARY}</p></html>", "text/html"),
    "redirect": http(302, "", "", f"Location: http://evil.test/?key={urllib.parse.quote(CANARY)}"),
    "not http": b"HTTP/1.1 2OO " + CANARY.encode() + b"\r\n\r\n",
    "not json": http(200, f"{{ {CANARY}"),
    "json": http(200, json.dumps(
        {"echo": [CANARY], CANARY: base64.b64encode(b"Bearer " + CANARY.encode()).decode()})),
    "text": http(200, f"your key is {CANARY}", "text/plain"),
    "link": http(200, "[]", "application/json", f'Link: </x?page={CANARY}>; rel="next"'),
    "silence": b"",
    "half": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + CANARY.encode()[:5],
    "head": http(204, "", "", f"Location: /x?key={CANARY}"),
}  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("name", ["header", "query", "cookie", "basic", "bearer"])
def test_a_secret_is_in_no_result_error_log_or_trace(
    caplog: pytest.LogCaptureFixture, name: str, failure: str
) -> None:
    variables = {"RETRIES": "0", "TIMEOUT": "0.2", **VALUES[name]}
    with caplog.at_level(logging.DEBUG):
        done = calling([FAILURES[failure]], get(((name,),)), {"auth": AUTH}, **variables)
    shown = [caplog.text]
    if done.error is None:
        tool = {"name": "x", "outputSchema": {}}
        shown.append(repr(runtime.side.content_of(done.answer, tool, done.settings, {})))
    else:
        error = done.error
        shown += [str(error), repr(error), repr(runtime.report.report_error(error, done.settings))]
        shown += own_frames(error, runtime.api.__package__)
    encoded = [base64.b64encode(text.encode()) for text in (f"me:{CANARY}", f"Bearer {CANARY}")]
    forms = [CANARY, urllib.parse.quote(CANARY, safe=""), *(form.decode() for form in encoded)]
    for text in shown:
        assert not [form for form in forms if form in text]


def test_settings_and_secrets_do_not_show_themselves() -> None:
    variables = {"TOKEN": CANARY, "HTTP_TOKEN": "another-canary", "PASSWORD": CANARY}
    made = settings("https://a.test", {"auth": AUTH}, **variables)
    secret = made.credentials["bearer"].values[0]
    shown = [repr(made), str(made), repr(made.credentials), f"{secret}", f"{secret!r:>20}"]
    for text in (*shown, str(secret), repr(made.redactor)):
        assert CANARY not in text and "another-canary" not in text
    for thing in (secret, made.redactor, made):
        with pytest.raises(TypeError):
            pickle.dumps(thing)
    assert secret.reveal() == CANARY


def test_the_redactor_finds_a_secret_inside_base64_at_any_alignment() -> None:
    redactor = runtime.secrets.Redactor([CANARY])
    for before in ("", "a", "ab", "abc", "user:"):
        for after in ("", "x", "xy"):
            masked = redactor(base64.b64encode(f"{before}{CANARY}{after}".encode()).decode())
            rest = masked.replace("****", "", 1)
            # What may stay are characters that also depend on what is around the secret
            assert masked != rest and len(rest) <= 4 * (len(before + after) + 2) // 3 + 4
    assert redactor(f"x{CANARY}y") == "x****y"
    redactor = runtime.secrets.Redactor(["a/b+c&d=<e>'!"])
    for escaped in (
        r"a\/b+c&d=<e>'!", r"a/b+c\u0026d=\u003ce\u003e'!", r"a/b\u002Bc\u0026d=\u003Ce\u003E\u0027!",
        "a/b+c&amp;d=&lt;e&gt;&#39;!", "a%2Fb%2Bc%26d%3D%3Ce%3E'!", "a%2fb%2bc%26d%3d%3ce%3e%27%21",
    ):  # fmt: skip
        assert redactor(f"[{escaped}]") == "[****]"
    redactor = runtime.secrets.Redactor(["pass word/1", "pass", CANARY])  # the longest first
    assert redactor("pass%20word%2F1 pass%20word/1 pass+word%2f1") == "**** **** ****"
    for number in range(300):  # tokens that come and go take no place of a setting
        redactor.add(f"token-{number:03}")
    assert redactor(f"{CANARY} token-299 token-199") == "**** **** token-199"


def test_a_log_record_is_one_line_without_secrets() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(runtime.secrets.Redactor([CANARY])))
    logger = logging.getLogger("test-redactor")
    logger.addHandler(handler)
    logger.propagate = False
    logger.warning("key %s\r\nERROR fake \x1b[8m", CANARY)
    try:
        raise ValueError(CANARY)
    except ValueError:
        logger.exception("failed")
    fields = {"inside": ({CANARY: f"-{CANARY}"},), "other": ValueError(CANARY)}
    logger.error("fields", extra={"fields": fields})
    first, second, third = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (third["inside"], third["other"]) == ([{"****": "-****"}], "****")
    assert first["event"] == "key ****\r\nERROR fake \x1b[8m"
    assert first.keys() == {"time", "level", "event", "logger"}
    assert CANARY not in stream.getvalue() and second["traceback"].endswith("ValueError: ****")


# OAuth 2 client credentials, against Authlib in a process of its own


@pytest.fixture
def authority() -> Iterator[Callable[..., str]]:
    """Starts an authorisation server and returns its URL."""
    running = []

    def start(ttl: int = 3600, method: str = "client_secret_basic") -> str:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("authority.py")), str(ttl), method],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "AUTHLIB_INSECURE_TRANSPORT": "1"},
        )  # fmt: skip
        running.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield start
    for process in running:
        process.kill()
        process.communicate()


def oauth(url: str, **more: Any) -> dict[str, Any]:
    credential = {
        "kind": "client_credentials",
        "variables": [f"{P}_CLIENT_ID", f"{P}_CLIENT_SECRET", f"{P}_TOKEN"],
        "token_url": f"{url}/token",
        "scopes": ["read", "write"],
    }
    return {"auth": {"oauth": {**credential, **more}}, "security": [["oauth"]]}


CLIENT = {"CLIENT_ID": CLIENT_ID, "CLIENT_SECRET": CLIENT_SECRET}


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_one_token_serves_many_calls_and_is_renewed_when_it_is_refused(
    authority: Any, method: str
) -> None:
    url = authority(3600, method)
    made = settings(url, oauth(url), **CLIENT)
    async with runtime.api.Api(made) as api:

        async def issued() -> Any:
            return (await api.request("GET", "/issued", security=())).data

        answers = await asyncio.gather(*(api.request("GET", "/me") for _ in range(12)))
        assert {answer.status for answer in answers} == {200}
        assert await issued() == {"issued": 1, "scopes": ["read write"]}
        await api.request("POST", "/revoke", security=())
        answers = await asyncio.gather(*(api.request("GET", "/me") for _ in range(12)))
        assert {answer.status for answer in answers} == {200} and (await issued())["issued"] == 2


async def test_a_token_is_renewed_before_it_expires(authority: Any) -> None:
    url = authority(1)
    async with runtime.api.Api(settings(url, oauth(url), **CLIENT)) as api:
        await api.request("GET", "/me")
        await api.request("GET", "/me")
        assert (await api.request("GET", "/issued", security=())).data["issued"] == 1
        await asyncio.sleep(0.95)
        await api.request("GET", "/me")
        assert (await api.request("GET", "/issued", security=())).data["issued"] == 2


async def test_a_token_that_is_always_refused_is_renewed_once() -> None:
    token = ok({"access_token": "fetched-token", "token_type": "bearer", "expires_in": 60})
    async with Upstream(http(401, "{}")) as api_side, Upstream(token) as login:
        made = settings(api_side.url, oauth(login.url), ALLOW_ORIGINS=login.url, **CLIENT)
        async with runtime.api.Api(made) as api:
            with pytest.raises(runtime.api.BadStatus) as caught:
                await api.request("GET", "/x")
        error, calls, tokens = caught.value, len(api_side.requests), len(login.requests)
    assert (error.status, calls, tokens) == (401, 2, 2)


def test_the_text_of_any_error_is_redacted_before_it_is_told() -> None:
    made = settings("https://a.test", {"auth": AUTH}, TOKEN=CANARY)
    answer = runtime.answer.Answer(500, {"content-type": "text/plain"}, b"broken")
    bad_status = runtime.api.BadStatus(answer)
    bad_status.path = f"/x/{CANARY}"
    for error in (
        runtime.client.ApiError(f"the hook said {CANARY}"),
        runtime.client.Refused(f"not with {CANARY}", CANARY),
        bad_status,
    ):
        text = str(runtime.report.report_error(error, made))
        assert CANARY not in text and "****" in text


async def test_a_wrong_client_secret_is_reported_by_variable(authority: Any) -> None:
    url = authority()
    made = settings(url, oauth(url), CLIENT_ID=CLIENT_ID, CLIENT_SECRET=CANARY)
    async with runtime.api.Api(made) as api:
        with pytest.raises(runtime.oauth.TokenRefused) as caught:
            await api.request("GET", "/me")
    frames = own_frames(caught.value, runtime.api.__package__)
    text = "".join([str(runtime.report.report_error(caught.value, made)), *frames])
    assert "invalid_client" in text and f"{P}_CLIENT_SECRET" in text and CANARY not in text


def test_a_token_of_the_operators_own_is_used_as_it_is() -> None:
    done = calling([ok({})], get(), oauth("https://login.test"), TOKEN="ready-made-token")
    assert done.requests[0].header("authorization") == "Bearer ready-made-token"


def test_a_clients_secret_goes_to_the_apis_origin_or_to_one_the_operator_confirmed() -> None:
    token = ok({"access_token": "fetched-token", "token_type": "bearer", "expires_in": "60"})

    async def main(confirm: Callable[[str], dict[str, str]]) -> tuple[int, Any]:
        async with Upstream(ok({})) as api_side, Upstream(token) as login:
            made = settings(api_side.url, oauth(login.url), **CLIENT, **confirm(login.url))
            async with runtime.api.Api(made) as api:
                try:
                    await api.request("GET", "/x")
                except runtime.client.Refused as error:
                    return len(login.requests), str(error)
            return len(login.requests), api_side.requests[0].header("authorization")

    count, said = run(main(lambda url: {}))
    assert count == 0 and f"{P}_ALLOW_ORIGINS" in said
    assert run(main(lambda url: {"ALLOW_ORIGINS": url})) == (1, "Bearer fetched-token")
    assert run(main(lambda url: {"TOKEN_URL": f"{url}/t"})) == (1, "Bearer fetched-token")


def test_a_clients_secret_does_not_go_over_plain_http() -> None:
    done = calling(
        [], get(), oauth("http://login.test"), ALLOW_ORIGINS="http://login.test", **CLIENT
    )
    assert isinstance(done.error, runtime.client.Refused) and "https" in str(done.error)


@pytest.mark.parametrize(("reply", "says"), [
    (http(200, "[]"), "200"), (http(200, "no"), "200"), (ok({"access_token": 7}), "200"),
    (ok({"access_token": "a\r\nb"}), "200"), (ok({"access_token": ""}), "200"),
    (http(400, '{"error": "no_such"}'), "400 (`no_such`)"), (http(400, "[]"), "400"),
    (http(400, '{"error": "No\\nsuch"}'), "400"),
    (http(302, "", "", "Location: http://evil.test/"), "302"),
])  # fmt: skip
async def test_a_token_endpoint_that_misbehaves_is_an_error(reply: bytes, says: str) -> None:
    error = await without_token(reply)
    assert isinstance(error, runtime.oauth.TokenRefused) and str(error) == (
        f"the token endpoint answered {says} and gave no access token; the operator of this"
        f" server has to check `{P}_CLIENT_ID` and `{P}_CLIENT_SECRET`"
    )


async def gone(_: Any, writer: Any) -> None:
    writer.close()


@pytest.mark.parametrize(("reply", "says"), [
    (http(500, "{}"), " answered 500 and gave no access token"),
    (http(429, "{}"), " answered 429 and gave no access token"),
    (ok({"access_token": "fetched-token", "more": "x" * 100_000}),
     "'s answer is larger than 65,536 bytes"),
    (gone, "'s answer is incomplete, or not HTTP"),
])  # fmt: skip
async def test_a_token_endpoint_that_fails_is_not_the_api(reply: Any, says: str) -> None:
    error = await without_token(reply)
    assert str(error) == f"the token endpoint{says}"
    assert not error.sent  # the API has not carried it out


async def without_token(reply: Any) -> Any:
    """The error of a call that writes, with what the token endpoint replies."""
    async with Upstream(reply) as upstream:
        made = settings(upstream.url, oauth(upstream.url), **CLIENT)
        async with runtime.api.Api(made) as api:
            with pytest.raises(runtime.client.ApiError) as caught:
                await api.request("POST", "/x", json={})
        assert {request.target for request in upstream.requests} == {"/token"}
    return caught.value


def twofold(method: str) -> Callable[[Any], Any]:
    return lambda api: api.request(method, "/x", security=(("header",),))


BOTH = {"HEADER": "reading-key", "WRITE_HEADER": "writing-key"}


@pytest.mark.parametrize(("method", "variables", "value"), [
    ("GET", BOTH, "reading-key"), ("POST", BOTH, "writing-key"), ("DELETE", BOTH, "writing-key"),
    ("POST", {"HEADER": "reading-key"}, "reading-key"),
    ("GET", {"WRITE_HEADER": "writing-key"}, None),
])  # fmt: skip
def test_a_request_that_writes_carries_the_credential_for_writing(
    method: str, variables: dict[str, str], value: str | None
) -> None:
    made = calling([ok({})], twofold(method), {"auth": AUTH}, **variables)
    if value is None:
        assert isinstance(made.error, runtime.client.MissingCredential)
        assert made.error.variables == (f"{P}_HEADER",) and not made.requests
    else:
        assert made.requests[0].header("x-api-key") == value


def test_a_credential_for_writing_is_masked_like_any_other() -> None:
    made = settings("https://api.example.com", {"auth": AUTH}, WRITE_TOKEN=CANARY)
    assert CANARY not in made.redactor(f"token {CANARY}")
    assert not [note for note in made.notes if "not a setting" in note]


def test_a_refused_credential_is_reported_with_what_it_looks_like() -> None:
    about = "sent as the whole value of the header `Authorization`, as in `Token token=<KEY>`"
    auth = {"header": {**AUTH["header"], "about": about}}
    made = calling([http(401)], twofold("GET"), {"auth": auth}, HEADER=CANARY)
    text = runtime.report.report_error(made.error, made.settings)[0]["text"]
    assert f"has to check `{P}_HEADER` ({about})" in text and CANARY not in text

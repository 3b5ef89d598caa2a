"""A person logs in: the flows, what is checked on the way, where tokens are kept, how they are
renewed.
"""

import asyncio
import contextlib
import dataclasses
import importlib
import json
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import filelock
import keyring
import keyring.backend
import keyring.errors
import pytest
from calls import FACTS, runtime, settings
from provider import CLIENT_ID, Provider, follow
from upstream import Upstream, http

from mcpgen.runtime.client.oauth import OAuthClient, TokenRefused
from mcpgen.runtime.package import StartError

P = "BOOKSHOP_MCP"
LOGIN = {"kind": "bearer", "scheme": "Bearer", "variables": [f"{P}_TOKEN"]}
VARIABLES = [f"{P}_CLIENT_ID", f"{P}_CLIENT_SECRET"]
SERVICE = "bookshop-mcp"


class Memory(keyring.backend.KeyringBackend):
    """A keyring that forgets everything with the test."""

    priority = 1  # type: ignore[assignment]
    name = "memory"

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.entries.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    before = keyring.get_keyring()
    backend = Memory()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


room = SimpleNamespace(
    **{
        name: importlib.import_module(f"mcpgen.runtime.parts.login.{name}")
        for name in ("browser", "command", "device", "endpoints", "store", "token")
    }
)
"""The modules of the part by their name."""


def facts(provider: Provider, **more: Any) -> dict[str, Any]:
    login = {
        "authorization_url": f"{provider.url}/authorize?prompt=consent",
        "token_url": f"{provider.url}/token",
        "device_url": f"{provider.url}/device",
        "scopes": ["read", "write"],
        "variables": VARIABLES,
    }
    return {"auth": {"login": {**LOGIN, "login": {**login, **more}}}, "security": [["login"]]}


@pytest.fixture
def command(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Runs `bookshop-mcp login ...` against a provider that is the API too; returns its output."""

    def run(
        provider: Provider, *words: str, facts_: dict[str, Any] | None = None, **variables: str
    ) -> str:

        known = FACTS | facts(provider) | (facts_ or {})

        class Home:
            @staticmethod
            def named(_: str) -> Any:
                return type("Home", (), {"facts": lambda self: known})()

        environ = {"BASE_URL": provider.url, "CLIENT_ID": CLIENT_ID} | variables
        for name, value in environ.items():
            monkeypatch.setenv(f"{P}_{name}", value)
        monkeypatch.setattr(room.command, "Package", Home)
        monkeypatch.setattr(room.command.webbrowser, "open", follow)
        assert room.command.main("bookshop_mcp", [*(words or ["login"])]) == 0
        return capsys.readouterr().out

    return run


def stored(provider: Provider, memory: Memory) -> dict[str, Any]:
    """The tokens in the keyring."""
    text = memory.entries[SERVICE, f"login at {provider.url}"]
    return dict(json.loads(text.partition(" ")[2]))


@pytest.mark.parametrize("secret", ["", "s3cr3t-of-the-client"])
def test_a_browser_brings_tokens_into_the_keyring(
    command: Any, memory: Memory, secret: str
) -> None:
    with Provider(secret=secret) as provider:
        text = command(provider, "login", **{"CLIENT_SECRET": secret} if secret else {})
    assert "Logged in. The tokens are in memory." in text
    tokens = stored(provider, memory)
    assert tokens["access_token"] == "access-token-0"
    assert tokens["refresh_token"] == "refresh-token-1" and tokens["client_secret"] == secret
    [query] = provider.granted
    assert query["prompt"] == "consent" and query["scope"] == "read write"
    assert query["client_id"] == CLIENT_ID and query["response_type"] == "code"
    assert query["code_challenge_method"] == "S256"
    assert 43 <= len(provider.requests[0]["code_verifier"]) <= 128  # RFC 7636 section 4.1
    address = urlsplit(query["redirect_uri"])
    assert (address.hostname, address.path) == ("127.0.0.1", "/callback")


def test_a_code_on_another_device_brings_tokens_too(command: Any, memory: Memory) -> None:
    with Provider(pending=2) as provider:
        text = command(provider, "login", "--device")
    assert f"open\n\n  {provider.url}/enter\n\nand enter the code  ABCD-EFGH\n" in text
    assert f"(or open {provider.url}/enter?code=ABCD-EFGH and compare the code)" in text
    assert provider.requests[0] == {"client_id": CLIENT_ID, "scope": "read write"}
    assert stored(provider, memory)["access_token"] == "access-token-0"
    kinds = [form.get("grant_type", "codes") for form in provider.requests]
    assert kinds == ["codes", *["urn:ietf:params:oauth:grant-type:device_code"] * 3]


METADATA = {"authorization_url": "", "metadata_url": "URL/nothing"}


@pytest.mark.parametrize(("made", "words", "login", "variables", "reason"), [
    ({"approval": "access_denied"}, "login", {}, {}, "provider refused the login: access_denied"),
    ({"approval": "access_denied"}, "login --device", {}, {},
     r"refused the login \(`access_denied`\)"),
    ({}, "login", {}, {"CLIENT_ID": ""}, "_CLIENT_ID` is not set"),
    ({"secret": "s"}, "login", {}, {},
     r"endpoint answered 401 \(`invalid_client`\) and gave no access token"),
    ({"secret": "s"}, "login --device", {}, {},
     r"endpoint answered 401 \(`invalid_client`\) and gave no code"),
    ({}, "login --device", {"device_url": ""}, {}, "offers no login with a code; leave out --dev"),
    ({}, "login", METADATA, {}, "/nothing answered 401 and no metadata of a provider"),
    ({}, "login", {"authorization_url": "none"}, {}, "the address to log in is not known, or no"),
    ({}, "login --no-browser", {}, {}, "nobody logged in within 0 minutes"),
    ({}, "login", {"token_url": "http://127.0.0.1:9"}, {}, "nothing was done"),
])  # fmt: skip
def test_a_refusal_is_said_and_nothing_is_kept(
    command: Any, memory: Memory, monkeypatch: pytest.MonkeyPatch, made: Any, words: str,
    login: dict[str, str], variables: dict[str, str], reason: str,
) -> None:  # fmt: skip
    if "--no-browser" in words:
        monkeypatch.setattr(room.browser, "SECONDS", 0.1)
    if reason == "nothing was done":
        monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
        monkeypatch.setattr("builtins.input", lambda question: "n")
    with Provider(**made) as provider, pytest.raises(StartError, match=reason):
        login = {name: text.replace("URL", provider.url) for name, text in login.items()}
        command(provider, *words.split(), facts_=facts(provider, **login), **variables)
    assert memory.entries == {}


def test_a_login_is_for_one_credential_and_notes_what_goes_before_it(
    command: Any, memory: Memory
) -> None:
    with Provider(rotates=False) as provider:
        text = command(provider, "login", "--scopes", "a b", TOKEN="token-of-the-environment")
        both = {"auth": {**facts(provider)["auth"], "other": facts(provider)["auth"]["login"]}}
        with pytest.raises(StartError, match="to log in for with --credential: `login`, `other`"):
            command(provider, facts_=both)
        command(provider, "login", "--credential", "other", facts_=both)
    assert "the provider gave no refresh token" in text
    assert f"note: as long as `{P}_TOKEN` is set, servers use that" in text
    assert [query["scope"] for query in provider.granted] == ["a b", "read write"]
    assert (SERVICE, f"other at {provider.url}") in memory.entries


def test_a_machine_without_a_keyring_says_so_before_anybody_logs_in(command: Any) -> None:
    import keyring.backends.fail

    keyring.set_keyring(keyring.backends.fail.Keyring())
    unusable = pytest.raises(StartError, match="keyring of this machine cannot be used")
    with Provider() as provider, unusable as refused:
        command(provider, "login")
    assert provider.granted == []
    assert "_TOKEN` to an access token, or install `keyrings.alt`" in str(refused.value)


@pytest.mark.parametrize("refused", ["get_password", "set_password", "delete_password"])
@pytest.mark.parametrize(("error", "reason"), [
    (keyring.errors.KeyringLocked("canary"), "KeyringLocked"), (OSError(28, "no space"), "no space"),
])  # fmt: skip
def test_a_keyring_that_refuses_is_named(
    command: Any, memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch, refused: str,
    error: Exception, reason: str,
) -> None:  # fmt: skip

    def fail(*_: Any) -> None:
        raise error

    command(provider, "login")
    monkeypatch.setattr(memory, refused, fail)
    with pytest.raises(StartError, match=rf"cannot be used \({reason}\)"):
        command(provider, "logout" if refused == "delete_password" else "login")


async def test_a_server_without_a_keyring_names_the_token(
    memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    [error] = await calls(provider)
    assert isinstance(error, runtime.client.MissingCredential) and f"{P}_TOKEN" in str(error)


@pytest.mark.parametrize("number", ["-1", "65536", "8o"])
def test_a_port_that_cannot_be_is_refused(
    command: Any, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Provider() as provider, pytest.raises(SystemExit):
        command(provider, "login", "--port", number)
    assert f"invalid port value: '{number}'" in capsys.readouterr().err


def test_logout_forgets_the_tokens(command: Any, memory: Memory, provider: Provider) -> None:
    command(provider, "login")
    assert "Logged out" in command(provider, "logout") and memory.entries == {}
    assert "Nobody was logged in" in command(provider, "logout")


def test_addresses_that_are_not_the_apis_own_have_to_be_confirmed(
    command: Any, memory: Memory
) -> None:
    with Provider() as provider, Provider() as other:
        elsewhere = facts(other)
        with pytest.raises(StartError, match="confirm that with --yes"):
            command(provider, "login", facts_=elsewhere)
        assert other.granted == [] and memory.entries == {}
        command(provider, "login", facts_=elsewhere, ALLOW_ORIGINS=other.url)
        assert len(other.granted) == 1


@pytest.mark.parametrize(("name", "words"), [
    ("authorization_url", ["login"]), ("token_url", ["login"]),
    ("device_url", ["login", "--device"]), ("token_url", ["login", "--device"]),
])  # fmt: skip
def test_one_address_elsewhere_has_to_be_confirmed(
    command: Any, memory: Memory, name: str, words: list[str]
) -> None:
    with Provider() as provider, Provider() as other:
        elsewhere = facts(provider, **{name: f"{other.url}/token"})
        with pytest.raises(StartError, match=f"{other.url}: confirm that with --yes"):
            command(provider, *words, facts_=elsewhere)
        assert provider.granted == provider.requests == other.granted == other.requests == []


@pytest.mark.parametrize("issuer", ["", "https://other.example"])
def test_the_provider_can_name_its_endpoints_itself(
    command: Any, memory: Memory, provider: Provider, issuer: str
) -> None:
    provider.metadata = {
        "issuer": issuer or provider.url, "authorization_endpoint": f"{provider.url}/authorize",
        "token_endpoint": f"{provider.url}/token",
        "scopes_supported": ["openid", "offline_access", "email"],
        "authorization_response_iss_parameter_supported": True,
    }  # fmt: skip
    provider.issuer = provider.url
    metadata = {"metadata_url": f"{provider.url}/.well-known/openid-configuration"}
    login = {**LOGIN, "login": {**metadata, "variables": VARIABLES}}
    if issuer:
        with pytest.raises(StartError, match=r"another provider, https://other\.example"):
            command(provider, facts_={"auth": {"login": login}})
        assert provider.granted == []
    else:
        command(provider, "login", facts_={"auth": {"login": login}})
        assert provider.granted[0]["scope"] == "openid offline_access"
        assert stored(provider, memory)["token_url"] == f"{provider.url}/token"


def attempt(**endpoints: Any) -> Any:
    known = {
        "authorization_url": "https://login.example/authorize",
        "device_url": "",
        "token_url": "https://login.example/token",
        "scopes": (),
    }
    return room.browser.AuthorizationRequest(
        client=OAuthClient("id"), endpoints=room.endpoints.Endpoints(**{**known, **endpoints}),
        state="the-state", verifier="the-verifier", redirect_uri="http://127.0.0.1:1/callback",
    )  # fmt: skip


LOGIN_EXAMPLE, OWN = "https://login.example", {"issuer": "https://login.example/a"}


@pytest.mark.parametrize(("endpoints", "iss", "refused"), [
    ({}, "", False), ({}, LOGIN_EXAMPLE, False), ({}, f"{LOGIN_EXAMPLE}/tenant", False),
    ({}, "https://evil.example", True), (OWN, f"{LOGIN_EXAMPLE}/a", False),
    (OWN, f"{LOGIN_EXAMPLE}/b", True), (OWN, "", False), (OWN | {"names_itself": True}, "", True),
])  # fmt: skip
def test_an_answer_of_another_provider_is_refused(
    endpoints: dict[str, Any], iss: str, refused: bool
) -> None:
    made, fields = attempt(**endpoints), {"code": "c", **({"iss": iss} if iss else {})}
    if refused:
        with pytest.raises(TokenRefused, match="another provider"):
            made.code(fields)
    else:
        assert made.code(fields) == "c"
        with pytest.raises(TokenRefused, match="holds no code"):
            made.code({**fields, "code": ""})
        for name in ("error", "error_description"):
            with pytest.raises(TokenRefused, match=f"refused the login: the {name}$"):
                made.code({**fields, "error": "the error", name: f"the {name}"})


@pytest.mark.parametrize(
    "url", ["http://login.example/authorize", "ftp://x/", "javascript:1", "https://x/\x1b[8m"]
)
def test_nobody_logs_in_where_no_address_with_tls_is(url: str) -> None:
    with pytest.raises(runtime.client.Refused):
        attempt(authorization_url=url).address()


async def test_an_answer_with_another_state_is_left_alone(provider: Provider) -> None:
    """Somebody who can make the browser come here must not plant a code."""
    addresses: list[str] = []

    made = settings(provider.url, facts(provider), CLIENT_ID=CLIENT_ID)
    login = made.credentials["login"].login
    async with runtime.api.Api(made) as api:
        endpoints = await room.endpoints.endpoints_of(login, api.post, made.redactor)
        pending = asyncio.create_task(
            room.browser.log_in(
                endpoints, OAuthClient(CLIENT_ID), api.post, made.redactor, addresses.append, 0
            )
        )
        while not addresses:
            await asyncio.sleep(0.01)
        [back] = parse_qs(urlsplit(addresses[0]).query)["redirect_uri"]
        with pytest.raises(OSError):  # no other address of this machine is listened on
            socket.create_connection(("127.0.0.2", urlsplit(back).port or 0), 5)
        planted = [f"{back}?code=evil&state=wrong", f"{back}?code=evil", f"{back}x?state=1"]
        statuses = [await asyncio.to_thread(status, url) for url in planted]
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(back).port)
        writer.write(b"GET //[ HTTP/1.1\r\n\r\n")
        statuses.append(int((await reader.readline()).split()[1]))
        writer.close()
        assert not pending.done()
        follow(addresses[0])
        grant = await pending
    assert statuses == [404] * 4 and grant.access_token == "access-token-0"
    assert [form["code"] for form in provider.requests] == ["code-0"]


DEVICE = {
    "device_code": "dev-code-1",
    "user_code": "ABCD-EFGH",
    "verification_uri": "https://login.example/enter",
}
FOR_EVER = ["authorization_pending"] * 1_000
AGREED = {"access_token": "access-token-0"}


@pytest.mark.parametrize(("codes", "replies", "waits", "refused"), [
    ({}, ["authorization_pending", AGREED], [5, 5], ""), ({"interval": 7}, [AGREED], [7], ""),
    ({}, ["slow_down", "authorization_pending", "slow_down", AGREED], [5, 10, 10, 15], ""),
    ({}, [runtime.client.TimedOut("late"), AGREED], [5, 10], ""),
    ({}, ["expired_token"], [5], "expired_token"),
    ({"expires_in": 30}, FOR_EVER, [5] * 5, "the code has expired"),
    ({"expires_in": 100_000_000}, FOR_EVER, [5] * 359, "the code has expired"),
    ({"expires_in": -1, "interval": 600}, FOR_EVER, [600] * 2, "the code has expired"),
])  # fmt: skip
async def test_a_device_asks_as_often_and_as_long_as_it_may(
    monkeypatch: pytest.MonkeyPatch, codes: dict[str, int], replies: list[Any],
    waits: list[float], refused: str,
) -> None:  # fmt: skip
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def post(request: Any) -> Any:
        reply = next(pending)
        if isinstance(reply, Exception):
            raise reply
        status, data = (400, {"error": reply}) if isinstance(reply, str) else (200, reply)
        return runtime.answer.Answer(status, {}, b"", data)

    pending = iter([DEVICE | codes, *replies])
    monkeypatch.setattr(room.device, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(room.device, "time", SimpleNamespace(monotonic=lambda: sum(slept)))
    endpoints = attempt(device_url="https://login.example/device").endpoints
    redact = settings().redactor
    logging_in = room.device.log_in(endpoints, OAuthClient("id"), post, redact, lambda *_: None)
    if refused:
        with pytest.raises(TokenRefused, match=refused):
            await logging_in
    else:
        assert (await logging_in).access_token == "access-token-0"
    assert slept == waits and redact("the dev-code-1") == "the ****"


def status(url: str) -> int:
    try:
        return int(urllib.request.urlopen(url, timeout=5).status)
    except urllib.error.HTTPError as error:
        return error.code


# The tokens of a login in a server


def keep(provider: Provider, made: Any, **more: Any) -> None:
    """Tokens as `login` leaves them."""
    provider.access.append("access-token-0")
    provider.refresh = "refresh-token-1"
    values = {
        "access_token": "access-token-0", "refresh_token": "refresh-token-1",
        "token_url": f"{provider.url}/token", "client_id": CLIENT_ID,
    }  # fmt: skip
    tokens = room.store.Tokens(**{**values, **more})
    room.store.Store(made, made.credentials["login"]).save(tokens)


async def calls(provider: Provider, count: int = 1) -> Any:
    """The answers to calls at the same time."""
    async with runtime.api.Api(settings(provider.url, facts(provider))) as api:
        return await asyncio.gather(
            *(api.request("GET", "/me") for _ in range(count)), return_exceptions=True
        )


async def test_a_server_uses_the_tokens_of_a_login(memory: Memory, provider: Provider) -> None:
    keep(provider, settings(provider.url, facts(provider)))
    [answer] = await calls(provider)
    assert answer.status == 200 and provider.requests == []


async def test_a_server_finds_a_login_that_came_after_its_start(
    memory: Memory, monkeypatch: Any, provider: Provider
) -> None:
    monkeypatch.setattr(room.token, "LOOK_AGAIN", 0.0)

    made = settings(provider.url, facts(provider))
    async with runtime.api.Api(made) as api:
        with pytest.raises(runtime.client.MissingCredential) as caught:
            await api.request("GET", "/me")
        assert "or log in with `bookshop-mcp login`" in str(caught.value)
        keep(provider, made)
        assert (await api.request("GET", "/me")).status == 200


async def test_expired_tokens_are_renewed_once_for_all_calls_and_kept(
    memory: Memory, provider: Provider
) -> None:
    keep(provider, settings(provider.url, facts(provider)), expires_at=time.time() - 1)
    answers = await calls(provider, 12)
    assert [answer.status for answer in answers] == [200] * 12
    assert [form["grant_type"] for form in provider.requests] == ["refresh_token"]
    tokens = stored(provider, memory)
    assert tokens["refresh_token"] == provider.refresh == "refresh-token-2"
    assert tokens["expires_at"] > time.time() + 3000


async def test_a_refresh_token_that_is_not_exchanged_is_used_again(memory: Memory) -> None:
    with Provider(rotates=False) as provider:
        keep(provider, settings(provider.url, facts(provider)), expires_at=time.time() - 1)
        for _ in range(2):
            [answer] = await calls(provider)
            assert answer.status == 200
            provider.access.clear()  # the provider ends it early
    assert [form["refresh_token"] for form in provider.requests] == ["refresh-token-1"] * 2


async def test_no_token_of_a_login_shows_in_a_text(memory: Memory) -> None:
    secret = "s3cr3t-of-the-client"
    with Provider(secret=secret) as provider:
        made = settings(provider.url, facts(provider))
        keep(provider, made, expires_at=time.time() - 1, client_secret=secret)
        async with runtime.api.Api(made) as api:
            assert (await api.request("GET", "/me")).status == 200
    tokens = ["access-token-0", "refresh-token-1", "access-token-1", "refresh-token-2"]
    for hidden in (*tokens, secret):
        assert hidden not in made.redactor(f"it was {hidden} that came")


async def test_a_refresh_token_is_refused_once(memory: Memory) -> None:
    secret = "s3cr3t-of-the-client"
    with Provider(secret=secret) as provider:
        made = settings(provider.url, facts(provider))
        keep(provider, made, expires_at=1.0, client_secret=secret, refresh_token="stolen")
        await calls(provider)
    assert provider.requests == [{"grant_type": "refresh_token", "refresh_token": "stolen"}]


async def test_a_token_endpoint_that_takes_its_time_holds_nobody_up(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room.token, "RENEWAL_SECONDS", 0.2)
    with Provider(delay=3) as provider:
        keep(provider, settings(provider.url, facts(provider)), expires_at=1.0)
        [error] = await calls(provider)
    assert str(error) == "the token endpoint did not answer in time"


@pytest.mark.parametrize("error", [keyring.errors.KeyringLocked(), OSError(28, "disk full")])
@pytest.mark.parametrize("reads", [True, False])
async def test_tokens_that_the_keyring_does_not_take_are_renewed(
    memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch,
    error: Exception, reads: bool,
) -> None:  # fmt: skip

    def fail(*_: str) -> None:
        raise error

    made = settings(provider.url, facts(provider))
    keep(provider, made)
    async with runtime.api.Api(made) as api:
        assert (await api.request("GET", "/me")).status == 200
        with monkeypatch.context() as patch:
            patch.setattr(memory, "set_password", fail)
            for _ in range(3):
                provider.access = ["ended early"] * len(provider.access)
                assert (await api.request("GET", "/me")).status == 200
                if not reads:
                    patch.setattr(memory, "get_password", fail)
        assert stored(provider, memory)["refresh_token"] == "refresh-token-1"
        provider.access = ["ended early"] * len(provider.access)
        assert (await api.request("GET", "/me")).status == 200
    assert stored(provider, memory)["refresh_token"] == provider.refresh
    assert len(provider.requests) == 4 and not provider.ended


async def test_tokens_of_which_the_keyring_took_a_part_stay_in_use(
    memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_the_end(service: str, user: str, password: str) -> None:
        if user[-1:] == "2":
            raise keyring.errors.KeyringLocked
        memory.entries[service, user] = password

    monkeypatch.setattr(room.store, "LONGEST", 60)
    made = settings(provider.url, facts(provider))
    keep(provider, made, expires_at=1.0)
    async with runtime.api.Api(made) as api:
        with monkeypatch.context() as patch:
            patch.setattr(memory, "set_password", take_the_end)
            assert (await api.request("GET", "/me")).status == 200
        provider.access = ["ended early"] * len(provider.access)
        assert (await api.request("GET", "/me")).status == 200
    assert (
        room.store.Store(made, made.credentials["login"]).load().refresh_token == provider.refresh
    )
    assert len(provider.requests) == 2 and not provider.ended


async def renew_while_locked(api: Any, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: str) -> None:
        raise keyring.errors.KeyringLocked

    with monkeypatch.context() as patch:
        patch.setattr(memory, "set_password", locked)
        assert (await api.request("GET", "/me")).status == 200


async def test_tokens_that_were_not_kept_are_kept_before_they_are_renewed(
    memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = settings(provider.url, facts(provider))
    keep(provider, made, expires_at=1.0)
    async with runtime.api.Api(made) as api:
        await renew_while_locked(api, memory, monkeypatch)
        provider.access, provider.delay = ["ended early"], 3
        monkeypatch.setattr(room.token, "RENEWAL_SECONDS", 0.1)
        with pytest.raises(TokenRefused, match="did not answer in time"):
            await api.request("GET", "/me")
    assert stored(provider, memory)["refresh_token"] == provider.refresh


@pytest.mark.parametrize("logs_in", [True, False])
async def test_a_later_login_or_logout_goes_before_tokens_that_were_not_kept(
    memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch, logs_in: bool
) -> None:
    made = settings(provider.url, facts(provider))
    keep(provider, made, expires_at=1.0)
    async with runtime.api.Api(made) as api:
        await renew_while_locked(api, memory, monkeypatch)
        provider.access.clear()
        memory.entries.clear()
        if logs_in:
            keep(provider, made)
            assert (await api.request("GET", "/me")).status == 200
        else:
            with pytest.raises(TokenRefused, match="nobody is logged in any more"):
                await api.request("GET", "/me")
    assert len(provider.requests) == 1


@pytest.mark.parametrize(("status", "logs_in"), [(503, False), (429, False), (400, True)])
async def test_a_person_logs_in_again_only_where_that_helps(
    memory: Memory, provider: Provider, status: int, logs_in: bool
) -> None:
    async with Upstream(http(status, "{}")) as upstream:
        made = settings(upstream.url, facts(provider))
        keep(provider, made, expires_at=1.0, token_url=f"{upstream.url}/token")
        async with runtime.api.Api(made) as api:
            with pytest.raises(TokenRefused, match=f"endpoint answered {status}") as caught:
                await api.request("GET", "/me")
    assert ("has to run" in str(caught.value)) is logs_in


async def test_two_servers_do_not_exchange_the_same_refresh_token(
    memory: Memory, provider: Provider
) -> None:
    servers = [settings(provider.url, facts(provider)) for _ in range(4)]
    keep(provider, servers[0], expires_at=time.time() - 1)
    apis = [runtime.api.Api(made) for made in servers]
    answers = await asyncio.gather(*(api.request("GET", "/me") for api in apis))
    for api in apis:
        await api.aclose()
    assert [answer.status for answer in answers] == [200] * 4
    assert len(provider.requests) == 1 and not provider.ended


async def test_a_token_that_the_api_refuses_is_renewed_and_tried_again(
    memory: Memory, provider: Provider
) -> None:
    keep(provider, settings(provider.url, facts(provider)))
    provider.access.clear()  # the provider ended it early
    [answer] = await calls(provider)
    assert answer.status == 200 and len(provider.requests) == 1


@pytest.mark.parametrize("held", [False, True])
async def test_a_login_that_cannot_be_renewed_names_the_reason(
    memory: Memory, provider: Provider, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    monkeypatch.setattr(room.token, "LOCK_SECONDS", 0.1)
    made = settings(provider.url, facts(provider))
    keep(provider, made)
    async with runtime.api.Api(made) as api:
        await api.request("GET", "/me")
        provider.access.clear()
        reason = "nobody is logged in any more"
        with contextlib.ExitStack() as stack:
            if held:
                reason = "another process is renewing the login, and does not end"
                lock = room.store.Store(made, made.credentials["login"]).lock_file()
                stack.enter_context(filelock.FileLock(lock))
            else:
                memory.entries.clear()
            with pytest.raises(TokenRefused, match=reason):
                await api.request("GET", "/me")
    assert provider.requests == []


async def test_a_cancelled_call_does_not_lose_the_refresh_token(memory: Memory) -> None:
    with Provider(delay=0.3) as provider:
        made = settings(provider.url, facts(provider))
        keep(provider, made, expires_at=time.time() - 1)
        async with runtime.api.Api(made) as api:
            task = asyncio.create_task(api.request("GET", "/me"))
            while not provider.requests:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await api.request("GET", "/me")).status == 200
        assert stored(provider, memory)["refresh_token"] == provider.refresh
    assert len(provider.requests) == 1


@pytest.mark.parametrize(("more", "reason"), [
    ({"refresh_token": ""}, "the login has expired"),
    ({"refresh_token": "stolen"}, "answered 400 (`invalid_grant`)"),
    ({"token_url": "http://login.example/token"}, "which is not https"),
])  # fmt: skip
async def test_a_login_that_has_ended_names_the_command(
    memory: Memory, more: dict[str, str], reason: str, provider: Provider
) -> None:
    made = settings(provider.url, facts(provider))
    keep(provider, made, expires_at=time.time() - 1, **more)
    [error] = await calls(provider)
    text = runtime.report.report_error(error, made)[0]["text"]
    assert reason in text
    assert "bookshop-mcp login" in text or "https" in reason


async def test_a_refused_login_is_reported_with_the_command(
    memory: Memory, provider: Provider
) -> None:
    made = settings(provider.url, facts(provider), CLIENT_ID=CLIENT_ID)
    keep(provider, made)
    provider.ended = True
    [error] = await calls(provider)
    assert "access-token-0" not in str(error)
    refused = runtime.api.BadStatus(runtime.answer.Answer(401, {}, b""))
    refused.variables = (f"{P}_TOKEN",)
    text = runtime.report.report_error(refused, made)[0]["text"]
    assert "or to log in again with `bookshop-mcp login`" in text


async def test_a_token_in_the_environment_goes_before_a_login(
    memory: Memory, provider: Provider
) -> None:
    made = settings(provider.url, facts(provider), TOKEN="token-of-the-environment")
    keep(provider, made)
    provider.access = ["token-of-the-environment"]
    async with runtime.api.Api(made) as api:
        assert (await api.request("GET", "/me")).status == 200


def test_a_server_over_http_uses_no_login(memory: Memory, provider: Provider) -> None:

    made = runtime.settings.read(FACTS | facts(provider), {}, http=True)
    assert made.credentials["login"].login is None


async def test_tokens_belong_to_the_api_at_one_address(memory: Memory) -> None:
    with Provider() as provider, Provider() as other:
        keep(provider, settings(provider.url, facts(provider)))
        [error] = await calls(other)
    assert isinstance(error, runtime.client.MissingCredential)


def test_long_tokens_are_kept_in_parts_where_entries_are_short(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, provider: Provider
) -> None:
    monkeypatch.setattr(room.store, "LONGEST", 100)
    made = settings(provider.url, facts(provider))
    store = room.store.Store(made, made.credentials["login"])
    for length in (10, 2_000, 300):
        tokens = room.store.Tokens(access_token="a" * length, refresh_token="r" * length)
        store.save(tokens)
        assert dataclasses.asdict(store.load()) == dataclasses.asdict(tokens)
    assert max(map(len, memory.entries.values())) <= 113
    assert store.delete() and memory.entries == {} and store.load() is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert store.lock_file() == Path.home() / ".cache" / SERVICE / "login.lock"


def test_tokens_do_not_show_themselves() -> None:
    for value in (room.store.Tokens("c4nary"), OAuthClient("id", "c4nary")):
        assert "c4nary" not in repr(value)


# The whole way: a project, its command, and a client

KEYRING = """
import json, os
from pathlib import Path
import keyring.backend
FILE = Path(os.environ["KEYRING_FILE"])
class Backend(keyring.backend.KeyringBackend):
    priority = 9
    def _read(self):
        return json.loads(FILE.read_text()) if FILE.exists() else {}
    def get_password(self, service, username):
        return self._read().get(f"{service} {username}")
    def set_password(self, service, username, password):
        FILE.write_text(json.dumps({**self._read(), f"{service} {username}": password}))
"""
FOLLOW = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()"


async def test_somebody_logs_in_and_the_tools_of_a_client_work(tmp_path: Path) -> None:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    from mcpgen import generate

    document = Path(__file__).parents[1] / "cases" / "logins_of_a_person" / "openapi.yaml"
    (tmp_path / "file_keyring.py").write_text(KEYRING)
    (tmp_path / "follow.py").write_text(FOLLOW)
    with Provider(secret="s3cr3t-of-the-client") as provider:
        text = document.read_text().replace("https://login.notes.example", provider.url)
        (tmp_path / "openapi.yaml").write_text(text)
        generate(str(tmp_path / "openapi.yaml"), str(tmp_path / "project"))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "project" / "src"), str(tmp_path)]),
            "PYTHON_KEYRING_BACKEND": "file_keyring.Backend",
            "KEYRING_FILE": str(tmp_path / "keyring.json"),
            "BROWSER": shlex.join([sys.executable, str(tmp_path / "follow.py"), "%s"]),
            "XDG_CACHE_HOME": str(tmp_path),
            "NOTES_MCP_BASE_URL": provider.url,
        }
        client = {"CLIENT_ID": CLIENT_ID, "CLIENT_SECRET": "s3cr3t-of-the-client"}
        named = {f"NOTES_MCP_BROWSER_{name}": value for name, value in client.items()}
        start = [sys.executable, "-m", "notes_mcp"]
        done = subprocess.run(
            [*start, "login", "--credential", "browser"], env=environment | named,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Logged in" in done.stdout
        server = StdioServerParameters(command=start[0], args=start[1:], env=environment)

        async with Client(stdio_client(server, errlog=sys.__stderr__)) as session:
            result = await session.call_tool("add_note", {"text": "x"})
    assert not result.is_error, result.content


def test_a_server_without_a_login_says_so(tmp_path: Path) -> None:
    from mcpgen import generate

    bookshop = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"
    generate(str(bookshop), str(tmp_path / "project"))
    assert not (tmp_path / "project/src/bookshop_mcp/runtime/parts/login").exists()
    assert "keyring" not in (tmp_path / "project/pyproject.toml").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "bookshop_mcp", "login"], cwd=tmp_path / "project" / "src",
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and "offers no login for a person" in done.stderr

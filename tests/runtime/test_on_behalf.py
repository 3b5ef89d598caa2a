"""Credentials of each caller towards the API: token exchange (RFC 8693), and `auth.py`."""

import asyncio
import dataclasses
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest
from calls import run, runtime
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from upstream import Request, Upstream, http, ok

from mcpgen.runtime.parts.exchange import tokens
from mcpgen.runtime.secrets import Caller, Redactor, Secret, caller_now, masks_now
from mcpgen.runtime.settings import SettingsError, read

OAUTH = {
    "security": [["oauth"]],
    "auth": {"oauth": {"kind": "bearer", "variables": ["BOOKSHOP_MCP_TOKEN"]}},
}
BILLING = {
    "security": [["billing"]],
    "auth": {"billing": {"kind": "bearer", "variables": ["BOOKSHOP_MCP_B"], "api": "billing"}},
}
VARIABLES = {"EXCHANGE_CLIENT_ID": "gateway", "EXCHANGE_CLIENT_SECRET": "s3cret-of-the-gateway"}


def caller(name: str, seconds: float = 300) -> Caller:
    token, end = Secret(f"mcp-{name}"), time.time() + seconds
    return Caller("https://issuer.example", name, "cli", token, end, "")


class World:
    """An API and a token endpoint on one port. A token for a caller is `api-<their token>-<n>`."""

    def __init__(self, lifetime: Any = 300) -> None:
        self.lifetime = lifetime
        self.issued: Counter[str] = Counter()
        self.forms: list[dict[str, list[str]]] = []
        self.refused: set[str] = set()
        self.mixed: list[tuple[str | None, str]] = []
        self.requests = 0

    async def __call__(self, request: Request, writer: Any) -> None:
        if request.path == "/token":
            writer.write(await self._exchange(request))
            return
        self.requests += 1
        name = parse_qs(request.query)["caller"][0]
        authorization = request.header("Authorization") or ""
        if not authorization.startswith(f"Bearer api-mcp-{name}-"):
            self.mixed.append((authorization, name))
        if authorization in self.refused:
            writer.write(http(401, "{}"))
            return
        await asyncio.sleep(0)
        writer.write(ok({"caller": name}))

    async def _exchange(self, request: Request) -> bytes:
        form = parse_qs(request.body.decode())
        self.forms.append(form)
        token = (form.get("subject_token") or form["assertion"])[0]
        self.issued[token] += 1
        await asyncio.sleep(0.001)
        return ok({
            "access_token": f"api-{token}-{self.issued[token]}",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "token_type": "Bearer",
            "expires_in": self.lifetime,
        })  # fmt: skip


async def call(api: Any, who: Caller | None, name: str = "") -> Any:
    """One call on behalf of a caller, in a context of its own as every request of a server has."""

    async def made() -> Any:
        caller_now.set(who)
        return await api.request(
            "GET", "/books", query={"caller": name or (who and who.subject) or "-"}
        )

    return await asyncio.create_task(made())


@asynccontextmanager
async def serving(world: Any, auth: Any = None, **variables: str) -> AsyncIterator[Any]:
    """Open the client of an API that exchanges its callers' tokens."""
    async with Upstream(world) as upstream:
        environ = {"BASE_URL": f"{upstream.url}/v1", "EXCHANGE_URL": f"{upstream.url}/token"}
        environ |= VARIABLES | variables
        made = read(
            {
                **{"name": "bookshop", "env_prefix": "BOOKSHOP_MCP", "parts": ["exchange"]},
                **OAUTH,
                "auth": {**OAUTH["auth"], **BILLING["auth"]},
                "apis": {"billing": {**BILLING, "base_url": f"{upstream.url}/b"}},
            },
            {f"BOOKSHOP_MCP_{name}": value for name, value in environ.items()},
        )
        async with runtime.api.Api(made, auth or runtime.auth) as api:
            yield api
    assert not any(each._transport for each in api.every)


async def test_a_later_step_without_a_token_keeps_the_masks_of_the_call() -> None:
    made = read(
        {"name": "bookshop", "env_prefix": "BOOKSHOP_MCP", **OAUTH},
        {"BOOKSHOP_MCP_BASE_URL": "https://x.test"},
    )
    side, request = runtime.side.HttpSide(made, None), SimpleNamespace(headers={})
    with ExitStack() as end:
        context = SimpleNamespace(end=end, caller=None, request=request, wanted=False)
        masks_now.set(Redactor(["of-another-call"]))
        side.begun(context)
        assert masks_now.get() is None
        masks_now.set(Redactor(["on-behalf-of-ann"]))
        side.begun(context)
        assert made.redactor("on-behalf-of-ann") == "****"
    await side.aclose()


async def test_a_callers_token_is_exchanged_once_and_never_sent_to_the_api() -> None:
    world = World()
    async with serving(
        world, EXCHANGE_AUDIENCE="https://api.example", EXCHANGE_SCOPES="b a"
    ) as api:
        for _ in range(3):
            assert (await call(api, caller("ann"))).data == {"caller": "ann"}
    assert world.mixed == []
    [form] = world.forms
    assert form == {
        "grant_type": ["urn:ietf:params:oauth:grant-type:token-exchange"],
        "subject_token": ["mcp-ann"],
        "subject_token_type": ["urn:ietf:params:oauth:token-type:access_token"],
        "requested_token_type": ["urn:ietf:params:oauth:token-type:access_token"],
        "audience": ["https://api.example"],
        "scope": ["a b"],
    }


async def test_a_token_is_asked_for_on_behalf_of_the_caller_as_entra_wants_it() -> None:
    world = World()
    more = {"EXCHANGE_GRANT": "on-behalf-of", "EXCHANGE_SCOPES": "api://bookshop/.default"}
    async with serving(world, **more) as api:
        for name in ("ann", "bob", "ann"):
            assert (await call(api, caller(name))).data == {"caller": name}
    assert world.mixed == [] and world.issued == {"mcp-ann": 1, "mcp-bob": 1}
    # Microsoft identity platform, "OAuth 2.0 On-Behalf-Of flow", first case
    assert world.forms[0] == {
        "grant_type": ["urn:ietf:params:oauth:grant-type:jwt-bearer"],
        "assertion": ["mcp-ann"],
        "requested_token_use": ["on_behalf_of"],
        "scope": ["api://bookshop/.default"],
    }


@pytest.mark.parametrize(("lifetime", "issued"), [
    (0, 3), (-5, 3), ("0", 3), ("-5", 3), (None, 1), ("soon", 1), (300, 1), (1e30, 1),
])  # fmt: skip
async def test_a_token_that_ends_at_once_is_used_once(lifetime: Any, issued: int) -> None:
    world = World(lifetime)
    async with serving(world) as api:
        for _ in range(3):
            assert (await call(api, caller("ann"))).status == 200
    assert world.issued == {"mcp-ann": issued}


@examples(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    turns=st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 3), st.booleans()), min_size=1, max_size=60
    ),
    lifetime=st.sampled_from([0, 1, 300]),
)
def test_callers_never_mix_however_their_calls_meet(
    turns: list[tuple[int, int, bool]], lifetime: int
) -> None:
    world = World(lifetime)

    async def one(api: Any, number: int, pause: int, is_refused: bool) -> None:
        for _ in range(pause):
            await asyncio.sleep(0)
        name = f"caller{number}"
        if is_refused:
            world.refused.add(f"Bearer api-mcp-{name}-{world.issued[f'mcp-{name}']}")
        try:
            answer = await call(api, caller(name))
        except runtime.api.BadStatus as error:
            assert error.status == 401
        else:
            assert answer.data == {"caller": name}

    async def all_of_them() -> None:
        async with serving(world, MAX_CONCURRENCY="64") as api:
            await asyncio.gather(*(one(api, *turn) for turn in turns))

    run(all_of_them())
    assert world.requests >= len(turns) and world.mixed == []
    if lifetime == 300 and not any(is_refused for _, _, is_refused in turns):
        assert set(world.issued.values()) == {1}


async def test_a_further_api_has_tokens_for_its_own_audience_or_none_of_callers() -> None:
    world = World()
    audiences = {"EXCHANGE_AUDIENCE": "first", "BILLING_EXCHANGE_AUDIENCE": "billing"}
    async with serving(world, EXCHANGE_SCOPES="a", **audiences) as api:
        for each in (api, api.of("billing"), api):
            await call(each, caller("ann"))
    asked = [(form["audience"], form.get("scope")) for form in world.forms]
    assert asked == [(["first"], ["a"]), (["billing"], None)] and world.mixed == []
    async with serving(world, EXCHANGE_AUDIENCE="first") as api:
        with pytest.raises(runtime.client.MissingCredential):
            await call(api.of("billing"), caller("ann"))


async def test_another_token_of_the_same_subject_is_exchanged_by_itself() -> None:
    world = World()
    async with serving(world) as api:
        await call(api, caller("ann"))
        # The same person with a token that may allow less
        narrow = dataclasses.replace(caller("ann"), token=Secret("mcp-narrow"))
        await call(api, narrow, "narrow")
    assert world.issued == {"mcp-ann": 1, "mcp-narrow": 1} and world.mixed == []


async def test_a_token_that_the_api_refuses_is_exchanged_again_once() -> None:
    world = World()
    world.refused.add("Bearer api-mcp-ann-1")
    async with serving(world) as api:
        assert (await call(api, caller("ann"))).status == 200
    assert world.issued["mcp-ann"] == 2


async def test_a_token_is_not_used_longer_than_that_of_its_caller() -> None:
    world = World()
    async with serving(world) as api:
        for _ in range(2):
            await call(api, caller("ann", seconds=-1))
    assert world.issued["mcp-ann"] == 2


async def test_the_token_used_longest_ago_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_CALLERS", 2)
    world = World()
    async with serving(world) as api:
        for name in ("ann", "bob", "ann", "cat", "ann", "bob"):
            await call(api, caller(name))
    assert world.issued == {"mcp-ann": 1, "mcp-bob": 2, "mcp-cat": 1}


async def test_without_a_caller_nothing_is_sent() -> None:
    world = World()
    # The operator's own token does not take the caller's place
    async with serving(world, TOKEN="operators-own-token") as api:
        with pytest.raises(runtime.client.Refused, match="does not know who calls"):
            await call(api, None)
    assert world.requests == 0


@pytest.mark.parametrize(("reply", "text"), [
    (http(400, '{"error": "invalid_target"}'), r"answered 400 \(`invalid_target`\)"),
    (ok({"access_token": "mcp-ann", "token_type": "Bearer"}), "caller's own token back"),
    (ok({"access_token": "other", "token_type": "N_A"}), "gave no access token"),
    (ok({}), "gave no access token"),
])  # fmt: skip
async def test_a_token_endpoint_that_gives_no_token_is_said(reply: bytes, text: str) -> None:
    async with serving(reply) as api:
        with pytest.raises(runtime.client.ApiError, match=text):
            await call(api, caller("ann"))


async def test_a_token_endpoint_that_breaks_off_is_asked_once() -> None:
    asked: list[str] = []

    async def broken(request: Request, writer: Any) -> None:
        asked.append(request.path)
        writer.close()

    async with serving(broken, RETRIES="2") as api:
        with pytest.raises(runtime.client.ApiError):
            await call(api, caller("ann"))
    assert asked == ["/token"]


async def test_a_token_that_comes_back_is_masked() -> None:
    async with serving(World()) as api:

        async def made() -> str:
            caller_now.set(caller("ann"))
            await api.request("GET", "/books", query={"caller": "ann"})
            text = json.dumps({"echo": "api-mcp-ann-1"})
            return api.settings.redactor(text) + str(api.settings.redactor.data(["api-mcp-ann-1"]))

        assert await asyncio.create_task(made()) == '{"echo": "****"}' + "['****']"


@pytest.mark.parametrize("further", [False, True])
async def test_the_users_own_code_may_choose_by_caller(further: bool) -> None:
    seen: list[tuple[str | None, str]] = []

    async def record(request: Request, writer: Any) -> None:
        seen.append((request.header("X-Api-Key"), parse_qs(request.query)["caller"][0]))
        writer.write(ok({}))

    class Auth:
        PROVIDES = frozenset({"oauth", *["billing"] * further})

        @staticmethod
        async def authorize(request: Any) -> None:
            await asyncio.sleep(0)
            request.headers["X-Api-Key"] = request.conceal(f"key-of-{request.caller.subject}")

    async with serving(record, Auth, EXCHANGE_URL="", B="token-b", ALLOW_PRIVATE="1") as api:
        names = [f"caller{number % 7}" for number in range(40)]
        await asyncio.gather(*(call(api, caller(name)) for name in names))
        await call(api.of("billing"), caller("ann"))
    assert seen.pop() == ("key-of-ann" if further else None, "ann")
    assert len(seen) == 40 and all(key == f"key-of-{name}" for key, name in seen)


@pytest.mark.parametrize(("variables", "text"), [
    ({"EXCHANGE_URL": "https://issuer.example/token"}, "EXCHANGE_CLIENT_ID` is not set"),
    ({"EXCHANGE_URL": "https://issuer.example/token", "EXCHANGE_CLIENT_ID": "me"},
     "EXCHANGE_CLIENT_SECRET` is not set"),
    ({"EXCHANGE_URL": "http://issuer.example/token"}, "has to be an https URL"),
    ({"EXCHANGE_URL": "issuer"}, "cannot be used"),
    ({"EXCHANGE_URL": "https://issuer.example/token", "EXCHANGE_GRANT": "obo"},
     "EXCHANGE_GRANT` has to be `token-exchange` or `on-behalf-of`"),
    ({"EXCHANGE_URL": "https://issuer.example/token", **VARIABLES}, "HTTP_ISSUER` is not set"),
])  # fmt: skip
def test_settings_that_are_incomplete_are_said_at_the_start(
    variables: dict[str, str], text: str
) -> None:
    environ = {f"P_{name}": value for name, value in variables.items()}
    facts = {"name": "p", "env_prefix": "P", "base_url": "https://api.example.com"}
    with pytest.raises(SettingsError, match=text):
        read({**facts, "parts": ["exchange"]}, environ, http=True)

"""The modules of the runtime, and calls with them to an upstream."""

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from upstream import Upstream

from mcpgen.runtime.parts import PARTS

MODULES = (
    "facts secrets settings arguments arguments.checker"
    " client client.wire client.request client.multipart client.resilience limits"
    " client.network client.credentials client.oauth client.api results.answer client.side"
    " client.report results"
).split()
PREFIX = "BOOKSHOP_MCP"
FACTS: dict[str, Any] = {
    "name": "bookshop", "title": "Bookshop", "version": "1.0", "env_prefix": PREFIX,
    "base_url": "https://api.example.com/v1", "base_url_note": "", "security": [], "auth": {},
    "answers": {}, "wrapped": [], "allowed_origins": [], "parts": sorted(PARTS),
}  # fmt: skip


async def add_nothing(request: Any) -> None:
    """Do what `auth.authorize` does as it comes."""


runtime: Any = SimpleNamespace(
    **{
        name.rpartition(".")[2]: importlib.import_module(f"mcpgen.runtime.{name}")
        for name in MODULES
    },
    auth=SimpleNamespace(PROVIDES=frozenset(), authorize=add_nothing),
)
"""The modules by their last name (`runtime.wire.csv`), and an `auth.py` to change."""


def settings(
    base_url: str | None = None, facts: dict[str, Any] | None = None, **variables: str
) -> Any:
    """Read settings from a document's facts and an environment: `settings(url, TIMEOUT="1")`."""
    environ = {f"{PREFIX}_{name}": value for name, value in variables.items()}
    if base_url is not None:
        environ[f"{PREFIX}_BASE_URL"] = base_url
    return runtime.settings.read(FACTS | (facts or {}), environ)


def api_key(place: str, wire_name: str, variable: str) -> dict[str, Any]:
    """Return what a document's facts say of a credential that is one value."""
    return {
        "kind": "api_key", "place": place, "wire_name": wire_name,
        "variables": [f"{PREFIX}_{variable}"],
    }  # fmt: skip


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end, which comes within 20 seconds."""
    return asyncio.run(asyncio.wait_for(coroutine, 20))


@asynccontextmanager
async def reaching(
    *replies: Any, facts: dict[str, Any] | None = None, base_path: str = "", **variables: str
) -> AsyncIterator[tuple[Any, Upstream]]:
    """Open the client of an upstream that gives these replies: `async with reaching() as (api,
    upstream)`.
    """
    async with Upstream(*replies) as upstream:
        made = settings(upstream.url + base_path, facts, **variables)
        object.__setattr__(made, "backoff", 0.01)
        async with runtime.api.Api(made, runtime.auth) as api:
            yield api, upstream


def calling(
    replies: list[Any],
    use: Callable[[Any], Any],
    facts: dict[str, Any] | None = None,
    base_path: str = "/v1",
    **variables: str,
) -> SimpleNamespace:
    """Use the client of an upstream: the answer or the ApiError that was raised, the upstream's
    requests, and the settings.
    """

    async def main() -> SimpleNamespace:
        answer, error = None, None
        opened = reaching(*replies, facts=facts, base_path=base_path, **variables)
        async with opened as (api, upstream):
            try:
                answer = await use(api)
            except runtime.client.ApiError as raised:
                error = raised
        return SimpleNamespace(
            answer=answer, error=error, requests=upstream.requests, settings=api.settings
        )

    return run(main())  # type: ignore[no-any-return]


def ask(method: str, path: str, *replies: Any, **given: Any) -> SimpleNamespace:
    """Send one request as `calling` does. Names in capitals are variables of the environment, and
    `facts` are the document's; the rest belongs to the request.
    """
    about = {name: given.pop(name) for name in [*given] if name.isupper() or name == "facts"}
    return calling([*replies], lambda api: api.request(method, path, **given), **about)

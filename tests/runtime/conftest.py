"""The constant files of a generated package, importable as they stand, and an API to call."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.runtime.facts.parts import PARTS

sys.path.append(
    str(Path(__file__).parent)
)  # pytest's importlib mode leaves the folder of the tests out

MODULES = (
    "facts.headers facts.origin secrets settings arguments.explain arguments.checker"
    " errors client.wire client.url limits client.network client.body"
    " client.credentials client.oauth client.api results.answer client.blocks client.report client.html_text results.shorten"
).split()
PREFIX = "MCPGEN_BOOKSHOP"
FACTS: dict[str, Any] = {
    "name": "bookshop",
    "title": "Bookshop",
    "version": "1.0",
    "env_prefix": PREFIX,
    "base_url": "https://api.example.com/v1",
    "base_url_note": "",
    "security": [],
    "auth": {},
    "answers": {},
    "wrapped": [],
    "allowed_origins": [],
    "parts": sorted(PARTS),
}


async def add_nothing(request: Any) -> None:
    """What `auth.authorize` does as it comes."""


@pytest.fixture(scope="session")
def runtime() -> Any:
    """The runtime modules by their last name (`runtime.wire.csv`), and an `auth.py` to change."""
    modules = {
        name.rpartition(".")[2]: importlib.import_module(f"mcpgen.runtime.{name}")
        for name in MODULES
    }
    return SimpleNamespace(
        **modules, auth=SimpleNamespace(PROVIDES=frozenset(), authorize=add_nothing)
    )


@pytest.fixture
def settings(runtime: Any) -> Callable[..., Any]:
    """Settings from the facts of a document and an environment: `settings(base_url, {"auth": ...},
    TIMEOUT="1")`.
    """

    def make(
        base_url: str | None = None, facts: dict[str, Any] | None = None, **variables: str
    ) -> Any:
        environ = {f"{PREFIX}_{name}": value for name, value in variables.items()}
        if base_url is not None:
            environ[f"{PREFIX}_BASE_URL"] = base_url
        return runtime.settings.read(FACTS | (facts or {}), environ)

    return make


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Run one coroutine to its end, which comes within 20 seconds."""

    def start(coroutine: Coroutine[Any, Any, Any]) -> Any:
        async def limited() -> Any:
            return await asyncio.wait_for(coroutine, 20)

        return asyncio.run(limited())

    return start


@pytest.fixture
def calling(
    runtime: Any, settings: Callable[..., Any], run: Callable[..., Any]
) -> Callable[..., Any]:
    """Call an upstream: `calling([replies], lambda api: api.request(...), facts, TIMEOUT="1")`.

    Returns the answer (or the ApiError that was raised), the upstream with what it got, and the
    settings.
    """
    from upstream import Upstream

    def call(
        replies: list[Any],
        use: Callable[[Any], Any],
        facts: dict[str, Any] | None = None,
        **variables: str,
    ) -> SimpleNamespace:
        async def main() -> SimpleNamespace:
            async with Upstream(*replies) as upstream:
                made = settings(
                    upstream.url + variables.pop("base_path", "/v1"), facts, **variables
                )
                object.__setattr__(made, "backoff", 0.01)
                async with runtime.api.Api(made, runtime.auth) as api:
                    try:
                        answer, error = await use(api), None
                    except runtime.errors.ApiError as raised:
                        answer, error = None, raised
                return SimpleNamespace(
                    answer=answer,
                    error=error,
                    upstream=upstream,
                    requests=upstream.requests,
                    settings=made,
                )

        return run(main())  # type: ignore[no-any-return]

    return call

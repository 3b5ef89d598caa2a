"""The tests of a project: every tool called through the official client, with a recorder in the
place of its API (`recorder`).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mcp import Client
from mcp.types import ElicitResult

ERAS = ("auto", "legacy")
"""Modes of the client: `auto` speaks the latest revision of the protocol, `legacy` the handshake
before it.
"""

NO_SUCH_ARGUMENT = {"no_such_argument": 1}
SCALARS = ("string", "integer", "number", "boolean")
WRONG = {"an object": "in the place of a scalar"}
LATE = 0.5
"""Seconds after which the recorder answers a call that has a fifth of that."""


@dataclass(frozen=True)
class Called:
    """The outcome of one call: the result as on the wire, or the exception, and the requests that
    were made.
    """

    result: dict[str, Any] | None
    error: Exception | None
    requests: list[Any]

    @property
    def text(self) -> str:
        """The first text of the result."""
        content = self.result["content"] if self.result else []
        return next((block["text"] for block in content if block["type"] == "text"), "")

    @property
    def failed(self) -> bool:
        """Whether the result is an error."""
        return self.result is not None and bool(self.result.get("isError"))


class Outcomes:
    """Every call of every tool, made once for all tests. `tools`: the samples of `tools.json`,
    `api`: the recorder, None for a server without an API.
    """

    def __init__(
        self,
        api: Any,
        package: str,
        tools: Sequence[Mapping[str, Any]],
        credentials: Iterable[str] = (),
    ) -> None:
        """`credentials`: the environment variables that hold them."""
        module = import_module(package)
        path = Path(str(module.__file__)).with_name("contracts.json")
        self.contracts: dict[str, Any] = json.loads(path.read_bytes()) if path.is_file() else {}
        self.listed: dict[str, list[dict[str, Any]]] = {}
        self.called: dict[tuple[str, str, str], Called] = {}
        self.left_out: list[str] = []
        """Functions of yours that are not served as they are written, each with its place."""
        self._api, self._tools, self._credentials = api, tools, credentials
        facts = json.loads(path.with_name("api.json").read_bytes())
        self._late = {f"{facts['env_prefix']}_TOTAL_TIMEOUT": f"{LATE / 5}"}
        asyncio.run(self._run(module.App, package))

    async def _run(self, app: Any, package: str) -> None:
        generated = [tool["name"] for tool in self._tools]
        for era in ERAS:
            whole = app(package)
            self.left_out = whole.catalog.left_out
            async with Client(whole.server, mode=era) as client:
                await self._list(client, era, generated)
        # What is yours (`hooks.py`, `custom/`) has tests of its own; these are about what was
        # generated
        for era in ERAS:
            server = app(package, yours=False).server
            async with Client(server, mode=era, elicitation_callback=_agree) as client:
                for sample in self._tools:
                    for kind, arguments in self._calls(sample):
                        await self._call(client, era, kind, sample["name"], arguments)
        if self._api is not None:
            for era in ERAS:
                await self._fail(app, package, era)

    async def _fail(self, app: Any, package: str, era: str) -> None:
        """Call one tool while its API is too slow, without its credential, and with one that the
        API refuses.
        """
        sending = [tool for tool in self._tools if self._is_ready(tool)]
        secured = [tool for tool in sending if tool["request"]["security"]]
        for kind, changes, left_out, tools in (
            ("late", self._late, (), sending),
            ("unset", {}, self._credentials, secured),
            ("401", {}, (), secured),
        ):
            self._api.seconds = LATE * (kind == "late")
            with patch.dict(os.environ, changes):
                for name in left_out:
                    os.environ.pop(name)
                async with Client(app(package, yours=False).server, mode=era) as client:
                    for tool in tools[:1]:
                        await self._call(client, era, kind, tool["name"], tool["arguments"])
        self._api.seconds = 0.0

    def _is_ready(self, tool: Mapping[str, Any]) -> bool:
        """Return whether a tool sends a request with sample arguments, and has its credential."""
        request = tool["request"]
        if request is None or tool["arguments"] is None:
            return False
        return request["security"] is not None and request["method"] != "HEAD"

    async def _list(self, client: Client, era: str, generated: Sequence[str]) -> None:
        """List the tools, and call those that only you know with arguments that they refuse."""
        for tool in (await client.list_tools()).tools:
            listed = tool.model_dump(by_alias=True, exclude_none=True)
            self.listed.setdefault(era, []).append(listed)
            schema = listed["inputSchema"]
            if tool.name in generated or schema.get("additionalProperties") is not False:
                continue
            await self._call(client, era, "unknown", tool.name, NO_SUCH_ARGUMENT)
            for name in schema.get("required", ()):
                await self._call(client, era, f"missing {name}", tool.name, {})
            for name, argument in schema["properties"].items():
                if argument.get("type") in SCALARS:
                    await self._call(client, era, f"wrong {name}", tool.name, {name: WRONG})

    def _calls(self, tool: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the kinds of calls of a tool with their arguments."""
        arguments = tool["arguments"]
        unknown = {**(arguments or {}), **NO_SUCH_ARGUMENT}
        if tool["request"] is None:
            # A function of yours is not run: what it does with made-up values is for you to say
            if not self.contracts[tool["name"]].get("more"):
                yield "unknown", unknown
            return
        yield "unknown", unknown
        if arguments is None:
            return
        yield "valid", arguments
        if tool["required"]:
            required = tool["required"]
            yield "missing", {name: value for name, value in arguments.items() if name != required}
        yield "404", arguments
        yield "500", arguments

    async def _call(
        self, client: Client, era: str, kind: str, name: str, arguments: Mapping[str, Any]
    ) -> None:
        self._taken()
        if self._api is not None:
            self._api.status = int(kind) if kind.isdigit() else 200
        result, error = None, None
        try:
            answer = await client.call_tool(name, dict(arguments))
            result = answer.model_dump(by_alias=True, exclude_none=True)
        except Exception as raised:
            error = raised
        self.called[era, kind, name] = Called(result, error, self._taken())

    def _taken(self) -> list[Any]:
        """Return the requests since the last time."""
        if self._api is None:
            return []
        requests: list[Any] = self._api.taken()
        return requests


async def _agree(context: Any, params: Any) -> ElicitResult:
    """Agree to a call, where a person is asked first."""
    return ElicitResult(action="accept")

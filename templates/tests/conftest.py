"""The API behind the tools, as a recorder on this machine, and every tool called through the
official client.
"""

from __future__ import annotations

import asyncio
import base64
import email
import http.server
import importlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

import pytest
from mcp import Client
from mcp.types import ElicitResult

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
DATA = json.loads((HERE / "tools.json").read_bytes())
ERAS = ("auto", "legacy")
"""How the client connects: `auto` speaks the latest revision of the protocol, `legacy` the
handshake before it.
"""

BASE = "/recorded/base"
TOKEN = "canary-fetched-token-0123456789"

sys.path.insert(0, str(SOURCE))


class Request:
    """One request, as the API saw it."""

    def __init__(
        self, method: str, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> None:
        self.method = method
        self.path, _, self.query = target.partition("?")
        self.headers = [(name.lower(), value) for name, value in headers]
        self.body = body

    def goes_to(self, template: str) -> bool:
        """Whether the path is this template below the base path."""
        return self._in_path(template) is not None

    def holds(self, expected: dict[str, Any], template: str) -> bool:
        """Whether a value stands where `tools.json` expects it."""
        values = self._values(expected["place"], expected["name"], template)
        if "text" in expected:
            return expected["text"] in values
        if "one_of" in expected:
            return any(text in values for text in expected["one_of"])
        if "texts" in expected:
            return list(expected["texts"]) == values
        if "leaves" in expected:
            return any(all(leaf in value for leaf in expected["leaves"]) for value in values)
        if "base64" in expected:
            content = base64.b64decode(expected["base64"])
            return any(value.encode("utf-8", "surrogateescape") == content for value in values)
        return any(_is_json(value, expected["json"]) for value in values)

    def _values(self, place: str, name: str | None, template: str) -> list[str]:
        """The decoded values of that name in that place; for no name, all of it."""
        if place == "path":
            return [unquote(value) for key, value in self._in_path(template) or () if key == name]
        if place == "query":
            return _named(self.query, name)
        if place == "cookie":
            texts = [text for key, text in self.headers if key == "cookie"]
            cookies = [pair.strip().partition("=") for text in texts for pair in text.split(";")]
            return [unquote(value).strip('"') for key, _, value in cookies if key == name]
        if place == "header":
            return [value for key, value in self.headers if key == str(name).lower()]
        return self._in_body(name)

    def _in_path(self, template: str) -> list[tuple[str, str]] | None:
        """The encoded values of the template's variables, or None where the path is another one."""
        parts = re.split(r"\{([^{}]+)\}", template)
        literals = [re.escape(quote(part, safe="/:@!$&'()*+,;=~%")) for part in parts[::2]]
        found = re.fullmatch(re.escape(BASE) + "([^/]*)".join(literals), self.path)
        return list(zip(parts[1::2], found.groups(), strict=True)) if found else None

    def _in_body(self, name: str | None) -> list[str]:
        media_type = next((value for key, value in self.headers if key == "content-type"), "")
        if name is None:
            return [self.body.decode("utf-8", "surrogateescape")]
        if media_type.startswith("application/x-www-form-urlencoded"):
            return _named(self.body.decode(), name)
        if media_type.startswith("multipart/"):
            message = email.message_from_bytes(
                b"Content-Type: " + media_type.encode() + b"\r\n\r\n" + self.body
            )
            parts = [part for part in message.walk() if not part.is_multipart()]
            named = [
                part
                for part in parts
                if part.get_param("name", header="content-disposition") == name
            ]
            contents = [part.get_payload(decode=True) for part in named]
            return [
                content.decode("utf-8", "surrogateescape")
                for content in contents
                if isinstance(content, bytes)
            ]
        fields = json.loads(self.body) if self.body else {}
        return [json.dumps(fields[name])] if isinstance(fields, dict) and name in fields else []


def _named(pairs: str, name: str | None) -> list[str]:
    if name is None:
        return [unquote(pairs)]
    return [value for key, value in parse_qsl(pairs, keep_blank_values=True) if key == name]


def _is_json(text: str, expected: Any) -> bool:
    try:
        return bool(json.loads(text) == expected)
    except ValueError:
        return False


class Api:
    """The recorder. An answer with an error status repeats the request, as careless servers do."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.status = 200
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet for head and body: two would wait for each other (RFC 896)

            def __getattr__(self, name: str) -> Callable[[], None]:
                if name.startswith("do_"):
                    return self.answer
                raise AttributeError(name)

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status, content = api.status, b'{"id": 1, "name": "sample"}'
                if self.path.startswith("/token"):
                    status, content = (
                        200,
                        json.dumps({"access_token": TOKEN, "token_type": "Bearer"}).encode(),
                    )
                else:
                    api.requests.append(
                        Request(self.command, self.path, self.headers.items(), body)
                    )
                    if status >= 400:
                        content = json.dumps(
                            {"message": "recorded", "request": self.path + str(self.headers)}
                        ).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


class Called:
    """What came of one call: the result as on the wire, or the exception, and the requests that
    were made.
    """

    def __init__(
        self, result: dict[str, Any] | None, error: Exception | None, requests: list[Request]
    ) -> None:
        self.result = result
        self.error = error
        self.requests = requests

    @property
    def text(self) -> str:
        """The first text of the result."""
        content = self.result["content"] if self.result else []
        return next((block["text"] for block in content if block["type"] == "text"), "")

    @property
    def failed(self) -> bool:
        """Whether the result says that it is an error."""
        return bool(self.result and self.result.get("isError"))


class Outcomes:
    """Every call of every tool, made once for all tests."""

    def __init__(self, api: Api, package: str) -> None:
        self._api = api
        path = SOURCE / package / "contracts.json"
        self.contracts: dict[str, Any] = json.loads(path.read_bytes()) if path.is_file() else {}
        self._app = importlib.import_module(package).App
        self._package = package
        self.listed: dict[str, list[dict[str, Any]]] = {}
        self.called: dict[tuple[str, str, str], Called] = {}
        asyncio.run(self._run())

    async def _run(self) -> None:
        for era in ERAS:
            async with Client(self._app(self._package).server, mode=era) as client:
                tools = (await client.list_tools()).tools
                self.listed[era] = [
                    tool.model_dump(by_alias=True, exclude_none=True) for tool in tools
                ]
                for tool in self.listed[era]:
                    await self._refuse(client, era, tool)
        # What is yours (`hooks.py`, `custom/`) has tests of its own; these are about what was
        # generated
        for era in ERAS:
            server = self._app(self._package, yours=False).server
            async with Client(server, mode=era, elicitation_callback=_agree) as client:
                for tool in DATA["tools"]:
                    await self._call_all(client, era, tool)

    async def _refuse(self, client: Client, era: str, tool: dict[str, Any]) -> None:
        """Call a tool that only you know with an argument it does not have: it is not run."""
        generated = [one["name"] for one in DATA["tools"]]
        is_strict = tool["inputSchema"].get("additionalProperties") is False
        if is_strict and tool["name"] not in generated:
            await self._call(client, era, "unknown", tool["name"], {"no_such_argument": 1})

    async def _call_all(self, client: Client, era: str, tool: dict[str, Any]) -> None:
        arguments = tool["arguments"]
        if tool["request"] is None:
            # A function of yours is not run: what it does with made-up values is for you to say
            if not self.contracts[tool["name"]].get("more"):
                await self._call(
                    client,
                    era,
                    "unknown",
                    tool["name"],
                    {**(arguments or {}), "no_such_argument": 1},
                )
            return
        if arguments is not None:
            await self._call(client, era, "valid", tool["name"], arguments)
        await self._call(
            client, era, "unknown", tool["name"], {**(arguments or {}), "no_such_argument": 1}
        )
        if arguments is not None:
            if tool["required"]:
                missing = {
                    name: value for name, value in arguments.items() if name != tool["required"]
                }
                await self._call(client, era, "missing", tool["name"], missing)
            for status in (404, 500):
                self._api.status = status
                await self._call(client, era, str(status), tool["name"], arguments)
            self._api.status = 200

    async def _call(
        self, client: Client, era: str, kind: str, name: str, arguments: dict[str, Any]
    ) -> None:
        self._api.requests = []
        result, error = None, None
        try:
            answer = await client.call_tool(name, arguments)
            result = answer.model_dump(by_alias=True, exclude_none=True)
        except Exception as raised:
            error = raised
        self.called[era, kind, name] = Called(result, error, self._api.requests)


async def _agree(context: Any, params: Any) -> ElicitResult:
    """Agree to a call, where a person is asked first."""
    return ElicitResult(action="accept")


@pytest.fixture(scope="session")
def package() -> str:
    """The name of the package under test."""
    return next(path.parent.name for path in SOURCE.glob("*/api.json"))


@pytest.fixture(scope="session")
def outcomes(package: str) -> Iterator[Outcomes]:
    """Every tool, called."""
    api = Api()
    facts = json.loads((SOURCE / package / "api.json").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        settings = {"BASE_URL": api.origin + BASE, "TOKEN_URL": f"{api.origin}/token"}
        for name in facts.get("apis", ()):
            settings[f"{name.upper()}_BASE_URL"] = api.origin + BASE
            settings[f"{name.upper()}_TOKEN_URL"] = settings["TOKEN_URL"]
        settings |= {"ALLOW_PRIVATE": "true", "RETRIES": "0"}
        for name, value in settings.items():
            patch.setenv(f"{facts['env_prefix']}_{name}", value)
        for name, value in DATA["environment"].items():
            patch.setenv(name, value)
        if (SOURCE / package / "auth.py").is_file():
            auth = importlib.import_module(f"{package}.auth")
            patch.setattr(auth, "authorize", _add_nothing)
            patch.setattr(auth, "PROVIDES", frozenset())
        yield Outcomes(api, package)
    api.close()


async def _add_nothing(request: Any) -> None:
    """In the place of `auth.authorize`, which is yours."""

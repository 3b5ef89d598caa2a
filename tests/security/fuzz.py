"""Coverage-guided fuzzing with atheris: `python -m tests.security.fuzz TARGET [SECONDS]`.

A target fails on anything that is not an answer or a refusal: a traceback, a request to somewhere
else, text that is not valid. What it finds is written beside the corpus in `.fuzz/TARGET/`, to be
run again by giving its path.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import re
import sys
import tempfile
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SEEDS = ROOT / "samples" / "specs"
BASE = "https://api.example.com/v1"


def loader() -> Callable[[bytes], None]:
    """Bytes → a document or a refusal."""
    from mcpgen.load import Limits, load
    from mcpgen.problems import McpgenError, Problems
    from mcpgen.upgrade import upgrade

    path = Path(tempfile.mkdtemp()) / "openapi.yaml"
    limits = Limits(bytes=100_000, nodes=20_000)

    def one(data: bytes) -> None:
        path.write_bytes(data)
        problems = Problems()
        with contextlib.suppress(McpgenError):
            upgrade(load(str(path), problems=problems, limits=limits), problems)

    return one


def references() -> Callable[[bytes], None]:
    """A reference → what it points to inside the folder, or a refusal; never the file outside."""
    from mcpgen.load import load
    from mcpgen.problems import McpgenError, Problems

    outside = Path(tempfile.mkdtemp())
    (outside / "secret.yaml").write_text("secret: the-content-of-the-secret\n")
    inside = outside / "inside"
    inside.mkdir()
    (inside / "link.yaml").symlink_to(outside / "secret.yaml")
    (inside / "pet.yaml").write_text("Pet: {type: object}\n")
    path = inside / "openapi.json"

    def one(data: bytes) -> None:
        ref = data.decode("utf-8", "replace")
        schemas = {"A": {"$ref": ref}}
        root = {"openapi": "3.1.0", "info": {}, "paths": {}, "components": {"schemas": schemas}}
        path.write_text(json.dumps(root))
        try:
            document = load(str(path), problems=Problems())
            found = json.dumps(document.root)
        except McpgenError as error:
            found = str(error)
        assert "the-content-of-the-secret" not in found, ref

    return one


def generate(key: str = "sources", name: str = "openapi.yaml") -> Callable[[bytes], None]:
    """A document → files that pass the gate, or a refusal. Formatting and types, which are others',
    are left out. The bytes are a file of this name, which the configuration names under this key.
    """
    from mcpgen import pipeline
    from mcpgen.config import Config
    from mcpgen.problems import McpgenError, Problems
    from mcpgen.render import stage
    from mcpgen.render.facts import data_files
    from mcpgen.render.gate import check
    from mcpgen.render.models import written

    path = Path(tempfile.mkdtemp()) / name
    # Definitions keep their names where clients take them
    legal = {True: re.compile(r"[\w.-]{1,64}", re.A), False: re.compile(r"[a-z][a-z0-9_]{0,63}")}
    given: dict[str, Any] = {"sources": (str(SEEDS / "bookshop.yaml"),), key: (str(path),)}
    config = Config(**given)

    def one(data: bytes) -> None:
        path.write_bytes(data)
        try:
            _, server = pipeline.understand(config, Problems())
        except McpgenError:
            return
        for text in data_files(server).values():
            text.encode("ascii") if isinstance(text, str) else text.decode("ascii")
        modules = stage._modules(server)
        for path_of_module, text in modules["tools"].items():
            check("tools", text, path_of_module)
        for path_of_module, text in modules["models"].items():
            check("models", written(text), path_of_module)
        for tool in server.tools:
            assert legal[tool.request is None].fullmatch(tool.name), tool.name

    return one


def url() -> Callable[[bytes], None]:
    """Values for a path and a query → a URL below the base, or a refusal; judged by another
    parser.
    """
    name = "mcpgen.runtime"
    build = importlib.import_module(f"{name}.client.request").build
    refused = importlib.import_module(f"{name}.client").Refused
    templates = ("/u/{a}", "/u/{a}/x/{b}", "/{a}.{b}", "/u/{a}-{b}/y")

    def one(data: bytes) -> None:
        kind, _, rest = data.decode("utf-8", "surrogateescape").partition("\x01")
        first, _, second = rest.partition("\x02")
        template = templates[len(kind) % len(templates)]
        try:
            found = str(build(BASE, template, {"a": first, "b": second}, ""))
        except refused:
            return
        parts = urllib.parse.urlsplit(found)
        assert (
            parts.scheme, parts.netloc, parts.query, parts.fragment,
        ) == ("https", "api.example.com", "", ""), found  # fmt: skip
        assert (
            parts.path.startswith("/v1/") and parts.path.count("/") == template.count("/") + 1
        ), found
        path = parts.path
        for _ in range(6):
            segments = re.split(r"[/\\]", path)
            assert not {".", ".."} & set(segments[1:]), found
            path = urllib.parse.unquote(path)

    return one


def answer() -> Callable[[bytes], None]:
    """Bytes on the wire → an answer for the model within its limit, or an error in words (RD)."""
    name = "mcpgen.runtime"
    wire = importlib.import_module(f"{name}.client.api")
    errors = importlib.import_module(f"{name}.client")
    blocks_of = importlib.import_module(f"{name}.client.side").content_of
    report_error = importlib.import_module(f"{name}.client.report").report_error
    settings = importlib.import_module(f"{name}.settings")
    loop = asyncio.new_event_loop()
    served = [b""]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(served[0])
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def start() -> Any:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        facts = {
            "name": "x", "title": "X", "version": "1", "env_prefix": "X_MCP", "base_url": None,
            "base_url_note": "", "security": [], "auth": {}, "answers": {}, "wrapped": [],
            "allowed_origins": [],
        }  # fmt: skip
        port = server.sockets[0].getsockname()[1]
        environ = {"RETRIES": "0", "TOTAL_TIMEOUT": "2", "TIMEOUT": "1"}
        environ["BASE_URL"] = f"http://127.0.0.1:{port}"
        made = settings.read(facts, {f"X_MCP_{key}": value for key, value in environ.items()})
        return server, wire.Api(made), made

    _server, api, made = loop.run_until_complete(start())

    async def call(data: bytes) -> None:
        served[0] = data
        try:
            found = await api.request("GET", "/x")
        except errors.ApiError as error:
            blocks = report_error(error, made)
        else:
            blocks, _ = blocks_of(found, {"name": "x", "inputSchema": {}}, made, {})
        text = json.dumps(blocks)
        assert len(text) < 4_000_000 and not re.search(
            r"\\u00(?:0[0-8bcef]|1[0-9a-f]|7f|9[0-9a-f])", text
        ), text[:200]

    def one(data: bytes) -> None:
        loop.run_until_complete(asyncio.wait_for(call(data), 10))

    return one


def message() -> Callable[[bytes], None]:
    """A line on stdin → a message, or an error that can be answered."""
    jsonrpc = importlib.import_module("mcpgen.runtime.transports")

    def one(data: bytes) -> None:
        try:
            jsonrpc.parse(data.decode("utf-8", "replace"))
        except jsonrpc.BadMessage as error:
            error.answer().model_dump_json()

    return one


def settings() -> Callable[[bytes], None]:
    """The settings of a client, in each form → the same with one entry more, and without it again,
    or a refusal.
    """
    name = "mcpgen.runtime.parts.install"
    forms = importlib.import_module(f"{name}.files").FORMS
    keys = ("mcpServers", "mcp_servers")
    entry = {"command": "x", "args": ["-m", "shop"], "env": {"KEY": 'a "quoted" \\ value'}}

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        for form, key in zip(forms.values(), keys, strict=True):
            try:
                servers = (before := form.load(text)).get(key, {})
                put = form.put(text, key, "shop", entry)
                expected = {**before, key: {**servers, "shop": entry}}
            except (ValueError, LookupError, TypeError, RecursionError):
                continue
            assert dict(form.load(put)) == expected, put
            dropped = form.drop(put, key, "shop")
            left = form.load(dropped).get(key) or {}
            assert left == {name: servers[name] for name in servers if name != "shop"}, dropped

    return one


def install() -> Callable[[bytes], None]:
    """The settings of each client that is edited → the same with an entry, and without it again:
    what is not of the entry stays byte for byte, apart from spaces beside it. Or a refusal.
    """
    name = "mcpgen.runtime.parts.install"
    files = importlib.import_module(f"{name}.files")
    edited = importlib.import_module(f"{name}.command")._edited
    refused = importlib.import_module("mcpgen.runtime.package").StartError
    clients = [client for client in files.CLIENTS.values() if client.form in files.FORMS]
    path = Path("settings")

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        for client in clients:
            entry = client.entry("shop", ["python", "-m", "shop"], {"KEY": 'a "b" \\ é'})
            with contextlib.suppress(refused, RecursionError):
                put = edited(client, path, text, "shop", entry)
                servers = files.FORMS[client.form].load(text).get(client.key)
                if not servers or "shop" in servers:
                    continue
                before, after = "".join(text.split()), "".join(put.split())
                pairs = enumerate(zip(before, after, strict=False))
                start = next((at for at, (one, other) in pairs if one != other), len(before))
                assert after.endswith(before[start:]), put
                left = edited(client, path, put, "shop", None)
                assert "".join(left.split()) == before, left

    return one


def structured() -> Callable[[bytes], None]:
    """JSON of an API → text and structured content that say the same, within the limit."""
    name = "mcpgen.runtime"
    answers = importlib.import_module(f"{name}.results.answer")
    side = importlib.import_module(f"{name}.client.side")
    facts: dict[str, Any] = {
        "name": "x", "title": "X", "version": "1", "env_prefix": "X_MCP", "base_url": BASE,
        "base_url_note": "", "security": [], "auth": {}, "wrapped": ["wrapped"],
        "allowed_origins": [],
        "answers": {
            "kept": {"keep": ["a", "b.c"]}, "dropped": {"drop": ["a.b", "c"]},
            "stripped": {"strip_nulls": True}, "redacted": {"redact": ["a"]},
        },
    }  # fmt: skip
    read = importlib.import_module(f"{name}.settings").read
    most = 256
    environ = {"X_MCP_MAX_RESULT_TOKENS": str(most)}
    made = read(facts, environ)
    tool = {"inputSchema": {}, "outputSchema": {"type": "object"}}

    def as_texts(value: Any) -> Any:
        return json.loads(json.dumps(value), parse_int=str)

    def one(data: bytes) -> None:
        answer = answers.parsed(answers.Answer(200, {"content-type": "application/json"}, data))
        if not answer.is_json or answer.data is None:
            return
        for each in ("whole", "wrapped", *facts["answers"]):
            blocks, content = side.content_of(answer, {**tool, "name": each}, made, {})
            texts = [block["text"] for block in blocks]
            assert sum(answers.tokens(text, 10 * most) for text in texts) <= most, texts
            try:
                shown = json.loads(texts[0])
            except ValueError:
                continue  # too deep, or with too large a number: a text is shown
            if texts[1:]:
                assert content.popitem()[1] == texts[1:]
            if each == "wrapped" or not isinstance(shown, dict):
                content = content["result"]
            assert as_texts(content) == as_texts(shown), content

    return one


def arguments() -> Callable[[bytes], None]:
    """`{"schema": …, "arguments": …}` → arguments that are valid, or a refusal; what another
    validator finds valid, and no repair touches, is taken as it is.
    """
    jsonschema_rs = importlib.import_module("jsonschema_rs")
    checker = importlib.import_module("mcpgen.runtime.arguments.checker")

    def one(data: bytes) -> None:
        try:
            given = json.loads(data)
            schema, values = given["schema"], given["arguments"]
            check = checker.Checker("x", {"type": "object", **schema})
            valid = jsonschema_rs.Draft202012Validator({"type": "object", **schema}, offline=True)
        except (ValueError, TypeError, LookupError, AttributeError, jsonschema_rs.ValidationError):
            return
        if not isinstance(values, dict):
            return
        try:
            taken, _ = check.checked(values)
        except checker.BadArguments as error:
            known = schema.get("properties", {}).keys() >= values.keys()
            is_repaired = re.search("null|format|pattern", data.decode("utf-8", "replace"))
            assert not (valid.is_valid(values) and known) or is_repaired, str(error)
        else:
            assert valid.is_valid(taken), taken
            assert check.checked(taken)[0] == taken

    return one


TARGETS: dict[str, Callable[[], Callable[[bytes], None]]] = {
    "loader": loader, "references": references, "generate": generate, "url": url, "answer": answer,
    "overlay": lambda: generate("overlays", "overlay.yaml"),
    "workflows": lambda: generate("workflows", "arazzo.yaml"),
    "tools": lambda: generate(name="tools.json"), "message": message, "settings": settings,
    "install": install, "structured": structured, "arguments": arguments,
}  # fmt: skip
INSTRUMENTED = {
    "generate": ["mcpgen.parse", "mcpgen.render"],
    "url": ["mcpgen.runtime.client"],
    "answer": ["mcpgen.runtime.client", "mcpgen.runtime.results"],
    "workflows": ["mcpgen.workflows", "mcpgen.runtime.parts.workflows"],
    "message": ["mcpgen.runtime.transports"],
    "settings": ["mcpgen.runtime.parts.install"],
    "install": ["mcpgen.runtime.parts.install"],
    "structured": ["mcpgen.runtime.client", "mcpgen.runtime.results"],
    "arguments": ["mcpgen.runtime.arguments"],
}
"""Packages whose coverage guides a target, where they are not those that read a document."""
FILES = {
    "overlay": "samples/specs/*.overlay.yaml",
    "workflows": "samples/workflows/*.yaml",
    "tools": "samples/specs/tools/*.json",
    "settings": "tests/server/client_files/*",
    "install": "tests/server/client_files/*",
}
"""Files to start with, where they are no documents."""
STARTS: dict[str, list[bytes]] = {
    "message": [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\ud800"}}',
        b'[{"jsonrpc":"2.0","id":1.5,"method":"ping"}]',
    ],
    "structured": [
        b'{"a": {"b": 1, "c": null}, "c": [9007199254740993, 1e400]}', b"[1, {}, null]", b'"text"',
        json.dumps([{"a": number, "b": {"c": "\u00e9" * 40}} for number in range(200)]).encode(),
        json.dumps({"notes": "x" * 4_000, "a": [[None] * 400]}).encode(), b"0", b"false",
    ],
    "arguments": [
        b'{"schema": {"properties": {"a": {"type": "integer"}}}, "arguments": {"a": "2"}}',
        b'{"schema": {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "object",'
        b' "properties": {"b": {"const": 1}}}]}}, "required": ["a"]}, "arguments": {"a": {"b": 1}}}',
        b'{"schema": {"properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/A"}}},'
        b' "$defs": {"A": {"enum": [1, "x"]}}}, "arguments": {"a": ["x", 1.0]}}',
    ],
    "references":
        b"./pet.yaml#/Pet ../secret.yaml link.yaml#/secret #/components/schemas/A file:///x".split(),
    "url": [b"a\x01..\x02b", b"\x01%2e%2e\x02/", b"aa\x01\xc3\xa9\x02..;x", b"a\x01a/b\x02."],
    "answer": [
        b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: //evil\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
        b"HTTP/1.1 429 Slow\r\nRetry-After: 99999999\r\nContent-Type:"
        b" text/html\r\nContent-Length: 3\r\n\r\n<b>",
    ],
}  # fmt: skip


def starts(target: str) -> list[bytes]:
    """Return the inputs that a target begins with."""
    files = ROOT.glob(FILES.get(target, "samples/specs/*.yaml"))
    return STARTS.get(target) or [path.read_bytes() for path in files]


def main() -> None:
    """Fuzz one target for some seconds (300)."""
    import atheris

    target, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "300"
    place = ROOT / ".fuzz" / target
    place.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(starts(target)):
        (place / f"start-{number}").write_bytes(content)
    prefixes = INSTRUMENTED.get(target, ["mcpgen.load", "mcpgen.upgrade"])
    with atheris.instrument_imports(include=prefixes):
        one = TARGETS[target]()
    words = [
        sys.argv[0], str(place), f"-max_total_time={seconds}", f"-artifact_prefix={place}/found-",
        "-max_len=4096",
    ]  # fmt: skip
    words += ["-timeout=20", "-rss_limit_mb=2048", "-verbosity=0", "-print_final_stats=1"]
    atheris.Setup(words, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

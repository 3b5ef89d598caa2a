"""The workflows judge: public Arazzo documents become tools, and another engine agrees on what they
send.

`python -m tests.judges.workflows FOLDER` takes every Arazzo document below a folder whose sources
are there too, and generates a server of it. The workflows then run against an API that answers
with samples of its own response schemas: first as tools, then by `arazzo-runner` (PyPI) where that
is installed. Both must make the same requests in the same order.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import json
import logging
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml
from mcp import Client

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.ir import Server, Tool
from mcpgen.parse import response as responses
from mcpgen.parse.schema import Reader
from mcpgen.problems import McpgenError, Problems
from mcpgen.render.sample import Sampler, sample_arguments

ENDINGS = (".yaml", ".yml", ".json")
LARGEST = 5_000_000
SIMPLE = (
    "type enum const format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    " minLength maxLength"
).split()
"""Keywords of a schema that a sample needs."""
BOOLEANS = {"True": "true", "False": "false"}
"""How the other engine writes booleans in a query, and how everybody else does."""
Request = tuple[str, str, tuple[tuple[str, str], ...], Any]
"""Method, path, query and body."""


class Api:
    """An API that answers every operation with a sample of its documented answer."""

    def __init__(self) -> None:
        self.samples: dict[str, tuple[int, Any]] = {}
        self.requests: list[Request] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                api.answer(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Note a request and answer it."""
        content = request.rfile.read(int(request.headers.get("Content-Length") or 0)).decode()
        parts = urlsplit(request.path)
        kind = request.headers.get("Content-Type") or ""
        query = tuple(
            sorted((key, BOOLEANS.get(value, value)) for key, value in parse_qsl(parts.query))
        )
        self.requests.append((request.command, unquote(parts.path), query, _data(content, kind)))
        status, data = self.samples.get(self._template(request.command, parts.path), (404, {}))
        body = b"" if status == 204 else json.dumps(data).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _template(self, method: str, path: str) -> str:
        """The operation that a request is for: that with the fewest parameters in its path."""
        fitting = [key for key in self.samples if _fits(key, f"{method} {path}")]
        return min(fitting, key=lambda key: key.count("{"), default="")


def _fits(template: str, path: str) -> bool:
    ours, theirs = template.split("/"), path.split("/")
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all(a == b or a.startswith("{") for a, b in pairs)


def _data(content: str, kind: str) -> Any:
    if "form" in kind:
        return sorted(parse_qsl(content))
    with contextlib.suppress(ValueError):
        return json.loads(content)
    return content or None


@dataclass
class Case:
    """One Arazzo document with its sources, copied so that the sources' server is ours."""

    name: str
    arazzo: Path
    sources: list[Path]
    ids: list[str]


@dataclass
class Tally:
    """What came of all documents."""

    counts: Counter[str] = field(default_factory=Counter)

    def note(self, kind: str, line: str = "") -> None:
        """Count one thing, and say it where there is something to say."""
        self.counts[kind] += 1
        if line:
            print(f"{kind}: {line}", flush=True)


def cases(folder: Path, work: Path, url: str) -> Iterator[Case]:
    """Every Arazzo document of a folder whose sources are there."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in ENDINGS or path.stat().st_size > LARGEST:
            continue
        text = path.read_text("utf-8", errors="replace")
        if "arazzo" not in text[:2000] or "workflows" not in text:
            continue
        with contextlib.suppress(yaml.YAMLError, OSError, KeyError, TypeError, AttributeError):
            data = yaml.safe_load(text)
            target = work / f"{len(list(work.iterdir())):04}"
            case = _copied(path, data, target, url)
            if case is not None:
                yield case


def _copied(path: Path, data: Any, target: Path, url: str) -> Case | None:
    target.mkdir()
    sources = []
    for index, source in enumerate(data["sourceDescriptions"]):
        origin = _found(path.parent / source["url"])
        if source.get("type", "openapi") != "openapi" or origin is None:
            return None
        document = yaml.safe_load(origin.read_text("utf-8"))
        document["servers"] = [{"url": url}]
        for item in document["paths"].values():
            item.pop("servers", None)
            for operation in item.values():
                if isinstance(operation, dict):
                    operation.pop("servers", None)
                    operation.pop("security", None)
        document.pop("security", None)
        copy = target / f"openapi{index}.json"
        copy.write_text(json.dumps(document, default=str))
        source["url"] = copy.name
        sources.append(copy)
    arazzo = target / "flows.arazzo.json"
    arazzo.write_text(json.dumps(data, default=str))
    ids = [str(workflow["workflowId"]) for workflow in data["workflows"]]
    return Case(f"{path.parent.name}/{path.name}", arazzo, sources, ids)


def _found(path: Path) -> Path | None:
    """A source, or the file of its name in a folder beside it."""
    if path.is_file():
        return path
    return next(path.parent.glob(f"*/{path.name}"), None) if path.parent.is_dir() else None


def judge(case: Case, api: Api, tally: Tally) -> None:
    """Generate a server of one document, and run its workflows in both engines."""
    problems = Problems()
    name = f"w{case.arazzo.parent.name}"
    config = Config(sources=tuple(map(str, case.sources)), workflows=(str(case.arazzo),), name=name)
    try:
        document, server, files = pipeline.generate(config, problems)
    except McpgenError as error:
        tally.note("not generated", f"{case.name}: {error}"[:300])
        return
    for problem in problems:
        if problem.code == "E1543":
            tally.note("skipped", f"{case.name}: {problem.message}")
    folder = case.arazzo.parent / "project"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    api.samples = dict(samples(document, server))
    sys.path.insert(0, str(folder / "src"))
    for tool in server.tools:
        if tool.workflow is not None:
            tally.note("generated")
            run_both(case, tool, server, api, tally)
    sys.path.remove(str(folder / "src"))


def samples(document: Any, server: Server) -> Iterator[tuple[str, tuple[int, Any]]]:
    """`METHOD /path` → a status and an answer of its schema."""
    reader = Reader(document, Problems())
    for tool in server.tools:
        if tool.request is None:
            continue
        node, _ = document.resolve(f"#{tool.origin.pointer}")
        status, response = responses.success(reader, node, tool.origin.pointer)
        _, schema = responses.json_schema(response)
        flat = _plain(reader, schema, 6)
        value = Sampler(flat).valid(flat)
        code = int(status) if status.isdigit() else 200
        yield f"{tool.origin.method} {tool.origin.path}", (code, value[0] if value else {})


def _plain(reader: Reader, schema: Any, depth: int) -> dict[str, Any]:
    """A schema without references, every property required, as deep as a workflow looks."""
    if depth == 0:
        return {}
    flat = reader.flatten(schema)
    plain = {key: flat[key] for key in SIMPLE if key in flat}
    properties = reader.properties(schema)
    if properties:
        plain["type"] = "object"
        plain["properties"] = {
            name: _plain(reader, child, depth - 1) for name, child in properties.items()
        }
        plain["required"] = list(plain["properties"])
    if "items" in flat:
        plain |= {"items": _plain(reader, flat["items"], depth - 1), "minItems": 1}
    return plain


def run_both(case: Case, tool: Tool, server: Server, api: Api, tally: Tally) -> None:
    """Run one workflow as a tool and in the other engine."""
    contract = tool.contract or tool.input_schema
    arguments = sample_arguments(tool, contract, contract) or {}
    api.requests.clear()
    result = asyncio.run(called(server, tool.name, arguments, api))
    ours = list(api.requests)
    label = f"{case.name} {tool.origin.path}"
    if result.is_error:
        tally.note("failed", f"{label}: {result.content[0].text[:200]!r}")
    else:
        tally.note("ran to its outputs")
    theirs = other_engine(case, tool, arguments, api)
    if theirs is None:
        tally.note("not compared")
    elif ours == theirs:
        tally.note("same requests")
    else:
        tally.note("other requests", f"{label}\n  ours   {ours}\n  theirs {theirs}"[:1500])


async def called(server: Server, name: str, arguments: dict[str, Any], api: Api) -> Any:
    """The result of a call of a tool."""
    for key, value in (("BASE_URL", api.url), ("ALLOW_PRIVATE", "true"), ("RETRIES", "0")):
        os.environ[f"{server.env_prefix}_{key}"] = value
    app = importlib.import_module(f"{server.package}.runtime.app").App(server.package)
    async with Client(app.server) as client:
        return await client.call_tool(name, arguments)


def other_engine(
    case: Case, tool: Tool, arguments: dict[str, Any], api: Api
) -> list[Request] | None:
    """The requests that `arazzo-runner` makes; None where it is not there or cannot run it."""
    try:
        from arazzo_runner import ArazzoRunner
    except ImportError:
        return None
    assert tool.workflow is not None
    logging.disable(logging.CRITICAL)
    api.requests.clear()
    with contextlib.redirect_stdout(None), contextlib.suppress(Exception):
        runner = ArazzoRunner.from_arazzo_path(str(case.arazzo))
        runner.execute_workflow(tool.workflow.id, arguments)
    return list(api.requests)


def main() -> int:
    """Judge a folder; 1 where another engine makes other requests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    api, tally = Api(), Tally()
    with tempfile.TemporaryDirectory() as work:
        for case in cases(folder, Path(work), api.url):
            judge(case, api, tally)
    api.server.shutdown()
    print(", ".join(f"{count} {kind}" for kind, count in sorted(tally.counts.items())))
    return 1 if tally.counts["other requests"] else 0


if __name__ == "__main__":
    sys.exit(main())

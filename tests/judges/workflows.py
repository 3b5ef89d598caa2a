"""The workflows judge: public Arazzo documents become tools, and another engine agrees on what they
send.

`python -m tests.judges.workflows FOLDER` takes every Arazzo document below a folder whose sources
are there too, and generates a server of it. The workflows then run against an API that answers
with samples of its own response schemas, completed by what the workflow reads of them: first as
tools, then by `arazzo-runner` (PyPI) where that is installed. Both must make the same requests in
the same order. Where they do not, `workflow_differences.py` says which section decides; a
difference that none decides fails the run.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import email
import importlib
import json
import logging
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml
from mcp import Client

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.ir import Server, Tool
from mcpgen.load.values import as_list, as_object, as_text
from mcpgen.parse import response as responses
from mcpgen.parse.schema import Reader
from mcpgen.problems import McpgenError, Problems
from mcpgen.render.sample import Sampler, sample_arguments
from mcpgen.runtime.pointer import split
from mcpgen.workflows import model
from tests.generated import written
from tests.loopback import JSON, Asked, Loopback

from .workflow_differences import WHY, Request, reason

ENDINGS = (".yaml", ".yml", ".json")
LARGEST = 5_000_000
SIMPLE = (
    "type enum const format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    " minLength maxLength"
).split()
"""Keywords of a schema that a sample needs."""
BOOLEANS = {"True": "true", "False": "false"}
"""How the other engine writes booleans in a query or a form, and how everybody else does."""


class Api(Loopback):
    """An API that answers every operation with a sample of its documented answer."""

    def __init__(self) -> None:
        self.samples: dict[str, tuple[int, Any]] = {}
        self.requests: list[Request] = []
        super().__init__(self.answered)

    def answered(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Note a request and answer it."""
        parts, query = urlsplit(asked.target), tuple(_fields(urlsplit(asked.target).query))
        data = _data(asked.body.decode(), asked.fields.get("content-type", ""))
        self.requests.append((asked.method, unquote(parts.path), query, data))
        status, sample = self.samples.get(self._template(asked.method, parts.path), (404, {}))
        return status, JSON, json.dumps(sample).encode()

    def _template(self, method: str, path: str) -> str:
        """The operation that a request is for: that with the fewest parameters in its path."""
        fitting = [key for key in self.samples if _fits(key, f"{method} {path}")]
        return min(fitting, key=lambda key: key.count("{"), default="")


def _fits(template: str, path: str) -> bool:
    ours, theirs = template.split("/"), path.split("/")
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all(a == b or a.startswith("{") for a, b in pairs)


def _fields(text: str) -> list[tuple[str, str]]:
    """The fields of a form or a query, by name."""
    return sorted((name, BOOLEANS.get(value, value)) for name, value in parse_qsl(text))


def _data(content: str, kind: str) -> Any:
    if "multipart" in kind:
        head = f"Content-Type: {kind}\r\n\r\n"
        parts = email.message_from_string(head + content).get_payload()
        return sorted((_name_of(part), part.get_payload()) for part in as_list(parts))
    if "form" in kind:
        return _fields(content)
    with contextlib.suppress(ValueError):
        return json.loads(content)
    return content or None


def _name_of(part: Any) -> str:
    return str(part.get_param("name", header="Content-Disposition"))


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
            case = _copied(path, data, target, url, folder)
            if case is not None:
                yield case


def _copied(path: Path, data: Any, target: Path, url: str, root: Path) -> Case | None:
    target.mkdir()
    sources = []
    for index, source in enumerate(data["sourceDescriptions"]):
        origin = _found(path.parent, source["url"], root)
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
    _name_operations(data, sources)
    arazzo = target / "flows.arazzo.json"
    arazzo.write_text(json.dumps(data, default=str))
    ids = [str(workflow["workflowId"]) for workflow in data["workflows"]]
    return Case(f"{path.parent.name}/{path.name}", arazzo, sources, ids)


def _name_operations(data: Any, sources: list[Path]) -> None:
    """Let steps name their operations as the API's documents do: in its letters, and without
    `$sourceDescriptions.NAME.`, which the other engine does not read.
    """
    ids = {}
    for source in sources:
        for item in json.loads(source.read_text())["paths"].values():
            for operation in item.values():
                name = as_text(as_object(operation).get("operationId"))
                ids[name.lower()] = name
    for workflow in data["workflows"]:
        for step in as_list(workflow.get("steps")):
            name = as_text(step.get("operationId")).rpartition(".")[2]
            if name.lower() in ids:
                step["operationId"] = ids[name.lower()]


def _found(folder: Path, url: str, root: Path) -> Path | None:
    """A source, or the file of its name beside the document or in a folder there, or the only one
    of its path below the root.
    """
    if (folder / url).is_file():
        return folder / url
    name = url.rpartition("/")[2]
    within = (folder / url).parent
    if not name:
        return None
    places = [folder / name, *folder.glob(f"*/{name}"), *within.glob(f"*/{name}"), root / url]
    last = "/".join(url.split("/")[-2:]).lstrip("/")
    elsewhere = list(root.rglob(last)) if url.startswith("http") else []
    places += elsewhere if len(elsewhere) == 1 else []
    return next((place for place in places if place.is_file()), None)


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
    written(files, folder)
    answers = dict(samples(document, server))
    sys.path.insert(0, str(folder / "src"))
    for tool in server.tools:
        if tool.workflow is not None:
            tally.note("generated")
            api.samples = {**answers, **dict(needed(tool.workflow, server, answers))}
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
        body = plain_text(value[0]) if value else {}
        yield f"{tool.origin.method} {tool.origin.path}", (code, body)


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


def needed(
    workflow: model.Workflow, server: Server, answers: dict[str, tuple[int, Any]]
) -> Iterator[tuple[str, tuple[int, Any]]]:
    """The answers that let a workflow and those that it runs come to their outputs: with the status
    and the values of the criteria, and with what the outputs are taken from.
    """
    workflows = {tool.workflow.id: tool.workflow for tool in server.tools if tool.workflow}
    names, pending = {workflow.id}, [workflow]
    while pending:
        current = pending.pop()
        for step in current.steps:
            if step.operation:
                status, body = answers[step.operation]
                yield step.operation, fitting(step, status, body)
        new = (current.workflows & workflows.keys()) - names
        names |= new
        pending += [workflows[name] for name in sorted(new)]


def fitting(step: model.Step, status: int, body: Any) -> tuple[int, Any]:
    """An answer with which a step succeeds."""
    body = json.loads(json.dumps(body))
    for _, value in step.outputs:
        if isinstance(value, model.Body) and value.pointer:
            body = placed(body, value.pointer, None)
    for criterion in step.criteria:
        match criterion.condition:
            case model.Comparison("==", model.Status(), model.Constant(code)):
                status = int(code)
            case model.Comparison("==", model.Body(_, pointer), model.Constant(data)):
                body = placed(body, pointer, data)
            case model.Comparison("!=", model.Body(_, pointer), _):
                body = placed(body, pointer, None)
    return status, body


def placed(body: Any, pointer: str, data: Any) -> Any:
    """A body with a value at a pointer; without one, with a text where there is nothing yet."""
    tokens = split(pointer)
    if not tokens:
        return body if data is None else data
    key: Any = int(tokens[0]) if tokens[0].isdigit() else tokens[0]
    if isinstance(key, int):
        holder: Any = list(body) if isinstance(body, list) else []
        holder += [{}] * (key + 1 - len(holder))
    else:
        holder = dict(body) if isinstance(body, dict) else {}
        holder.setdefault(key, "sample" if len(tokens) == 1 else {})
    rest = "".join(f"/{token}" for token in tokens[1:])
    holder[key] = placed(holder[key], rest, data)
    return holder


def inputs_for(tool: Tool, server: Server) -> Any:
    """Inputs of a workflow that the operations take which get them."""
    assert tool.workflow is not None
    contract = json.loads(json.dumps(tool.contract or tool.input_schema))
    contract.setdefault("properties", {})
    operations = {each.origin.operation: each for each in server.tools if each.request}
    for step in tool.workflow.steps:
        if step.operation:
            operation = operations[step.operation]
            named = {(each.place, each.wire_name): each.name for each in operation.arguments}
            schemas = operation.input_schema.get("properties", {})
            values = [
                (sent.value, schemas.get(named[sent.place, sent.name], {}))
                for sent in step.arguments
            ]
            if step.body is not None:
                values.append((step.body, whole_body(operation, schemas)))
            for name, part in (pair for each in values for pair in of_inputs(*each)):
                own = contract["properties"].get(name, {})
                if own.get("type", "string") in ("string", "number", part.get("type")):
                    contract["properties"][name] = {**own, **part}
    own = tool.contract or tool.input_schema
    arguments = sample_arguments(tool, contract, contract) or sample_arguments(tool, own, own) or {}
    arguments = plain_text(arguments)
    for name, value in arguments.items():
        stated = own.get("properties", {}).get(name, {}).get("type")
        if stated == "string" and not isinstance(value, str):
            arguments[name] = json.dumps(value)
    return arguments


def whole_body(operation: Tool, schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema of an operation's body, whose fields are arguments."""
    fields = [each for each in operation.arguments if each.place == "body"]
    return {
        "type": "object",
        "properties": {each.wire_name: schemas.get(each.name, {}) for each in fields},
        "required": [each.wire_name for each in fields if each.required],
    }


def plain_text(data: Any) -> Any:
    """Data whose texts mean the same in every place: the other engine writes them unescaped."""
    return json.loads(
        json.dumps(data, ensure_ascii=False).replace("/&=é", "").replace("sample ", "sample")
    )


def of_inputs(value: model.Value, schema: Any) -> Iterator[tuple[str, Any]]:
    """The inputs that a value is made of, with the schemas of their places."""
    match value:
        case model.Input(name, "") if "$ref" not in json.dumps(schema):
            keys = (*SIMPLE, "items", "properties", "required")
            yield name, {key: schema[key] for key in keys if key in schema}
        case model.Taken(_, text):
            yield from of_inputs(text, schema)
        case model.Object(members):
            for key, member in members:
                yield from of_inputs(member, schema.get("properties", {}).get(key, {}))
        case model.Array(items):
            for item in items:
                yield from of_inputs(item, schema.get("items", {}))


def known(request: Request, server: Server) -> Request:
    """A request without the parameters of its query, and without the body, that its operation does
    not have (E1541 says that they are not sent).
    """
    method, path, query, body = request
    fitting = [
        tool
        for tool in server.tools
        if tool.request is not None and _fits(tool.origin.operation, f"{method} {path}")
    ]
    if len(fitting) != 1:
        return request
    [tool] = fitting
    names = {each.wire_name for each in tool.arguments if each.place == "query"}
    query = tuple(field for field in query if re.split(r"\[", field[0])[0] in names)
    takes_body = tool.request is not None and tool.request.body is not None
    return method, path, query, body if takes_body else None


def first_branch(workflow: model.Workflow) -> int | None:
    """How many steps there are up to the first with an action whose criteria read its answer."""
    for place, step in enumerate(workflow.steps, 1):
        for action in (*step.on_success, *step.on_failure):
            texts = " ".join(each.text for each in action.criteria)
            if re.search(r"\$statusCode|\$response", texts):
                return place
    return None


def run_both(case: Case, tool: Tool, server: Server, api: Api, tally: Tally) -> None:
    """Run one workflow as a tool and in the other engine."""
    arguments = inputs_for(tool, server)
    api.requests.clear()
    result = asyncio.run(called(server, tool.name, arguments, api))
    ours = list(api.requests)
    label = f"{case.name} {tool.origin.path}"
    text = result.content[0].text if result.is_error else ""
    if result.is_error:
        tally.note("failed", f"{label}: {text[:300]!r}")
    else:
        tally.note("ran to its outputs")
    run = other_engine(case, tool, arguments, api)
    if run is None:
        tally.note("not compared")
        return
    theirs, errors = run
    if ours == theirs:
        tally.note("same requests")
        return
    sent = [known(each, server) for each in theirs]
    refused = text.startswith("Invalid arguments") and f"`{tool.name}`" not in text.split(":")[0]
    decided = reason(ours, sent, errors, refused, first_branch(tool.workflow))
    if ours == sent or (decided and sent != theirs):
        decided = "; and ".join(filter(None, (decided, WHY["UNKNOWN_PARAMETER"])))
    if decided:
        tally.note("other requests, decided by a specification", f"{label}: {decided}")
        return
    tally.note("other requests", f"{label}\n  ours   {ours}\n  theirs {theirs} {errors}"[:1800])


async def called(server: Server, name: str, arguments: dict[str, Any], api: Api) -> Any:
    """The result of a call of a tool."""
    settings = {"BASE_URL": api.url, "ALLOW_PRIVATE": "true", "RETRIES": "0", "TOTAL_TIMEOUT": "20"}
    for key, value in settings.items():
        os.environ[f"{server.env_prefix}_{key}"] = value
    runtime = importlib.import_module(f"{server.package}.runtime.app")
    home = importlib.import_module(f"{server.package}.runtime.package").Package.named(
        server.package
    )
    limits = importlib.import_module(f"{server.package}.runtime.settings").read(home.facts())
    app = runtime.App(server.package, settings=limits)
    async with Client(app.server) as client:
        return await client.call_tool(name, arguments)


def other_engine(
    case: Case, tool: Tool, arguments: dict[str, Any], api: Api
) -> tuple[list[Request], list[str]] | None:
    """The requests that `arazzo-runner` makes, and its own errors; None where it is not there."""
    try:
        from arazzo_runner import ArazzoRunner
    except ImportError:
        return None
    assert tool.workflow is not None
    logging.disable(logging.CRITICAL)
    api.requests.clear()
    errors: list[str] = []

    def note(*, error: Any = None, **_: Any) -> None:
        if error:
            errors.append(str(error))

    with contextlib.redirect_stdout(None):
        try:
            runner = ArazzoRunner.from_arazzo_path(str(case.arazzo))
            runner.register_callback("step_complete", note)
            runner.execute_workflow(tool.workflow.id, arguments)
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
    return list(api.requests), errors


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

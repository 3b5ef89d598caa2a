"""An API that changes at random, step by step:
`python tests/longrun/seeded_edits.py [STEPS] [SEED] [DOCUMENT]`.

It begins with the operations of DOCUMENT, reduced to what the edits understand, or else with 24 of
its own. Every step is one edit of a kind whose class for callers is known; the kinds take turns, in
rounds of a random order. After each step:

* tools and arguments of what is in both documents have the same names, and so has what returns;
* every file of the user is the same byte for byte;
* the project equals what a fresh run with the same lock gives, a second run changes nothing, and
  `check` and `verify` are content;
* the gravest class of the diff is that of the edit.

The steps that break a promise, and kinds of edits that had no turn, are printed. The exit code is 1
when there is one.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from mcpgen.compare.servers import Diff, diff
from mcpgen.compare.sides import Side, side_of_project
from mcpgen.lock import ArgumentKey, Lock, ToolLock, read_lock
from mcpgen.problems import Problems
from mcpgen.project.check import check
from mcpgen.project.run import CommandInput, run
from mcpgen.project.save import save
from mcpgen.project.verify import verify

Document = dict[str, Any]
NOUNS = ("book", "order", "author", "shelf", "loan", "reader", "fine", "branch")
TYPES = ("string", "integer", "boolean")
NAMES = ("id", "limit", "page-size", "page_size", "sort", "filter[name]", "q", "note", "from", "Id")
PARAMETER = re.compile(r"\{([^{}]*)\}")
ATTEMPTS = 100
OWN = {"NOTES.md": "ours\n", "src/library_mcp/hooks.py": "def after(call, result): ...\n"}


class Nothing(Exception):
    """An edit finds nothing to edit."""


Edit = Callable[["Api"], str | None]
EDITS: dict[str, tuple[Edit, str]] = {}
"""Each with its class, unless it returns another one."""


def edit(kind: str) -> Callable[[Edit], Edit]:
    """Register an edit with its class."""

    def register(method: Edit) -> Edit:
        EDITS[method.__name__] = method, kind
        return method

    return register


def typed(kind: str = "string") -> dict[str, Any]:
    return {"type": kind}


class Api:
    """The document, and edits of it."""

    def __init__(self, seed: int, original: Document | None = None) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self.waiting: list[str] = []
        self.removed: list[tuple[str, str, dict[str, Any]]] = []
        self.document: Document = {
            "openapi": "3.1.0", "info": {"title": "Library", "version": "1"},
            "servers": [{"url": "https://api.library.example"}], "paths": {},
        }  # fmt: skip
        if original is None:
            for _ in range(24):
                self.add_operation()
        else:
            self.begin_with(original)

    def begin_with(self, original: Document) -> None:
        """One operation of every path of a real document, with its parameters of simple types."""
        for path, item in original["paths"].items():
            for method in [method for method in ("get", "post", "put") if method in item][:1]:
                operation = item[method]
                parameters = [*item.get("parameters", []), *operation.get("parameters", [])]
                name = operation.get("operationId") or f"operation.{self.fresh()}"
                summary = operation.get("summary", "An operation")
                copy = self.operation(method, name, summary, PARAMETER.findall(path))
                copy["parameters"] += [simple(item) for item in parameters if is_simple(item)]
                self.document["paths"][path] = {method: copy}

    def operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        """(path, method, operation) of each."""
        found = []
        for path, item in self.document["paths"].items():
            found += [(path, method, operation) for method, operation in item.items()]
        return found

    def choose(self, found: Iterable[Any], least: int = 1) -> Any:
        """One of what there is, where there is enough."""
        found = list(found)
        if len(found) < least:
            raise Nothing
        return self.random.choice(found)

    def pick(self) -> tuple[str, str, dict[str, Any]]:
        return self.random.choice(self.operations())

    @property
    def some(self) -> dict[str, Any]:
        """An operation."""
        return self.pick()[2]

    def fresh(self) -> int:
        self.number += 1
        return self.number

    def schema(self) -> dict[str, Any]:
        return typed(self.random.choice(TYPES))

    def another_type(self, schema: dict[str, Any]) -> None:
        schema["type"] = self.random.choice([name for name in TYPES if name != schema["type"]])

    def argument(self, required: bool = False) -> dict[str, Any]:
        """An argument of the query that is optional, or required."""
        parameters = [item for item in self.some["parameters"] if item["in"] == "query"]
        return self.choose(item for item in parameters if item["required"] == required)

    def text(self, **has: bool) -> dict[str, Any]:
        """The schema of an optional argument that is text, and has some keywords or has not."""
        parameters = [item for item in self.some["parameters"] if not item["required"]]
        texts = [item["schema"] for item in parameters if item["schema"]["type"] == "string"]
        return self.choose(
            schema for schema in texts if all((key in schema) == so for key, so in has.items())
        )

    def fields(self) -> dict[str, Any]:
        """The fields of a body."""
        content = self.some.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema", {}).get("properties", {})

    def answer(self) -> dict[str, Any]:
        """The fields of an answer."""
        content = self.some["responses"]["200"]["content"]
        return content["application/json"]["schema"]["properties"]

    def operation(
        self, method: str, name: str, summary: str, placeholders: list[str]
    ) -> dict[str, Any]:
        """An operation in the form that the edits understand."""
        place = {"in": "path", "required": True, "schema": typed()}
        operation: dict[str, Any] = {
            "operationId": name, "tags": [self.random.choice(NOUNS[:3])], "summary": summary,
            "parameters": [{"name": name, **copy.deepcopy(place)} for name in placeholders],
            "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {
                "type": "object",
                "properties": {"items": {"type": "array", "items": {
                    "type": "object", "properties": {"name": typed()},
                }}},
            }}}}},
        }  # fmt: skip
        if method != "get":
            body = {"type": "object", "properties": {"title": typed()}}
            content = {"application/json": {"schema": body}}
            operation["requestBody"] = {"required": True, "content": content}
        return operation

    # The edits

    @edit("additive")
    def add_operation(self) -> None:
        noun, number = self.random.choice(NOUNS), self.fresh()
        method = self.random.choice(("get", "post", "put"))
        name, summary = f"{method}_{noun}_{number}", f"The {noun} number {number}"
        operation = self.operation(method, name, summary, ["id"])
        text = {"name": "kind", "in": "query", "required": False, "schema": typed()}
        operation["parameters"].append(text)
        self.document["paths"][f"/{noun}s{number}/{{id}}"] = {method: operation}

    @edit("breaking")
    def remove_operation(self) -> None:
        self.removed.append(self.choose(self.operations(), 12))
        del self.document["paths"][self.removed[-1][0]]

    @edit("additive")
    def return_operation(self) -> None:
        self.choose(self.removed)
        path, method, operation = self.removed.pop(0)
        self.document["paths"][path] = {method: operation}

    @edit("text")
    def rename_operation(self) -> None:
        self.some["operationId"] = f"renamed.{self.fresh()}"

    @edit("security")
    def move_operation(self) -> str | None:
        path, method, operation = self.pick()
        del self.document["paths"][path]
        self.document["paths"][f"/moved{self.fresh()}{path}"] = {method: operation}
        return "breaking" if method == "get" else None

    @edit("text")
    def rename_placeholder(self) -> None:
        """The request stays the same, and so does the argument's name."""
        path, method, operation = self.pick()
        placeholders = [item for item in operation["parameters"] if item["in"] == "path"]
        self.choose(placeholders)
        old, new = placeholders[0]["name"], f"key_{self.fresh()}"
        placeholders[0]["name"] = new
        del self.document["paths"][path]
        self.document["paths"][path.replace(f"{{{old}}}", f"{{{new}}}")] = {method: operation}

    @edit("additive")
    def add_parameter(self) -> str | None:
        parameters = self.some["parameters"]
        taken = {item["name"] for item in parameters if item["in"] == "query"}
        name = self.choose({self.random.choice(NAMES)} - taken)
        required = self.random.random() < 0.2
        more = {"in": "query", "required": required, "schema": self.schema()}
        parameters.append({"name": name, **more})
        return "breaking" if required else None

    @edit("breaking")
    def remove_parameter(self) -> None:
        parameters = self.some["parameters"]
        parameters.remove(self.choose(item for item in parameters if not item["required"]))

    @edit("breaking")
    def change_type(self) -> None:
        schema = self.argument()["schema"]
        self.another_type(schema)
        schema.pop("enum", None)
        schema.pop("default", None)

    @edit("text")
    def describe(self) -> None:
        self.some["summary"] = f"Described anew, number {self.fresh()}"

    @edit("text")
    def deprecate(self) -> None:
        operations = [operation for _, _, operation in self.operations()]
        self.choose(each for each in operations if "deprecated" not in each)["deprecated"] = True

    @edit("additive")
    def add_field(self) -> None:
        fields = self.fields()
        self.choose(fields)
        fields[self.choose({self.random.choice(NAMES)} - fields.keys())] = self.schema()

    @edit("breaking")
    def remove_field(self) -> None:
        fields = self.fields()
        del fields[self.choose(fields, 2)]

    @edit("additive")
    def add_answer_field(self) -> None:
        self.answer()[f"field{self.fresh()}"] = self.schema()

    @edit("breaking")
    def remove_answer_field(self) -> None:
        answer = self.answer()
        del answer[self.choose(answer, 2)]

    @edit("breaking")
    def change_answer_type(self) -> None:
        fields = self.answer().values()
        self.another_type(self.choose(field for field in fields if field["type"] in TYPES))

    @edit("breaking")
    def change_deep_in_answer(self) -> None:
        lists = [field for name, field in self.answer().items() if name == "items"]
        self.another_type(self.choose(lists)["items"]["properties"]["name"])

    @edit("breaking")
    def require_parameter(self) -> None:
        self.argument()["required"] = True

    @edit("additive")
    def release_parameter(self) -> None:
        self.argument(required=True)["required"] = False

    @edit("text")
    def describe_parameter(self) -> None:
        self.argument()["description"] = f"Explained anew, number {self.fresh()}"

    @edit("breaking")
    def limit_values(self) -> None:
        schema = self.text(default=False)
        values = schema.get("enum", ["a", "b", "c", "d"])
        self.choose(values, 2)
        schema["enum"] = values[:-1]

    @edit("additive")
    def allow_value(self) -> None:
        self.text(enum=True)["enum"].append(f"value{self.fresh()}")

    @edit("additive")
    def another_default(self) -> str | None:
        schema = self.text(enum=False)
        kind = "breaking" if "default" in schema else None
        schema["default"] = f"value{self.fresh()}"
        return kind

    @edit("security")
    def another_base_path(self) -> None:
        self.document["servers"] = [{"url": f"https://api.library.example/v{self.fresh()}"}]

    @edit("security")
    def another_credential(self) -> None:
        scheme = {"type": "apiKey", "in": "header", "name": f"X-Key-{self.fresh()}"}
        self.document["components"] = {"securitySchemes": {"key": scheme}}
        self.document["security"] = [{"key": []}]

    @edit("security")
    def another_scope(self) -> None:
        scopes = {f"scope:{self.fresh()}": "", "read": ""}
        flow = {"tokenUrl": "https://api.library.example/token", "scopes": scopes}
        scheme = {"type": "oauth2", "flows": {"clientCredentials": flow}}
        self.document["components"] = {"securitySchemes": {"key": scheme}}
        self.document["security"] = [{"key": [*scopes]}]

    @edit("additive")
    def add_tag_in_another_case(self) -> None:
        """The tools of the other tag stay in their toolset."""
        self.add_operation()
        operation = self.operations()[-1][2]
        operation["tags"] = [operation["tags"][0].upper()]

    @edit("breaking")
    def change_tag(self) -> None:
        operation = self.some
        operation["tags"] = [
            self.choose(noun for noun in NOUNS[:3] if noun not in operation["tags"])
        ]

    @edit("nothing")
    def reorder(self) -> None:
        paths = list(self.document["paths"].items())
        self.random.shuffle(paths)
        self.document["paths"] = dict(paths)

    @edit("nothing")
    def another_version(self) -> None:
        self.document["info"]["version"] = str(self.fresh())

    def edit(self) -> tuple[str, str]:
        """(name of the edit, its class) of the next one that can be made. An edit picks its
        operation at random: one that has nothing to edit is no reason to give up.
        """
        while True:
            self.waiting = self.waiting or self.random.sample([*EDITS], len(EDITS))
            for name in self.waiting:
                method, kind = EDITS[name]
                for _ in range(ATTEMPTS):
                    with suppress(Nothing):
                        kind = method(self) or kind
                        self.waiting.remove(name)
                        return name, kind
            self.waiting = []


def is_simple(parameter: dict[str, Any]) -> bool:
    """Whether a parameter of a real document is one that the edits understand."""
    return parameter.get("in") == "query" and parameter.get("schema", {}).get("type") in TYPES


def simple(parameter: dict[str, Any]) -> dict[str, Any]:
    """A parameter in the form that the edits understand."""
    required, schema = bool(parameter.get("required")), typed(parameter["schema"]["type"])
    return {"name": parameter["name"], "in": "query", "required": required, "schema": schema}


def main(steps: int, seed: int, document: str = "") -> int:
    """The whole history."""
    original = yaml.safe_load(Path(document).read_text()) if document else None
    with tempfile.TemporaryDirectory() as place:
        history = History(Path(place), Api(seed, original))
        for number in range(1, steps + 1):
            history.step(number)
        history.broken += [f"no step was `{name}`" for name in EDITS if name not in history.edits]
        for broken in history.broken:
            print(broken)
        edits = ", ".join(f"{name} {count}" for name, count in sorted(history.edits.items()))
        print(
            f"{steps} steps, seed {seed}, {len(history.edits)} kinds:"
            f" {len(history.broken)} broken promises ({edits})"
        )
        return 1 if history.broken else 0


def _of_path(tool: ToolLock) -> dict[str, ArgumentKey]:
    """The arguments of a path."""
    return {name: key for name, key in tool.arguments.items() if key[0] == "path"}


class History:
    """One project that lives through the edits."""

    def __init__(self, folder: Path, api: Api) -> None:
        self.folder, self.project = folder, folder / "project"
        self.api = api
        self.broken: list[str] = []
        self.edits: Counter[str] = Counter()
        self.names: dict[str, str] = {}
        self.project.mkdir()
        (self.project / "mcpgen.toml").write_text('[source]\npath = "../api.json"\n')
        self.generate(self.project)
        for path, text in OWN.items():
            (self.project / path).write_text(text)

    def generate(self, project: Path) -> bool:
        """`mcpgen generate --accept-changes --renew`; whether it changed something."""
        (self.folder / "api.json").write_text(json.dumps(self.api.document))
        made = run(CommandInput(folder=project), Problems())
        return not save(made, accept=True, renew=True).empty

    def step(self, number: int) -> None:
        """One edit, and everything that must be true after it."""
        before, lock = side_of_project(self.project), self.lock()
        name, kind = self.api.edit()
        self.edits[name] += 1
        (self.folder / "api.json").write_text(json.dumps(self.api.document))
        fresh = self.fresh()
        self.generate(self.project)
        faults = [
            *self.classified(kind, before),
            *self.kept_names(lock, self.lock()),
            *(f"`{path}` is not the user's any more" for path in OWN if not self.is_own(path)),
            *(["a fresh run differs"] if self.files() != fresh else []),
            *(["a second run changes something"] if self.generate(self.project) else []),
            *verify(self.project),
            *check(self.project, Problems()).stale,
        ]
        self.broken += [f"step {number}, {name}: {fault}" for fault in faults]

    def lock(self) -> Lock:
        lock = read_lock(self.project)
        assert lock is not None
        return lock

    def is_own(self, path: str) -> bool:
        return (self.project / path).read_text() == OWN[path]

    def files(self, folder: Path | None = None) -> dict[str, str]:
        """The hash of every file that mcpgen owns, and of the lock."""
        folder = folder or self.project
        lock = read_lock(folder)
        assert lock is not None
        paths = [*lock.files, "mcpgen.lock"]
        return {path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in paths}

    def fresh(self) -> dict[str, str]:
        """What a run with the same lock gives in an empty folder."""
        place = self.folder / "fresh"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name in ("mcpgen.toml", "mcpgen.lock"):
            shutil.copy(self.project / name, place / name)
        shutil.copytree(self.project / "document", place / "document")
        self.generate(place)
        return self.files(place)

    def classified(self, kind: str, before: Side) -> list[str]:
        difference: Diff = diff(before, side_of_project(self.project))
        gravest = difference.kind or "nothing"
        if gravest == kind:
            return []
        changes = "; ".join(f"{change.tool} {change.text}" for change in difference.changes[:3])
        return [f"it is {kind}, and diff says {gravest}: {changes}"]

    def kept_names(self, old: Lock, new: Lock) -> list[str]:
        """Operations and arguments that are called something else than they ever were."""
        faults = []
        moved = []
        by_id = {tool.operation_id: tool for tool in old.tools}
        by_operation = {tool.operation: tool for tool in old.tools}
        for tool in new.tools:
            was = by_operation.get(tool.operation) or by_id.get(tool.operation_id)
            if was is None:
                continue
            if was.name != tool.name:
                faults.append(f"`{was.name}` is called `{tool.name}`")
            if was.toolset != tool.toolset:
                moved.append(tool.name)
            for name in _of_path(was).keys() - _of_path(tool).keys():
                faults.append(f"the placeholder `{name}` of `{tool.name}` has another name")
            keys = {key: name for name, key in tool.arguments.items()}
            for name, key in {**was.gone_arguments, **was.arguments}.items():
                if keys.get(key, name) != name:
                    faults.append(f"`{name}` of `{tool.name}` is called `{keys[key]}`")
        if len(moved) > 1:
            faults.append(f"the toolset of {', '.join(moved)} has another name")
        for tool in new.tools:
            former = self.names.setdefault(tool.operation, tool.name)
            if former != tool.name:
                faults.append(f"`{former}` came back as `{tool.name}`")
        return faults


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:3]]
    sys.exit(main(*[*numbers, *(200, 10)[len(numbers) :]], *sys.argv[3:4]))

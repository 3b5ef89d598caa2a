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

import hashlib
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
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


class Api:
    """The document, and edits of it. Each edit returns the class it must have, None where it finds
    nothing to edit.
    """

    def __init__(self, seed: int, original: Document | None = None) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self.waiting: list[Callable[[], str | None]] = []
        self.removed: list[tuple[str, str, dict[str, Any]]] = []
        self.document: Document = {
            "openapi": "3.1.0",
            "info": {"title": "Library", "version": "1"},
            "servers": [{"url": "https://api.library.example"}],
            "paths": {},
        }
        if original is None:
            for _ in range(24):
                self.add_operation()
        else:
            self.begin_with(original)

    def begin_with(self, original: Document) -> None:
        """One operation of every path of a real document, with its parameters of simple types."""
        for path, item in original["paths"].items():
            methods = [method for method in ("get", "post", "put") if method in item]
            if not methods:
                continue
            operation = item[methods[0]]
            parameters = [*item.get("parameters", []), *operation.get("parameters", [])]
            copy = self.operation(
                methods[0],
                operation.get("operationId") or f"operation.{self.fresh()}",
                operation.get("summary", "An operation"),
                PARAMETER.findall(path),
            )
            copy["parameters"] += [simple(item) for item in parameters if is_simple(item)]
            self.document["paths"][path] = {methods[0]: copy}

    def operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        """(path, method, operation) of each."""
        found = []
        for path, item in self.document["paths"].items():
            found += [(path, method, operation) for method, operation in item.items()]
        return found

    def pick(self) -> tuple[str, str, dict[str, Any]]:
        return self.random.choice(self.operations())

    def fresh(self) -> int:
        self.number += 1
        return self.number

    def schema(self) -> dict[str, Any]:
        return {"type": self.random.choice(TYPES)}

    def parameters(self, operation: dict[str, Any]) -> list[dict[str, Any]]:
        """The optional ones."""
        return [item for item in operation["parameters"] if not item["required"]]

    def fields(self, operation: dict[str, Any]) -> dict[str, Any]:
        """The fields of the body."""
        content = operation.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema", {}).get("properties", {})

    def answer(self, operation: dict[str, Any]) -> dict[str, Any]:
        """The fields of the answer."""
        return operation["responses"]["200"]["content"]["application/json"]["schema"]["properties"]

    # The edits

    def add_operation(self) -> str:
        noun, number = self.random.choice(NOUNS), self.fresh()
        method = self.random.choice(("get", "post", "put"))
        path = f"/{noun}s{number}/{{id}}"
        name = f"{method}_{noun}_{number}"
        operation = self.operation(method, name, f"The {noun} number {number}", ["id"])
        self.document["paths"][path] = {method: operation}
        return "additive"

    def operation(
        self, method: str, name: str, summary: str, placeholders: list[str]
    ) -> dict[str, Any]:
        """An operation in the form that the edits understand."""
        operation: dict[str, Any] = {
            "operationId": name,
            "tags": [self.random.choice(NOUNS[:3])],
            "summary": summary,
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in placeholders
            ],
            "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {
                "type": "object",
                "properties": {"items": {"type": "array", "items": {
                    "type": "object", "properties": {"name": {"type": "string"}},
                }}},
            }}}}},
        }  # fmt: skip
        if method != "get":
            body = {"type": "object", "properties": {"title": {"type": "string"}}}
            operation["requestBody"] = {
                "required": True,
                "content": {"application/json": {"schema": body}},
            }
        return operation

    def remove_operation(self) -> str | None:
        if len(self.operations()) < 12:
            return None
        path, method, operation = self.pick()
        self.removed.append((path, method, operation))
        del self.document["paths"][path]
        return "breaking"

    def return_operation(self) -> str | None:
        if not self.removed:
            return None
        path, method, operation = self.removed.pop(0)
        self.document["paths"][path] = {method: operation}
        return "additive"

    def rename_operation(self) -> str:
        _, _, operation = self.pick()
        operation["operationId"] = f"renamed.{self.fresh()}"
        return "text"

    def move_operation(self) -> str:
        path, method, operation = self.pick()
        del self.document["paths"][path]
        self.document["paths"][f"/moved{self.fresh()}{path}"] = {method: operation}
        if method == "get":
            return "breaking"
        return "security"

    def rename_placeholder(self) -> str | None:
        """The request stays the same, and so does the argument's name."""
        path, method, operation = self.pick()
        placeholders = [item for item in operation["parameters"] if item["in"] == "path"]
        if not placeholders:
            return None
        old, new = placeholders[0]["name"], f"key_{self.fresh()}"
        placeholders[0]["name"] = new
        del self.document["paths"][path]
        self.document["paths"][path.replace(f"{{{old}}}", f"{{{new}}}")] = {method: operation}
        return "text"

    def add_parameter(self) -> str | None:
        _, _, operation = self.pick()
        name = self.random.choice(NAMES)
        if any(item["name"] == name and item["in"] == "query" for item in operation["parameters"]):
            return None
        required = self.random.random() < 0.2
        operation["parameters"].append(
            {"name": name, "in": "query", "required": required, "schema": self.schema()}
        )
        return "breaking" if required else "additive"

    def remove_parameter(self) -> str | None:
        _, _, operation = self.pick()
        optional = self.parameters(operation)
        if not optional:
            return None
        operation["parameters"].remove(self.random.choice(optional))
        return "breaking"

    def change_type(self) -> str | None:
        _, _, operation = self.pick()
        optional = self.parameters(operation)
        if not optional:
            return None
        schema = self.random.choice(optional)["schema"]
        schema["type"] = self.random.choice([name for name in TYPES if name != schema["type"]])
        schema.pop("enum", None)
        schema.pop("default", None)
        return "breaking"

    def describe(self) -> str:
        _, _, operation = self.pick()
        operation["summary"] = f"Described anew, number {self.fresh()}"
        return "text"

    def deprecate(self) -> str | None:
        _, _, operation = self.pick()
        if operation.get("deprecated"):
            return None
        operation["deprecated"] = True
        return "text"

    def add_field(self) -> str | None:
        _, _, operation = self.pick()
        fields = self.fields(operation)
        name = self.random.choice(NAMES)
        if not fields or name in fields:
            return None
        fields[name] = self.schema()
        return "additive"

    def add_answer_field(self) -> str:
        _, _, operation = self.pick()
        self.answer(operation)[f"field{self.fresh()}"] = self.schema()
        return "additive"

    def remove_answer_field(self) -> str | None:
        _, _, operation = self.pick()
        answer = self.answer(operation)
        if len(answer) < 2:
            return None
        del answer[self.random.choice(list(answer))]
        return "breaking"

    def change_answer_type(self) -> str | None:
        _, _, operation = self.pick()
        fields = [field for field in self.answer(operation).values() if field["type"] in TYPES]
        if not fields:
            return None
        field = self.random.choice(fields)
        field["type"] = self.random.choice([name for name in TYPES if name != field["type"]])
        return "breaking"

    def require_parameter(self) -> str | None:
        _, _, operation = self.pick()
        optional = self.parameters(operation)
        if not optional:
            return None
        self.random.choice(optional)["required"] = True
        return "breaking"

    def release_parameter(self) -> str | None:
        _, _, operation = self.pick()
        required = [
            item for item in operation["parameters"] if item["required"] and item["in"] == "query"
        ]
        if not required:
            return None
        self.random.choice(required)["required"] = False
        return "additive"

    def limit_values(self) -> str | None:
        texts = [schema for schema in self.texts() if "default" not in schema]
        if not texts:
            return None
        schema = self.random.choice(texts)
        values = schema.get("enum", ["a", "b", "c", "d"])
        if len(values) < 2:
            return None
        schema["enum"] = values[:-1]
        return "breaking"

    def allow_value(self) -> str | None:
        limited = [schema for schema in self.texts() if "enum" in schema]
        if not limited:
            return None
        self.random.choice(limited)["enum"].append(f"value{self.fresh()}")
        return "additive"

    def texts(self) -> list[dict[str, Any]]:
        """The schemas of the optional arguments of one operation that are texts."""
        _, _, operation = self.pick()
        schemas = [item["schema"] for item in self.parameters(operation)]
        return [schema for schema in schemas if schema["type"] == "string"]

    def describe_parameter(self) -> str | None:
        _, _, operation = self.pick()
        optional = self.parameters(operation)
        if not optional:
            return None
        self.random.choice(optional)["description"] = f"Explained anew, number {self.fresh()}"
        return "text"

    def another_default(self) -> str | None:
        texts = [schema for schema in self.texts() if "enum" not in schema]
        if not texts:
            return None
        schema = self.random.choice(texts)
        kind = "breaking" if "default" in schema else "additive"
        schema["default"] = f"value{self.fresh()}"
        return kind

    def remove_field(self) -> str | None:
        _, _, operation = self.pick()
        fields = self.fields(operation)
        if len(fields) < 2:
            return None
        del fields[self.random.choice(list(fields))]
        return "breaking"

    def change_deep_in_answer(self) -> str | None:
        _, _, operation = self.pick()
        items = self.answer(operation).get("items")
        if items is None:
            return None
        name = items["items"]["properties"]["name"]
        name["type"] = self.random.choice([kind for kind in TYPES if kind != name["type"]])
        return "breaking"

    def another_base_path(self) -> str:
        self.document["servers"] = [{"url": f"https://api.library.example/v{self.fresh()}"}]
        return "security"

    def another_credential(self) -> str:
        scheme = {"type": "apiKey", "in": "header", "name": f"X-Key-{self.fresh()}"}
        self.document["components"] = {"securitySchemes": {"key": scheme}}
        self.document["security"] = [{"key": []}]
        return "security"

    def another_scope(self) -> str:
        scopes = {f"scope:{self.fresh()}": "", "read": ""}
        flow = {"tokenUrl": "https://api.library.example/token", "scopes": scopes}
        scheme = {"type": "oauth2", "flows": {"clientCredentials": flow}}
        self.document["components"] = {"securitySchemes": {"key": scheme}}
        self.document["security"] = [{"key": [*scopes]}]
        return "security"

    def add_tag_in_another_case(self) -> str:
        """The tools of the other tag stay in their toolset."""
        kind = self.add_operation()
        *_, (_, _, operation) = self.operations()
        operation["tags"] = [operation["tags"][0].upper()]
        return kind

    def change_tag(self) -> str:
        _, _, operation = self.pick()
        (tag,) = operation["tags"]
        operation["tags"] = [self.random.choice([noun for noun in NOUNS[:3] if noun != tag])]
        return "breaking"

    def reorder(self) -> str:
        paths = list(self.document["paths"].items())
        self.random.shuffle(paths)
        self.document["paths"] = dict(paths)
        return "nothing"

    def another_version(self) -> str:
        self.document["info"]["version"] = str(self.fresh())
        return "nothing"

    def edits(self) -> list[Callable[[], str | None]]:
        """Every kind."""
        return [
            self.add_operation, self.remove_operation, self.return_operation, self.rename_operation,
            self.move_operation, self.add_parameter, self.remove_parameter, self.change_type,
            self.describe, self.deprecate, self.add_field, self.add_answer_field,
            self.remove_answer_field, self.change_answer_type, self.require_parameter,
            self.release_parameter, self.limit_values, self.allow_value, self.another_base_path,
            self.another_credential, self.change_tag, self.reorder, self.another_version,
            self.describe_parameter, self.another_default, self.remove_field,
            self.change_deep_in_answer, self.rename_placeholder, self.another_scope,
            self.add_tag_in_another_case,
        ]  # fmt: skip

    def edit(self) -> tuple[str, str]:
        """(name of the edit, its class) of the next one that can be made."""
        while True:
            if not self.waiting:
                self.waiting = self.edits()
                self.random.shuffle(self.waiting)
            for edit in list(self.waiting):
                kind = self.attempt(edit)
                if kind is not None:
                    self.waiting.remove(edit)
                    return edit.__name__, kind
            self.waiting = []

    def attempt(self, edit: Callable[[], str | None]) -> str | None:
        """An edit picks its operation at random: one that has nothing to edit is no reason to give
        up.
        """
        for _ in range(ATTEMPTS):
            kind = edit()
            if kind is not None:
                return kind
        return None


def is_simple(parameter: dict[str, Any]) -> bool:
    """Whether a parameter of a real document is one that the edits understand."""
    return parameter.get("in") == "query" and parameter.get("schema", {}).get("type") in TYPES


def simple(parameter: dict[str, Any]) -> dict[str, Any]:
    """A parameter in the form that the edits understand."""
    return {
        "name": parameter["name"],
        "in": "query",
        "required": bool(parameter.get("required")),
        "schema": {"type": parameter["schema"]["type"]},
    }


def main(steps: int, seed: int, document: str = "") -> int:
    """The whole history."""
    original = None
    if document:
        original = yaml.safe_load(Path(document).read_text())
    with tempfile.TemporaryDirectory() as place:
        history = History(Path(place), Api(seed, original))
        for number in range(1, steps + 1):
            history.step(number)
        history.broken += [f"no step was `{name}`" for name in history.kinds_without_a_turn()]
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
        return not save(
            run(CommandInput(folder=project), Problems()), accept=True, renew=True
        ).empty

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

    def kinds_without_a_turn(self) -> list[str]:
        names = [edit.__name__ for edit in self.api.edits()]
        return [name for name in names if name not in self.edits]

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

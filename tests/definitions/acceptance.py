"""What a generated server accepts, beside what the `jsonschema` validator says of the schema as it
was written.
"""

import importlib.util
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
)
from jsonschema.validators import validator_for
from referencing import Registry

from mcpgen.config import Config
from mcpgen.ir import Server, Tool
from mcpgen.load.definitions import DRAFTS
from mcpgen.pipeline import understand
from mcpgen.problems import McpgenError, Problems
from mcpgen.render.facts import contract_facts
from mcpgen.render.whole import whole_input


def runtime(module: str) -> Any:
    """A module of the runtime of generated packages."""
    return importlib.import_module(f"mcpgen.runtime.{module}")


def server_of(source: Path | list[Path], **config: Any) -> tuple[Server, Problems]:
    """What a document becomes, and what was found in it."""
    problems = Problems()
    sources = tuple(map(str, source)) if isinstance(source, list) else (str(source),)
    return understand(Config(sources=sources, **config), problems)[1], problems


def checker(tool: Tool, server: Server | None = None) -> Any:
    """What a call of a tool is checked with in the generated server; the `server` of an operation
    has its definitions.
    """
    if server is not None and tool.request is not None:
        schema, names = whole_input(server, tool)
        of = runtime("arguments.checker").Checker
        return of(tool.name, schema, names=names, nullable=tool.nullable)
    contract = json.loads(json.dumps(contract_facts(tool)))
    return runtime("arguments.contract").ContractChecker(tool.name, tool.input_schema, contract)


def refusal(tool: Tool, arguments: dict[str, Any]) -> str:
    """Why a call is refused, or nothing."""
    try:
        checker(tool).checked(arguments)
    except runtime("arguments.checker").BadArguments as error:
        return str(error)
    return ""


UNCHECKED = {"E0203", "E0208", "E0441", "E0205", "E0503", "E0502"}
"""Problems after which a call is not checked against the whole schema."""
DEFAULT = {
    None: Draft202012Validator, "4": Draft4Validator, "6": Draft6Validator, "7": Draft7Validator,
    "2019-09": Draft201909Validator, "2020-12": Draft202012Validator,
}  # fmt: skip


def in_tool(schema: Any) -> dict[str, Any]:
    """A list of one tool, whose argument `value` is a schema under its `$defs`."""
    schema = _named(schema)
    tool = {
        "name": "judged",
        "inputSchema": {
            **({"$schema": schema["$schema"]} if isinstance(schema, dict) else {}),
            "type": "object",
            "properties": {"value": {"$ref": "#/definitions/judged"}},
            "required": ["value"],
            "definitions": {"judged": schema},
        },
    }
    return {"tools": [tool]}


def _named(schema: Any) -> Any:
    """A schema that is a resource of its own, so that its references begin at its root."""
    if not isinstance(schema, dict) or {"$id", "id"} & schema.keys():
        return schema
    key = "id" if "draft-04" in schema.get("$schema", "") else "$id"
    return {key: "https://example.com/judged", **schema}


def in_body(schema: Any) -> dict[str, Any]:
    """A description of an API whose one operation takes a body with a schema as its `value`."""
    body = {"type": "object", "properties": {"value": {"$ref": "#/components/schemas/judged"}}}
    content = {"application/json": {"schema": {**body, "required": ["value"]}}}
    operation = {
        "operationId": "judged",
        "requestBody": {"required": True, "content": content},
        "responses": {"204": {"description": "Done"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Judged", "version": "1"},
        "servers": [{"url": "https://example.com"}],
        "paths": {"/judged": {"post": operation}},
        "components": {"schemas": {"judged": _named(schema)}},
    }


def _taken_as(schema: Any) -> str:
    """The rule by which the body of an operation is judged in another way than a schema says."""
    if '"oneOf"' in json.dumps(schema):
        return "a value that fits several of oneOf is taken"
    if isinstance(schema, dict) and ("type" not in schema or "format" in schema):
        return "a schema without a type has the type of its keywords"
    return ""


@dataclass
class Tally:
    """How many calls agreed with the validator, and every one that did not."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    taken_as: str = ""

    def schema(
        self, schema: Any, instances: list[Any], folder: Path, label: str,
        draft: str | None = None, within: Callable[[Any], Any] | None = None,
    ) -> None:  # fmt: skip
        """One schema as a document, or `within` a list or a body as `value`, and every instance as
        a call.
        """
        whole = json.loads(json.dumps(schema))
        if draft and isinstance(whole, dict):
            whole.setdefault("$schema", DRAFTS[draft])
        path = folder / "schema.json"
        path.write_text(json.dumps(within(whole) if within else schema))
        try:
            server, problems = server_of(path, draft=None if within is in_body else draft)
        except McpgenError as error:
            self.reasons[error.problems[0].code] += 1
            return
        codes = {problem.code for problem in problems} & UNCHECKED
        if codes or len(server.tools) != 1:
            self.reasons[", ".join(sorted(codes)) or f"{len(server.tools)} tools"] += 1
            return
        tool = server.tools[0]
        check = checker(tool, server)
        wire_names = {argument.name: argument.wire_name for argument in tool.arguments}
        is_value = list(wire_names.values()) == ["value"] and "value" not in str(schema)
        wrapped = bool(within) or is_value
        self.counts["schemas"] += 1
        judge = validator_for(whole, DEFAULT[draft])(whole, registry=Registry())
        for instance in instances:
            if not wrapped and not isinstance(instance, dict):
                continue
            try:
                valid = judge.is_valid(instance)
            except Exception:  # the judge itself cannot say: a reference that leads nowhere
                self.counts["unjudged"] += 1
                continue
            call = {"value": instance} if wrapped else instance
            self.taken_as = _taken_as(schema) if within is in_body else ""
            try:
                checked, _ = check.checked(call)
                checked = {wire_names.get(name, name): value for name, value in checked.items()}
                self.one(f"{label}: {json.dumps(instance)[:200]}", valid, "", checked != call)
            except runtime("arguments.checker").BadArguments as error:
                self.one(f"{label}: {json.dumps(instance)[:200]}", valid, str(error), False)

    def one(self, label: str, valid: bool, refused: str, forgiven: bool) -> None:
        """One call: the same verdict, or one of the two documented differences, or a fault."""
        if bool(refused) != valid:
            self.counts["agreed"] += 1
        elif refused and ("is not an argument" in refused or "half of a surrogate" in refused):
            self.counts["unknown arguments"] += 1
        elif not refused and forgiven:
            self.counts["forgiven"] += 1
        elif self.taken_as and bool(refused) is self.taken_as.startswith("a schema"):
            self.counts[self.taken_as] += 1
        else:
            self.differences.append(f"{label}: {'refused: ' + refused if refused else 'accepted'}")

"""Whether a tool says what its operation says: values that the document's schemas and the tool's
schema judge apart.

The document is read as its author wrote it, by validators of its own dialect
(`openapi-schema-validator`), the tool as it is listed. Only names are taken from mcpgen: which
argument stands for which parameter or field.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema
import jsonschema_rs
import referencing
import referencing.jsonschema
from openapi_schema_validator import OAS30WriteValidator, OAS31Validator

from mcpgen.ir import Tool

from .values import Sampler, near_misses


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that one side takes and the other does not, and the keyword that says so."""

    tool: str
    refused_by: str
    reason: str
    argument: str
    value: Any


class Original:
    """A document as its author wrote it, references local."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.swagger = "swagger" in root
        self.modern = str(root.get("openapi", "")).startswith(("3.1", "3.2"))
        dialect = (
            referencing.jsonschema.DRAFT202012 if self.modern else referencing.jsonschema.DRAFT4
        )
        self.registry = referencing.Registry().with_resource(
            "urn:document", referencing.Resource(contents=root, specification=dialect)
        )
        self.resolver = self.registry.resolver(base_uri="urn:document")
        self.kind = OAS31Validator if self.modern else OAS30WriteValidator
        self.sampler = Sampler(root, "")
        self._validators: dict[int, tuple[Any, Any]] = {}

    def faults(self, schema: Any, value: Any) -> list[jsonschema.ValidationError]:
        """Why the document refuses a value; what it says of readOnly properties is not asked."""
        if schema in (None, True, {}):
            return []
        if id(schema) not in self._validators:
            made = self.kind(schema, registry=self.registry, _resolver=self.resolver)
            self._validators[id(schema)] = made, schema
        found = []
        for fault in self._validators[id(schema)][0].iter_errors(value):
            if "read-only" in fault.message or self._missing_read_only(fault):
                continue
            found.append(fault)
            if len(found) > 3:
                break
        return found

    def _missing_read_only(self, fault: jsonschema.ValidationError) -> bool:
        """In 3.1 a required readOnly property is missed all the same (OpenAPI 3.1 §4.8.24.1)."""
        match = re.match(r"'(.+)' is a required property", fault.message)
        if not match or fault.validator != "required" or not isinstance(fault.schema, dict):
            return False
        target = self.sampler.deref(
            self.sampler.whole(fault.schema).get("properties", {}).get(match.group(1))
        )
        return isinstance(target, dict) and bool(target.get("readOnly"))

    def slots(self, tool: Tool) -> dict[tuple[str, str], tuple[Any, bool]]:
        """(place, wire name) → schema and whether it is required, of an operation; the body is
        `("body", "")`.
        """
        deref = self.sampler.deref
        item = deref(self.root["paths"].get(tool.origin.path))
        operation = deref(item.get(tool.origin.method.lower())) if isinstance(item, dict) else None
        if not isinstance(operation, dict):
            return {}
        found: dict[tuple[str, str], tuple[Any, bool]] = {}
        fields: dict[str, Any] = {}
        for parameter in [*(item.get("parameters") or ()), *(operation.get("parameters") or ())]:
            parameter = deref(parameter)
            if not isinstance(parameter, dict):
                continue
            place, name = parameter.get("in"), str(parameter.get("name"))
            content = parameter.get("content")
            if place == "body":
                found["body", ""] = parameter.get("schema") or {}, bool(parameter.get("required"))
            elif place == "formData":
                fields[name] = parameter
            elif self.swagger:
                found[str(place), name] = _bare(parameter), bool(parameter.get("required"))
            elif content:
                media = next(iter(content.values()), None) or {}
                found[str(place), name] = media.get("schema") or {}, bool(parameter.get("required"))
            else:
                found[str(place), name] = parameter.get("schema") or {}, bool(
                    parameter.get("required")
                )
        if fields:
            found["body", ""] = {
                "type": "object",
                "properties": {name: _bare(field) for name, field in fields.items()},
                "required": [name for name, field in fields.items() if field.get("required")],
            }, True
        body = deref(operation.get("requestBody"))
        wanted = tool.request.body if tool.request else None
        if isinstance(body, dict) and wanted is not None:
            for media_type, media in (body.get("content") or {}).items():
                if media_type.strip() == wanted.media_type or (
                    "*" in media_type and len(body["content"]) == 1
                ):
                    found["body", ""] = (media or {}).get("schema") or {}, bool(
                        body.get("required")
                    )
        return found


def _bare(parameter: dict[str, Any]) -> dict[str, Any]:
    """A Swagger 2.0 parameter as the schema it also is."""
    schema = {
        key: value
        for key, value in parameter.items()
        if key not in ("name", "in", "required", "description")
    }
    return {**schema, "type": "string"} if schema.get("type") == "file" else schema


class Reading:
    """A tool as it is listed, and how its arguments become parameters and fields."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.places = {argument.name: argument for argument in tool.arguments}
        schema = _with_null(tool.input_schema, set(tool.nullable))
        self.check = jsonschema_rs.validator_for(
            schema, pattern_options=jsonschema_rs.RegexOptions()
        )
        self.wire = dict(tool.wire_names)
        self.names = {argument: _tree(tool, argument) for argument in self.places}

    def faults(self, arguments: dict[str, Any]) -> Iterator[Any]:
        """Why the tool refuses these arguments."""
        return self.check.iter_errors(arguments)

    def to_slots(self, arguments: dict[str, Any]) -> dict[tuple[str, str], Any]:
        """Arguments as the parameters and the body they stand for."""
        out: dict[tuple[str, str], Any] = {}
        for name, value in arguments.items():
            argument = self.places[name]
            value = _renamed(value, self.names[name], "", forward=True)
            if argument.place != "body":
                out[argument.place, argument.wire_name] = value
            elif self.tool.request and self.tool.request.body and self.tool.request.body.whole:
                out["body", ""] = value
            else:
                out.setdefault(("body", ""), {})[argument.wire_name] = value
        body = self.tool.request.body if self.tool.request else None
        if body is not None and body.required and not body.whole:
            out.setdefault(("body", ""), {})  # sent, without a field
        return out

    def from_slots(self, slots: dict[tuple[str, str], Any]) -> dict[str, Any] | None:
        """The arguments for parameters and a body; None where one of them has no argument."""
        whole = bool(self.tool.request and self.tool.request.body and self.tool.request.body.whole)
        flat: dict[tuple[str, str], Any] = {}
        for (place, wire_name), value in slots.items():
            if place == "body" and not whole:
                if not isinstance(value, dict):
                    return None
                flat |= {("body", key): child for key, child in value.items()}
            else:
                flat[place, "body" if place == "body" else wire_name] = value
        by_slot = {
            (argument.place, argument.wire_name): name for name, argument in self.places.items()
        }
        out = {}
        for slot, value in flat.items():
            if slot not in by_slot:
                return None
            out[by_slot[slot]] = _renamed(value, self.names[by_slot[slot]], "", forward=False)
        return out


def _tree(tool: Tool, argument: str) -> dict[str, str]:
    """The renamed keys inside one argument: pointer below it → wire name."""
    prefix = f"/properties/{argument}"
    return {
        pointer[len(prefix) :]: wire
        for pointer, wire in tool.wire_names
        if pointer.startswith(prefix + "/")
    }


def _renamed(value: Any, names: dict[str, str], pointer: str, *, forward: bool) -> Any:
    """A value with its keys in wire names (`forward`) or in the tool's; unions are walked as if
    they were not there.
    """
    if not names:
        return value
    plain = {re.sub(r"/(anyOf|oneOf)/\d+", "", key): wire for key, wire in names.items()}
    if isinstance(value, list):
        return [_renamed(item, names, f"{pointer}/items", forward=forward) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, child in value.items():
        at = f"{pointer}/properties/{key.replace('~', '~0').replace('/', '~1')}"
        if forward:
            out[plain.get(at, key)] = _renamed(child, names, at, forward=True)
        else:
            called = [inner.rpartition("/") for inner, wire in plain.items() if wire == key]
            here = [name for above, _, name in called if above == f"{pointer}/properties"]
            other = [*here, key][0]
            out[other] = _renamed(child, names, f"{pointer}/properties/{other}", forward=False)
    return out


def _with_null(schema: Any, pointers: set[str], pointer: str = "") -> Any:
    """A schema in which null is allowed at the pointers where the server takes it."""
    if isinstance(schema, dict):
        out = {}
        for key, value in schema.items():
            token = key.replace("~", "~0").replace("/", "~1")
            out[key] = (
                value
                if key in ("enum", "default")
                else _with_null(value, pointers, f"{pointer}/{token}")
            )
        return {"anyOf": [out, {"type": "null"}]} if pointer in pointers else out
    if isinstance(schema, list):
        return [
            _with_null(item, pointers, f"{pointer}/{index}") for index, item in enumerate(schema)
        ]
    return schema


def compare(
    original: Original, tool: Tool, *, seconds: float = 2.0
) -> tuple[int, list[Difference]]:
    """How many values were compared, and those the two sides judge apart."""
    slots = original.slots(tool)
    if not slots:
        return 0, []
    try:
        reading = Reading(tool)
    except Exception as error:  # a schema that does not compile is a finding, whatever it raised
        return 1, [Difference(tool.name, "tool", f"does not compile: {error}"[:160], "", None)]
    ends = time.monotonic() + seconds
    seen = 0
    found: list[Difference] = []
    try:
        cases = list(_cases(original, tool, reading, slots))
    except (
        Exception
    ):  # the document's own schema cannot be judged by (a pattern its validator cannot read)
        return 0, []
    for slots_value in cases:
        if time.monotonic() > ends or len(found) > 20:
            break
        arguments = (
            reading.from_slots(slots_value)
            if not isinstance(slots_value, Listed)
            else slots_value.arguments
        )
        if arguments is None:
            continue
        seen += 1
        verdict = _verdict(original, reading, slots, arguments)
        if verdict is not None:
            found.append(verdict)
    return seen, found


@dataclass(frozen=True, slots=True)
class Listed:
    """Arguments made from the tool's own schema."""

    arguments: dict[str, Any]


def _cases(
    original: Original, tool: Tool, reading: Reading, slots: dict[tuple[str, str], tuple[Any, bool]]
) -> Any:
    """Values from the document's schemas, from the tool's, and near misses of both."""
    bases: list[dict[str, Any]] = []
    for full in (False, True, True):
        sampler = Sampler(original.root, f"{tool.name}{len(bases)}")
        value: dict[tuple[str, str], Any] = {}
        for slot, (schema, required) in slots.items():
            argument = any(
                (item.place, item.wire_name) == slot for item in tool.arguments
            ) or slot == ("body", "")
            if argument and (required or full or slot[0] == "path"):
                try:
                    value[slot] = sampler.value(schema, full=full)
                except (ValueError, TypeError, RecursionError, AttributeError, OverflowError):
                    continue
        if all(not original.faults(slots[slot][0], inner) for slot, inner in value.items()):
            yield value
            arguments = reading.from_slots(value)
            if arguments is not None and not any(True for _ in reading.faults(arguments)):
                bases.append(arguments)
    for full in (False, True):
        try:
            made = Sampler(tool.input_schema, f"{tool.name}{full}").value(
                tool.input_schema, full=full
            )
        except (ValueError, TypeError, RecursionError):
            continue
        if isinstance(made, dict) and not any(True for _ in reading.faults(made)):
            yield Listed(made)
    for base in bases[-1:]:
        for name in base:
            for other in list(near_misses(base[name]))[:40]:
                yield Listed({**base, name: other})
            yield Listed({key: child for key, child in base.items() if key != name})


def _verdict(
    original: Original, reading: Reading, slots: dict[tuple[str, str], tuple[Any, bool]],
    arguments: dict[str, Any],
) -> Difference | None:  # fmt: skip
    """The difference between the two verdicts, or None."""
    tool_fault = next(iter(reading.faults(arguments)), None)
    given = reading.to_slots(
        {key: value for key, value in arguments.items() if key in reading.places}
    )
    reason, where, value = "", "", None
    for slot, (schema, required) in slots.items():
        argument = next(
            (a for a in reading.places.values() if (a.place, a.wire_name) == slot), None
        )
        if slot not in given:
            if (required or slot[0] == "path") and (argument is not None or slot == ("body", "")):
                reason, where = "missing", "/".join(slot)
            continue
        try:
            faults = original.faults(schema, given[slot])
        except Exception:  # the document's own schema cannot be judged by: no verdict
            return None
        if faults:
            deepest = max(_leaves(faults[0]), key=lambda fault: len(fault.absolute_path))
            reason, where, value = str(faults[0].validator), "/".join(slot), given[slot]
            if faults[0].validator in ("anyOf", "oneOf", "allOf"):
                reason += f" ({deepest.validator})"
            break
    if (tool_fault is None) == (not reason):
        return None
    if tool_fault is None:
        return Difference(reading.tool.name, "document", reason, where, value)
    path = [str(part) for part in tool_fault.instance_path]
    keyword = str(tool_fault.schema_path[-1]) if tool_fault.schema_path else ""
    return Difference(
        reading.tool.name, "tool", _why(reading, path, keyword), "/".join(path), tool_fault.instance
    )


def _why(reading: Reading, path: list[str], keyword: str) -> str:
    """What a tool refuses on purpose, in words; else the keyword that refused it."""
    argument = reading.places.get(path[0]) if path else None
    body = reading.tool.request.body if reading.tool.request else None
    if argument is not None and argument.place == "path" and keyword in ("pattern", "minLength"):
        return "a path cannot hold it"
    if (
        argument is not None
        and argument.place == "body"
        and body is not None
        and body.kind in ("text", "binary")
    ):
        return f"a body of {body.media_type.split(';')[0]} is given as text"
    if (
        argument is not None
        and keyword == "additionalProperties"
        and body is not None
        and body.kind != "json"
    ):
        return "how a field of a form is written that is not declared, nobody has said"
    return "type, which the document does not name" if keyword == "type" else keyword


def _leaves(fault: jsonschema.ValidationError) -> Iterator[jsonschema.ValidationError]:
    if not fault.context:
        yield fault
    for inner in fault.context or ():
        yield from _leaves(inner)

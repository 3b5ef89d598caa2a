"""Argument checking: what the model said, made sure of before anything happens.

A `Checker` is the compiled input schema of one tool. It forgives what models do and people do not
mean (an object sent as a JSON string, null for "not given"), and refuses everything else with a
text that says what to change. Patterns run on a linear-time engine and no reference is ever
fetched.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jsonschema_rs

from ..pointer import escape, split
from .explain import explain, suggest

MAX_DEPTH = 64
MAX_VALUES = 50_000
MAX_CHARACTERS = 8 * 1024 * 1024
MAX_HOPS = 64
MAX_PATTERN = 4 * 1024 * 1024
MAX_STEPS = 10_000
"""How many comparisons of a schema with a value are worth making to say what is wrong."""

_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLES = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
    type(None): "null",
}


class BadArguments(ValueError):
    """The arguments of a call do not fit the tool; the text is written for the model."""


class Checker:
    """The input schema of one tool, compiled.

    `nullable` are JSON Pointers into the schema where null is a value of its own, `names` maps
    pointers of nested properties to their keys on the wire.
    """

    def __init__(
        self,
        tool: str,
        schema: dict[str, Any],
        *,
        nullable: Iterable[str] = (),
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._tool = tool
        self._schema = schema
        self._nullable = frozenset(nullable)
        self._names = dict(names or {})
        self._branches: dict[str, jsonschema_rs.Draft202012Validator | None] = {}
        self._parsed = False
        self._visited: dict[tuple[str, int, bool], tuple[Any, Any]] = {}
        self._bad_patterns = False
        self._validator = self._compile()

    def _compile(self) -> jsonschema_rs.Draft202012Validator:
        """The validator of the whole schema; patterns that the linear engine cannot run are left
        out.
        """
        try:
            self._root = self._checkable(self._schema, "")
            return compiled(self._root)
        except jsonschema_rs.ValidationError:
            self._bad_patterns = True
            self._root = self._checkable(self._schema, "")
            return compiled(self._root)

    def check(self, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """The arguments as the tool's function takes them, nested keys as on the wire.

        Raises BadArguments: too large, unknown, missing or of the wrong kind.
        """
        given = dict(arguments or {})
        self._bounded(given)
        self._known(given)
        self._parsed = False
        try:
            tidied = self._visit(self._schema, "", given, wire=False)
            if self._parsed:
                self._bounded(tidied)
            if not self._validator.is_valid(tidied):
                raise BadArguments(self._explained(tidied))
            if self._names:
                tidied = self._visit(self._schema, "", tidied, wire=True)
        finally:
            self._visited.clear()
        return dict(tidied)

    def on_the_wire(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with their keys as on the wire; nothing is checked."""
        try:
            return dict(self._visit(self._schema, "", arguments, wire=True))
        finally:
            self._visited.clear()

    def _explained(self, arguments: dict[str, Any]) -> str:
        """What is wrong with arguments that are not valid."""
        heading = f"Invalid arguments for `{self._tool}`"
        if self._can_be_explained(arguments):
            errors = _first(self._validator.iter_errors(arguments), 50)
            return explain(heading, self._schema, errors)
        lines = [f"{heading}:"]
        properties = self._schema.get("properties", {})
        for name, item in arguments.items():
            place = f"/properties/{escape(name)}"
            if name in properties and not self._fits(properties[name], place, item):
                lines.append(
                    f"`{name[:100]}` does not fit its schema; it nests too many alternatives to"
                    " say where"
                )
        return "\n- ".join(lines)

    def _can_be_explained(self, arguments: dict[str, Any]) -> bool:
        """Whether the validator can list the errors in reasonable time.

        It tries every branch of every union again at each level, so that alternatives which hold
        each other cost a power of their depth. This takes the same steps, and stops counting.
        """
        left = MAX_STEPS + 4 * self._bounded(arguments)
        pending: list[tuple[Any, Any]] = [(self._schema, arguments)]
        while pending:
            left -= 1
            if left < 0:
                return False
            schema, value = pending.pop()
            schema, _ = self._resolve(schema, "")
            if isinstance(schema, dict):
                pending.extend(_parts(schema, value))
        return True

    def _bounded(self, value: Any) -> int:
        """Refuse what is too deep, too much or not JSON, without recursion and before any
        validation. Returns how many values there are.
        """
        values = characters = 0
        pending: list[tuple[Any, int]] = [(value, 0)]
        while pending:
            current, depth = pending.pop()
            values += 1
            if isinstance(current, str):
                characters += len(current)
                if not current.isascii() and not _is_text(current):
                    raise BadArguments(
                        f"Invalid arguments for `{self._tool}`: a text has half of a surrogate pair"
                    )
            elif isinstance(current, float):
                if not math.isfinite(current):
                    raise BadArguments(
                        f"Invalid arguments for `{self._tool}`: NaN and Infinity are not JSON"
                        " numbers"
                    )
            elif isinstance(current, dict):
                pending.extend((item, depth + 1) for pair in current.items() for item in pair)
            elif isinstance(current, list):
                pending.extend((item, depth + 1) for item in current)
            if depth > MAX_DEPTH:
                raise BadArguments(
                    f"Invalid arguments for `{self._tool}`: nested deeper than {MAX_DEPTH} levels"
                )
            if values + len(pending) > MAX_VALUES:
                raise BadArguments(
                    f"Invalid arguments for `{self._tool}`: more than {MAX_VALUES:,} values"
                )
            if characters > MAX_CHARACTERS:
                raise BadArguments(
                    f"Invalid arguments for `{self._tool}`: more than {MAX_CHARACTERS:,} characters"
                )
        return values

    def _known(self, given: Mapping[str, Any]) -> None:
        """Refuse names the tool does not have, unless the schema is open and says so."""
        properties = self._schema.get("properties", {})
        if (
            self._schema.get("additionalProperties", False) is not False
            or "patternProperties" in self._schema
        ):
            return
        unknown = [name for name in given if name not in properties]
        if not unknown:
            return
        lines = [
            f"`{name[:100]}` is not an argument{suggest(name, properties)}" for name in unknown[:5]
        ]
        known = ", ".join(f"`{name}`" for name in list(properties)[:40]) or "none"
        raise BadArguments(
            "\n- ".join([f"Invalid arguments for `{self._tool}`:", *lines])
            + f"\nIts arguments are: {known}"
        )

    def _visit(self, schema: Any, pointer: str, value: Any, *, wire: bool) -> Any:
        """Walk schema and value together: forgive (`wire` false), or rename keys for the wire
        (`wire` true).

        A value is visited once for each place of the schema: the branches of a union may lead to
        the same places again, at every level.
        """
        schema, pointer = self._resolve(schema, pointer)
        if not isinstance(schema, dict):
            return value
        if not isinstance(value, dict | list | str):
            return self._visit_once(schema, pointer, value, wire=wire)
        key = (pointer, id(value), wire)
        if key not in self._visited:
            # The value is kept beside its result, so that no other takes its id
            self._visited[key] = value, self._visit_once(schema, pointer, value, wire=wire)
        return self._visited[key][1]

    def _visit_once(self, schema: dict[str, Any], pointer: str, value: Any, *, wire: bool) -> Any:
        if not wire:
            value = self._forgive(schema, value)
        for index, part in enumerate(schema.get("allOf", ())):
            value = self._visit(part, f"{pointer}/allOf/{index}", value, wire=wire)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                value = self._visit_union(schema[keyword], f"{pointer}/{keyword}", value, wire=wire)
        if isinstance(value, dict):
            return self._visit_object(schema, pointer, value, wire=wire)
        if isinstance(value, list):
            return self._visit_array(schema, pointer, value, wire=wire)
        return value

    def _visit_union(self, branches: list[Any], pointer: str, value: Any, *, wire: bool) -> Any:
        """Take the first branch the value fits, after forgiving; leave the value alone where none
        fits.
        """
        kind = _TYPES.get(type(value))
        for index, branch in enumerate(branches):
            place = f"{pointer}/{index}"
            kinds = self._kinds(branch, place)
            if (
                kinds is not None
                and kind not in kinds
                and not (kind == "string" and kinds & {"object", "array"})
            ):
                continue
            candidate = self._visit(branch, place, value, wire=False)
            if self._fits(branch, place, candidate):
                return self._visit(branch, place, value, wire=True) if wire else candidate
        return value

    def _visit_object(
        self, schema: dict[str, Any], pointer: str, value: dict[str, Any], *, wire: bool
    ) -> Any:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        rest = schema.get("additionalProperties")
        result: dict[str, Any] = {}
        spelled = {} if wire or not self._names else self._spelled(properties, pointer)
        for key, item in value.items():
            key = spelled.get(key, key) if spelled.get(key) not in value else key
            if key in properties:
                place = f"{pointer}/properties/{escape(key)}"
                if (
                    item is None
                    and not wire
                    and key not in required
                    and place not in self._nullable
                    and not self._takes_null(properties[key], place)
                ):
                    continue
                result[self._names.get(place, key) if wire else key] = self._visit(
                    properties[key], place, item, wire=wire
                )
            elif isinstance(rest, dict):
                result[key] = self._visit(rest, f"{pointer}/additionalProperties", item, wire=wire)
            else:
                result[key] = item
        return result

    def _spelled(self, properties: Iterable[str], pointer: str) -> dict[str, str]:
        """Keys as on the wire to keys of the schema: a caller who knows the API may use its own."""
        found = {}
        for key in properties:
            name = self._names.get(f"{pointer}/properties/{escape(key)}")
            if name is not None and name not in properties:
                found[name] = key
        return found

    def _visit_array(
        self, schema: dict[str, Any], pointer: str, value: list[Any], *, wire: bool
    ) -> list[Any]:
        prefix = schema.get("prefixItems", ())
        items = schema.get("items")
        result = [
            self._visit(part, f"{pointer}/prefixItems/{index}", item, wire=wire)
            for index, (part, item) in enumerate(zip(prefix, value, strict=False))
        ]
        rest = value[len(prefix) :]
        if isinstance(items, dict):
            return result + [
                self._visit(items, f"{pointer}/items", item, wire=wire) for item in rest
            ]
        return result + rest

    def _forgive(self, schema: dict[str, Any], value: Any) -> Any:
        """An object or array that came as JSON text, where text is not allowed; `2.0` where an
        integer is.
        """
        if isinstance(value, str):
            kinds = self._kinds(schema, "")
            if kinds is None or "string" in kinds or not kinds & {"object", "array"}:
                return value
            parsed = _parse(value)
            if _TYPES.get(type(parsed)) in kinds & {"object", "array"}:
                self._bounded(parsed)
                self._parsed = True
                return parsed
        elif isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            kinds = self._kinds(schema, "")
            if kinds is not None and "integer" in kinds and "number" not in kinds:
                return int(value)
        return value

    def _kinds(self, schema: Any, pointer: str, hops: int = 0) -> frozenset[str] | None:
        """The JSON types a schema allows; None where it does not say."""
        schema, pointer = self._resolve(schema, pointer)
        if not isinstance(schema, dict) or hops > MAX_HOPS:
            return None
        if "type" in schema:
            kinds = schema["type"]
            return frozenset([kinds] if isinstance(kinds, str) else kinds)
        if "const" in schema:
            return frozenset([_TYPES.get(type(schema["const"]), "")])
        if "enum" in schema:
            return frozenset(_TYPES.get(type(item), "") for item in schema["enum"])
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                branches = [self._kinds(branch, pointer, hops + 1) for branch in schema[keyword]]
                known = [branch for branch in branches if branch is not None]
                return frozenset().union(*known) if len(known) == len(branches) else None
        for part in schema.get("allOf", ()):
            found = self._kinds(part, pointer, hops + 1)
            if found is not None:
                return found
        if "properties" in schema:
            return frozenset(["object"])
        return frozenset(["array"]) if "items" in schema else None

    def _takes_null(self, schema: Any, pointer: str) -> bool:
        """Whether a schema says null itself (a schema that says nothing does not)."""
        kinds = self._kinds(schema, pointer)
        return kinds is not None and "null" in kinds

    def _fits(self, branch: Any, pointer: str, value: Any) -> bool:
        """Whether a value is valid for one branch of a union."""
        if pointer not in self._branches:
            part = self._checkable(branch, pointer)
            if isinstance(part, dict):
                part = {"$defs": self._root.get("$defs", {}), **part}
            try:
                self._branches[pointer] = compiled(part)
            except jsonschema_rs.ValidationError:
                self._branches[pointer] = None
        validator = self._branches[pointer]
        return validator is not None and validator.is_valid(value)

    def _resolve(self, schema: Any, pointer: str) -> tuple[Any, str]:
        """Follow local references; a reference that leads nowhere is an empty schema."""
        hops = 0
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            hops += 1
            pointer = schema["$ref"].removeprefix("#")
            schema = self._schema
            for key in split(pointer):
                schema = schema.get(key, {}) if isinstance(schema, dict) else {}
            if hops > MAX_HOPS:
                return {}, pointer
        return schema, pointer

    def _checkable(self, schema: Any, pointer: str) -> Any:
        """The schema with null allowed at `nullable`, without base URIs and without patterns the
        engine refuses.
        """
        if not isinstance(schema, dict):
            return schema
        result = {key: value for key, value in schema.items() if key not in ("$id", "$schema")}
        for keyword in _MAPS:
            if isinstance(schema.get(keyword), dict):
                result[keyword] = {
                    key: self._checkable(part, f"{pointer}/{keyword}/{escape(key)}")
                    for key, part in schema[keyword].items()
                    if not (
                        keyword == "patternProperties"
                        and self._bad_patterns
                        and not _is_pattern(key)
                    )
                }
        for keyword in _LISTS:
            if isinstance(schema.get(keyword), list):
                result[keyword] = [
                    self._checkable(part, f"{pointer}/{keyword}/{index}")
                    for index, part in enumerate(schema[keyword])
                ]
        for keyword in _SINGLES:
            if isinstance(schema.get(keyword), dict):
                result[keyword] = self._checkable(schema[keyword], f"{pointer}/{keyword}")
        if self._bad_patterns and "pattern" in result and not _is_pattern(result["pattern"]):
            del result["pattern"]
        return {"anyOf": [result, {"type": "null"}]} if pointer in self._nullable else result


def compiled(schema: Any, *, backtracking: bool = False) -> jsonschema_rs.Draft202012Validator:
    """A validator that never leaves the process. Raises jsonschema_rs.ValidationError for what is
    not a schema.

    `backtracking` takes patterns with look-around and back-references as well, and gives up on a
    text after a while.
    """
    options: jsonschema_rs.RegexOptions | jsonschema_rs.FancyRegexOptions
    options = jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN)
    if backtracking:
        options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000, size_limit=MAX_PATTERN)
    return jsonschema_rs.Draft202012Validator(schema, pattern_options=options, offline=True)


def _parts(schema: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """The schemas inside a schema, each with the value it is compared with."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(keyword, ()):
            yield part, value
    for keyword in ("not", "if", "then", "else"):
        if keyword in schema:
            yield schema[keyword], value
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        for key, item in value.items():
            yield properties.get(key, rest), item
    elif isinstance(value, list):
        prefix = schema.get("prefixItems", ())
        for part, item in zip(prefix, value, strict=False):
            yield part, item
        for item in value[len(prefix) :]:
            yield schema.get("items"), item


def _is_pattern(pattern: Any) -> bool:
    """Whether the linear engine takes a pattern (it has no look-around and no back-references)."""
    try:
        compiled({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        return False
    return True


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parse(text: str) -> Any:
    """JSON text as data, or None: a key given twice and NaN are not understood as anything."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is given twice")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _first(items: Iterable[Any], count: int) -> Iterator[Any]:
    for index, item in enumerate(items):
        if index == count:
            return
        yield item

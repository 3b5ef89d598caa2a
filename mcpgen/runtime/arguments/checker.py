"""Check a call's arguments before anything is sent.

A `Checker` is the compiled input schema of one tool. It repairs frequent slips of models (an object
sent as a JSON string, null for "not given"), and refuses everything else with a text that says what
to change. Patterns run on a linear-time engine and no reference is ever fetched.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from operator import is_
from types import MappingProxyType
from typing import Any

import jsonschema_rs

from ..pointer import escape, split
from . import (
    DATE_WITH_TIME,
    FORMATS,
    belongs,
    date_form,
    dropped_nulls,
    explain,
    fields_of,
    is_odd,
    may_take,
    slips,
    suggest,
)

MAX_DEPTH = 64
MAX_VALUES = 50_000
MAX_CHARACTERS = 8 * 1024 * 1024
MAX_HOPS = 64
MAX_PATTERN = 4 * 1024 * 1024
MAX_REMARKS = 3
MAX_STEPS = 10_000
"""Most comparisons of a schema with a value in the search for an explanation."""

_MAPS = frozenset("properties $defs definitions patternProperties dependentSchemas".split())
_LISTS = frozenset("anyOf oneOf allOf prefixItems".split())
_SINGLES = frozenset(
    "items additionalProperties not if then else contains propertyNames unevaluatedItems"
    " unevaluatedProperties".split()
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


_TEXT_ALONE = frozenset(("string", "null"))
_NO_DIGITS = frozenset((*FORMATS, "byte", "binary"))
"""Formats of texts that a number is not meant as."""
NULL = {"type": "null"}
ROOT = "urn:arguments"
BODY = ("body", "request_body")
"""Names of an argument that is a request body."""


class BadArguments(ValueError):
    """Arguments of a call that do not fit the tool; the text is written for the model."""


class Checker:
    """Compiled input schema of one tool.

    `nullable` are JSON Pointers into the schema where null is a value of its own, `names` maps
    pointers of nested properties to their keys on the wire. In a `merge_patch` null is a value of
    every optional field inside an argument (RFC 7396). For a tool that `reads`, null is the same as
    a missing argument; elsewhere a remark says that null was not sent.
    """

    _checks_dates = True

    def __init__(
        self,
        tool: str,
        schema: dict[str, Any],
        *,
        nullable: Iterable[str] = (),
        names: Mapping[str, str] = MappingProxyType({}),
        merge_patch: bool = False,
        reads: bool = False,
    ) -> None:
        self._tool = tool
        self._schema = schema
        self._nullable = frozenset(nullable)
        self._names = dict(names)
        self._merge_patch = merge_patch
        self._reads = reads
        self._branches: dict[str, jsonschema_rs.Draft202012Validator | None] = {}
        self._parsed = self._strange = self._dropped = self._respelled = self._careful = False
        self._visited: dict[tuple[str, int, bool], tuple[Any, Any]] = {}
        self._kinds_of: dict[int, tuple[Any, frozenset[str] | None]] = {}
        self._bad_patterns = False
        self._validator = self._compile()

    def _compile(self) -> jsonschema_rs.Draft202012Validator:
        """Return the validator of the whole schema, without the patterns that the linear engine
        cannot run.
        """
        try:
            self._root = self._checkable(self._schema, "")
            return compiled(self._root)
        except jsonschema_rs.ValidationError:
            self._bad_patterns = True
            self._root = self._checkable(self._schema, "")
            return compiled(self._root)

    def checked(self, arguments: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
        """Return the arguments for the tool's function, repaired, nested keys as on the wire, and
        remarks for the caller.

        Raises BadArguments: too large, unknown, missing or of the wrong kind.
        """
        remarks: list[str] = []
        received = dict(arguments or {})
        self._bounded(received)
        received = self._in_its_form(received)
        self._known(received)
        self._parsed = self._strange = self._dropped = self._respelled = False
        try:
            for careful in (False, True):
                self._careful = careful
                self._visited.clear()
                repaired = self._visit(self._schema, "", received, wire=False)
                if self._parsed:
                    self._bounded(repaired)
                if self._validator.is_valid(repaired):
                    break
            else:
                raise BadArguments(self._explained(repaired))
            if self._strange:
                remarks += islice(slips(self._schema, repaired, self._resolved), MAX_REMARKS)
            if self._dropped and not self._reads:
                remarks += islice(dropped_nulls(received, repaired), MAX_REMARKS)
            if self._names:
                repaired = self._visit(self._schema, "", repaired, wire=True)
        except RecursionError:
            raise self._refused("its parts turn a value into each other's") from None
        finally:
            self._visited.clear()
        return dict(repaired), remarks

    def _in_its_form(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with a request body as the tool takes it: as one argument, or as its
        fields. Callers may know the other form of another version of the API.
        """
        properties = self._schema.get("properties", {})
        unknown = {name: given[name] for name in given if name not in properties}
        for name in BODY:
            body = given.get(name)
            if name in properties.keys() & given.keys():
                continue
            if name in properties:
                fields = fields_of(properties[name], self._resolved)
                if unknown and unknown.keys() <= fields.keys():
                    known = {each: given[each] for each in given if each in properties}
                    return {**known, name: unknown}
            elif isinstance(body, dict) and body.keys() <= properties.keys() - given.keys():
                return {key: given[key] for key in given if key != name} | body
        return given

    def on_the_wire(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with their keys as on the wire; nothing is checked."""
        try:
            return dict(self._visit(self._schema, "", arguments, wire=True))
        finally:
            self._visited.clear()

    def _explained(self, arguments: dict[str, Any]) -> str:
        """Return a text on the faults of invalid arguments."""
        heading = f"Invalid arguments for `{self._tool}`"
        if self._can_be_explained(arguments):
            errors = islice(self._validator.iter_errors(arguments), 50)
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
        """Return whether the validator can list the errors in reasonable time.

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
        """Return the number of values in a value. Raises BadArguments for a value that is too deep,
        too large or not JSON, without recursion and before any validation.
        """
        values = characters = 0
        pending: list[tuple[Any, int]] = [(value, 0)]
        while pending:
            current, depth = pending.pop()
            values += 1
            if isinstance(current, str):
                characters += len(current)
            if not _is_json(current):
                raise self._refused(_NOT_JSON[type(current)])
            pending.extend((item, depth + 1) for item in _items(current))
            if depth > MAX_DEPTH:
                raise self._refused(f"nested deeper than {MAX_DEPTH} levels")
            if values + len(pending) > MAX_VALUES:
                raise self._refused(f"more than {MAX_VALUES:,} values")
            if characters > MAX_CHARACTERS:
                raise self._refused(f"more than {MAX_CHARACTERS:,} characters")
        return values

    def _refused(self, reason: str) -> BadArguments:
        return BadArguments(f"Invalid arguments for `{self._tool}`: {reason}")

    def _known(self, arguments: Mapping[str, Any]) -> None:
        """Raise BadArguments for names that the tool lacks, unless its schema is open."""
        properties = self._schema.get("properties", {})
        is_open = self._schema.get("additionalProperties", False) is not False
        if is_open or "patternProperties" in self._schema:
            return
        unknown = [name for name in arguments if name not in properties]
        if not unknown:
            return
        missing = [name for name in self._schema.get("required", ()) if name not in arguments]
        raise self._unknown(unknown, list(properties), arguments, missing)

    def _unknown(
        self, unknown: list[str], known: list[str], arguments: Mapping[str, Any], missing: list[str]
    ) -> BadArguments:
        """Return the error for arguments that the tool does not have, with the faults of the
        others. `missing` are required and not given.
        """
        lines = [f"Invalid arguments for `{self._tool}`:"]
        for name in unknown[:5]:
            hint = self._hint(name, known, arguments, missing)
            lines.append(f"`{name[:100]}` is not an argument{hint}")
        try:
            self.checked({name: arguments[name] for name in arguments if name not in unknown})
        except BadArguments as others:
            lines += str(others).partition("\nRequired arguments: ")[0].split("\n- ")[1:]
        names = ", ".join(f"`{name}`" for name in known[:40]) or "none"
        return BadArguments("\n- ".join(lines) + f"\nIts arguments are: {names}")

    def _hint(
        self, name: str, known: list[str], arguments: Mapping[str, Any], missing: list[str]
    ) -> str:
        """Return a hint on an unknown argument: its object, or a similar name; or nothing."""
        value, fields = arguments[name], self._schema.get("properties", {})
        free = [other for other in known if other not in arguments]
        free = [other for other in free if may_take(fields.get(other), value, self._resolved)]
        inside = belongs(name, arguments, self._schema, self._resolved)
        return inside or suggest(name, missing) or suggest(name, free)

    def _visit(self, schema: Any, pointer: str, value: Any, *, wire: bool) -> Any:
        """Return a value after a walk of schema and value together: slips are repaired (`wire`
        false), or keys get their names on the wire (`wire` true).

        A value is visited once for each place of the schema: the branches of a union may lead to
        the same places again, at every level, or to the place that is visited. With care a value
        that alone is valid stays unrepaired.
        """
        schema, pointer = self._resolve(schema, pointer)
        if not isinstance(schema, dict):
            return value
        key = (pointer, id(value), wire)
        if key not in self._visited:
            # The value is kept beside its result, so that no other takes its id
            self._visited[key] = value, value
            visited = self._visit_once(schema, pointer, value, wire=wire)
            if self._careful and not wire:
                visited = self._needed(schema, pointer, value, visited)
            self._visited[key] = value, visited
        return self._visited[key][1]

    def _needed(self, schema: dict[str, Any], pointer: str, value: Any, visited: Any) -> Any:
        """Return the repaired value, or the value where that alone fits the schema."""
        if visited is value or self._respelled or self._fits(schema, pointer, visited):
            return visited
        return value if self._fits(schema, pointer, value) else visited

    def _visit_once(self, schema: dict[str, Any], pointer: str, value: Any, *, wire: bool) -> Any:
        if not wire:
            value = self._forgive(schema, value)
        for index, part in enumerate(schema.get("allOf", ())):
            value = self._visit(part, f"{pointer}/allOf/{index}", value, wire=wire)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                value = self._visit_union(schema[keyword], f"{pointer}/{keyword}", value, wire=wire)
        visited: Any = value
        if isinstance(value, dict):
            visited = self._visit_object(schema, pointer, value, wire=wire)
            if [*visited] != [*value]:
                return visited
        elif isinstance(value, list):
            visited = self._visit_array(schema, pointer, value, wire=wire)
        # What did not change stays itself: at the same place it is not visited again
        return value if all(map(is_, _items(visited), _items(value))) else visited

    def _visit_union(self, branches: list[Any], pointer: str, value: Any, *, wire: bool) -> Any:
        """Return the value as the first branch takes it, if need be after repair; unchanged if it
        fits no branch. Repaired text and numbers are tried last: another branch may accept the
        value unrepaired.
        """
        repaired: list[Any] = []
        for index, branch in enumerate(branches):
            place = f"{pointer}/{index}"
            candidate = self._visit(branch, place, value, wire=False)
            if not self._fits(branch, place, candidate):
                continue
            if wire:
                return self._visit(branch, place, value, wire=True)
            if candidate == value or isinstance(value, dict | list):
                return candidate
            repaired.append(candidate)
        return self._chosen(repaired, branches, pointer, value)

    def _chosen(self, repaired: list[Any], branches: list[Any], pointer: str, value: Any) -> Any:
        """Return the first repaired value, else the value itself. A number or a flag keeps its type
        if a branch of the union takes that type: a text can mean `5`, and 5 is no text.
        """
        kinds = self._union_kinds(branches) or frozenset()
        if _TYPES.get(type(value)) in kinds - {"string"}:
            repaired = [each for each in repaired if type(each) is type(value)]
        return next(iter(repaired), value)

    def _visit_object(
        self, schema: dict[str, Any], pointer: str, value: dict[str, Any], *, wire: bool
    ) -> Any:
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        result: dict[str, Any] = {}
        spellings: dict[str, str] = {}
        if self._names and not wire:
            spellings = self._spellings(properties, pointer)
        for key, item in value.items():
            own_key = spellings.get(key, key)
            if own_key not in value:
                self._respelled = True
                key = own_key
            if key in properties:
                token = key if key.isidentifier() else escape(key)
                place = f"{pointer}/properties/{token}"
                if item is None and not wire and self._means_absent(schema, key, place):
                    self._dropped = True
                    continue
                name = self._names.get(place, key) if wire else key
                result[name] = self._visit(properties[key], place, item, wire=wire)
            elif isinstance(rest, dict):
                result[key] = self._visit(rest, f"{pointer}/additionalProperties", item, wire=wire)
            else:
                self._strange = True
                result[key] = item
        return result

    def _means_absent(self, schema: dict[str, Any], key: str, place: str) -> bool:
        """Return whether null for a property can only mean that it is not given."""
        if key in schema.get("required", ()):
            return False
        if place in self._nullable:
            return False
        if self._merge_patch and schema is not self._schema:
            return False
        return not self._takes_null(schema["properties"][key])

    def _spellings(self, properties: Iterable[str], pointer: str) -> dict[str, str]:
        """Return key on the wire -> key of the schema, where they differ: a caller who knows the
        API may use the API's keys.
        """
        at = f"{pointer}/properties/"
        keys = {self._names.get(at + escape(key), key): key for key in properties}
        return {name: key for name, key in keys.items() if name not in properties}

    def _visit_array(
        self, schema: dict[str, Any], pointer: str, value: list[Any], *, wire: bool
    ) -> list[Any]:
        prefix = schema.get("prefixItems", ())
        rest = schema.get("items")
        parts = [(part, f"{pointer}/prefixItems/{index}") for index, part in enumerate(prefix)]
        parts += [(rest, f"{pointer}/items")] * (len(value) - len(parts))
        visited = zip(parts, value, strict=False)
        return [self._visit(part, place, item, wire=wire) for (part, place), item in visited]

    def _forgive(self, schema: dict[str, Any], value: Any) -> Any:
        """Return a value, repaired if it has a single possible meaning:

        * parse JSON text where text is not allowed,
        * write a number or a flag as text where only text is allowed,
        * make `2.0` an integer where only integers are allowed,
        * drop the time of a date.
        """
        if not isinstance(value, str | float | int):
            return value
        if "format" in schema and is_odd(schema, value):
            self._strange = True
        if schema.get("format") == "date" and isinstance(value, str):
            is_date = self._checks_dates and date_form(schema)
            return DATE_WITH_TIME.sub(r"\1", value) if is_date else value
        kinds = self._kinds(schema) or frozenset()
        if isinstance(value, str):
            return value if "string" in kinds else self._meant(value, kinds)
        if "string" in kinds:
            is_text = kinds <= _TEXT_ALONE and schema.get("format") not in _NO_DIGITS
            return json.dumps(value) if is_text else value
        if isinstance(value, float):
            only_integers = kinds & {"integer", "number"} == {"integer"}
            if only_integers and value.is_integer() and abs(value) < 2**53:
                return int(value)
        return value

    def _meant(self, text: str, kinds: frozenset[str]) -> Any:
        """Return the JSON value of a text, if it is of one of these kinds (null aside); else the
        text.
        """
        allowed = kinds - {"null"}
        if "number" in allowed:
            allowed |= {"integer"}
        parsed = _parse(text)
        if _TYPES.get(type(parsed)) not in allowed or not _is_json(parsed):
            return text
        if isinstance(parsed, dict | list):
            self._bounded(parsed)
            self._parsed = True
        return parsed

    def _kinds(self, schema: Any) -> frozenset[str] | None:
        """Return the JSON types that a schema allows; None if it does not restrict them."""
        schema = self._resolve(schema, "")[0]
        if not isinstance(schema, dict):
            return None
        kinds = _own_kinds(schema)
        if kinds is not None or not schema:
            return kinds
        if id(schema) not in self._kinds_of:
            # Of a schema that is a part of itself the part says nothing
            self._kinds_of[id(schema)] = schema, None
            self._kinds_of[id(schema)] = schema, self._kinds_of_parts(schema)
        return self._kinds_of[id(schema)][1]

    def _kinds_of_parts(self, schema: dict[str, Any]) -> frozenset[str] | None:
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self._union_kinds(schema[keyword])
        for part in schema.get("allOf", ()):
            kinds = self._kinds(part)
            if kinds is not None:
                return kinds
        if "properties" in schema:
            return frozenset(["object"])
        if "items" in schema:
            return frozenset(["array"])
        return None

    def _union_kinds(self, branches: list[Any]) -> frozenset[str] | None:
        kinds = [self._kinds(branch) for branch in branches]
        known = [each for each in kinds if each is not None]
        if known != kinds:
            return None
        return frozenset[str]().union(*known)

    def _takes_null(self, schema: Any) -> bool:
        """Return whether a schema names null among its types."""
        kinds = self._kinds(schema)
        return kinds is not None and "null" in kinds

    def _fits(self, branch: Any, pointer: str, value: Any) -> bool:
        """Return whether a value is valid for a schema, such as a branch of a union."""
        if pointer not in self._branches:
            # Among the definitions of the root, to whose parts its own references lead
            definitions = {**self._root.get("$defs", {}), "": self._checkable(branch, pointer)}
            root = {**self._root, "$defs": definitions, "$id": ROOT}
            try:
                self._branches[pointer] = compiled({"$ref": f"{ROOT}#/$defs/", "$defs": {"": root}})
            except jsonschema_rs.ValidationError:
                self._branches[pointer] = None
        validator = self._branches[pointer]
        return validator is not None and validator.is_valid(value)

    def _resolve(self, schema: Any, pointer: str) -> tuple[Any, str]:
        """Return a schema and its pointer after its local references; `{}` if one leads nowhere."""
        hops = 0
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            hops += 1
            pointer = schema["$ref"].removeprefix("#")
            schema = self._schema
            for token in split(pointer):
                schema = schema.get(token, {}) if isinstance(schema, dict) else {}
            if hops > MAX_HOPS:
                return {}, pointer
        return schema, pointer

    def _resolved(self, schema: Any) -> Any:
        """Return a schema after its local references; `{}` if one leads nowhere."""
        return self._resolve(schema, "")[0]

    def _own_keywords(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of a schema without ids, its patterns as they are checked."""
        result = {key: value for key, value in schema.items() if key not in ("$id", "$schema")}
        if self._bad_patterns:
            _drop_bad_patterns(result)
        if self._checks_dates and (pattern := date_form(result)):
            result["pattern"] = pattern
        return result

    def _checkable(self, schema: Any, pointer: str) -> Any:
        """Return the schema as it is checked, from its JSON Pointer on: with null allowed at the
        pointers `nullable` and, inside the arguments of a merge patch, for optional and additional
        properties; without base URIs and without patterns the engine refuses.
        """
        if not isinstance(schema, dict):
            return schema
        result = self._own_keywords(schema)
        for keyword, part in result.items():
            place = f"{pointer}/{keyword}"
            if keyword in _MAPS:
                result[keyword] = {
                    key: self._checkable(one, f"{place}/{escape(key)}") for key, one in part.items()
                }
            elif keyword in _LISTS:
                result[keyword] = [
                    self._checkable(one, f"{place}/{index}") for index, one in enumerate(part)
                ]
            elif keyword in _SINGLES:
                result[keyword] = self._checkable(part, place)
        if self._merge_patch and pointer:
            _take_nulls(result)
        if pointer in self._nullable:
            return {"anyOf": [result, NULL]}
        return result


def _take_nulls(schema: dict[str, Any]) -> None:
    """Allow null, in place, for each property that is not required and for additional ones."""
    required = schema.get("required", ())
    fields = schema.get("properties", {})
    optional = {
        key: {"anyOf": [part, NULL]}
        for key, part in fields.items()
        if key not in required and part is not False
    }
    if optional:
        schema["properties"] = fields | optional
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        schema["additionalProperties"] = {"anyOf": [others, NULL]}


def compiled(
    schema: Any, *, backtracking: bool = False, formats: bool = False
) -> jsonschema_rs.Draft202012Validator:
    """Return a validator that never leaves the process. Raises jsonschema_rs.ValidationError for
    what is not a schema.

    `backtracking` takes patterns with look-around and back-references as well, and gives up on a
    text after a while. With `formats` a text must have the format that its schema names (JSON
    Schema 2020-12 Validation, section 7.2.2).
    """
    options: jsonschema_rs.RegexOptions | jsonschema_rs.FancyRegexOptions
    options = jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN)
    if backtracking:
        options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000, size_limit=MAX_PATTERN)
    return jsonschema_rs.Draft202012Validator(
        schema, pattern_options=options, validate_formats=formats, offline=True
    )


def _parts(schema: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the schemas inside a schema, each with the value it is compared with."""
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
        yield from zip(prefix, value, strict=False)
        for item in value[len(prefix) :]:
            yield schema.get("items"), item


def _drop_bad_patterns(schema: dict[str, Any]) -> None:
    """Remove, in place, the patterns of a schema that the linear engine refuses."""
    if "pattern" in schema and not _is_pattern(schema["pattern"]):
        del schema["pattern"]
    parts = schema.get("patternProperties")
    if isinstance(parts, dict):
        kept = {key: part for key, part in parts.items() if _is_pattern(key)}
        schema["patternProperties"] = kept


def _is_pattern(pattern: Any) -> bool:
    """Return whether the linear engine takes a pattern (it has no look-around and no
    back-references).
    """
    try:
        compiled({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        return False
    return True


def _own_kinds(schema: dict[str, Any]) -> frozenset[str] | None:
    """Return the JSON types that `type`, `const` or `enum` of a schema allow; None without them."""
    if "type" in schema:
        kinds = schema["type"]
        if isinstance(kinds, str):
            kinds = [kinds]
        return frozenset(kinds)
    if "const" in schema:
        return frozenset([_TYPES.get(type(schema["const"]), "")])
    if "enum" in schema:
        return frozenset(_TYPES.get(type(item), "") for item in schema["enum"])
    return None


def _is_json(value: Any) -> bool:
    """Return whether JSON can express a text or number; true for any other value."""
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, str) or value.isascii():
        return True
    return value.encode("utf-8", "ignore").decode() == value


_NOT_JSON = {
    float: "NaN and Infinity are not JSON numbers",
    str: "a text has half of a surrogate pair",
}


def _items(value: Any) -> Iterator[Any]:
    """Yield the keys and values of an object, or the items of an array; of any other value none."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield item
    elif isinstance(value, list):
        yield from value


def _parse(text: str) -> Any:
    """Return JSON text as data; None for other text, a key given twice, NaN and Infinity."""
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


@lru_cache(maxsize=256)
def _compiled_once(text: str) -> jsonschema_rs.Draft202012Validator:
    return compiled(json.loads(text))


def misfits(data: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return the fields of an object whose values do not fit its output schema, sorted; none if the
    schema has no `properties`.
    """
    if "properties" not in schema:
        return []
    errors = _compiled_once(json.dumps(schema)).iter_errors(data)
    return sorted({str(error.instance_path[0]) for error in errors if error.instance_path})


def without_misfits(data: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without its `misfits`: structured content has to fit the output schema (MCP
    2026-07-28, Tools, "Output Schema"), or clients that check this refuse the whole result.
    """
    wrong = misfits(data, schema)
    return {key: value for key, value in data.items() if key not in wrong}

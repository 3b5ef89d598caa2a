"""Sample arguments for every tool, and where each value must be found in the request they become.

Samples are deterministic, differ from argument to argument (so that two swapped ones are noticed)
and are checked by a validator before they are used.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import jsonschema_rs

from ..ir import Argument, Schema, Server, Tool
from ..runtime.pointer import split
from .expectations import credentials, expectations

MAX_DEPTH = 4
MOST = 100_000
"""Values of a sample, and characters that its texts must have."""
_FORMATS = {
    "date": "2026-01-{:02d}",
    "date-time": "2026-01-{:02d}T10:20:30Z",
    "time": "10:20:{:02d}Z",
    "duration": "P{}D",
    "email": "sample{}@example.com",
    "hostname": "sample{}.example.com",
    "uri": "https://example.com/{}",
    "url": "https://example.com/{}",
    "uri-reference": "/sample/{}",
    "uuid": "00000000-0000-4000-8000-0000000000{:02d}",
    "ipv4": "192.0.2.{}",
    "ipv6": "2001:db8::{}",
}


def tests_data(server: Server) -> dict[str, Any]:
    """Return the content of `tests/tools.json`: `environment` (variable → made-up value), and in
    `tools` arguments and the expected request of each.
    """
    environment = {
        variable: f"canary-{variable.lower().replace('_', '-')}-0123456789"
        for auth in server.auth
        # The third variable of client credentials is a token that makes the first two needless
        for variable in auth.variables[: 2 if auth.kind == "client_credentials" else None]
    }
    names = dict(server.definition_names)
    return {
        "environment": environment,
        "tools": [_tool(server, tool, environment, names) for tool in server.tools],
    }


def _tool(
    server: Server, tool: Tool, environment: dict[str, str], inner_names: dict[str, str]
) -> dict[str, Any]:
    """Return the test of a tool: `arguments` (None if none are found), the first one `required`,
    and the expected `request`. `inner_names`: pointer of a property in a definition → its name on
    the wire.
    """
    schema, names = tool.input_schema, ChainMap(dict(tool.wire_names))
    if tool.contract is not None:
        schema = {**tool.contract, "$defs": server.definitions}
        names.maps.append(inner_names)
    arguments = sample_arguments(tool, tool.input_schema, schema)
    if arguments is None:
        arguments = sample_arguments(tool, schema, schema)
    required = next(iter(tool.input_schema.get("required", ())), None)
    found: dict[str, Any] = {
        "name": tool.name,
        "arguments": arguments,
        "required": required,
        "request": None,
    }
    if tool.request is not None:
        found["request"] = {
            "method": tool.request.method,
            "path": _start(tool.request.base_url) + tool.request.path,
            "expect": expectations(tool, arguments, schema, names) if arguments is not None else [],
            "security": credentials(server, tool, environment),
        }
    return found


def _start(base_url: str | None) -> str:
    """Return the start of a request's path: `origin:/v2` for the base URL `/v2`, empty for any
    other.
    """
    start = str(base_url)
    return f"origin:{start.rstrip('/')}" if start.startswith("/") else ""


def sample_arguments(tool: Tool, schema: Schema, whole: Schema) -> dict[str, Any] | None:
    """Return arguments made for `schema` and valid for `whole`, optional ones included if a valid
    value is known; None if no such arguments are found.
    """
    sampler = Sampler(schema)
    required = schema.get("required", ())
    files = {
        argument.name for argument in tool.arguments if argument.encode in ("file", "from_base64")
    }
    plain = {argument.name for argument in tool.arguments if _is_plain(argument)}
    chosen = (tool.listing.fields, tool.listing.part)
    properties = schema.get("properties", {})
    properties = {name: part for name, part in properties.items() if name not in chosen}
    quick = {
        name: sampler.value(part, plain=name in plain, base64=name in files)
        for name, part in properties.items()
    }
    is_valid = _checker(whole)
    if is_valid(quick):
        return quick
    found: dict[str, Any] = {}
    for name, part in properties.items():
        value = sampler.valid(part, plain=name in plain, base64=name in files)
        if value is not None:
            found[name] = value[0]
        elif name in required:
            return None
    for candidate in (found, {name: found[name] for name in found if name in required}):
        if is_valid(candidate):
            return candidate
    return None


def _is_plain(argument: Argument) -> bool:
    """Return whether no space can be sent: in a header, a cookie, or a list separated by spaces."""
    if argument.place in ("header", "cookie"):
        return True
    options = dict(argument.options)
    # A form that is one argument has the functions of its fields among its options
    if "space_delimited" in (argument.encode, *options):
        return True
    return " " in options.get("within", "")


class Sampler:
    """Makes values for the parts of one schema, each different if the schema allows it."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._count = 0

    def valid(self, schema: Any, *, plain: bool = False, base64: bool = False) -> tuple[Any] | None:
        """Return a value that the schema accepts, in a tuple; None if none is found."""
        is_valid = _checker({"$defs": self._root.get("$defs", {}), "allOf": [schema]})
        for depth in (0, MAX_DEPTH - 1):
            value = self.value(schema, depth, plain=plain, base64=base64)
            if is_valid(value):
                return (value,)
        return None

    def value(
        self, schema: Any, depth: int = 0, *, plain: bool = False, base64: bool = False
    ) -> Any:
        """Return a value made for the schema, not checked; None if none can be made."""
        self._plain, self._base64, self._left = plain, base64, MOST
        try:
            return self._value(schema, depth)
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
            return None

    def _spend(self, amount: int) -> None:
        """Count values or characters. Raises ValueError beyond `MOST`."""
        self._left -= amount
        if self._left < 0:
            raise ValueError("too large")

    def _value(self, schema: Any, depth: int) -> Any:
        self._spend(1)
        schema = self._merged(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return next((item for item in schema["enum"] if item is not None), None)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                rest = {key: value for key, value in schema.items() if key != keyword}
                branches = [self._merged(branch) for branch in schema[keyword]]
                branch = next((one for one in branches if one.get("type") != "null"), branches[0])
                return self._value(_merge(rest, branch), depth)
        make: Callable[[dict[str, Any], int], Any] = {
            "object": self._object,
            "array": self._array,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda schema, depth: True,
            "null": lambda schema, depth: None,
        }.get(_kind(schema), self._string)
        return make(schema, depth)

    def _merged(self, schema: Any) -> dict[str, Any]:
        """Return the schema with its references and `allOf` taken in."""
        hops = 0
        result: dict[str, Any] = dict(schema) if isinstance(schema, dict) else {}
        while "$ref" in result and hops < 16:
            target: Any = self._root
            for token in split(result.pop("$ref")):
                target = target[token]
            result = _merge(result, target)
            hops += 1
        for part in result.pop("allOf", ()):
            result = _merge(result, self._merged(part))
        return result

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        found = {}
        for name, part in schema.get("properties", {}).items():
            if part is False:
                continue
            if name in required or depth < MAX_DEPTH - 1:
                found[name] = self._value(part, depth + 1)
        rest = schema.get("additionalProperties")
        other = rest if isinstance(rest, dict) else {"type": "string"}
        fewest = max(schema.get("minProperties", 0), 0 if found else 1)
        if rest is not False and len(found) < fewest:
            for index in range(max(schema.get("minProperties", 1), 1)):
                found[f"key{index}"] = self._value(other, depth + 1)
        for name in required:
            if name not in found:
                found[name] = self._value(other, depth + 1)
        return found

    def _array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        low = schema.get("minItems", 0)
        count = min(max(low, 2 if depth < 2 else 1), max(schema.get("maxItems", 2), low))
        prefix = schema.get("prefixItems", [])
        items = schema.get("items", {"type": "string"})
        found = [
            self._value(prefix[index] if index < len(prefix) else items, depth + 1)
            for index in range(count)
        ]
        if schema.get("uniqueItems") and len(found) == 2 and found[0] == found[1]:
            choices = self._merged(items).get("enum", [])
            found = choices[:2] if len(choices) > 1 else found[: max(low, 1)]
        return found

    def _integer(self, schema: dict[str, Any], depth: int) -> int:
        return int(self._bounded(schema, 1))

    def _number(self, schema: dict[str, Any], depth: int) -> int | float:
        value = self._bounded(schema, schema.get("multipleOf", 0.5))
        return int(value) if float(value).is_integer() else value

    def _bounded(self, schema: dict[str, Any], fraction: Any) -> Any:
        """Return a number within the bounds, a different one each time if there are several."""
        self._count += 1
        step = schema.get("multipleOf", 1)
        unit = step if "multipleOf" in schema else fraction
        low = schema.get("minimum")
        if "exclusiveMinimum" in schema:
            low = schema["exclusiveMinimum"] + unit
        high = schema.get("maximum")
        if "exclusiveMaximum" in schema:
            high = schema["exclusiveMaximum"] - unit
        if low is None:
            low = min(0, high - 1000) if high is not None else 0
        start = -(-low // step) * step
        room = int((high - start) // step) if high is not None else 10**6
        wanted = (self._count + 1) * step
        offset = (
            wanted
            if room >= self._count + 1
            else step * (self._count % (room + 1) if room > 0 else 0)
        )
        value = start + offset
        half = value + fraction if fraction == 0.5 and "multipleOf" not in schema else value
        return half if high is None or half <= high else value

    def _string(self, schema: dict[str, Any], depth: int) -> str:
        self._count += 1
        low, high = schema.get("minLength", 0), schema.get("maxLength", 10**6)
        self._spend(low)
        if "pattern" in schema:
            return self._matching(schema)
        if (
            self._base64
            or schema.get("format") in ("byte", "binary")
            or schema.get("contentEncoding") == "base64"
        ):
            return "c2FtcGxlIGZpbGUgMQ==" if low < 21 else "c2FtcGxl" * (-(-low // 8))
        if schema.get("format") in _FORMATS:
            return str(_FORMATS[schema["format"]]).format(self._count % 28 + 1)
        text = f"sample-{self._count}" if self._plain else f"sample {self._count}/&=é"
        if len(text) > high:
            text = f"s{self._count}"
        return str((text + "x" * (low - len(text)))[: max(high, 0)])

    def _matching(self, schema: dict[str, Any]) -> str:
        from .pattern_text import text_for  # late: few schemas have a pattern

        is_valid = _checker(schema)
        for extra in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55):
            text = text_for(schema["pattern"], extra)
            repeated = text or "a"
            longer = repeated * -(-schema.get("minLength", 0) // len(repeated))
            for candidate in (text, longer):
                if candidate is not None and is_valid(candidate):
                    return candidate
        raise ValueError("no text known for the pattern")


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return next((one for one in kind if one != "null"), "null")
    if kind is not None:
        return str(kind)
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return both schemas as one, as far as a sample needs it."""
    result = {**one, **other}
    in_both = one.keys() & other.keys()
    if "properties" in in_both:
        result["properties"] = {**one["properties"], **other["properties"]}
    if "required" in in_both:
        result["required"] = [
            *one["required"],
            *(name for name in other["required"] if name not in one["required"]),
        ]
    if "allOf" in in_both:
        result["allOf"] = [*one["allOf"], *other["allOf"]]
    return result


def _checker(schema: Any) -> Callable[[Any], bool]:
    """Return a check whether a value is valid. It reads as much of the schema as the value has."""
    return lambda value: _compiled(_needed(schema, frozenset(_keys(value))))(value)


def _keys(value: Any) -> Iterator[str]:
    """Yield the keys of the objects in a value."""
    if isinstance(value, list):
        for item in value:
            yield from _keys(item)
    elif isinstance(value, dict):
        yield from value
        yield from _keys([*value.values()])


def _needed(schema: Any, keys: frozenset[str]) -> Any:
    """Return a schema without the properties of other keys, and without definitions it then lacks
    references to.
    """
    definitions: dict[str, Any] = schema.get("$defs", {})
    found: dict[str, Any] = {}
    cut = _Cut(keys)
    result = cut.of({name: value for name, value in schema.items() if name != "$defs"})
    while cut.references:
        name = cut.references.pop()
        if name not in definitions:  # it refers into a definition, or to the whole schema
            return schema
        if name not in found:
            found[name] = None
            found[name] = cut.of(definitions[name])
    return {**result, "$defs": found}


class _Cut:
    """Leaves the properties of other keys out of schemas, and collects their references."""

    def __init__(self, keys: frozenset[str]) -> None:
        self._keys = keys
        self.references: list[str] = []

    def of(self, part: Any) -> Any:
        """Return a schema, or what holds some, with `true` for the properties of other keys."""
        if isinstance(part, list):
            return [self.of(item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            self.references.append(str(part["$ref"]).removeprefix("#/$defs/"))
        return {name: self._keyword(name, value) for name, value in part.items()}

    def _keyword(self, name: str, value: Any) -> Any:
        if name == "properties":
            return {key: key not in self._keys or self.of(value[key]) for key in value}
        if name in _MAPS:
            return {key: self.of(item) for key, item in value.items()}
        return value if name in _DATA else self.of(value)


_DATA = frozenset({"const", "enum", "default", "examples"})
_MAPS = frozenset({"patternProperties", "dependentSchemas"})
"""The keywords whose values are no schemas, and those with schemas by names of their own."""


def _compiled(schema: Any) -> Callable[[Any], bool]:
    """Return a check whether a value is valid, never so for a broken schema. Patterns run in linear
    time or, if they look around, with bounded steps.
    """
    for options in (
        jsonschema_rs.RegexOptions(),
        jsonschema_rs.FancyRegexOptions(backtrack_limit=10_000),
    ):
        with suppress(jsonschema_rs.ValidationError, ValueError):
            validator = jsonschema_rs.Draft202012Validator(
                schema, pattern_options=options, offline=True
            )
            return partial(_bounded, validator)
    return lambda value: False


def _bounded(validator: jsonschema_rs.Draft202012Validator, value: Any) -> bool:
    try:
        return validator.is_valid(value)
    except (jsonschema_rs.ValidationError, ValueError):
        return False

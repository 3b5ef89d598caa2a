"""The expected places of sample arguments in a request, in terms a recorder can check.

An expectation names a place (`path`, `query`, `header`, `cookie`, `body`), a wire name
(null for the whole body or query) and one of: `text` (the decoded value itself), `texts`
(the values of a repeated key, in order), `leaves` (texts that all occur in the decoded
value, for styles that join them), `json` (the value after decoding and parsing), `base64`
(the bytes), `one_of` (the decoded value is one of these).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ..ir import Argument, Auth, Schema, Server, Tool
from ..load.values import as_object
from ..runtime.client.wire_styles import form_text, json_lines, with_fields
from ..runtime.pointer import escape, unescape

Expectation = dict[str, Any]


def expectations(
    tool: Tool, arguments: dict[str, Any], root: Schema, names: Mapping[str, str]
) -> list[Expectation]:
    """Return the expectations of a request made from these arguments; empty without a request.
    `root` is the schema they are checked against, `names` has the names on the wire of properties
    in it, by pointer.
    """
    request = tool.request
    if request is None:
        return []
    found: list[Expectation] = [
        *({"place": "query", "name": name, "text": text} for name, text in request.fixed_query),
        *({"place": "header", "name": name, "text": text} for name, text in request.fixed_headers),
    ]
    if request.content_type:
        field = {"place": "header", "name": "Content-Type", "text": request.content_type}
        found.append(field)
    for argument in tool.arguments:
        if argument.fixed:
            value = argument.fixed[0]
        elif argument.name in arguments:
            schema = root["properties"][argument.name]
            pointer = f"/properties/{escape(argument.name)}"
            value = _on_the_wire(root, schema, pointer, arguments[argument.name], names)
            given = dict(argument.fixed_fields), dict(argument.default_fields)
            value = with_fields(value, *given)
        else:
            continue
        found.extend(_expected(tool, argument, value))
    return found


def credentials(
    server: Server, tool: Tool, environment: dict[str, str]
) -> list[list[Expectation]] | None:
    """Return the alternatives of credentials that a request may carry, given the environment
    (variable → value): empty if none are required, None if no alternative is possible.
    """
    _, security = server.call_of(tool)
    alternatives = server.security if security is None else security
    if not alternatives:
        return []
    usable = {auth.name: auth for auth in server.auth if auth.kind in _KINDS}
    possible = [
        _together([_credential(usable[name], environment) for name in names])
        for names in alternatives
        if usable.keys() >= set(names)
    ]
    return possible or None


STYLED = frozenset(
    "query form csv deep_object pipe_delimited space_delimited tab_delimited".split()
)
"""Kinds of bodies and places whose values have styles, and the functions of styles: they write a
part of a multipart body as they write a query parameter.
"""
_KINDS = ("api_key", "basic", "bearer", "client_credentials")


def _together(credentials: list[Expectation]) -> list[Expectation]:
    """Return an expectation with `one_of` for each place and name: of several credentials for a
    single header only one can be sent.
    """
    found: dict[tuple[str, str], Expectation] = {}
    for one in credentials:
        key = one["place"], one["name"].lower()
        if key in found:
            found[key] = {**found[key], "one_of": [*found[key]["one_of"], one["text"]]}
        else:
            found[key] = {"place": one["place"], "name": one["name"], "one_of": [one["text"]]}
    return list(found.values())


def _credential(auth: Auth, environment: dict[str, str]) -> Expectation:
    """Return the expectation of a credential. The token of `client_credentials` is issued by the
    tests' own endpoint.
    """
    values = [environment[variable] for variable in auth.variables if variable in environment]
    if auth.kind == "basic":
        text = "Basic " + base64.b64encode(":".join(values).encode()).decode()
    elif auth.kind == "client_credentials":
        text = "Bearer canary-fetched-token-0123456789"
    elif auth.kind == "bearer":
        text = f"{auth.scheme or 'Bearer'} {values[0]}"
    else:
        text = values[0]
    return {"place": auth.place, "name": auth.wire_name, "text": text}


def _expected(tool: Tool, argument: Argument, value: Any) -> Iterator[Expectation]:
    here: Expectation = {"place": argument.place, "name": argument.wire_name}
    kind: str = argument.place
    body = tool.request.body if tool.request is not None else None
    if body is None:
        kind = "json" if kind == "body" else kind
    elif kind == "body":
        kind = body.kind
        if body.whole:
            here["name"] = None
    if _is_form(argument) and isinstance(value, dict):
        written = {name: function for function, names in argument.options for name in names}
        for key, item in value.items():
            function = written.get(key, "json_text" if isinstance(item, dict) else "")
            yield from _field(
                replace(argument, encode=function, options=()), {**here, "name": key}, kind, item
            )
    else:
        yield from _field(argument, here, kind, value)


def _is_form(argument: Argument) -> bool:
    """Return whether an argument is a form, of which each field is an expectation."""
    if argument.encode == "query_string":
        return "media_type" not in dict(argument.options)
    return argument.encode in ("form_fields", "multipart_fields")


def _field(argument: Argument, here: Expectation, kind: str, value: Any) -> Iterator[Expectation]:
    """Yield the expectations of a parameter, a field of the body, or the whole body. `kind`: place,
    or kind of body.
    """
    value = _as_one_text(argument, value)
    if argument.encode in ("json_text", "json_part"):
        yield {**here, "json": value}
    elif argument.encode == "multipart_fields":
        items = value if isinstance(value, list) else [value]
        encode = "file" if all(isinstance(item, str) for item in items) else ""
        yield from _field(replace(argument, encode=encode), {**here, "name": "file"}, kind, items)
    elif argument.encode in ("file", "from_base64"):
        for item in value if isinstance(value, list) else [value]:
            yield {**here, "base64": item}
    elif kind == "json":
        yield {**here, "json": value}
    elif not STYLED.isdisjoint((argument.encode, kind)):
        yield from _pairs(argument, here, value)
    elif kind == "multipart" and isinstance(value, list):
        yield {**here, "texts": [text_of(item) for item in value]}
    elif isinstance(value, dict | list):
        yield {**here, "leaves": list(_leaves(value))}
    elif argument.encode in ("label", "matrix"):
        yield {**here, "leaves": [text_of(value)]}
    else:
        yield {**here, "text": text_of(value)}


def _as_one_text(argument: Argument, value: Any) -> Any:
    """Return the text that is sent for a whole form or for several JSON values; any other value as
    it is.
    """
    write = _WHOLE_TEXTS.get(argument.encode)
    if write is None:
        return value
    return write(value, **dict(argument.options))


_WHOLE_TEXTS: dict[str, Callable[..., Any]] = {"form_text": form_text, "json_lines": json_lines}
"""Functions that encode several values as a single text."""


def _pairs(argument: Argument, here: Expectation, value: Any) -> Iterator[Expectation]:
    """Yield the expectations of a query parameter or form field, by the style it is written in."""
    options = dict(argument.options)
    joined = argument.encode in ("csv", "space_delimited", "pipe_delimited", "tab_delimited")
    if argument.encode in ("form", "reserved"):
        joined = options.get("explode") is False
    whole = here["name"] is None or argument.encode == "query_string"
    if not isinstance(value, dict | list):
        yield {**here, "name": None if whole else here["name"], "text": text_of(value)}
    elif argument.encode == "deep_object":
        for suffix, item in _deep(value, ""):
            yield {**here, "name": f"{here['name']}{suffix}", "text": text_of(item)}
    elif joined:
        yield {**here, "leaves": list(_leaves(value))}
    elif isinstance(value, dict):
        if argument.encode == "query_string" and "json" in str(options.get("media_type", "")):
            yield {**here, "name": None, "json": value}
            return
        for key, item in value.items():
            if isinstance(item, list):
                yield {**here, "name": key, "texts": [text_of(one) for one in item]}
            else:
                yield {**here, "name": key, "text": text_of(item)}
    else:
        yield from _repeated(here, value, joins_inner_lists="within" in options)


def _repeated(
    here: Expectation, value: list[Any], *, joins_inner_lists: bool
) -> Iterator[Expectation]:
    """Yield the expectations of a list whose items are sent separately."""
    if joins_inner_lists:
        for item in value:
            yield {**here, "leaves": list(_leaves(item))}
    else:
        yield {**here, "texts": [text_of(item) for item in value]}


def _deep(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _deep(item, f"{name}[{key}]")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _deep(item, f"{name}[{index}]")
    else:
        yield name, value


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield text_of(value)


def text_of(value: Any) -> str:
    """Return the text of a value in a request, before encoding: `true`, `5`, empty for null,
    compact JSON for lists and objects.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, float):
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)


def _followed(root: dict[str, Any], schema: Any, pointer: str) -> tuple[Any, str]:
    """Return a schema with its references (16 at most) followed, and its pointer."""
    for _ in range(16):
        if "$ref" not in as_object(schema):
            break
        pointer = schema["$ref"].removeprefix("#")
        schema = root
        for token in pointer.split("/")[1:]:
            schema = schema[unescape(token)]
    return schema, pointer


def _on_the_wire(
    root: dict[str, Any], schema: Any, pointer: str, value: Any, names: Mapping[str, str]
) -> Any:
    """Return a sample with its nested keys as they are on the wire, following the schema."""
    schema, pointer = _followed(root, schema, pointer)
    if not names or not isinstance(schema, dict):
        return value
    for keyword in ("allOf", "anyOf", "oneOf"):
        for index, part in enumerate(schema.get(keyword, ())):
            value = _on_the_wire(root, part, f"{pointer}/{keyword}/{index}", value, names)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        renamed = {}
        for key, item in value.items():
            place = f"{pointer}/properties/{escape(key)}"
            if key in properties:
                renamed[names.get(place, key)] = _on_the_wire(
                    root, properties[key], place, item, names
                )
            else:
                renamed[key] = _on_the_wire(
                    root, rest, f"{pointer}/additionalProperties", item, names
                )
        return renamed
    if isinstance(value, list):
        items = schema.get("items")
        return [_on_the_wire(root, items, f"{pointer}/items", item, names) for item in value]
    return value

"""Answers → output schemas (OpenAPI 3.1 §4.8.16–17).

An output schema tells the model which fields come back. It is tolerant by construction: its root is
an open object, it requires nothing, and types are said in words, so every answer an API really
gives is valid against it. An answer that is not an object stands under `result`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..ir import Response, Schema
from ..text import plain, shorten, visible
from .parameter import is_json
from .projection import KEY
from .schema import type_of

if TYPE_CHECKING:
    from .schema import Reader

FIELDS = 40


def success(reader: Reader, operation: dict[str, Any], pointer: str) -> tuple[str, dict[str, Any]]:
    """The status and the response object of the answer a tool returns: the lowest 2xx, else `2XX`,
    else `default`.
    """
    given = operation.get("responses")
    responses = given if isinstance(given, dict) else {}
    codes = sorted(str(code) for code in responses if re.fullmatch(r"2\d\d", str(code)))
    for code in [*codes, "2XX", "2xx", "default"]:
        if code in responses:
            response, _ = reader.deref(responses[code], f"{pointer}/responses/{code}")
            if isinstance(response, dict):
                return code, response
    return "", {}


def media_types(response: dict[str, Any]) -> list[str]:
    """The media types of a response that can stand in an Accept field."""
    content = response.get("content")
    found = [str(name).strip() for name in content] if isinstance(content, dict) else []
    return [
        name
        for name in found
        if re.fullmatch(r"[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+(;[^\r\n]*)?", name)
    ]


def json_schema(response: dict[str, Any]) -> tuple[bool, Any]:
    """Whether a response is JSON, and its schema (`{}` where it has none)."""
    content = response.get("content")
    for name, media in content.items() if isinstance(content, dict) else ():
        if is_json(str(name)) or str(name).strip() == "*/*":
            return True, media.get("schema", {}) if isinstance(media, dict) else {}
    return False, {}


def accept(response: dict[str, Any]) -> str:
    """The Accept field of the request: JSON where it is offered, else what is offered, else
    JSON.
    """
    names = media_types(response)
    json_names = [name for name in names if is_json(name)]
    if json_names:
        return (
            json_names[0].split(";")[0]
            if "application/json" not in json_names
            else "application/json"
        )
    plain_names = [name for name in names if "*" not in name][:4]
    return ", ".join([*plain_names, "*/*;q=0.5"]) if plain_names else "application/json"


def understand(
    reader: Reader, response: dict[str, Any], *, fields: int = FIELDS
) -> tuple[Response, Schema | None]:
    """How an answer becomes a result, and the output schema; None where the answer is not JSON."""
    has_json, schema = json_schema(response)
    if not has_json:
        return Response(json=False, wrapped=False), None
    kinds = reader.kinds(schema)
    if kinds and kinds != {"object"}:
        said = phrase(reader, schema, 240)
        output: Schema = {
            "type": "object",
            "properties": {"result": {"description": said} if said else {}},
        }
        return Response(json=True, wrapped=True), output
    properties = reader.properties(schema)
    shown = {
        name: child
        for name, child in properties.items()
        if KEY.fullmatch(name) and reader.flatten(child).get("writeOnly") is not True
    }
    if not shown:
        # Whatever comes is valid against this: an object as it is, anything else under `result`.
        return Response(json=True, wrapped=False), {"type": "object"}
    listed = {}
    for name in list(shown)[:fields]:
        said = phrase(reader, shown[name], 60)
        listed[name] = {"description": said} if said else {}
    return Response(json=True, wrapped=False), {"type": "object", "properties": listed}


def phrase(reader: Reader, schema: Any, limit: int, depth: int = 0) -> str:
    """A schema in a few words: `integer`, `open | closed`, `array of objects: id, name`, `string
    (date-time)`.
    """
    flat = reader.flatten(schema)
    values = flat.get("enum")
    if isinstance(values, list) and values and all(type_of(value) != "object" for value in values):
        shown = [visible(str(value)) for value in values if value is not None]
        return shorten(" | ".join(shown[:8]) + (" | …" if len(shown) > 8 else ""), limit)
    kinds = reader.kinds(schema)
    if kinds == {"array"} and depth < 2:
        inner = phrase(reader, flat.get("items", {}), limit - 12, depth + 1)
        return f"array of {inner}" if inner else "array"
    if kinds == {"object"} and depth == 1:
        names = [name for name in reader.properties(schema) if KEY.fullmatch(name)]
        return shorten(f"objects: {', '.join(names)}", limit) if names else "objects"
    if depth == 1 and len(kinds) == 1:
        return f"{next(iter(kinds))}s"
    said = " or ".join(sorted(kinds))
    form = flat.get("format")
    if (
        isinstance(form, str)
        and re.fullmatch(r"[a-z-]{3,20}", form)
        and kinds == {"string"}
        and form != "string"
    ):
        return form
    return said


def sentence(reader: Reader, code: str, response: dict[str, Any], output: Schema | None) -> str:
    """The line of a description that says what comes back; nothing where nothing does."""
    if code == "204":
        return ""
    said = shorten(plain(response.get("description")).split("\n")[0], 160).rstrip(".")
    if said.lower() in (
        "",
        "ok",
        "success",
        "successful response",
        "successful operation",
        "default response",
        "response",
    ):
        said = ""
    has_json, schema = json_schema(response)
    shape = ""
    if has_json:
        kinds = reader.kinds(schema)
        shape = phrase(reader, schema, 120) if kinds - {"object"} else ""
        name = reader.flatten(schema).get("$name")
        if (
            not shape
            and isinstance(name, str)
            and re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{1,40}", name)
        ):
            shape = name
    elif media_types(response):
        shape = ", ".join(media_types(response)[:3])
    if said:
        said = said if said[:2].isupper() else said[0].lower() + said[1:]
        return f"Returns {said} ({shape})." if shape else f"Returns {said}."
    if shape:
        return f"Returns {shape}."
    return "Returns an object." if output and reader.kinds(schema) else ""

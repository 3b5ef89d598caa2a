"""Parameters → arguments: where each goes and how it is written there (OpenAPI 3.1 §4.8.12)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..ir import Place
from ..runtime.headers import FORBIDDEN_HEADERS, TOKEN
from ..text import visible

if TYPE_CHECKING:
    from ..problems import Problems
    from .schema import Reader

PLACES = ("path", "query", "header", "cookie")
# OpenAPI 3.1 §4.8.12.2: these header parameters are ignored, the request's own parts say them.
IGNORED_HEADERS = frozenset(["accept", "content-type", "authorization"])


class Unsayable(Exception):
    """The operation cannot become a tool: `code` and the reason; `pointer` says where, `hint` what
    to do.
    """

    def __init__(self, code: str, reason: str, pointer: str = "", hint: str = "") -> None:
        self.code, self.reason, self.pointer, self.hint = code, reason, pointer, hint
        super().__init__(reason)


@dataclass(slots=True)
class Field:
    """One value a tool takes, before it has a name: a parameter, a field of the body, or the whole
    body.
    """

    place: Place
    wire_name: str
    schema: Any
    required: bool
    encode: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    description: str = ""
    whole: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


def collect(
    reader: Reader, path_item: dict[str, Any], operation: dict[str, Any], pointers: tuple[str, str]
) -> list[tuple[dict[str, Any], str]]:
    """The parameters of an operation, those of its path included; the operation's own win (OpenAPI
    3.1 §4.8.9).

    Raises Unsayable where one cannot be read: what it was for would be lost.
    """
    found: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
    for owner, pointer in zip((path_item, operation), pointers, strict=True):
        given = owner.get("parameters")
        for index, entry in enumerate(given) if isinstance(given, list) else ():
            parameter, at = reader.deref(entry, f"{pointer}/parameters/{index}")
            if not isinstance(parameter, dict):
                raise Unsayable("E0405", f"parameter {index + 1} is not an object", at)
            found[str(parameter.get("in")), str(parameter.get("name"))] = parameter, at
    return list(found.values())


def templated(
    query: tuple[tuple[str, str], ...], found: list[tuple[dict[str, Any], str]], operation: str
) -> tuple[tuple[tuple[str, str], ...], list[tuple[dict[str, Any], str]]]:
    """What stands behind the `?` of a path, and the parameters: `?key={name}` is the query
    parameter `key`.

    OpenAPI has no templates there; whoever writes one means this. `operation` is the pointer of the
    operation.
    """
    fixed: list[tuple[str, str]] = []
    for key, value in query:
        template = re.fullmatch(r"\{([^{}]+)\}", value)
        if template is None:
            fixed.append((key, value))
            continue
        name = template[1]
        given = {"name": name, "in": "path", "schema": {"type": "string"}}, operation
        meant = next((item for item in found if item[0].get("name") in (name, key)), given)
        moved = {**meant[0], "in": "query", "name": key, "required": True}
        found = [(moved, meant[1]), *(item for item in found if item is not meant)]
    return tuple(fixed), found


def fields(
    reader: Reader,
    problems: Problems,
    parameters: list[tuple[dict[str, Any], str]],
    path: str,
    operation: str,
) -> list[Field]:
    """The fields of an operation's parameters, in the document's order. Raises Unsayable.

    `path` is the path template, `operation` the pointer of the operation.
    """
    template = re.findall(r"\{([^{}]+)\}", path)
    out: list[Field] = []
    for parameter, pointer in parameters:
        name, place = parameter.get("name"), parameter.get("in")
        if not isinstance(name, str) or not name:
            problems.warn("E0405", "parameter without a name: left out", pointer=pointer)
        elif place == "querystring":
            out.append(query_string(parameter, name))
        elif place in ("body", "formData"):
            raise Unsayable(
                "E0406",
                f"parameter `{name[:60]}` is `in: {place}`, which OpenAPI 3 does not have",
                pointer,
            )
        elif place not in PLACES:
            lowered = str(place).lower()
            known = {
                "headers": "header",
                "params": "query",
                "cookies": "cookie",
                "url": "path",
            }.get(lowered, lowered)
            if known not in PLACES:
                raise Unsayable(
                    "E0406",
                    f"parameter `{name[:60]}` is in an unknown place `{str(place)[:40]}`",
                    pointer,
                )
            problems.warn(
                "E0406",
                f"`in: {visible(str(place))[:40]}`",
                pointer=pointer,
                hint=f"did you mean `{known}`?",
            )
            out.extend(one(reader, problems, {**parameter, "in": known}, pointer, template))
        else:
            out.extend(one(reader, problems, parameter, pointer, template))
    declared = {item.wire_name for item in out if item.place == "path"}
    for name in dict.fromkeys(template):
        if name not in declared:
            problems.warn(
                "E0404",
                f"path parameter `{name}` is not declared: taken as text",
                pointer=operation,
            )
            out.append(Field("path", name, {"type": "string"}, True))
    return out


def one(
    reader: Reader, problems: Problems, parameter: dict[str, Any], pointer: str, template: list[str]
) -> list[Field]:
    """The field of one parameter, or none if it cannot be sent or a client may not set it."""
    name, place = parameter["name"], cast(Place, parameter["in"])
    required = parameter.get("required") is True or place == "path"
    if place == "header":
        if name.lower() in IGNORED_HEADERS:
            problems.note(
                "E0407",
                f"header `{visible(name)[:60]}` is left out: the server sends its own (OpenAPI 3.1"
                " section 4.8.12)",
                pointer=pointer,
            )
            return []
        if name.lower() in FORBIDDEN_HEADERS or not TOKEN.fullmatch(name):
            problems.note(
                "E0407",
                f"header `{visible(name)[:60]}` ignored: clients may not set this header",
                pointer=pointer,
            )
            return []
    if place == "cookie" and not TOKEN.fullmatch(name):
        problems.note(
            "E0407",
            f"cookie `{visible(name)[:60]}` is not a cookie name: left out",
            pointer=pointer,
        )
        return []
    if place == "path" and name not in template:
        problems.warn(
            "E0408",
            f"path parameter `{visible(name)[:60]}` does not occur in the path",
            pointer=pointer,
        )
        return []
    schema, encode, options = serialisation(reader, parameter, place)
    said = parameter.get("description")
    extra: dict[str, Any] = {}
    for key in ("example", "deprecated"):
        if key in parameter:
            extra[key] = parameter[key]
    return [
        Field(
            place,
            name,
            schema,
            required,
            encode,
            options,
            said if isinstance(said, str) else "",
            extra=extra,
        )
    ]


def query_string(parameter: dict[str, Any], name: str) -> Field:
    """OpenAPI 3.2 `in: querystring`: the whole query is one value."""
    content = parameter.get("content")
    media_type, media = (
        next(iter(content.items()), ("", None)) if isinstance(content, dict) else ("", None)
    )
    schema = media.get("schema", {}) if isinstance(media, dict) else {}
    said = parameter.get("description")
    return Field(
        "query",
        name,
        schema,
        parameter.get("required") is True,
        "query_string",
        (("media_type", "application/json"),) if is_json(media_type) else (),
        description=said if isinstance(said, str) else "",
    )


def serialisation(
    reader: Reader, parameter: dict[str, Any], place: Place
) -> tuple[Any, str, tuple[tuple[str, Any], ...]]:
    """A parameter's schema, and the function of `wire.py` that writes its values, with options."""
    content = parameter.get("content")
    if isinstance(content, dict) and content and "schema" not in parameter:
        media_type, media = next(iter(content.items()))
        schema = media.get("schema", {}) if isinstance(media, dict) else {}
        return schema, "json_text" if is_json(media_type) else "", ()
    schema = parameter.get("schema", {"type": "string"})
    if schema in ({}, None):
        schema = {"type": "string"}
    return schema, *style(reader, parameter, place, schema)


def style(
    reader: Reader, parameter: dict[str, Any], place: str, schema: Any
) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """The `style`, `explode` and `allowReserved` of a parameter or form field as a function of
    `wire.py`.

    The empty name is the place's default: in a query `form` exploded, elsewhere `simple`/`form` not
    exploded, which for scalars is the same thing as exploded.
    """
    kinds = reader.kinds(schema)
    structured = not kinds or bool(kinds & {"array", "object"})
    given = parameter.get("style")
    name = given if isinstance(given, str) else "simple" if place in ("path", "header") else "form"
    exploded = parameter.get("explode")
    explode = exploded if isinstance(exploded, bool) else name in ("form", "deepObject")
    if place == "path" and name in ("label", "matrix"):
        return name, (("explode", True),) if explode and structured else ()
    if not structured:
        return (
            ("reserved", ())
            if place == "query" and parameter.get("allowReserved") is True
            else ("", ())
        )
    if place in ("path", "header"):
        return ("simple", (("explode", True),)) if explode and "array" not in kinds else ("", ())
    if place == "cookie":
        return "", ()
    if name == "deepObject":
        return "deep_object", ()
    if parameter.get("allowReserved") is True:
        return "reserved", (("explode", explode),)
    if explode:
        return "", ()
    return {"spaceDelimited": "space_delimited", "pipeDelimited": "pipe_delimited"}.get(
        name, "csv"
    ), ()


def is_json(media_type: str) -> bool:
    """Whether a media type's values are JSON (RFC 6838 §4.2.8, RFC 8259)."""
    bare = media_type.split(";")[0].strip().lower()
    return bare in (
        "application/json",
        "text/json",
        "text/x-json",
        "application/x-json",
    ) or bare.endswith("+json")

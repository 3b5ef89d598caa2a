"""Parameters → fields: where each value goes and how it is written there (OpenAPI 3.1 §4.8.12)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, cast

from ..config.credentials import CONSTANT_HEADERS
from ..ir import Place
from ..load.values import as_list, as_object, as_text, examples_of, picked
from ..problems import Unsupported
from ..runtime.client.wire import EVERY_FIELD
from ..runtime.facts import FORBIDDEN_HEADERS, TOKEN
from ..runtime.results import fold
from ..text import plain, shorten, visible, words
from .servers import Query, parameter_names
from .xml_outline import outline

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container

    from .schema import Reader

PLACES = ("path", "query", "header", "cookie")
MISSPELT_PLACES = {"headers": "header", "params": "query", "cookies": "cookie", "url": "path"}
# OpenAPI 3.1 §4.8.12.2: these header parameters are ignored, the request's own parts say them.
IGNORED_HEADERS = frozenset(["accept", "content-type", "authorization"])
MEDIA_RANGES = re.compile(r"[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+[ -~]{0,200}")
"""Media types as in `Accept` and `Content-Type`."""
MEDIA_TYPE = re.compile(
    r"[A-Za-z0-9!#$&^_.+*-]{1,64}/[A-Za-z0-9!#$&^_.+*-]{1,100}"
    r"([ \t]*;[ \t]*[A-Za-z0-9!#$&^_.+*-]+=([A-Za-z0-9!#$&^_.+*/-]+|\"([ !#-\[\]-~]|\\[ -~])*\"))*"
)
MEANT = frozenset({"POST", "PUT", "PATCH"})
"""Methods of requests that mean their body (RFC 9110 §9.3, RFC 5789)."""
JSON_TYPES = ("application/json", "text/json", "text/x-json", "application/x-json")
SCHEMA_OF_SWAGGER = ("type", "format", "items", "enum", "default", "description")
"""Keywords of a schema that a parameter of Swagger 2.0 has itself."""
FLAGS = ("readOnly", "writeOnly", "deprecated")
"""Keywords of a value that hold however it is written."""
MOST_OF_ITS_TEXT = 200
"""Characters of a value's own text before the media type that a caller writes it in."""
VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,40}")
"""A version of an API, as a header names it."""
DEFAULT_STYLES = {"path": "simple", "header": "simple"}
DELIMITED_STYLES = {
    "spaceDelimited": "space_delimited",
    "pipeDelimited": "pipe_delimited",
    "tabDelimited": "tab_delimited",
}
SEPARATORS = {"csv": ",", "ssv": " ", "tsv": "\t", "pipes": "|"}
"""`collectionFormat` of a list inside a list (Swagger 2.0, Items Object) → what separates items."""
MOST_SEPARATORS = 4
"""Lists inside each other that are joined."""
JOINING = ("csv", "form", "simple", *DELIMITED_STYLES.values())
"""The functions that join lists inside a list as well."""
EXPLODED_STYLES = ("form", "deepObject", "cookie")
"""Styles whose `explode` is true where the document does not say (OpenAPI 3.2 §4.12.2)."""

Options = tuple[tuple[str, Any], ...]
"""Keyword arguments of the function that writes a value."""
Encoding = tuple[str, Options]
"""The function that writes a value, by name, and its options."""
Parameter = tuple[dict[str, Any], str]
"""A Parameter Object and its pointer."""
DEFAULT: Encoding = ("", ())
"""The encoding that a place has by default."""
JSON_QUERY: Encoding = ("query_string", (("media_type", "application/json"),))
"""The encoding of a whole query that is JSON."""


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
    options: Options = ()
    description: str = ""
    form: str = ""
    """Expected form of a text, besides its description."""
    whole: bool = False
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """Facts around a body: the `method`, the names on the wire that its arguments had at the last
    run (`kept`), and the folded names of `credentials` that the operator gives.
    """

    method: str = ""
    kept: Collection[str] = ()
    credentials: Container[str] = ()

    def means(self, node: dict[str, Any], name: str) -> bool:
        """Return whether a body with required fields is required itself: that of a POST, PUT or
        PATCH whose `node` has no `required`. It is false by default (OpenAPI 3.1 §4.8.13), as few
        authors mean. A body that was the argument `name` at the last run stays optional.
        """
        if self.method not in MEANT:
            return False
        if name in self.kept:
            return False
        return "required" not in node

    def fills(self, name: str) -> bool:
        """Return whether a credential fills a field that was no argument at the last run."""
        if name in self.kept:
            return False
        return fold(name) in self.credentials


def collect(
    reader: Reader, path_item: dict[str, Any], operation: dict[str, Any], pointers: tuple[str, str]
) -> list[Parameter]:
    """Return the parameters of an operation, those of its path included; the operation's own win
    (OpenAPI 3.1 §4.8.9). `pointers` are those of the path item and the operation.

    Raises Unsupported for a parameter that cannot be read.
    """
    parameters: dict[tuple[str, str], Parameter] = {}
    for owner, pointer in zip((path_item, operation), pointers, strict=True):
        for index, entry in enumerate(as_list(owner.get("parameters"))):
            at = f"{pointer}/parameters/{index}"
            parameter, at = reader.needed(entry, at, "E0405", f"parameter {index + 1}")
            if type(parameter.get("name")) is int:  # YAML reads `name: 1` so, and the key `1` not.
                parameter = {**parameter, "name": str(parameter["name"])}
            place, name = str(parameter.get("in")), str(parameter.get("name"))
            if place == "header":
                name = name.lower()  # RFC 9110 §5.1
            parameters[place, name] = parameter, at
    return list(parameters.values())


def templated(
    query: Query, parameters: list[Parameter], operation: str
) -> tuple[Query, list[Parameter]]:
    """Return the pairs of a path's `query` with a fixed value, and all parameters: for
    `?key={name}`, the parameter `name` or `key` becomes the required query parameter `key`; an
    undeclared one is a text.

    OpenAPI has no such templates. `operation` is the pointer of the operation.
    """
    fixed: list[tuple[str, str]] = []
    for key, value in query:
        template = re.fullmatch(r"\{([^{}]+)\}", value)
        if template is None:
            fixed.append((key, value))
            continue
        name = template[1]
        undeclared: Parameter = (
            {"name": name, "in": "path", "schema": {"type": "string"}},
            operation,
        )
        same_name = (item for item in parameters if item[0].get("name") in (name, key))
        declared = next(same_name, undeclared)
        moved = {**declared[0], "in": "query", "name": key, "required": True}
        others = [item for item in parameters if item is not declared]
        parameters = [(moved, declared[1]), *others]
    return tuple(fixed), parameters


def body_of(parameters: list[Parameter]) -> tuple[dict[str, Any] | None, list[Parameter]]:
    """Return the request body that parameters of Swagger 2.0 (`in: body`, `in: formData`) mean,
    None where there are none, and the other parameters.
    """
    body: dict[str, Any] | None = None
    properties: dict[str, Any] = {}
    required: list[str] = []
    others: list[Parameter] = []
    media_type = "application/x-www-form-urlencoded"
    for parameter, pointer in parameters:
        schema = {**picked(parameter, SCHEMA_OF_SWAGGER), **as_object(parameter.get("schema"))}
        if parameter.get("in") == "body":
            content = {"application/json": {"schema": schema}}
            body = {"content": content, **picked(parameter, ("required",))}
            continue
        if parameter.get("in") != "formData":
            others.append((parameter, pointer))
            continue
        if schema.get("type") == "file":
            schema |= {"type": "string", "format": "binary"}
        items = as_object(schema.get("items"))
        if "binary" in (schema.get("format"), items.get("format")):
            media_type = "multipart/form-data"
        name = as_text(parameter.get("name"))
        properties[name] = schema
        required += [name] * (parameter.get("required") is True)
    if not properties:
        return body, others
    form = {"type": "object", "properties": properties, "required": required}
    return {"content": {media_type: {"schema": form}}}, others


def validators(reader: Reader, path_item: dict[str, Any]) -> tuple[str, ...]:
    """Return `("etag",)` if an operation of the path takes `If-Match`, else `()`: the field of
    answers that makes a request conditional (RFC 9110 §13.1.1).
    """
    owners = [path_item, *map(as_object, path_item.values())]
    entries = [entry for owner in owners for entry in as_list(owner.get("parameters"))]
    names = {as_text(reader.peek(entry).get("name")).lower() for entry in entries}
    return ("etag",) if "if-match" in names else ()


def constant_headers(
    reader: Reader, parameters: list[Parameter]
) -> tuple[dict[str, str], list[Parameter]]:
    """Return name in lower case → value of documented `Accept` and `Content-Type` headers with a
    single value, and the other parameters. OpenAPI ignores such headers (3.1 §4.8.12.2).
    """
    constants: dict[str, str] = {}
    others: list[Parameter] = []
    for parameter, pointer in parameters:
        name = as_text(parameter.get("name")).lower()
        value = ""
        if parameter.get("in") == "header" and name in CONSTANT_HEADERS:
            value = _only_value(reader, parameter)
        if value:
            constants[name] = value
        else:
            others.append((parameter, pointer))
    return constants, others


def fixed_headers(
    reader: Reader, parameters: list[Parameter], kept: Container[tuple[str, str]]
) -> tuple[tuple[tuple[str, str], ...], list[Parameter]]:
    """Return (name, value) of each header that names a version of the API and has a constant or a
    default, and the other parameters. Each is noted. Headers that the lock has as arguments
    (`kept`) stay arguments.
    """
    fixed: dict[str, str] = {}
    others: list[Parameter] = []
    for parameter, pointer in parameters:
        name = as_text(parameter.get("name"))
        value = ""
        if (parameter.get("in"), "version" in words(name)) == ("header", True):
            schema = reader.flatten(parameter.get("schema", {}))
            value = as_text(schema.get("const", schema.get("default")))
        if VERSION.fullmatch(value) is None or ("header", name) in kept:
            others.append((parameter, pointer))
            continue
        fixed[name] = value
        message = f"header `{visible(name)[:60]}` is sent as `{value}`, its default"
        hint = "an overlay that changes the default sends another one"
        reader.problems.note("E0407", message, pointer=pointer, hint=hint)
    return tuple(fixed.items()), others


def _only_value(reader: Reader, parameter: dict[str, Any]) -> str:
    """Return the media type that a header always has: its `const`, else its default, else its only
    `enum` value. Empty if there is none, or the text is no media type.
    """
    schema = reader.flatten(parameter.get("schema", {}))
    values = as_list(schema.get("enum"))
    value = schema.get("const", schema.get("default"))
    if value is None and len(values) == 1:
        value = values[0]
    text = as_text(value).strip()
    if not MEDIA_RANGES.fullmatch(text):
        return ""
    return text


def fields(reader: Reader, parameters: list[Parameter], path: str, operation: str) -> list[Field]:
    """Return the fields of an operation's parameters, in the document's order, then the parameters
    of the path that are not declared, as texts. A parameter that cannot be sent, or that goes where
    another one does under the same name, is reported and left out. Raises Unsupported for a place
    (`in`) that does not exist.

    `path` is the path template, `operation` the pointer of the operation.
    """
    names = parameter_names(path)
    out: dict[tuple[Place, str], Field] = {}
    for parameter, pointer in parameters:
        name, at = as_text(parameter.get("name")), at_key(parameter, pointer, "name")
        if not name:
            reader.problems.warn("E0405", "parameter without a name: left out", pointer=at)
            continue
        is_query = parameter.get("in") == "querystring"
        place = "query" if is_query else _place(reader, parameter, pointer)
        key = place, name.lower() if place == "header" else name
        if key in out:
            message = f"another {place} parameter is named `{visible(name)[:60]}`: left out"
            reader.problems.warn("E0405", message, pointer=at)
        elif is_query:
            out[key] = _query_string(reader, parameter)
        elif _is_sendable(reader, name, place, names, at):
            out[key] = _field(reader, parameter, place)
    declared = {name for place, name in out if place == "path"}
    undeclared = [name for name in dict.fromkeys(names) if name not in declared]
    if len(undeclared) > _misnamed(parameters, declared):
        for name in undeclared:
            message = f"path parameter `{name}` is not declared: taken as text"
            reader.problems.warn("E0404", message, pointer=operation)
    return [
        *out.values(),
        *(Field("path", name, {"type": "string"}, True) for name in undeclared),
    ]


def _misnamed(parameters: list[Parameter], declared: set[str]) -> int:
    """Count the path parameters whose names are not among `declared`, those found in the path."""
    names = [as_text(node.get("name")) for node, _ in parameters if node.get("in") == "path"]
    return sum(name not in declared for name in names)


def at_key(node: dict[str, Any], pointer: str, key: str) -> str:
    """Return the pointer of a key of an object, or of the object itself where the key is
    missing.
    """
    if key in node:
        return f"{pointer}/{key}"
    return pointer


def _place(reader: Reader, parameter: dict[str, Any], pointer: str) -> Place:
    """Return the place of a parameter; a misspelt place is corrected with a warning. Raises
    Unsupported for any other.
    """
    label, written = f"parameter `{visible(parameter['name'])[:60]}`", parameter.get("in")
    if written in PLACES:
        return cast(Place, written)
    at = at_key(parameter, pointer, "in")
    hint = f"one of {', '.join(f'`{place}`' for place in PLACES)}"
    if written is None:
        raise Unsupported("E0406", f"{label} has no place (`in`)", at, hint)
    if written in ("body", "formData"):
        reason = f"{label} is `in: {written}`, which OpenAPI 3 does not have"
        raise Unsupported("E0406", reason, at)
    word = str(written).lower()
    place = MISSPELT_PLACES.get(word, word)
    if place not in PLACES:
        reason = f"{label} is in an unknown place `{visible(str(written))[:40]}`"
        raise Unsupported("E0406", reason, at, hint)
    message = f"`in: {visible(str(written))[:40]}`"
    reader.problems.warn("E0406", message, pointer=at, hint=f"did you mean `{place}`?")
    return cast(Place, place)


def _is_sendable(
    reader: Reader, name: str, place: Place, path_names: list[str], pointer: str
) -> bool:
    """Return whether a parameter can be sent and clients may set it; if not, a note or warning says
    why.
    """
    label = visible(name)[:60]
    if place == "header":
        if name.lower() in IGNORED_HEADERS:
            message = f"header `{label}` is left out: the server sends its own"
            hint = "`headers` in `mcpgen.toml` sends a constant one with every request"
            if name.lower() == "authorization":
                hint = ""
            reader.problems.note(
                "E0407", f"{message} (OpenAPI 3.1 section 4.8.12)", pointer=pointer, hint=hint
            )
            return False
        if name.lower() in FORBIDDEN_HEADERS or not TOKEN.fullmatch(name):
            message = f"header `{label}` ignored: clients may not set this header"
            reader.problems.note("E0407", message, pointer=pointer)
            return False
    elif place == "cookie" and not TOKEN.fullmatch(name):
        message = f"cookie `{label}` is not a cookie name: left out"
        reader.problems.note("E0407", message, pointer=pointer)
        return False
    elif place == "path" and name not in path_names:
        message = f"path parameter `{label}` does not occur in the path"
        hint = ""
        if path_names:
            hint = f"the path has {', '.join(f'`{visible(each)}`' for each in path_names)}"
        reader.problems.warn("E0408", message, pointer=pointer, hint=hint)
        return False
    return True


def _field(reader: Reader, parameter: dict[str, Any], place: Place) -> Field:
    schema, (encode, options) = _serialisation(reader, parameter, place)
    return Field(
        place,
        parameter["name"],
        with_examples(schema, _examples(reader, parameter)),
        required=parameter.get("required") is True or place == "path",
        encode=encode,
        options=options,
        description=as_text(parameter.get("description")),
        deprecated=parameter.get("deprecated") is True,
    )


def _query_string(reader: Reader, parameter: dict[str, Any]) -> Field:
    """Return the field of `in: querystring` (OpenAPI 3.2), whose value is the whole query: JSON if
    its media type is, else a form.
    """
    media_type, media = _content(parameter)
    schema = media.get("schema", {})
    if is_json(media_type):
        encode, options = JSON_QUERY
    else:
        encode = "query_string"
        options = member_writers(reader, schema, as_object(media.get("encoding")))
    return Field(
        "query",
        parameter["name"],
        with_examples(schema, _examples(reader, parameter)),
        required=parameter.get("required") is True,
        encode=encode,
        options=options,
        description=as_text(parameter.get("description")),
    )


def _examples(reader: Reader, parameter: dict[str, Any]) -> list[Any]:
    """Return the examples of a parameter and of its media type."""
    owners = [parameter, *map(as_object, as_object(parameter.get("content")).values())]
    return [each for owner in owners for each in examples_of(owner, reader.peek)]


def with_examples(schema: Any, examples: list[Any]) -> Any:
    """Return a copy of a schema with examples from around it before its own (OpenAPI 3.1
    §4.8.12.2); a boolean schema, or one without further examples, is returned unchanged.
    """
    if not examples or not isinstance(schema, dict):
        return schema
    return {**schema, "examples": [*examples, *as_list(schema.get("examples"))]}


def _content(parameter: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the media type and the Media Type Object of the first entry of a parameter's
    `content`; ("", {}) if it is empty.
    """
    for media_type, media in as_object(parameter.get("content")).items():
        return media_type, as_object(media)
    return "", {}


def _serialisation(reader: Reader, parameter: dict[str, Any], place: Place) -> tuple[Any, Encoding]:
    """Return a parameter's schema, a string if it has none, and the encoding of its values."""
    if as_object(parameter.get("content")) and "schema" not in parameter:
        media_type, media = _content(parameter)
        if is_json(media_type):
            options = (("ascii_only", True),) if place == "header" else ()
            return media.get("schema", {}), ("json_text", options)
        return _text_content(reader, media_type, media)
    schema = parameter.get("schema")
    if schema in ({}, None):
        schema = {"type": "string"}
    return schema, style(reader, parameter, place, schema)


def _text_content(reader: Reader, media_type: str, media: dict[str, Any]) -> tuple[Any, Encoding]:
    """Return the schema of a parameter whose `content` is no JSON, and how it is written: a scalar
    as usual, a form by its fields, any media type (`*/*`) as JSON; else the model writes the text.
    """
    schema = media.get("schema", {})
    if reader.kinds(schema).isdisjoint(("array", "object")):
        return schema, DEFAULT
    essence = media_type.split(";")[0].strip().lower()
    if essence == "application/x-www-form-urlencoded":
        encodings = as_object(media.get("encoding"))
        return schema, ("form_text", member_writers(reader, schema, encodings))
    if "*" in essence:
        return schema, ("json_text", ())
    return written_by_caller(reader, media_type, schema), DEFAULT


def written_by_caller(reader: Reader, media_type: str, schema: Any) -> dict[str, Any]:
    """Return the schema of a value that a caller writes as a text of a media type, in XML with its
    outline, after the beginning of its own text. Null and flags such as `readOnly` are kept.
    """
    essence = media_type.split(";")[0].strip()
    base, _, null = reader.expand(schema)
    form = outline(reader, base) if essence.lower().endswith("xml") else ""
    own = shorten(plain(base.get("description")), MOST_OF_ITS_TEXT).rstrip(".;:")
    text = ". ".join(filter(None, (own, f"The value as {visible(essence)[:60]}")))
    return {
        **picked(base, FLAGS),
        "type": ["string", "null"] if null else "string",
        "description": escape(f"{text}: {form}" if form else text),
    }


def readable(written: str) -> str:
    """Return a media type as it is sent: without parameters if one cannot be read, empty if type
    and subtype cannot.
    """
    essence = written.split(";")[0]
    return next(filter(MEDIA_TYPE.fullmatch, map(str.strip, (written, essence))), "")


def content_types(encoding: dict[str, Any]) -> list[str]:
    """Return the valid media types in the `contentType` of an Encoding Object."""
    written = as_text(encoding.get("contentType")).split(",")
    return list(filter(MEDIA_TYPE.fullmatch, map(str.strip, written)))


def form_writer(reader: Reader, schema: Any, encoding: dict[str, Any]) -> Encoding:
    """Return the encoding of a field of a form (OpenAPI 3.1 §4.8.15): JSON for an object or a JSON
    `contentType` without a `style`, else that of a query.
    """
    kinds = reader.kinds(schema) & {"object", "array"}
    is_json_text = any((kinds == {"object"}, *map(is_json, content_types(encoding))))
    if is_json_text and "style" not in encoding:
        return "json_text", ()
    return style(reader, encoding, "query", schema)


def member_writers(
    reader: Reader,
    schema: Any,
    encodings: dict[str, Any],
    writer: Callable[[Reader, Any, dict[str, Any]], Encoding] = form_writer,
) -> Options:
    """Return each function that writes fields of a form, with the names of the fields, or with name
    → options if one has options. Fields with the default encoding are left out, and objects as
    JSON.
    """
    members: dict[str, dict[str, dict[str, Any]]] = {}
    for name, child in _written_fields(reader, schema).items():
        encode, options = writer(reader, child, as_object(encodings.get(name)))
        if (encode, reader.kinds(child)) == ("json_text", {"object"}):
            continue  # An object is written as JSON anyway.
        if encode:
            members.setdefault(encode, {})[name] = dict(options)
    return tuple(
        (encode, fields if any(fields.values()) else tuple(fields))
        for encode, fields in sorted(members.items())
    )


def _written_fields(reader: Reader, schema: Any) -> dict[str, Any]:
    """Return name → schema of the fields of a form; those of a map share the name `EVERY_FIELD`."""
    properties = reader.properties(schema)
    if properties:
        return properties
    others = as_object(reader.flatten(schema).get("additionalProperties"))
    if others:
        return {EVERY_FIELD: others}
    return {}


def style(reader: Reader, parameter: dict[str, Any], place: str, schema: Any) -> Encoding:
    """Return the encoding by `style`, `explode` and `allowReserved` of a parameter or form field.

    The empty name is the place's default: in a query `form` exploded, elsewhere `simple`/`form` not
    exploded, which for scalars is the same thing as exploded.
    """
    encode, options = _outer_style(reader, parameter, place, schema)
    within = _separators_within(reader, schema)
    if not within:
        return encode, options
    if not encode and place == "query":
        encode = "form"
    elif not encode:
        encode, options = "simple", (("explode", False),)
    if encode not in JOINING:
        return encode, options
    return encode, (*options, ("within", within))


def _separators_within(reader: Reader, schema: Any) -> str:
    """Return the separators of lists inside a list, the outermost first, `",|"`; empty without
    any.
    """
    separators = ""
    items = reader.flatten(reader.flatten(schema).get("items"))
    while items.get("collectionFormat") in SEPARATORS and len(separators) < MOST_SEPARATORS:
        separators += SEPARATORS[items["collectionFormat"]]
        items = reader.flatten(items.get("items"))
    return separators


def _outer_style(reader: Reader, parameter: dict[str, Any], place: str, schema: Any) -> Encoding:
    """Return the encoding of `style`, without the separators of lists inside the value."""
    name, explode = _style_keywords(parameter, place)
    kinds = reader.kinds(schema)
    structured = not kinds or not kinds.isdisjoint(("array", "object"))
    if place == "cookie":
        return _cookie_style(name, explode)
    if place in ("path", "header"):
        options: Options = ()
        if structured:
            if name in DELIMITED_STYLES:
                return DELIMITED_STYLES[name], ()
            if explode:
                options = (("explode", True),)
        return _path_style(name, place, options, is_list="array" in kinds)
    reserved = parameter.get("allowReserved") is True
    if structured:
        return _query_style(name, explode, reserved)
    if reserved:
        return "reserved", ()
    return DEFAULT


def _style_keywords(parameter: dict[str, Any], place: str) -> tuple[str, bool]:
    """Return `style` and `explode`, with the defaults of the place."""
    name = parameter.get("style")
    if not isinstance(name, str):
        name = DEFAULT_STYLES.get(place, "form")
    explode = parameter.get("explode")
    if not isinstance(explode, bool):
        explode = name in EXPLODED_STYLES
    return name, explode


def _cookie_style(name: str, explode: bool) -> Encoding:
    """Return the encoding of a cookie's value: `cookie` for that style of OpenAPI 3.2, else the
    default.
    """
    if name != "cookie":
        return DEFAULT
    return "cookie", () if explode else (("explode", False),)


def _path_style(name: str, place: str, options: Options, *, is_list: bool) -> Encoding:
    """Return the encoding in a path or header: `label` and `matrix` in a path; `simple` for an
    object if `options` hold the explode flag; else the default.
    """
    if place == "path" and name in ("label", "matrix"):
        return name, options
    if options and not is_list:
        return "simple", options
    return DEFAULT


def _query_style(name: str, explode: bool, reserved: bool) -> Encoding:
    """Return the encoding of a list or an object in a query. Only `form` leaves reserved characters
    as they are, which may be percent-encoded all the same.
    """
    if name == "deepObject":
        return "deep_object", ()
    if name in DELIMITED_STYLES and not explode:
        return DELIMITED_STYLES[name], ()
    if reserved:
        return "reserved", (("explode", explode),)
    if explode:
        return DEFAULT
    return "csv", ()


def is_json(media_type: str) -> bool:
    """Return whether a media type's values are JSON (RFC 6838 §4.2.8, RFC 8259)."""
    essence = media_type.split(";")[0].strip().lower()
    return essence in JSON_TYPES or essence.endswith("+json")

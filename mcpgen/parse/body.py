"""Request bodies → arguments (OpenAPI 3.1 §4.8.13–15)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..ir import Body
from .parameter import Field, Unsayable, is_json, style
from .projection import in_order

if TYPE_CHECKING:
    from .schema import Reader

MEDIA_TYPE = re.compile(
    r"[A-Za-z0-9!#$&^_.+*-]{1,64}/[A-Za-z0-9!#$&^_.+*-]{1,100}(\s*;\s*[A-Za-z0-9-]+=[A-Za-z0-9._/\"-]+)*"
)
TEXT_TYPES = re.compile(
    r"text/|.*(\bxml|\+xml|yaml|ndjson|jsonl|json-seq|graphql|sql|javascript|csv)$"
)
PREFERENCE = ("json", "form", "multipart", "text", "binary")


def kind_of(media_type: str, schema: Any, reader: Reader) -> str | None:
    """How a body of that media type is written; None where it cannot be said."""
    bare = media_type.split(";")[0].strip().lower()
    if is_json(bare) or bare in ("*/*", "*", "application/*"):
        return "json"
    if bare == "application/x-www-form-urlencoded":
        return "form"
    if bare == "multipart/form-data":
        return "multipart"
    if bare.startswith("multipart/"):
        return None
    if TEXT_TYPES.match(bare):
        return "text"
    kinds = reader.kinds(schema)
    if (
        kinds & {"object", "array"}
        and bare.startswith("application/")
        and bare != "application/octet-stream"
    ):
        return "json"
    return "binary"


def choose(reader: Reader, content: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The media type a body is sent as: JSON, then form, multipart, text, binary; the first of its
    kind.
    """
    options: list[tuple[int, int, str, str, dict[str, Any]]] = []
    for index, (media_type, given) in enumerate(content.items()):
        media = given if isinstance(given, dict) else {}
        media_type = re.sub(r"\s*,\s*(?=[\w-]+=)", "; ", media_type)  # a parameter behind a comma
        kind = kind_of(media_type, media.get("schema"), reader)
        if kind is None or not MEDIA_TYPE.fullmatch(media_type.strip()):
            continue
        # A JSON type of exactly that name before its relatives, a wildcard last.
        rank = PREFERENCE.index(kind) * 10 + (
            0 if media_type.strip().lower() == "application/json" else 1
        )
        options.append(
            (rank + (5 if "*" in media_type else 0), index, kind, media_type.strip(), media)
        )
    if not options:
        raise Unsayable(
            "E0410", f"no request body type that can be sent: {', '.join(content)[:120]}"
        )
    _, _, kind, media_type, media = min(options, key=lambda option: option[:2])
    if "*" in media_type:
        media_type = {"json": "application/json", "text": "text/plain"}.get(
            kind, "application/octet-stream"
        )
    return kind, media_type, media


def fields(reader: Reader, given: Any, pointer: str) -> tuple[Body | None, list[Field]]:
    """The body of an operation and the fields it is made of. Raises Unsayable."""
    body, at = reader.deref(given, pointer)
    if not isinstance(body, dict):
        raise Unsayable("E0409", "the request body is not an object", at)
    content = body.get("content")
    required = body.get("required") is True
    said = body["description"] if isinstance(body.get("description"), str) else ""
    if not isinstance(content, dict) or not content:
        content = {"application/json": {}}
    kind, media_type, media = choose(reader, content)
    schema = media.get("schema", {})
    if schema is None:
        schema = {}
    if kind in ("text", "binary"):
        return whole(kind, media_type, schema, required, said, reader)
    given_encoding = media.get("encoding")
    encodings = given_encoding if isinstance(given_encoding, dict) else {}
    parts = flat_fields(reader, schema, required)
    if parts is None:
        written = (
            fields_written(reader, kind, schema, encodings) if kind in ("form", "multipart") else ()
        )
        return whole(kind, media_type, schema, required, said, reader, written)
    out = []
    for name, child, needed in parts:
        encoding = encodings.get(name)
        encode, options = writer(
            reader, kind, child, encoding if isinstance(encoding, dict) else {}
        )
        out.append(Field("body", name, child, needed, encode, options))
    return Body(kind=kind, media_type=media_type, whole=False, required=required), out  # type: ignore[arg-type]


def fields_written(
    reader: Reader, kind: str, schema: Any, encodings: dict[str, Any]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The functions that write the fields of a form that is one argument, each with the names of
    its fields.
    """
    found: dict[str, list[str]] = {}
    for name, child in reader.properties(schema).items():
        encoding = encodings.get(name)
        encode, _ = writer(reader, kind, child, encoding if isinstance(encoding, dict) else {})
        if encode and not (encode == "json_text" and reader.kinds(child) == {"object"}):
            found.setdefault(encode, []).append(name)
    return tuple(sorted((encode, tuple(names)) for encode, names in found.items()))


def whole(
    kind: str,
    media_type: str,
    schema: Any,
    required: bool,
    said: str,
    reader: Reader,
    written: tuple[tuple[str, tuple[str, ...]], ...] = (),
) -> tuple[Body, list[Field]]:
    """A body that is one argument; `written` says how the fields of a form are."""
    encode = {"form": "form_fields", "multipart": "multipart_fields"}.get(kind, "")
    if kind == "text":
        base, _, _ = reader.expand(schema)
        kinds = reader.kinds(schema)
        if len(kinds) != 1 or not kinds < {"integer", "number", "boolean"}:
            told = ("description", "enum", "maxLength", "minLength")
            schema = {
                "type": "string",
                **{key: value for key, value in base.items() if key in told},
            }
        label = media_type.split(";")[0]
        said = said or ("" if label == "text/plain" else f"The body as {label}")
    elif kind == "binary":
        schema = {
            "type": "string",
            "format": "binary",
            "description": said or f"The body ({media_type})",
        }
        encode = "from_base64"
    elif kind in ("form", "multipart"):
        base, branches, _ = reader.expand(schema)
        if base.get("properties") and not branches and "additionalProperties" not in base:
            # How an undeclared field is written, nobody has said: it is refused rather than sent
            # wrong
            schema = {**base, "additionalProperties": False}
    body = Body(kind=kind, media_type=media_type, whole=True, required=required)  # type: ignore[arg-type]
    # `body.body` would be two things
    name = "request_body" if "body" in reader.properties(schema) else "body"
    return body, [Field("body", name, schema, required, encode, written, said, whole=True)]


def flat_fields(
    reader: Reader, schema: Any, body_required: bool
) -> list[tuple[str, Any, bool]] | None:
    """The fields of an object body, or None where the body is better one argument.

    It is one argument when it is not an object, has a union at its root, is free-form or a typed
    map, or when it may be left out although it has required fields (then "all or nothing" can only
    be said with one argument).
    """
    base, branches, _ = reader.expand(schema)
    if branches or "object" not in reader.types(base):
        return None
    properties = base.get("properties")
    if not isinstance(properties, dict) or not properties:
        return None
    extra = base.get("additionalProperties")
    if isinstance(extra, dict) and extra:
        return None
    listed = base.get("required")
    required = (
        {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
    )
    out: list[tuple[str, Any, bool]] = []
    for name, child in in_order(properties, required):
        flat = reader.flatten(child)
        if flat.get("readOnly") is True or flat.get("not") == {}:
            required.discard(name)
            continue
        out.append((name, child, name in required))
    out += [(name, {}, True) for name in sorted(required - set(properties))]
    if not out or (required and not body_required) or base.get("minProperties", 0) not in (0, None):
        return None
    return out


def writer(
    reader: Reader, kind: str, schema: Any, encoding: dict[str, Any]
) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """How one field of a form or multipart body is written (OpenAPI 3.1 §4.8.15)."""
    if kind == "json":
        return "", ()
    kinds = reader.kinds(schema)
    content_type = encoding.get("contentType")
    content_type = content_type.split(",")[0].strip() if isinstance(content_type, str) else ""
    named = content_type if MEDIA_TYPE.fullmatch(content_type) and "*" not in content_type else ""
    if kind == "form":
        if named and is_json(named) and "style" not in encoding:
            return "json_text", ()
        if "object" in kinds and "array" not in kinds and "style" not in encoding:
            return "json_text", ()
        return style(reader, encoding, "query", schema)
    if is_binary(reader, schema):
        return "file", (("media_type", named),) if named else ()
    if (named and is_json(named)) or "object" in kinds or (not kinds and not named):
        return "json_part", (
            (("media_type", named),) if named and named != "application/json" else ()
        )
    items = reader.flatten(reader.flatten(schema).get("items", {}))
    if "array" in kinds and "object" in reader.kinds(items):
        return "json_part", ()
    return ("text_part", (("media_type", named),)) if named else ("", ())


def is_binary(reader: Reader, schema: Any) -> bool:
    """Whether a multipart field is a file, or a list of files."""
    flat = reader.flatten(schema)
    if "array" in reader.types(flat):
        flat = reader.flatten(flat.get("items", {}))
    if flat.get("format") == "binary" or flat.get("contentEncoding") == "base64":
        return True
    media_type = flat.get("contentMediaType")
    if (
        isinstance(media_type, str)
        and not is_json(media_type)
        and not media_type.startswith("text/")
    ):
        return True
    return any(is_binary(reader, branch) for branch in reader.branches(flat)[0][:4])

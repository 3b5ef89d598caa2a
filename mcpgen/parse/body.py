"""Request bodies → fields (OpenAPI 3.1 §4.8.13 to §4.8.15)."""

from __future__ import annotations

import operator
import re
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..ir import Body
from ..load.values import as_list, as_object, as_text, examples_of, texts_in, without
from ..problems import Unsupported
from ..runtime.facts import TOKEN
from ..text import visible
from .parameter import (
    DEFAULT,
    MEDIA_TYPE,
    Around,
    Encoding,
    Field,
    Options,
    content_types,
    form_writer,
    is_json,
    member_writers,
    readable,
    style,
    with_examples,
    written_by_caller,
)
from .projection import ENCODE, FILES, in_order, is_base64, is_raw, is_text_type
from .projection.inherited import with_fields_of_subtypes
from .schema import conditions, is_barred
from .xml_outline import outline

if TYPE_CHECKING:
    from collections.abc import Callable

    from .schema import Reader

BodyKind: TypeAlias = Literal["json", "form", "multipart", "text", "binary"]

LINES = re.compile(r"/(x-)?(ndjson|jsonl|json-?lines)\b|json-seq$", re.I)
"""Media types of several JSON values."""
OTHER_ENCODINGS = re.compile(r"msgpack|protobuf|cbor|bson|avro|smile|xdr")
"""Media types of data that is not written as JSON."""
OBJECTS_AS_TEXT = re.compile(r"[/+](x-)?(xml|ya?ml|csv)\b", re.I)
"""Media types of objects that a caller writes; an object in any other is JSON."""
PREFERENCE: tuple[BodyKind, ...] = ("json", "form", "multipart", "text", "binary")
KINDS: dict[str, BodyKind] = {
    "*/*": "json",
    "*": "json",
    "application/*": "json",
    "application/x-www-form-urlencoded": "form",
    "multipart/form-data": "multipart",
    "application/octet-stream": "binary",
}
"""Media type → how a body of that type is written, whatever its schema."""
MOST_FILE_TYPES = 8
"""Media types of a file that a body is matched with."""
SENT_FOR_A_WILDCARD = {"json": "application/json", "text": "text/plain"}
"""Kind of body → the media type that is sent where the document names a range of them."""
FORM_WRITERS = {"form": "form_fields", "multipart": "multipart_fields"}
TEXT_KEYWORDS = ("description", "enum", "examples", "maxLength", "minLength")
RULES_OF_NAMES = {"patternProperties", "propertyNames", "dependentRequired"}
"""Keywords of an object that are about all of its fields."""
STYLES = {"style", "explode"}
"""Keywords of an encoding in whose presence `contentType` means nothing."""
SOME_FIELDS = 8
"""Fields that a message names."""
EXAMPLES = {"default", "example", "examples"}
"""Keywords whose value shows that a part without a type is no file."""
UNIONS = {"anyOf", "oneOf"}
NEVER_BYTES = {"anyOf", "oneOf", "enum", "const", "not"}
"""Keywords beside which neither a missing type nor a media type makes a part a file."""
BODY = frozenset(("body", "request_body"))
"""Names of a body that is a single argument."""
ONE_SCALAR = ({"integer"}, {"number"}, {"boolean"})
"""Types of a schema for exactly one kind of scalar other than text."""

Option: TypeAlias = tuple[int, BodyKind, str, dict[str, Any]]
"""A body that can be sent: its rank, how it is written, its media type and Media Type Object."""


def kind_of(media_type: str, schema: Any, reader: Reader) -> BodyKind | None:
    """Return how a body of a media type is written; None if it cannot be sent: multipart other than
    `form-data`, or than `mixed` with properties; objects in a binary format such as msgpack.
    """
    essence = media_type.split(";")[0].strip().lower()
    if essence in KINDS:
        return KINDS[essence]
    if is_json(essence):
        return "json"
    if essence == "multipart/mixed" and reader.properties(schema):
        return "multipart"  # Other types have no names for their parts.
    if essence.startswith("multipart/"):
        return None
    if is_text_type(essence):
        return "text"
    if not essence.startswith("application/"):
        return "binary"
    if reader.kinds(schema).isdisjoint(("object", "array")):
        return "binary"
    if OTHER_ENCODINGS.search(essence):
        return None
    return "json"


def choose(
    reader: Reader, content: dict[str, Any], pointer: str
) -> tuple[BodyKind, str, dict[str, Any]]:
    """Return how a body is written, its media type and its Media Type Object: JSON, else a form,
    multipart, text, bytes; multipart first if only it can hold a file. Bytes have up to 8 media
    types, joined by commas; `*/*` is sent as `application/json`. Fields of the other types are
    noted. Raises Unsupported if none can be sent.
    """
    options: list[Option] = []
    media_types = {written: _media_type(written) for written in content}
    is_guessed = not any(media_types.values())
    for written, media in content.items():
        schema = as_object(media).get("schema")
        media_type = media_types[written]
        if is_guessed:
            media_type = _guessed(reader, written, schema, pointer)
        kind = kind_of(media_type, schema, reader) if media_type else None
        if kind is not None:
            options.append((_rank(kind, media_type), kind, media_type, as_object(media)))
    if not options:
        names = ", ".join(content)[:120]
        raise Unsupported("E0410", f"no request body type that can be sent: {names}")
    _, kind, media_type, media = chosen = _best(reader, options)
    _report_alternatives(reader, options, chosen, pointer)
    if kind == "binary":
        # A file says itself which of several types it is, or which of a range.
        files = [option[2] for option in options if option[1] == kind]
        media_type = ", ".join(files[:MOST_FILE_TYPES])
    elif "*" in media_type:
        media_type = SENT_FOR_A_WILDCARD.get(kind, media_type)
    return kind, media_type, media


def _best(reader: Reader, options: list[Option]) -> Option:
    """Return the first option by rank. JSON and forms cannot hold the bytes of a file: if one is
    first, a multipart body with a file that can replace it is returned instead.
    """
    best = min(options, key=lambda option: option[0])
    if best[1] not in ("json", "form"):
        return best
    for option in sorted(options, key=lambda option: option[0]):
        if _replaces(reader, option, best):
            return option
    return best


def _replaces(reader: Reader, option: Option, other: Option) -> bool:
    """Return whether `option`, a multipart body with a file, can be sent for `other`: `other` has a
    file too, or only fields that `option` has, and requires all that `option` requires.
    """
    if option[1] != "multipart":
        return False
    if not _has_file(reader, option):
        return False
    if _has_file(reader, other):
        return True
    names, demands = _names(reader, option)
    own, needed = _names(reader, other)
    return not (own - names | demands - needed)


def _names(reader: Reader, option: Option) -> tuple[set[str], set[str]]:
    """Return the names of a body's fields, and of its required fields."""
    schema = option[3].get("schema")
    base, _, _ = reader.expand(schema)
    return set(reader.properties(schema)), set(texts_in(base.get("required")))


def _has_file(reader: Reader, option: Option) -> bool:
    """Return whether a field of a body is a file, or a list of files, that nothing encodes."""
    properties = reader.properties(option[3].get("schema")).values()
    return any(_is_file(reader, child, is_raw) for child in properties)


def _report_alternatives(
    reader: Reader, options: list[Option], chosen: Option, pointer: str
) -> None:
    """Note, of each other option, fields that the chosen body lacks; texts and bytes have none."""
    own, _ = _names(reader, chosen)
    for option in options:
        names, _ = _names(reader, option)
        others = [] if option[1] in ("text", "binary") else sorted(names - own)
        if not others:
            continue
        fields = ", ".join(f"`{visible(name)[:40]}`" for name in others[:SOME_FIELDS])
        more = f" and {len(others) - SOME_FIELDS} more" if len(others) > SOME_FIELDS else ""
        reader.problems.note(
            "E0413",
            f"{chosen[2]} is sent; {option[2]} would have {fields}{more} besides",
            pointer=f"{pointer}/content",
            hint=f"to send it, take {chosen[2]} out of `content` with an overlay",
        )


def _media_type(written: str) -> str:
    """Return a media type as it is sent: a comma before a parameter becomes `;`, and parameters are
    dropped if one cannot be read. Empty if type and subtype cannot be read.
    """
    media_type = re.sub(r"\s*,\s*(?=[\w-]+=)", "; ", written).strip()
    return readable(media_type) or media_type * (media_type in KINDS)


def _guessed(reader: Reader, written: str, schema: Any, pointer: str) -> str:
    """Return the media type of a body whose own cannot be read, with a warning: JSON for an object
    or an array, else `text/plain`.
    """
    guess = "application/json"
    if reader.kinds(schema).isdisjoint(("object", "array")):
        guess = "text/plain"
    reader.problems.warn(
        "E0412",
        f"`{visible(written)[:60]}` is no media type: the body is sent as {guess}",
        pointer=pointer,
        hint="name the media type that the API reads",
    )
    return guess


def _rank(kind: BodyKind, media_type: str) -> int:
    """Return the rank of a media type, the lowest the best: by `kind` as in `PREFERENCE`, then
    `application/json`, the same with parameters, its relatives (`+json`), guesses; a wildcard is
    last of its kind.
    """
    rank = PREFERENCE.index(kind) * 10
    essence = media_type.lower().split(";")[0].strip()
    rank += media_type.lower() != "application/json"
    rank += essence != "application/json"
    rank += not is_json(essence)
    if "*" in media_type:
        rank += 5
    return rank


def fields(
    reader: Reader, request_body: Any, pointer: str, around: Around
) -> tuple[Body | None, list[Field]]:
    """Return the body of an operation and its fields, a single one if the body is one argument;
    `(None, [])` if it is optional and can hold nothing. It stays one argument, or fields, as in the
    last run. Raises Unsupported if it cannot be read or sent.
    """
    node, at = reader.needed(request_body, pointer, "E0409", "the request body")
    content = as_object(node.get("content"))
    if not content:
        content = {"application/json": {}}
    kind, media_type, media = choose(reader, content, at)
    examples = examples_of(media, reader.peek)
    schema = with_examples(media.get("schema", {}), examples)
    required = node.get("required") is True
    if around.means(node, _argument_name(reader, schema)):
        required |= _demands(reader, schema)
    text = as_text(node.get("description"))
    whole = Body(kind=kind, media_type=media_type, whole=True, required=required)
    if kind == "text":
        lines = _lines(reader, media_type, media)
        if lines is not None:
            return whole, [_lines_field(whole, lines, text)]
        return whole, [_text_field(reader, whole, schema, text)]
    if kind == "binary":
        return whole, [_binary_field(whole, text)]
    encodings = as_object(media.get("encoding"))
    if kind != "json":
        _refuse_lists(reader, kind, schema, at)
        _report_part_headers(reader, encodings, at)
        schema = _with_files(reader, kind, schema, encodings)
    else:
        schema = with_fields_of_subtypes(reader, schema)
    schema = _without_credentials(reader, schema, around, at)
    members = _members(reader, schema, required, text, around)
    if not members and not required and _holds_nothing(reader, schema):
        return None, []
    if not members:
        field = _whole_field(reader, whole, schema, text, encodings)
        return whole, [replace(field, wire_name=_whole_name(around.kept, field.wire_name))]
    out = []
    shown = list(map(as_object, as_list(reader.flatten(schema).get("examples"))))
    for name, child, needed in members:
        encode, options = WRITERS[kind](reader, child, as_object(encodings.get(name)))
        child = with_examples(child, [each[name] for each in shown if name in each])
        out.append(Field("body", name, child, needed, encode, options))
    return Body(kind=kind, media_type=media_type, whole=False, required=required), out


def _demands(reader: Reader, schema: Any) -> bool:
    """Return whether every object that a schema allows has a field that a caller gives."""
    seen: dict[str | int, Any] = {}
    pending = [schema]
    while pending:
        schema = pending.pop()
        base, branches, _ = reader.expand(schema)
        properties = as_object(base.get("properties"))
        names = [properties.get(name) for name in texts_in(base.get("required"))]
        if not all(is_barred(reader.flatten(each), "readOnly") for each in names):
            continue
        if not branches:
            return False
        for branch in branches:
            key = as_text(as_object(branch).get("$ref")) or id(branch)
            if key not in seen:
                seen[key] = branch
                pending.append(branch)
    return True


def _without_credentials(reader: Reader, schema: Any, around: Around, pointer: str) -> Any:
    """Return the schema of a body without the optional fields that a declared credential fills;
    each is noted.
    """
    flat = reader.flatten(schema)
    names: list[str] = []
    for name in without(as_object(flat.get("properties")), texts_in(flat.get("required"))):
        if not around.fills(name) or reader.kinds(flat["properties"][name]) - {"string", "null"}:
            continue
        names.append(name)
        message = f"field `{visible(name)[:60]}` of the body is left out: the credential of that"
        reader.problems.note("E0407", f"{message} name comes from the environment", pointer=pointer)
    return {**flat, "properties": without(flat["properties"], names)} if names else schema


def _refuse_lists(reader: Reader, kind: BodyKind, schema: Any, pointer: str) -> None:
    """Warn of a multipart body that is no object, and is sent under the name `file`. Raises
    Unsupported for a form that is neither an object nor a text: nothing names its fields (OpenAPI
    3.1 §4.8.14.3).
    """
    kinds = reader.kinds(schema)
    if not kinds:
        return
    if "object" in kinds:
        return
    if kind == "multipart":
        message = "the multipart body names no parts: it is sent under the name `file`"
        reader.problems.warn("E0455", message, pointer=pointer, hint="describe it as an object")
    elif "string" not in kinds:
        reason = f"a form is an object with named fields, not of type {' or '.join(sorted(kinds))}"
        raise Unsupported("E0456", reason, pointer)


def _lines(reader: Reader, media_type: str, media: dict[str, Any]) -> Any:
    """Return the array schema of a body of several JSON values, as in JSON Lines (OpenAPI 3.2
    §4.14.4); None for other media types, and without an array or `itemSchema`.
    """
    if not LINES.search(media_type):
        return None
    if "itemSchema" in media:
        return {"type": "array", "items": media["itemSchema"]}
    schema = media.get("schema")
    if reader.kinds(schema) == {"array"}:
        return schema
    return None


def _lines_field(body: Body, schema: Any, text: str) -> Field:
    """Return the field of a body of JSON values, each on a line; `schema` is their array."""
    options: Options = ()
    if "json-seq" in body.media_type:
        options = (("start", "\x1e"),)
    return Field("body", "body", schema, body.required, "json_lines", options, text, whole=True)


def _text_field(reader: Reader, body: Body, schema: Any, text: str) -> Field:
    """Return the field of a text body: a string, or the integer, number or boolean of its schema.
    In XML an outline is its `form`.
    """
    form = outline(reader, schema) if body.media_type.split(";")[0].endswith("xml") else ""
    if reader.kinds(schema) not in ONE_SCALAR:
        base, _, _ = reader.expand(schema)
        kept = {key: value for key, value in base.items() if key in TEXT_KEYWORDS}
        schema = {"type": "string", **kept}
    label = body.media_type.split(";")[0]
    if not text and label != "text/plain":
        text = f"The body as {label}"
    name = _argument_name(reader, schema)
    return Field("body", name, schema, body.required, description=text, form=form, whole=True)


def _binary_field(body: Body, text: str) -> Field:
    """Return the field of a body of bytes, which a caller gives as base64."""
    description = text or f"The body ({body.media_type})"
    schema = {"type": "string", "format": "binary", "description": description}
    return Field("body", "body", schema, body.required, "from_base64", (), text, whole=True)


def _whole_field(
    reader: Reader, body: Body, schema: Any, text: str, encodings: dict[str, Any]
) -> Field:
    """Return a JSON body or a form as a single argument. A form has the writers of its fields as
    options, and is closed unless its schema says otherwise.
    """
    options: Options = ()
    if body.kind != "json":
        options = member_writers(reader, schema, encodings, WRITERS[body.kind])
        base, branches, _ = reader.expand(schema)
        if base.get("properties") and not branches and "additionalProperties" not in base:
            # Nobody says how an undeclared field is written: it is refused rather than sent wrong.
            schema = {**base, "additionalProperties": False}
    encode = FORM_WRITERS.get(body.kind, "")
    name = _argument_name(reader, schema)
    return Field("body", name, schema, body.required, encode, options, text, whole=True)


def _argument_name(reader: Reader, schema: Any) -> str:
    """Return the name of a body that is a single argument: `body`, or `request_body` if it has a
    field `body`.
    """
    return "request_body" if "body" in reader.properties(schema) else "body"


def _whole_name(kept: Collection[str], new: str = "") -> str:
    """Return `body` or `request_body` if it is the only name in `kept`, the arguments of the body
    at the last run; else `new`.
    """
    return next(iter(BODY.intersection(kept)), new) if len(kept) == 1 else new


def _is_plain_object(reader: Reader, base: dict[str, Any], branches: list[Any]) -> bool:
    """Return whether an expanded schema is an object of fields alone: no union, no map, no
    conditions, no rules about names, no `minProperties`.
    """
    if branches:
        return False
    if "object" not in reader.types(base):
        return False
    if as_object(base.get("additionalProperties")):
        return False
    if not RULES_OF_NAMES.isdisjoint(base):
        return False
    if conditions(base):
        return False
    return base.get("minProperties", 0) in (0, None)


def _holds_nothing(reader: Reader, schema: Any) -> bool:
    """Return whether a schema allows only the empty object: closed, without a union, properties,
    patterns or `required`.
    """
    base, branches, _ = reader.expand(schema)
    if branches or base.get("additionalProperties") is not False:
        return False
    fields = map(base.get, ("properties", "patternProperties", "required"))
    return not any(fields) and "object" in reader.types(base)


def _members(
    reader: Reader, schema: Any, body_required: bool, text: str, around: Around
) -> list[tuple[str, Any, bool]]:
    """Return the fields of an object body as (name, schema, required), without `readOnly` ones;
    empty where the body is better one argument, or was at the last run. `text`, about the body,
    describes an only field (an envelope, `data`).

    One argument is a body that is no object, has a union at its root, is free-form or a map, also
    beside its fields, has fields that need others, or may be left out although it has required
    fields ("all or nothing" can only be said with one argument).
    """
    base, branches, _ = reader.expand(schema)
    properties = as_object(base.get("properties"))
    if not properties:
        return []
    if not _is_plain_object(reader, base, branches):
        return []
    required = set(texts_in(base.get("required")))
    members: list[tuple[str, Any, bool]] = []
    had_fields = False
    for name, child in in_order(properties, required):
        had_fields |= name in around.kept
        flat = reader.flatten(child)
        if is_barred(flat, "readOnly"):
            required.discard(name)
        else:
            members.append((name, child, name in required))
    members += [(name, {}, True) for name in sorted(required - set(properties))]
    is_whole = any([required and not body_required, base.get("additionalProperties") in (True, {})])
    if any([had_fields, _whole_name(around.kept)]):
        is_whole = not had_fields
    if is_whole:
        return []
    match members:
        case [(name, dict(child), needed)] if text:
            return [(name, {"description": text, **child}, needed)]
    return members


def _multipart_writer(reader: Reader, schema: Any, encoding: dict[str, Any]) -> Encoding:
    """Return the encoding of a multipart field (OpenAPI 3.1 §4.8.15): `file` for bytes, else by its
    `style`, else JSON or text. Constant part headers are options.
    """
    types = content_types(encoding)
    options: dict[str, Any] = {}
    headers = _part_headers(reader, encoding)
    if headers:
        options["headers"] = headers
    if _is_file(reader, schema, is_base64):
        media_type = ", ".join(types) or _own_media_type(reader, schema)
        if media_type:
            options["media_type"] = media_type
        return "file", tuple(options.items())
    if not STYLES.isdisjoint(encoding):
        return _styled_part_writer(reader, schema, encoding)
    kinds = reader.kinds(schema)
    if not kinds.isdisjoint(("array", "object")):
        types = [*filter(is_json, types), *types]
    content_type = next((one for one in types[:1] if "*" not in one), "")
    return _part_writer(reader, schema, content_type, options)


WRITERS = {"form": form_writer, "json": lambda *_: DEFAULT, "multipart": _multipart_writer}
"""Kind of body → the function that returns the encoding of a field."""


def _styled_part_writer(reader: Reader, schema: Any, encoding: dict[str, Any]) -> Encoding:
    """Return the encoding of a part with a style: that of a query parameter, without
    percent-encoding (OpenAPI 3.1.1 §4.8.15.1.2).
    """
    encode, options = style(reader, {**encoding, "allowReserved": False}, "query", schema)
    if encode or "object" not in reader.kinds(schema):
        return encode, options
    return "form", ()  # An object without a function would be JSON.


def _part_writer(
    reader: Reader, schema: Any, content_type: str, options: dict[str, Any]
) -> Encoding:
    """Return the encoding of a part that is no file: JSON, several JSON parts, or text. `options`
    get a `content_type` other than `application/json`, in place.
    """
    kinds = reader.kinds(schema)
    items = reader.flatten(schema).get("items", {})
    if content_type not in ("", "application/json"):
        options["media_type"] = content_type
    if _is_json_part(kinds, content_type):
        return "json_part", tuple(options.items())
    if "array" in kinds and "object" in reader.kinds(items):
        return "json_parts", tuple(options.items())
    if options:
        return "text_part", tuple(options.items())
    return DEFAULT


def _is_json_part(kinds: set[str], content_type: str) -> bool:
    """Return whether a part is JSON: an object always, else by its Content-Type; without one, only
    a value of unknown type.
    """
    if "object" in kinds:
        return True
    if content_type:
        return is_json(content_type)
    return not kinds


def _part_headers(reader: Reader, encoding: dict[str, Any]) -> dict[str, str]:
    """Return name → value of the header fields of a part whose value the document gives, without
    `Content-Type` (OpenAPI 3.1 §4.8.15).
    """
    fields: dict[str, str] = {}
    for name, header in as_object(encoding.get("headers")).items():
        if name.lower() == "content-type":
            continue
        value = _header_value(reader, header)
        if value and TOKEN.fullmatch(name):
            fields[name] = value
    return fields


def _header_value(reader: Reader, node: Any) -> str:
    """Return the first text among a header's constant, default and enum; empty if there is none."""
    header, _ = reader.deref(node, "")
    schema = reader.flatten(as_object(header).get("schema", {}))
    for value in (schema.get("const"), schema.get("default"), *as_list(schema.get("enum"))):
        if isinstance(value, str):
            return value
    return ""


def _report_part_headers(reader: Reader, encodings: dict[str, Any], pointer: str) -> None:
    """Warn of the required part headers for which the document gives no value."""
    for encoding in encodings.values():
        for name, node in as_object(as_object(encoding).get("headers")).items():
            header, _ = reader.deref(node, "")
            if as_object(header).get("required") is not True:
                continue
            if not _header_value(reader, node):
                label = visible(name)[:60]
                message = f"nothing says the value of the part header `{label}`: it is not sent"
                reader.problems.warn("E0457", message, pointer=pointer)


def _own_media_type(reader: Reader, schema: Any) -> str:
    """Return the `contentMediaType` of a file, or of the items of a list; empty for none, an
    invalid one, and `application/octet-stream`: the file may say its own.
    """
    flat = reader.flatten(schema)
    if "array" in reader.types(flat):
        flat = reader.flatten(flat.get("items", {}))
    media_type = as_text(flat.get("contentMediaType"))
    if media_type == "application/octet-stream":
        return ""
    if MEDIA_TYPE.fullmatch(media_type):
        return media_type
    return ""


def _is_file(
    reader: Reader, schema: Any, is_bytes: Callable[[dict[str, Any]], bool], depth: int = 3
) -> bool:
    """Return whether a value is bytes by `is_bytes`, or a list of bytes, or may be by a branch of a
    union, `depth` unions deep.
    """
    flat = reader.flatten(schema)
    if "array" in reader.types(flat):
        flat = reader.flatten(flat.get("items", {}))
    if is_bytes(flat):
        return True
    branches, _ = reader.branches(flat) if depth else ([], False)
    return any(_is_file(reader, branch, is_bytes, depth - 1) for branch in branches[:4])


def _with_files(
    reader: Reader, kind: BodyKind, schema: Any, encodings: dict[str, Any], depth: int = 2
) -> Any:
    """Return the schema of a form with its parts as they are sent, also in the branches of a union:
    objects in XML, YAML or CSV are texts; in a multipart body files are `format: binary`. Unchanged
    without such parts.
    """
    if not depth:
        return schema
    flat = reader.flatten(schema)
    parts: dict[str, Any] = {}
    for name, child in as_object(flat.get("properties")).items():
        encoding = as_object(encodings.get(name))
        part = _as_text(reader, name, child, encoding)
        if kind == "multipart":
            part = part or _as_file(reader, child, content_types(encoding))
        if part:
            parts[name] = part
    changed: dict[str, Any] = {}
    if parts:
        changed["properties"] = flat["properties"] | parts
    for keyword in UNIONS.intersection(flat):
        branches = as_list(flat[keyword])
        files = [_with_files(reader, kind, each, encodings, depth - 1) for each in branches]
        if any(map(operator.is_not, files, branches)):
            changed[keyword] = files
    return {**flat, **changed} if changed else schema


def _as_text(
    reader: Reader, name: str, schema: Any, encoding: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the schema of a part whose objects the caller writes in XML, YAML or CSV, also as
    items of a list; None for any other part, and for one with a `style`.
    """
    types = content_types(encoding)
    if not types:
        return None
    if not STYLES.isdisjoint(encoding):
        return None
    if not all(map(OBJECTS_AS_TEXT.search, types)):
        return None
    flat = reader.flatten(schema)
    kinds = reader.kinds(flat)
    if kinds == {"array"}:
        items = reader.flatten(flat.get("items", {}))
        if "object" not in reader.kinds(items):
            return None
        return {**flat, "items": written_by_caller(reader, types[0], {"$name": name, **items})}
    if "object" not in kinds:
        return None
    return written_by_caller(reader, types[0], {"$name": name, **flat})


def _as_file(
    reader: Reader, schema: Any, types: list[str], *, is_item: bool = False
) -> dict[str, Any] | None:
    """Return the schema of a part that is bytes by its media types alone, with `format: binary`: a
    text, or without a type, in media types that are no text; or without type, media types and
    example (OpenAPI 3.1 §4.8.15.1). A list has such items, but none of the last kind, unless in
    base64. None for any other part.
    """
    flat = reader.flatten(schema)
    kinds = reader.kinds(flat)
    if (kinds, is_item) == ({"array"}, False):
        items = _as_file(reader, flat.get("items", {}), types, is_item=True)
        return None if items is None else {**flat, "items": items}
    if kinds - {"string"}:
        return None
    if not NEVER_BYTES.isdisjoint(flat):
        return None
    if any(map(is_text_type, types)):
        return None
    bare = not kinds
    signs = (types, bare & is_base64(flat), bare & EXAMPLES.isdisjoint(flat) & (not is_item))
    return {"type": "string", **flat, "format": "binary"} if any(signs) else None


def with_encodings(reader: Reader, item: Field) -> Any:
    """Return the schema of an argument with `x-encode` at each file: the function that writes the
    file, so that the listed text says how to give one. Bytes inside JSON have none.
    """
    if item.encode == "multipart_fields":
        return _with_encoding(reader, "file", 2, True, item.schema)
    if item.encode in FILES:
        return _with_encoding(reader, item.encode, 2, False, item.schema)
    return item.schema


def _with_encoding(reader: Reader, encode: str, depth: int, is_form: bool, schema: Any) -> Any:
    """Return a schema with `x-encode` at each file, down to `depth` unions or lists; with `is_form`
    also at the files of a form's fields.
    """
    flat = reader.flatten(schema)
    if is_base64(flat):
        return {**flat, ENCODE: encode}
    if not depth:
        return schema
    inner = partial(_with_encoding, reader, encode, depth - 1, is_form)
    field = partial(_with_encoding, reader, encode, 2, False)
    changed: dict[str, Any] = {}
    for keyword in UNIONS.intersection(flat):
        changed[keyword] = list(map(inner, as_list(flat[keyword])))
    if "items" in flat:
        changed["items"] = inner(flat["items"])
    if is_form:
        own = as_object(flat.get("properties"))
        changed["properties"] = {name: field(child) for name, child in own.items()}
        changed["additionalProperties"] = field(flat.get("additionalProperties", {}))
    changed = {key: value for key, value in changed.items() if value != flat.get(key, {})}
    return {**flat, **changed} if changed else schema

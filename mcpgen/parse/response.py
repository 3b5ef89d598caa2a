"""Answers → output schemas (OpenAPI 3.1 §4.8.16 and §4.8.17).

An output schema is tolerant by construction: its root is an open object and requires nothing, so
every real answer of an API is valid. An answer that is not an object is under `result`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import reduce
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ..ir import Response, Schema
from ..load.values import as_list, as_object, as_text, first_text, texts_in
from ..runtime.facts import TOKEN
from ..text import first_sentence, plain, sentences, shorten, visible, words
from .parameter import is_json, readable
from .projection import KEY
from .schema import UNIONS, component_name, type_of
from .vocabulary import ASIDE, EMPTY, ENVELOPES, FINITE, is_plural, singular

if TYPE_CHECKING:
    from .schema import Reader

OF_JSON = frozenset(["*/*", "application/*", "application/*+json"])
"""Media ranges with JSON in them."""
TELLING = 5
"""Fields of an answer that a description names."""
IDENTIFYING_NAMES = (
    frozenset("id number key slug uuid".split()),
    frozenset("name title full_name login label subject email".split()),
    frozenset("content text body message description summary".split()),
    frozenset("status state type kind amount total items data".split()),
)
"""Names of fields that tell what an object is, the most telling first."""
_OF_OTHERS = re.compile(r"(?:_|[a-z](?=I))ids?$|^(?:avatar|banner|colou?r|flags|icon|image)", re.I)
"""Names of fields that refer to other objects or to pictures: they distinguish least."""
_PAGING = re.compile(
    r"count|total|cursor|next|prev|more|limit|offset|page|size|complete|status|success"
    r"|^(ok|object|ur[il]|start|end)$",
    re.I,
)
"""Names of fields that tell how much of an answer there is, and how to go on."""
NOISE = re.compile(
    r"""(?:_|^)(?:urls?|href|links|node_id|etag|object)$ | Url$ | ^[_@$]
        | ^(?:is_?)?(?:ok|success(?:ful)?)$""",
    re.I | re.X,
)
"""Names of fields that tell nothing about an object; an error says itself that it failed."""
LIST_PHRASE = re.compile(r"\b(?:list|array|collection|page) of\b", re.I)
NOUN_PHRASE = re.compile(
    r"(?:returns? )?((?:an?|the|all|every|each|your|information|details|metadata)\b.*)", re.I
)
PLURAL_PHRASE = re.compile(r"(?:returns? )?((?:list|array|collection|page|map) of\b.*)", re.I)


FIELDS_OF_TRANSPORT = frozenset("""
    age connection content-encoding content-language content-length content-type date expires
    keep-alive link nel p3p pragma set-cookie transfer-encoding vary via
    """.split())
"""Header fields that say nothing of the thing that was asked for, or are read anyway."""
WORDS_OF_TRANSPORT = frozenset("""
    apigw cache cdn cf control correlation debug frame interaction limit operationid policy
    powered rate ratelimit referrer report request requestid robots security server
    signature trace tracing transport xss
    """.split())
"""Words in the names of such fields: `X-RateLimit-Remaining`, `Access-Control-Allow-Origin`."""
BOUNDS = frozenset("maxLength enum const format".split())
"""Keywords of a text that is not long."""
TEXTS = re.compile(
    r"text/.|.*[/+-](?:x-)?(?:csv|jsonl|ndjson|json-seq|jsonlines|xml|ya?ml)\b", re.I
)
"""Media types of texts."""
LONG_TEXTS = frozenset("body content contents html log logs markdown text transcript".split())
"""Names of fields whose text may have any length."""

STATING = FINITE | frozenset("contains includes indicates provides responds returns shows".split())
"""Words that make a sentence of a line."""
RELATIVE = frozenset("that which who whose where if when whether".split())
"""Words that begin a relative or subordinate clause."""
ARTICLES = {"array": "an", "boolean": "a", "integer": "an", "number": "a", "string": "a"}
"""Type → its article."""


def success(reader: Reader, operation: dict[str, Any], pointer: str) -> tuple[str, dict[str, Any]]:
    """Return the status and the response object of the answer a tool returns: the lowest 2xx, else
    `2XX`, else `default`; `("", {})` if there is none.
    """
    responses = as_object(operation.get("responses"))
    codes = sorted(code for code in responses if re.fullmatch(r"2\d\d", code))
    for code in [*codes, "2XX", "2xx", "default"]:
        if code in responses:
            response, _ = reader.deref(responses[code], f"{pointer}/responses/{code}")
            if isinstance(response, dict):
                return code, response
    return "", {}


def headers(response: dict[str, Any]) -> tuple[str, ...]:
    """Return the names, in lower case, of a response's header fields with content of their own: a
    total, a token, an ETag.
    """
    names = dict.fromkeys(name.lower() for name in as_object(response.get("headers")))
    told = [name for name in names if TOKEN.fullmatch(name) and name not in FIELDS_OF_TRANSPORT]
    return tuple(name for name in told if WORDS_OF_TRANSPORT.isdisjoint(words(name)))


def media_types(response: dict[str, Any]) -> list[str]:
    """Return the media types of a response that are valid in an Accept field."""
    found = filter(None, map(readable, as_object(response.get("content"))))
    return list(dict.fromkeys(found))


def json_schema(response: dict[str, Any]) -> tuple[bool, Any]:
    """Return whether a response is JSON, and its schema (`{}` where it has none)."""
    for name, media in as_object(response.get("content")).items():
        if is_json(name) or name.strip() == "*/*":
            return True, as_object(media).get("schema", {})
    return False, {}


def is_long_text(reader: Reader, response: dict[str, Any]) -> bool:
    """Return whether an answer is a text of any length: of a media type for texts, or as JSON."""
    has_json, schema = json_schema(response)
    if not has_json:
        content = as_object(response.get("content"))
        texts = [name for name in content if TEXTS.match(readable(name))]
        schemas = [as_object(content[name]).get("schema") for name in texts]
        return any(BOUNDS.isdisjoint(reader.flatten(each)) for each in schemas)
    return reader.kinds(schema) == {"string"} and BOUNDS.isdisjoint(reader.flatten(schema))


def is_long_object(
    reader: Reader, schema: Any, many: set[str], seen: set[tuple[Any, ...]], depth: int = 3
) -> bool:
    """Return whether an object, or one up to two levels inside, has a field that may be long: a
    tree, a list of items of a type in `many`, a text of a name or a media type for long ones. A
    whole schema without declared fields may be long if its type is in `many`. `seen` gets the
    objects that were looked at.
    """
    properties = reader.properties(schema)
    if not properties:
        return all([depth == 3, reader.kinds(schema) & many])
    flat = reader.flatten(schema)
    component = flat.get("$name", "")
    place = component, depth, *(id(flat.get(key)) for key in ("properties", *UNIONS))
    if place in seen:
        return False
    seen.add(place)
    for name, child in properties.items():
        kinds = reader.kinds(child)
        flat = reader.flatten(child)
        is_long = False
        if kinds == {"array"}:
            items = reader.flatten(flat.get("items"))
            is_long = items.get("$name") == component
            is_long |= not many.isdisjoint(reader.kinds(items))
        elif kinds == {"string"}:
            is_long = TEXTS.match(as_text(flat.get("contentMediaType"))) is not None
            is_long |= (name.lower() in LONG_TEXTS) & BOUNDS.isdisjoint(flat)
        elif kinds == {"object"} and depth > 1:
            is_long = is_long_object(reader, child, many, seen, depth - 1)
        if is_long:
            return True
    return False


def items_of(
    reader: Reader, operation: dict[str, Any], pointer: str, sentence: str
) -> frozenset[str] | None:
    """Return the words for the items that an operation answers: those of their schema's name in the
    singular, and the plurals in a sentence about the operation.

    None if the answer is no array, no envelope of an array and a field for paging, and no list by
    the sentence (`Get a list of books`).
    """
    _, answer = success(reader, operation, pointer)
    schema = reader.flatten(json_schema(answer)[1])
    if reader.kinds(schema) != {"array"}:
        held = reader.properties(schema)
        names = sorted(ENVELOPES.intersection(held))
        schema = reader.flatten(held[names[0]]) if names else {}
        is_page = reader.kinds(schema) == {"array"} and any(map(_PAGING.search, held))
        if not any([is_page, LIST_PHRASE.search(sentence)]):
            return None
    items = as_object(schema.get("items"))
    name = first_text(component_name(as_text(items.get("$ref"))), items.get("title"))
    plurals = filter(is_plural, words(sentence))
    return frozenset([*map(singular, words(name)), *plurals])


def accept(response: dict[str, Any]) -> str:
    """Return the Accept field of the request: `application/json` if it or nothing is offered, else
    another JSON type, else up to four offered types or ranges and `*/*;q=0.5`.
    """
    names = media_types(response) or ["application/json"]
    json_names = [name for name in filter(is_json, names) if "*" not in name]
    if "application/json" in json_names:
        return "application/json"
    if json_names:
        return json_names[0].split(";")[0]
    others = [name for name in names if name not in OF_JSON]
    return ", ".join([*(others or ["application/json"])[:4], "*/*;q=0.5"])


def understand(
    reader: Reader, response: dict[str, Any], *, typed: bool
) -> tuple[Response, Schema | None]:
    """Return the mapping of an answer to a result, and the output schema; None if the answer is not
    JSON. `typed`: the schema has the types of the fields, else it is as small as can be.
    """
    has_json, schema = json_schema(response)
    if not has_json:
        return Response(json=False, wrapped=False), None
    if reader.kinds(schema) not in (set(), {"object"}):
        return Response(json=True, wrapped=True), _open_object({"result": {}})
    # Whatever comes is valid against this: an object as it is, anything else under `result`.
    output: Schema = {"type": "object"}
    fields = _readable(reader, schema)
    if typed and fields:
        output = _open_object({name: type_of_field(reader, fields[name]) for name in fields})
    return Response(json=True, wrapped=False), output


def _readable(reader: Reader, schema: Any) -> dict[str, Any]:
    """Return name → schema of an answer's fields, without `writeOnly` fields and names that clients
    refuse.
    """
    return {
        name: child
        for name, child in reader.properties(schema).items()
        if KEY.fullmatch(name) and reader.flatten(child).get("writeOnly") is not True
    }


def type_of_field(reader: Reader, schema: Any) -> Schema:
    """Return the types of a field and null, `{"type": ["string", "null"]}`; empty for unknown
    types.
    """
    kinds = sorted(reader.kinds(schema))
    return {"type": [*kinds, "null"]} if kinds else {}


def _open_object(properties: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties}


def identifying_fields(reader: Reader, schema: Any) -> list[str]:
    """Return the most distinguishing fields of an object, at most `TELLING`: name, content and
    status, then other fields in the author's order, and identifiers last; `…` if it has more. If
    the fields are in alphabetical order, required fields come first.
    """
    base, _, _ = reader.expand(schema)
    fields = _readable(reader, schema)
    names = [name for name in fields if not NOISE.search(name)]
    places = reader.document.places  # one that was made of several properties comes last
    names.sort(key=lambda name: places.get(id(fields[name]), (sys.maxsize,))[0])
    if names == sorted(names):
        required = set(texts_in(base.get("required")))
        names.sort(key=lambda name: name not in required)
    chosen = sorted(names, key=_rank)[:TELLING]
    return [*sorted(chosen, key=_is_identifier), *["…"] * (len(names) > TELLING)]


def _is_identifier(name: str) -> bool:
    """Return whether a field names an object, this one or another, and says nothing about it."""
    return any((name.lower() in IDENTIFYING_NAMES[0], _OF_OTHERS.search(name)))


def _rank(name: str) -> int:
    """Return the rank of a field by its name: 0 distinguishes an object most."""
    for rank, identifying_names in enumerate(IDENTIFYING_NAMES):
        if name.lower() in identifying_names:
            return rank
    return len(IDENTIFYING_NAMES) + bool(_OF_OTHERS.search(name))


def phrase(reader: Reader, schema: Any, limit: int, depth: int = 0) -> str:
    """Return a schema in a few words: `integer`, `open | closed`, `array of objects: id, name`,
    `date-time`; empty if any type fits.
    """
    flat = reader.flatten(schema)
    values = as_list(flat.get("enum"))
    if values and all(type_of(value) != "object" for value in values):
        return _values_phrase(values, limit)
    kinds = reader.kinds(schema)
    if kinds == {"array"} and depth < 2:
        items = phrase(reader, flat.get("items", {}), limit - 12, depth + 1)
        return f"array of {items}" if items else "array"
    if (depth, len(kinds)) == (1, 1):
        return _plural_phrase(reader, schema, kinds, limit)
    form = as_text(flat.get("format"))
    if kinds == {"string"} and re.fullmatch(r"[a-z-]{3,20}", form):
        return form
    return " or ".join(sorted(kinds))


def _values_phrase(values: list[Any], limit: int) -> str:
    texts = [visible(_spelled(value)) for value in values if value is not None]
    rest = " | …" if len(texts) > 8 else ""
    return shorten(" | ".join(texts[:8]) + rest, limit)


def _spelled(value: Any) -> str:
    """Return a value as JSON, a text without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _plural_phrase(reader: Reader, schema: Any, kinds: set[str], limit: int) -> str:
    """Return the items of an array, all of one type: `integers`, `objects: id, name`."""
    if kinds != {"object"}:
        return f"{next(iter(kinds))}s"
    names = identifying_fields(reader, schema)
    if not names:
        return "objects"
    return shorten(f"objects: {', '.join(names)}", limit)


def sentence(
    reader: Reader,
    code: str,
    response: dict[str, Any],
    headline: str,
    items: tuple[str, ...] | None,
) -> str:
    """Return the line of a description on the answer, if it says more than the tool's headline;
    else empty. `items`: the keys to the list in the answer, if there is a list; the line then names
    the fields of its items.
    """
    if code == "204":
        return ""
    text = _said(response, headline)
    form = _form(reader, response, items)
    article = ARTICLES.get(form.split(" ")[0])
    if text:
        form = f"{text} ({form})" if form else text
    elif article:
        form = f"{article} {form}"
    if not form:
        return ""
    return f"Returns {form}" if form.endswith("…") else f"Returns {form}."


def is_told(line: str, text: str) -> bool:
    """Return whether the sentences of a text with the word `return` have every telling word of a
    line; False for a line without one.
    """
    told: set[str] = set()
    for sentence_of_text in sentences(text):
        found = set(map(singular, words(sentence_of_text)))
        if "return" in found:
            told |= found
    new = {singular(word) for word in words(line) if word not in EMPTY} - {"return"}
    return bool(new) and new <= told


def _said(response: dict[str, Any], headline: str) -> str:
    """Return a response's description as the end of `Returns …`; empty if it has none, says nothing
    new or is no noun phrase.
    """
    text, _ = first_sentence(plain(response.get("description")))
    line = shorten(text, 160)
    new_words = {singular(word) for word in words(line) if word not in EMPTY}
    if new_words <= {*map(singular, words(headline))}:
        return ""
    if _is_statement(line):
        return ""
    plural = PLURAL_PHRASE.fullmatch(line)
    if plural:
        return f"a {_lowered(plural.group(1))}".replace("a array", "an array")
    noun = NOUN_PHRASE.fullmatch(line)
    if noun:
        return _lowered(noun.group(1))
    return ""


def _is_statement(line: str) -> bool:
    """Return whether a line is a whole sentence, which cannot follow `Returns`: `The book was
    deleted`, `The response contains …`.
    """
    main_clause = takewhile(lambda word: word not in RELATIVE, words(line)[1:])
    return not STATING.isdisjoint(main_clause)  # `Returns a book` begins as the line does


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:]


def _form(reader: Reader, response: dict[str, Any], items: tuple[str, ...] | None) -> str:
    """Return the form of an answer: its media types if it is not JSON, its type if that is not an
    object, else fields of its list, of its envelope or its own.
    """
    has_json, schema = json_schema(response)
    if not has_json:
        return ", ".join(media_types(response)[:3])
    if reader.kinds(schema) - {"object"}:
        text = phrase(reader, schema, 120)
        if text:
            return text
    if items:
        listed = reduce(lambda part, key: reader.properties(part)[key], items, schema)
        if _has_fields(reader, listed):
            return _content_of(reader, ".".join(items), listed)
    names = identifying_fields(reader, schema)
    fields = _readable(reader, schema)
    held = _held(reader, fields)
    if len(names) == 1:
        held = names[0]
    if held:
        return _content_of(reader, held, fields[held])
    return ", ".join(names)


def _held(reader: Reader, fields: Mapping[str, Any]) -> str:
    """Return the field that an envelope is around: the only one beside those that say how the call
    went and how to get the rest (`invoices` of `invoices, next_page, errors`); empty without one.
    """
    content = [name for name in fields if not (name.lower() in ASIDE or _PAGING.search(name))]
    if len(content) != 1 or not _has_fields(reader, fields[content[0]]):
        return ""
    return content[0]


def _has_fields(reader: Reader, schema: Any) -> bool:
    """Return whether a schema is of an object with named fields, or of an array of such."""
    return bool(reader.properties(reader.flatten(schema).get("items", schema)))


def _content_of(reader: Reader, name: str, schema: Any) -> str:
    """Return the only field of an answer; for an envelope, with its content (`data: id, name`,
    `data, an array of objects: id, name`), and empty if the content is unknown.
    """
    if name.lower() not in ENVELOPES and not _has_fields(reader, schema):
        return name
    if reader.kinds(schema) <= {"object"}:
        names = identifying_fields(reader, schema)
        return f"{name}: {', '.join(names)}" if names else ""
    text = phrase(reader, schema, 120)
    article = ARTICLES.get(text.split(" ")[0])
    return f"{name}, {article} {text}" if article else ""

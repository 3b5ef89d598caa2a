"""Texts, numbers and enums, and the keywords that count or bound a value."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_text, is_number, without
from ...text import visible
from ..pattern import FARTHEST, portable_pattern, wider_pattern
from ..schema import is_of_type, type_of

if TYPE_CHECKING:
    from ...ir import Schema

TEXT_TYPES = re.compile(
    r"text/|.*(\bxml|\+xml|yaml|ndjson|jsonl|json-?lines|json-seq|graphql|sql|javascript|csv)$"
    r"|.*[/+](json|jose|jwe|jws|jwt)$"
)
FORMATS = frozenset("""
    date-time date time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid
    json-pointer regex int32 int64 float double byte
    """.split())
"""Formats that JSON Schema or ajv-formats know; any other is said in the description."""
NUMBER_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNT_KEYWORDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
ANY_TEXT = (".*", "^.*", ".*$", "[\\s\\S]*", "^[\\s\\S]*$")
"""Patterns that every text matches."""
REPLACED_BY_ENUM = ("pattern", "minLength", "maxLength", "minimum", "maximum")
SCALAR_TO_TEXT = (("integer", "string"), ("number", "string"), ("boolean", "string"))
TEXT_TO_NUMBER = (("string", "integer"), ("string", "number"))
NUMBER = re.compile(r"[-+.0-9e]+", re.I)
"""The characters of a number: Python reads `1_000`, `NaN` and digits of other scripts too."""
EMPTY_TEXT = {"type": "string", "maxLength": 0}
"""The enum of the empty text alone, for clients that refuse empty values in an enum."""


def is_text_type(media_type: str) -> bool:
    """Return whether content of a media type is text without decoding."""
    return TEXT_TYPES.match(media_type.lower().partition(";")[0].strip()) is not None


def is_raw(base: dict[str, Any]) -> bool:
    """Return whether a text is bytes that nothing encodes: `format: binary`, or a media type that
    is no text (JSON Schema 2020-12 validation §8.4).
    """
    if base.get("format") == "binary":
        return True
    media_type = as_text(base.get("contentMediaType"))
    if "contentEncoding" in base:
        return False
    return bool(media_type) & (not is_text_type(media_type))


def is_base64(base: dict[str, Any]) -> bool:
    """Return whether a text means bytes: raw ones, or in base64."""
    return is_raw(base) or base.get("contentEncoding") == "base64"


def text_keywords(base: dict[str, Any]) -> Schema:
    """Return the known `format` (`byte` for any bytes) and the portable `pattern` of a text, where
    it has them.
    """
    out: Schema = {}
    kind = as_text(base.get("format"))
    if is_base64(base):
        out["format"] = "byte"
    elif kind in FORMATS:
        out["format"] = kind
    written = as_text(base.get("pattern"))
    if written in ANY_TEXT:
        return out
    ways = portable_pattern(written), wider_pattern(written), portable_pattern(written, True)
    pattern = next(filter(None, ways), "")
    if pattern not in ("", "^", "$", *ANY_TEXT):
        out["pattern"] = pattern
    return out


def number_keywords(base: dict[str, Any]) -> Schema:
    """Return the bounds and the format of a number."""
    out: Schema = {key: base[key] for key in NUMBER_KEYWORDS if is_number(base.get(key))}
    kind = as_text(base.get("format"))
    if kind in FORMATS:
        out["format"] = kind
    return out


def count_keywords(base: dict[str, Any], name: str) -> Schema:
    """Return the limits on the length of a text, the items of an array or the properties of an
    object; without limits that exclude nothing.
    """
    out: Schema = {}
    for keyword in COUNT_KEYWORDS.get(name, ()):
        value: Any = base.get(keyword)
        if not is_number(value):
            continue
        # No call has so many
        says_nothing = value > FARTHEST["int32"][1] if keyword.startswith("max") else value == 0
        if not says_nothing:
            out[keyword] = int(value)
    return out


def with_values(rules: Schema, base: dict[str, Any], name: str) -> Schema:
    """Return `rules` with the values of an enum, for the rules they replace; unchanged without
    values.
    """
    values = enum_values(base, name)
    if values == [""]:
        return dict(EMPTY_TEXT)
    if values:
        kept = without(rules, REPLACED_BY_ENUM)
        return {**kept, "enum": values}
    return rules


def enum_values(base: dict[str, Any], name: str) -> list[Any]:
    """Return the values of a schema's enum or constant, converted to the type `name` or left out,
    in order, without null and repeats; an empty `name` takes any type.
    """
    values = [base["const"]] if "const" in base else as_list(base.get("enum"))
    converted = [_converted(value, name) for value in values]
    return distinct(filter(_can_be_said, converted))


def distinct(values: Iterable[Any]) -> list[Any]:
    """Return JSON values without repeats, in order; 1, 1.0 and true are three values."""
    by_identity: dict[Any, Any] = {}
    for value in values:
        identity: Any = value
        if not isinstance(value, str):
            identity = type(value), json.dumps(value, sort_keys=True)
        by_identity.setdefault(identity, value)
    return list(by_identity.values())


def _can_be_said(value: Any) -> bool:
    """Return whether a client may be offered a value: null and hidden characters are not."""
    if isinstance(value, str):
        return visible(value) == value
    return value is not None


def _converted(value: Any, name: str) -> Any:
    """Return a value of an enum converted to the type `name`; None if that is impossible."""
    if not name:
        return value
    if is_of_type(value, name):
        return value
    conversion = type_of(value), name
    if conversion in SCALAR_TO_TEXT:
        return json.dumps(value)
    if conversion in TEXT_TO_NUMBER:
        return _as_number(value, name)
    return None


def _as_number(text: str, name: str) -> int | float | None:
    """Return the number that a text spells in ASCII digits; None for any other text."""
    if not NUMBER.fullmatch(text):
        return None
    try:
        number = int(text) if name == "integer" else float(text)
    except ValueError:
        return None
    return number if abs(number) <= sys.float_info.max else None

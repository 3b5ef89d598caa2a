"""Serialise argument values for a request (OpenAPI 3.1 section 4.8.12 "Style Values", RFC 6570).

Every function takes the value of an argument, returns it as it is sent, and passes `OMIT` through,
so that a tool's function can write `"ids": csv(ids)`. The results are

* `Encoded`: one value, percent-encoded, for the place after `name=` or in the path;
* `Pairs`: several `key=value`, percent-encoded;
* `Part`: one part of a multipart body (or a list of them).

A value that cannot be written raises `Refused`. An empty array or object is undefined (RFC 6570
section 2.3) and left out; null is the empty string.
"""

from __future__ import annotations

import base64
import binascii
import enum
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, TypeVar
from urllib.parse import quote, unquote_to_bytes

from ..errors import Refused

MAX_PAIRS = 32 * 1024 * 1024
"""Characters of the pairs of one value: more than any request holds (`_MAX_REQUEST_BYTES`)."""

_COMPOUND = (list, tuple, Mapping)


class Omit(enum.Enum):
    """The type of `OMIT`: an argument that was not given."""

    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> bool:
        return False


OMIT: Final = Omit.OMIT


@dataclass(frozen=True, slots=True)
class Encoded:
    """One percent-encoded value."""

    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """Several percent-encoded `key=value`; a value of None is a key without `=`.

    With `under_name` a key is what follows the parameter's own name: `[R]` of `color[R]`, or
    nothing.
    """

    items: tuple[tuple[str, str | None], ...]
    under_name: bool = False

    def of(self, name: str) -> Iterable[tuple[str, str | None]]:
        """The pairs, with whole keys, of the parameter `name`."""
        if not self.under_name:
            return self.items
        prefix = encode(name)
        return [(prefix + key, text) for key, text in self.items]


@dataclass(frozen=True, slots=True)
class Simple:
    """An array or object in `simple` style; the path percent-encodes it, a header does not."""

    value: Any
    explode: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a multipart body. `path` names a local file instead of `content`."""

    content: bytes
    media_type: str | None = None
    filename: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""


def text_of(value: Any) -> str:
    """A scalar as text: `true`, `7`, `0.5` (never `1e-05`, never `7.0`), null as the empty string.

    An object or array inside another one has no style of its own (OpenAPI 3.1 section 4.8.12.2:
    undefined): it is JSON.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return _integer_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, _COMPOUND):
        return _json(value)
    raise Refused(f"a value of type {type(value).__name__} cannot be sent")


def encode(value: Any, safe: str = "") -> str:
    """A scalar, percent-encoded except for the unreserved characters (RFC 3986 section 2.3) and
    those in `safe`.
    """
    try:
        return quote(text_of(value), safe=safe)
    except UnicodeEncodeError:
        raise _half_a_pair() from None


def utf8(text: str) -> bytes:
    """A text as UTF-8. Raises Refused for half of a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _half_a_pair() from None


def csv(value: Any) -> Encoded | Omit:
    """`form` without explode: `blue,black,brown`, `R,100,G,200` (RFC 6570 section 3.2.8)."""
    return _joined(value, ",")


def space_delimited(value: Any) -> Encoded | Omit:
    """`spaceDelimited` without explode: `blue%20black%20brown`."""
    return _joined(value, "%20", " ")


def pipe_delimited(value: Any) -> Encoded | Omit:
    """`pipeDelimited` without explode: `blue%7Cblack%7Cbrown`."""
    return _joined(value, "%7C", "|")


def form(value: Any, explode: bool = True) -> Encoded | Pairs | list[Encoded] | Omit:
    """`form`: an object is `R=100&G=200` exploded, `R,100,G,200` not (RFC 6570 section 3.2.8)."""
    return _form(value, explode, "")


# RFC 6570 section 3.2.3 leaves the reserved characters alone. Those that end a value or begin
# something else are encoded all the same: `&` and `;` separate pairs, `#` begins the fragment, most
# readers take `+` for a space and `%` for an escape, and a query has no `[` and `]` (RFC 3986
# section 3.4).
_RESERVED = ":/?@!$'()*,="


def reserved(value: Any, explode: bool = True) -> Encoded | Pairs | list[Encoded] | Omit:
    """`allowReserved`: as `form`, but characters such as `:` `/` `,` that cannot end the value stay
    as they are.
    """
    return _form(value, explode, _RESERVED)


def deep_object(value: Any) -> Encoded | Pairs | Omit:
    """`deepObject`: `color[R]=100&color[G]=200`.

    OpenAPI leaves deeper levels open. They are written as most servers read them:
    `filter[size][gt]=3`, array items by index (`filter[tags][0]=a`). An index is also the only form
    that says which fields belong to the same object of an array.
    """
    if _is_undefined(value):
        return OMIT
    if not isinstance(value, _COMPOUND):
        return Encoded(encode(value))
    return Pairs(_bounded(_deep(value, "")), under_name=True)


def label(value: Any, explode: bool = False) -> Encoded | Omit:
    """`label` in a path: `.blue,black`, exploded `.blue.black` and `.R=100.G=200` (RFC 6570 section
    3.2.5).
    """
    if _is_undefined(value):
        return OMIT
    separator = "." if explode else ","
    return Encoded("." + separator.join(_items(value, explode, encode)))


def matrix(value: Any, explode: bool = False) -> Pairs | Omit:
    """`matrix` in a path: `;color=blue,black`, exploded `;color=blue;color=black`, `;R=100;G=200`
    (RFC 6570 section 3.2.7).
    """
    if _is_undefined(value):
        return OMIT
    if explode and isinstance(value, Mapping):
        return Pairs(tuple((_key(key), encode(item)) for key, item in value.items()))
    if explode and isinstance(value, list | tuple):
        return Pairs(tuple(("", encode(item)) for item in value), under_name=True)
    return Pairs((("", ",".join(_items(value, False, encode))),), under_name=True)


def simple(value: Any, explode: bool = True) -> Simple | Omit:
    """`simple` in a path or header: `blue,black`, `R,100,G,200`, exploded `R=100,G=200` (RFC 6570
    section 3.2.2).
    """
    if isinstance(value, Omit):
        return value
    return Simple(value, explode)


def json_text(value: Any) -> str | Omit:
    """A `content` parameter or field: the value as JSON (OpenAPI 3.1 section 4.8.12.3)."""
    if isinstance(value, Omit):
        return value
    return _json(value)


def query_string(value: Any, media_type: str = "application/x-www-form-urlencoded") -> Pairs | Omit:
    """OpenAPI 3.2 `in: querystring`: the value is the whole query.

    An object becomes its pairs. Text, and every value of a JSON media type, becomes the query as a
    whole, percent-encoded.
    """
    if isinstance(value, Omit):
        return value
    if isinstance(value, str):
        return Pairs(((encode(value), None),))
    if isinstance(value, Mapping) and "json" not in media_type:
        return Pairs(tuple(pair for key, item in value.items() for pair in pairs_of(key, item)))
    return Pairs(((encode(_json(value)), None),))


def file(
    value: Any, media_type: str | None = None, filename: str | None = None
) -> Part | list[Part] | Omit:
    """A file of a multipart body (RFC 7578 section 4.2), or a list of them.

    Each is base64 text, a `data:` URL or a `file:` URL. `file:` URLs name local files; they are
    read when the request is made, and only inside the folders that the operator has opened.
    """
    if isinstance(value, Omit):
        return value
    if isinstance(value, list | tuple):
        return [_file(item, media_type, filename) for item in value]
    return _file(value, media_type, filename)


def json_part(
    value: Any, media_type: str = "application/json", each: bool = False
) -> Part | list[Part] | Omit:
    """A JSON part of a multipart body; with `each` a list becomes one part per item."""
    if isinstance(value, Omit):
        return value
    if each and isinstance(value, list | tuple):
        return [Part(_json(item).encode(), media_type) for item in value]
    return Part(_json(value).encode(), media_type)


def text_part(
    value: Any, media_type: str | None = None, headers: Mapping[str, str] | None = None
) -> Part | list[Part] | Omit:
    """A text part of a multipart body, with its own media type and headers; a list becomes one part
    per item.
    """
    if isinstance(value, Omit):
        return value
    fields = dict(headers or {})
    if isinstance(value, list | tuple):
        return [Part(utf8(text_of(item)), media_type, headers=fields) for item in value]
    return Part(utf8(text_of(value)), media_type, headers=fields)


def form_fields(value: Any, **writers: tuple[str, ...]) -> Any:
    """The fields of a form that is one argument.

    Each keyword is the name of a function of this module and lists the fields it writes; any other
    object is JSON text (OpenAPI 3.1 section 4.8.15.1).
    """
    if not isinstance(value, Mapping):
        return value
    fields = dict(value)
    for name, item in value.items():
        if isinstance(item, Mapping):
            fields[name] = _json(item)
    return fields | _written_fields(value, writers)


def multipart_fields(value: Any, **writers: tuple[str, ...]) -> Any:
    """The fields of a multipart body that is one argument; keywords as for `form_fields`."""
    if not isinstance(value, Mapping):
        return value
    return {**value, **_written_fields(value, writers)}


def _written_fields(
    value: Mapping[str, Any], writers: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    fields = {}
    for function, names in writers.items():
        for name in names:
            if name in value:
                fields[name] = _WRITERS[function](value[name])
    return fields


_WRITERS: Mapping[str, Callable[[Any], Any]] = {
    "csv": csv,
    "deep_object": deep_object,
    "file": file,
    "form": form,
    "json_part": json_part,
    "json_text": json_text,
    "pipe_delimited": pipe_delimited,
    "reserved": reserved,
    "space_delimited": space_delimited,
    "text_part": text_part,
}


def from_base64(value: Any) -> bytes | Part | Omit:
    """A binary body, from the texts that `file` accepts."""
    if isinstance(value, Omit):
        return value
    part = _file(value, None, None)
    if part.path:
        return part
    return part.content


@dataclass(frozen=True, slots=True)
class Sends:
    """Encoding facts that an input schema cannot express.

    `nullable` are JSON Pointers into the input schema where null is a value of its own (elsewhere
    null means that the argument is absent); `names` maps pointers of nested properties to their
    wire names.
    """

    nullable: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def sends(
    *, nullable: tuple[str, ...] = (), names: Mapping[str, str] | None = None
) -> Callable[[_Function], _Function]:
    """Attach `Sends` to a tool's function."""

    def attach(function: _Function) -> _Function:
        function.__dict__["sends"] = Sends(nullable, dict(names or {}))
        return function

    return attach


def pairs_of(name: str, value: Any) -> Iterator[tuple[str, str | None]]:
    """A query parameter or form field as encoded pairs: the default style, `form` exploded, unless
    already encoded.

    A scalar is one pair, a list repeats the key, an object is its own pairs.
    """
    if value is OMIT:
        return
    if isinstance(value, Pairs):
        yield from value.of(name)
    elif isinstance(value, Mapping):
        yield from _bounded(_exploded(value))
    elif isinstance(value, list | tuple):
        for item in value:
            yield _pair(name, item)
    else:
        yield _pair(name, value)


def joined(pairs: Iterable[tuple[str, str | None]]) -> str:
    """Encoded pairs as a query or form body."""
    return "&".join(key if text is None else f"{key}={text}" for key, text in pairs)


def path_text(name: str, value: Any) -> str:
    """A path parameter, encoded: `simple` without explode, unless already encoded."""
    if isinstance(value, Encoded):
        return value.text
    if isinstance(value, Pairs):
        # RFC 6570 section 3.2.7: no `=` before an empty value
        return "".join(f";{key}={text}" if text else f";{key}" for key, text in value.of(name))
    return ",".join(_simple_items(value, encode))


def header_text(value: Any) -> str:
    """A header value: `simple` style, not percent-encoded (RFC 9110 section 5.5)."""
    if isinstance(value, Encoded):
        return value.text
    items = _simple_items(value, text_of)
    if len(items) > 1 and any("," in item for item in items):
        raise Refused("an item that holds a comma cannot stand in a comma-separated list")
    return ",".join(items)


def decode_base64(text: str) -> bytes:
    """The bytes of base64 text (RFC 4648 sections 4 and 5; padding is optional, line breaks are
    ignored). Raises Refused.
    """
    text = "".join(text.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Refused("not base64: give the bytes of the file as base64 text") from None


def _content(text: str) -> bytes:
    """The content of a file: decoded base64, or else the text itself.

    A long text of base64 characters alone that does not decode is an error. A short text without
    its padding is a word.
    """
    if len(text) < 24 and len(text) % 4:
        return utf8(text)
    try:
        return decode_base64(text)
    except Refused:
        if re.fullmatch(r"[A-Za-z0-9+/_=\s-]{24,}", text):
            raise
        return utf8(text)


def _file(value: Any, media_type: str | None, filename: str | None) -> Part:
    if isinstance(value, bytes):
        return Part(value, media_type, filename or "file")
    if not isinstance(value, str):
        raise Refused("a file is given as base64 text")
    scheme = value[:5].lower()
    if scheme == "file:":
        return Part(b"", media_type, filename, path=value)
    if scheme == "data:":
        declared_type, content = _data_url(value)
        return Part(content, media_type or declared_type, filename or "file")
    return Part(_content(value), media_type, filename or "file")


def _data_url(url: str) -> tuple[str | None, bytes]:
    """The media type, if there is one, and the content of a `data:` URL (RFC 2397)."""
    head, comma, body = url[len("data:") :].partition(",")
    if not comma:
        raise Refused("not a `data:` URL")
    media_type, *options = head.split(";")
    if any(option.strip().lower() == "base64" for option in options):
        return media_type or None, decode_base64(body)
    return media_type or None, unquote_to_bytes(utf8(body))


def _form(value: Any, explode: bool, safe: str) -> Encoded | Pairs | list[Encoded] | Omit:
    if _is_undefined(value):
        return OMIT
    if not isinstance(value, _COMPOUND):
        return Encoded(encode(value, safe))
    if not explode:
        # The comma separates items here, so a comma inside an item is always encoded
        safe = safe.replace(",", "")
        return Encoded(",".join(encode(item, safe) for item in _members(value)))
    if isinstance(value, Mapping):
        return Pairs(_bounded(_exploded(value, safe)))
    return [Encoded(encode(item, safe)) for item in value]


def _pair(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, Encoded):
        return encode(name), value.text
    return encode(name), encode(value)


def _exploded(value: Mapping[Any, Any], safe: str = "") -> Iterator[tuple[str, str]]:
    """The pairs of an object in `form` style; an array inside it repeats its key."""
    for key, item in value.items():
        if isinstance(item, list | tuple):
            for member in item:
                yield _key(key), encode(member, safe)
        else:
            yield _key(key), encode(item, safe)


def _bounded(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The pairs. Raises Refused when they are too long: a long key may be repeated many times."""
    written: list[tuple[str, str]] = []
    left = MAX_PAIRS
    for key, text in pairs:
        left -= len(key) + len(text)
        if left < 0:
            raise Refused(f"too long: more than {MAX_PAIRS:,} characters when it is written out")
        written.append((key, text))
    return tuple(written)


def _joined(value: Any, separator: str, decoded_separator: str = "") -> Encoded | Omit:
    """The items with a separator between them. `decoded_separator` is what an item must not hold:
    where the separator is itself percent-encoded, the two could not be told apart.
    """
    if _is_undefined(value):
        return OMIT
    items = list(_members(value))
    several = len(items) > 1
    if decoded_separator and several and any(decoded_separator in text_of(item) for item in items):
        raise Refused(
            f"an item that holds `{decoded_separator}` cannot stand in a list separated by it"
        )
    return Encoded(separator.join(encode(item) for item in items))


def _members(value: Any) -> Iterable[Any]:
    """The items of an array, the keys and values of an object in turn, or the value itself."""
    if isinstance(value, Mapping):
        return [member for pair in value.items() for member in pair]
    if isinstance(value, list | tuple):
        return value
    return (value,)


def _items(value: Any, explode: bool, write: Callable[[Any], str]) -> list[str]:
    """The members of a value as texts; an exploded object is written as `key=value`."""
    if explode and isinstance(value, Mapping):
        return [f"{write(key)}={write(item)}" for key, item in value.items()]
    return [write(member) for member in _members(value)]


def _simple_items(value: Any, write: Callable[[Any], str]) -> list[str]:
    """The texts between the commas of `simple` style."""
    if isinstance(value, Simple):
        return _items(value.value, value.explode, write)
    return _items(value, False, write)


def _deep(value: Any, prefix: str) -> Iterator[tuple[str, str]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        if isinstance(key, str) and re.search(r"[\[\]]", key):
            raise Refused("a key that holds `[` or `]` cannot be written in a query")
        name = f"{prefix}%5B{encode(key)}%5D"
        if isinstance(item, _COMPOUND):
            yield from _deep(item, name)
        else:
            yield name, encode(item)


def _is_undefined(value: Any) -> bool:
    """Whether the value is left out: `OMIT`, or an empty array or object (RFC 6570 section 2.3)."""
    if isinstance(value, _COMPOUND):
        return not value
    return value is OMIT


def _key(key: Any) -> str:
    return encode(str(key))


def _integer_text(value: int) -> str:
    try:
        return str(int(value))
    except ValueError:  # more digits than the interpreter turns into text
        raise Refused("the number has too many digits") from None


def _float_text(value: float) -> str:
    if not math.isfinite(value):
        raise Refused("a number that is not finite cannot be sent")
    text = format(Decimal(repr(value)), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        return "0"
    return text


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        raise Refused("the value cannot be written as JSON (NaN, too deep, or not data)") from None


def _half_a_pair() -> Refused:
    return Refused("the text holds half of a surrogate pair, which is not a character")

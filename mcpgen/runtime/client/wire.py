"""How values are written into a request, to the byte (OpenAPI 3.1 section 4.8.12 "Style Values",
RFC 6570).

Every function takes the value an argument was given, returns it as it stands on the wire, and
passes `OMIT` through, so that a tool's function can write `"ids": csv(ids)` and be done. They
return

* `Encoded`: one value, percent-encoded, to stand after `name=` or in the path;
* `Pairs`: several `key=value`, percent-encoded;
* `Part`: one part of a multipart body (or a list of them).

They raise `Refused` for what cannot be said. An empty array or object is undefined (RFC 6570, 2.3)
and left out; null is the empty string.
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
    """One value as it stands on the wire."""

    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """Several `key=value` as they stand on the wire; None for a key without `=`.

    With `under_name` a key is what follows the parameter's own name: `[R]` of `color[R]`, or
    nothing.
    """

    items: tuple[tuple[str, str | None], ...]
    under_name: bool = False


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
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _digits(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Refused("a number that is not finite cannot be sent")
        text = format(Decimal(repr(value)), "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    if isinstance(value, list | tuple | Mapping):
        return _json(value)
    raise Refused(f"a value of type {type(value).__name__} cannot be sent")


def encode(value: Any, safe: str = "") -> str:
    """A scalar, percent-encoded but for RFC 3986 section 2.3 unreserved characters and those in
    `safe`.
    """
    try:
        return quote(text_of(value), safe=safe)
    except UnicodeEncodeError:
        raise Refused("the text holds half of a surrogate pair, which is not a character") from None


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


# RFC 6570 sec. 3.2.3 leaves the reserved characters alone. Those that end a value or begin
# something else do not stay:
# `&` and `;` separate pairs, `#` begins the fragment, `+` is a space and `%` an escape to most
# readers, and `[` `]` may
# not stand in a query at all (RFC 3986 section 3.4).
_RESERVED = ":/?@!$'()*,="


def reserved(value: Any, explode: bool = True) -> Encoded | Pairs | list[Encoded] | Omit:
    """`allowReserved`: as `form`, but characters such as `:` `/` `,` that cannot end the value stay
    as they are.
    """
    return _form(value, explode, _RESERVED)


def deep_object(value: Any) -> Encoded | Pairs | Omit:
    """`deepObject`: `color[R]=100&color[G]=200`.

    OpenAPI leaves deeper levels open; they go on the way servers read them: `filter[size][gt]=3`,
    array items by index (`filter[tags][0]=a`), which is the one form that also says which field of
    which object is meant.
    """
    if _is_undefined(value):
        return OMIT
    if not isinstance(value, list | tuple | Mapping):
        return Encoded(encode(value))
    return Pairs(_bounded(_deep(value, "")), under_name=True)


def label(value: Any, explode: bool = False) -> Encoded | Omit:
    """`label` in a path: `.blue,black`, exploded `.blue.black` and `.R=100.G=200` (RFC 6570 section
    3.2.5).
    """
    if _is_undefined(value):
        return OMIT
    if isinstance(value, Mapping) and explode:
        return Encoded("".join(f".{_key(key)}={encode(item)}" for key, item in value.items()))
    if isinstance(value, list | tuple) and explode:
        return Encoded("".join(f".{encode(item)}" for item in value))
    return Encoded("." + ",".join(_flat(value)))


def matrix(value: Any, explode: bool = False) -> Pairs | Omit:
    """`matrix` in a path: `;color=blue,black`, exploded `;color=blue;color=black`, `;R=100;G=200`
    (RFC 6570, 3.2.7).
    """
    if _is_undefined(value):
        return OMIT
    if isinstance(value, Mapping) and explode:
        return Pairs(tuple((_key(key), encode(item) or None) for key, item in value.items()))
    if isinstance(value, list | tuple) and explode:
        return Pairs(tuple(("", encode(item) or None) for item in value), under_name=True)
    return Pairs((("", ",".join(_flat(value)) or None),), under_name=True)


def simple(value: Any, explode: bool = True) -> Simple | Omit:
    """`simple` in a path or header: `blue,black`, `R,100,G,200`, exploded `R=100,G=200` (RFC 6570
    section 3.2.2).
    """
    return OMIT if value is OMIT else Simple(value, explode)


def json_text(value: Any) -> str | Omit:
    """A `content` parameter or field: the value as JSON (OpenAPI 3.1 section 4.8.12.3)."""
    return OMIT if value is OMIT else _json(value)


def query_string(value: Any, media_type: str = "application/x-www-form-urlencoded") -> Pairs | Omit:
    """OpenAPI 3.2 `in: querystring`: the value is the whole query.

    An object becomes its pairs; a text, and anything where the media type is JSON, stands there as
    it is, encoded.
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
    """A file of a multipart body (RFC 7578, 4.2), or a list of them, given as base64, a `data:` URL
    or a `file:` URL.

    `file:` URLs name local files; they are read when the request is made, and only inside the
    folders that the operator has opened.
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
    if isinstance(value, list | tuple):
        return [Part(_utf8(text_of(item)), media_type, None, dict(headers or {})) for item in value]
    return Part(_utf8(text_of(value)), media_type, None, dict(headers or {}))


def form_fields(value: Any, **written: tuple[str, ...]) -> Any:
    """The fields of a form that is one argument.

    Each keyword is a function of this module and names the fields it writes; any other object is
    JSON text (OpenAPI 3.1 section 4.8.15.1).
    """
    if not isinstance(value, Mapping):
        return value
    fields = {
        key: _json(item) if isinstance(item, Mapping) else item for key, item in value.items()
    }
    return fields | _written(value, written)


def multipart_fields(value: Any, **written: tuple[str, ...]) -> Any:
    """The fields of a multipart body that is one argument; keywords as of `form_fields`."""
    return {**value, **_written(value, written)} if isinstance(value, Mapping) else value


def _written(value: Mapping[str, Any], written: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    return {
        name: _WRITERS[function](value[name])
        for function, names in written.items()
        for name in names
        if name in value
    }


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
    """A binary body, given as `file` takes it."""
    if isinstance(value, Omit):
        return value
    part = _file(value, None, None)
    return part if part.path else part.content


@dataclass(frozen=True, slots=True)
class Sends:
    """What the input schema of a tool cannot say of its function.

    `nullable` are JSON Pointers into the input schema where null is a value of its own (elsewhere
    null means "not given"); `names` maps pointers of nested properties to the keys they have on the
    wire.
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


def sent_by(function: Callable[..., Any]) -> Sends:
    """The `Sends` of a tool's function."""
    found = getattr(function, "sends", None)
    return found if isinstance(found, Sends) else Sends()


def pairs_of(name: str, value: Any) -> Iterator[tuple[str, str | None]]:
    """A query parameter or form field as encoded pairs: the default style, `form` exploded, unless
    already encoded.

    A scalar is one pair, a list repeats the key, an object is its own pairs.
    """
    if value is OMIT:
        return
    if isinstance(value, Pairs):
        prefix = encode(name) if value.under_name else ""
        yield from ((prefix + key, item) for key, item in value.items)
    elif isinstance(value, Encoded):
        yield encode(name), value.text
    elif isinstance(value, Mapping):
        yield from _bounded(
            (_key(key), encode(one)) for key, item in value.items() for one in _each(item)
        )
    elif isinstance(value, list | tuple):
        for item in value:
            yield from (
                pairs_of(name, item)
                if isinstance(item, Encoded)
                else ((encode(name), encode(item)),)
            )
    else:
        yield encode(name), encode(value)


def joined(pairs: list[tuple[str, str | None]]) -> str:
    """Encoded pairs as a query or form body."""
    return "&".join(key if value is None else f"{key}={value}" for key, value in pairs)


def path_text(name: str, value: Any) -> str:
    """A path parameter, encoded: `simple` without explode, unless already encoded."""
    if isinstance(value, Encoded):
        return value.text
    if isinstance(value, Pairs):
        prefix = encode(name) if value.under_name else ""
        return "".join(
            f";{prefix}{key}" + ("" if item is None else f"={item}") for key, item in value.items
        )
    if isinstance(value, Simple):
        return ",".join(_flat(value.value, value.explode))
    return ",".join(_flat(value))


def header_text(value: Any) -> str:
    """A header value: `simple` style, nothing percent-encoded (RFC 9110 section 5.5)."""
    if isinstance(value, Encoded):
        return value.text
    value, explode = (value.value, value.explode) if isinstance(value, Simple) else (value, False)
    items = [text_of(item) for item in _members(value, explode, text_of)]
    if len(items) > 1 and any("," in item for item in items):
        raise Refused("an item that holds a comma cannot stand in a comma-separated list")
    return ",".join(items)


def decode_base64(text: str) -> bytes:
    """Base64 (RFC 4648 section 4 or section 5, padding and line breaks optional) as bytes. Raises
    Refused.
    """
    text = "".join(text.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Refused("not base64: give the bytes of the file as base64 text") from None


def _content(text: str) -> bytes:
    """The bytes that base64 stands for. A text that is none stands for itself, unless it can only
    be broken base64.

    Padding may be missing from a longer text only: a short one without it is a word.
    """
    if len(text) < 24 and len(text) % 4:
        return _utf8(text)
    try:
        return decode_base64(text)
    except Refused:
        if re.fullmatch(r"[A-Za-z0-9+/_=\s-]{24,}", text):
            raise
        return _utf8(text)


def _file(value: Any, media_type: str | None, filename: str | None) -> Part:
    if isinstance(value, bytes):
        return Part(value, media_type, filename or "file")
    if not isinstance(value, str):
        raise Refused("a file is given as base64 text")
    if value[:5].lower() == "file:":
        return Part(b"", media_type, filename, path=value)
    if value[:5].lower() == "data:":
        head, comma, body = value[5:].partition(",")
        kind, *options = head.split(";")
        if not comma:
            raise Refused("not a `data:` URL")
        is_base64 = any(option.strip().lower() == "base64" for option in options)
        content = decode_base64(body) if is_base64 else unquote_to_bytes(_utf8(body))
        return Part(content, media_type or kind or None, filename or "file")
    return Part(_content(value), media_type, filename or "file")


def _form(value: Any, explode: bool, safe: str) -> Encoded | Pairs | list[Encoded] | Omit:
    if _is_undefined(value):
        return OMIT
    if explode and isinstance(value, Mapping):
        return Pairs(
            _bounded(
                (_key(key), encode(one, safe)) for key, item in value.items() for one in _each(item)
            )
        )
    if explode and isinstance(value, list | tuple):
        return [Encoded(encode(item, safe)) for item in value]
    # The comma separates here, so that of an item is encoded whatever is allowed.
    compound = isinstance(value, list | tuple | Mapping)
    return Encoded(
        ",".join(
            encode(item, safe.replace(",", "") if compound else safe) for item in _members(value)
        )
    )


def _bounded(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The pairs, unless they are too long: one long key may be written before many values."""
    written: list[tuple[str, str]] = []
    left = MAX_PAIRS
    for key, text in pairs:
        left -= len(key) + len(text)
        if left < 0:
            raise Refused(f"too long: more than {MAX_PAIRS:,} characters when it is written out")
        written.append((key, text))
    return tuple(written)


def _joined(value: Any, separator: str, forbidden: str = "") -> Encoded | Omit:
    if _is_undefined(value):
        return OMIT
    items = list(_members(value))
    # The separator of these styles is itself percent-encoded: an item that holds it could not be
    # told apart.
    if forbidden and len(items) > 1 and any(forbidden in text_of(item) for item in items):
        raise Refused(f"an item that holds `{forbidden}` cannot stand in a list separated by it")
    return Encoded(separator.join(encode(item) for item in items))


def _members(
    value: Any, explode: bool = False, write: Callable[[Any], str] | None = None
) -> Iterator[Any]:
    """The items of a flat list: those of an array, keys and values of an object, or the value
    itself.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            if explode and write is not None:
                yield f"{write(key)}={write(item)}"
            else:
                yield key
                yield item
    elif isinstance(value, list | tuple):
        yield from value
    else:
        yield value


def _flat(value: Any, explode: bool = False) -> list[str]:
    if explode:
        return [
            item if isinstance(value, Mapping) else encode(item)
            for item in _members(value, True, encode)
        ]
    return [encode(item) for item in _members(value)]


def _deep(value: Any, prefix: str) -> Iterator[tuple[str, str]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        if isinstance(key, str) and ("[" in key or "]" in key):
            raise Refused("a key that holds `[` or `]` cannot be said in a query")
        place = f"{prefix}%5B{encode(key)}%5D"
        if isinstance(item, list | tuple | Mapping) and item:
            yield from _deep(item, place)
        elif not isinstance(item, list | tuple | Mapping):
            yield place, encode(item)


def _is_undefined(value: Any) -> bool:
    """Whether there is nothing to write (RFC 6570 section 2.3): left out, or an array or object
    with nothing in it.
    """
    return value is OMIT or (isinstance(value, list | tuple | Mapping) and not value)


def _each(value: Any) -> Iterable[Any]:
    """The items of a list, or the value itself."""
    return value if isinstance(value, list | tuple) else (value,)


def _key(key: Any) -> str:
    return encode(str(key))


def _digits(value: int) -> str:
    try:
        return str(int(value))
    except ValueError:  # more digits than the interpreter turns into text
        raise Refused("the number has too many digits") from None


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        raise Refused("the value cannot be written as JSON (NaN, too deep, or not data)") from None


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Refused("the text holds half of a surrogate pair, which is not a character") from None

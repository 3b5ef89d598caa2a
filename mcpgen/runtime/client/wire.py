"""Serialise argument values for a request (OpenAPI 3.1 section 4.8.12 "Style Values", RFC 6570).

Every function takes the value of an argument, returns it as it is sent, and passes `OMIT` through,
so that a tool's function can write `"ids": csv(ids)`. The results are

* `Encoded`: one value, percent-encoded, for the place after `name=` or in the path;
* `Pairs`: several `key=value`, percent-encoded;
* `Simple`: several members, joined at their place;
* `Part`: one part of a multipart body (or a list of them).

A value that cannot be written raises `Refused`. Null is undefined, as is an array or object without
members (RFC 6570 section 2.3): they are left out.

The rarer functions are in `wire_styles` and `wire_files`, which a server has if it uses them. They
are attributes of this module all the same.
"""

from __future__ import annotations

import enum
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, TypeVar
from urllib.parse import quote, unquote

from . import Refused

EVERY_FIELD = "*"
"""Name for all fields of a map."""
MAX_PAIRS = 32 * 1024 * 1024
"""Characters of the pairs of one value: more than any request holds (`_MAX_REQUEST_BYTES`)."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One percent-encoded value, such as `blue%20sky`."""

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
        """Return the pairs of the parameter `name`, their keys whole: `color[R]`."""
        if not self.under_name:
            return self.items
        prefix = encode(name)
        return [(prefix + key, text) for key, text in self.items]


@dataclass(frozen=True, slots=True)
class Simple:
    """An array, object or scalar to be joined at its place; a header does not percent-encode it."""

    value: Any
    explode: bool
    separator: str = ","


COMPOUND = (list, tuple, Mapping)


class Omit(enum.Enum):
    """Type of `OMIT`: an argument that was not given."""

    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> bool:
        return False


OMIT: Final = Omit.OMIT
NO_FIELDS: Mapping[str, Any] = MappingProxyType({})


def text_of(value: Any) -> str:
    """Return a scalar as text: `true`, `7`, `0.5` (never `1e-05`, `7.0`), null as an empty text.

    An object or array inside another one has no style of its own (OpenAPI 3.1 section 4.8.12.2:
    undefined): it is JSON. Raises Refused.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, COMPOUND):
        return json_of(value)
    raise Refused(f"a value of type {type(value).__name__} cannot be sent")


def encode(value: Any, safe: str = "") -> str:
    """Return a scalar as text, percent-encoded except for the unreserved characters (RFC 3986
    section 2.3) and those in `safe`. Raises Refused.
    """
    try:
        return quote(text_of(value), safe=safe)
    except UnicodeEncodeError:
        raise _half_a_pair() from None


def utf8(text: str) -> bytes:
    """Return a text in UTF-8. Raises Refused for half of a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _half_a_pair() from None


_SCALARS = (str, int, float, Omit)


def defined(value: Any) -> Any:
    """Return the value as it is written: without null members, and `OMIT` for null and for an array
    or object without members (RFC 6570 sections 2.3 and 3.2.1).
    """
    if isinstance(value, _SCALARS):
        return value
    if value is None:
        return OMIT
    if isinstance(value, Mapping):
        value = {key: item for key, item in value.items() if item is not None}
    elif isinstance(value, list | tuple):
        value = [item for item in value if item is not None]
    else:
        return value
    return value if value else OMIT


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
    return "0" if text == "-0" else text


def json_of(value: Any, ascii_only: bool = False) -> str:
    """Return a value as compact JSON. Raises Refused for what JSON cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        raise Refused("the value cannot be written as JSON (NaN, too deep, or not data)") from None


def _half_a_pair() -> Refused:
    return Refused("the text holds half of a surrogate pair, which is not a character")


def csv(value: Any, within: str = "") -> Simple | Omit:
    """Return `form` without explode: `blue,black,brown`, `R,100,G,200`; OMIT without members."""
    return simple(value, False, within=within)


_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


def deep_object(value: Any) -> Encoded | Pairs | Omit:
    """Return `deepObject`: `color[R]=100&color[G]=200`; a scalar is encoded, OMIT without members.

    OpenAPI leaves deeper levels open. They are written as most servers read them:
    `filter[size][gt]=3`, array items by index (`filter[tags][0]=a`). An index is also the only form
    that says which fields belong to the same object of an array.
    """
    value = defined(value)
    if not isinstance(value, COMPOUND):
        return scalar(value)
    return Pairs(bounded(_deep(value, "")), under_name=True)


def simple(
    value: Any, explode: bool = True, separator: str = ",", within: str = ""
) -> Simple | Omit:
    """Return `simple` for a path or header: `blue,black`, `R,100,G,200`, exploded `R=100,G=200`
    (RFC 6570 section 3.2.2); OMIT for null. `separator`: a comma, a space, a tab or `|`; `within`:
    those of lists inside the list, outermost first (Swagger 2.0, `collectionFormat` of `items`).
    """
    value = defined(rarer("wire_styles").texts_for_lists(value, within) if within else value)
    if isinstance(value, Omit):
        return value
    return Simple(value, explode, separator)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a multipart body. `source`: a text that names or holds the content, which is read
    when the request is made.

    `media_type` of a file may be a range, or several types separated by commas: the file's own type
    decides (`own_type`, where a `data:` URL names it). A file without a name has an empty one.
    """

    content: bytes
    media_type: str | None = None
    filename: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    own_type: str | None = None


Fields = tuple[str, ...] | Mapping[str, Mapping[str, Any]]
"""Names of the fields that a function writes (`*`: all), or its options by these names."""


def written_fields(value: Mapping[str, Any], writers: Mapping[str, Fields]) -> dict[str, Any]:
    fields, this = {}, sys.modules[__name__]
    for function, names in writers.items():
        options = names if isinstance(names, Mapping) else {name: {} for name in names}
        rest, write = options.get(EVERY_FIELD), getattr(this, function)
        for name in value if rest is not None else options:
            if name in value:
                fields[name] = write(value[name], **options.get(name) or rest or {})
    return fields


@dataclass(frozen=True, slots=True)
class Sends:
    """Encoding facts that an input schema cannot express.

    `nullable` are JSON Pointers into the input schema where null is a value of its own (elsewhere
    null means that the argument is absent); `names` maps pointers of nested properties to their
    wire names. In a `merge_patch` null is a value of every optional field (RFC 7396).
    """

    nullable: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    merge_patch: bool = False


_T = TypeVar("_T")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def sends(
    *,
    nullable: tuple[str, ...] = (),
    names: Mapping[str, str] | None = None,
    merge_patch: bool = False,
) -> Callable[[_Function], _Function]:
    """Return a decorator that attaches `Sends` to a tool's function, as `function.sends`."""

    def attach(function: _Function) -> _Function:
        function.__dict__["sends"] = Sends(nullable, dict(names or {}), merge_patch)
        return function

    return attach


def pairs_of(name: str, value: Any) -> Iterator[tuple[str, str | None]]:
    """Yield a query parameter or form field as encoded pairs (key, text): `form` exploded, unless
    already encoded. Nothing for null or an empty list.

    A scalar is one pair, a list repeats the key, an object is its own pairs.
    """
    if isinstance(value, Pairs):
        yield from value.of(name)
        return
    if isinstance(value, Simple):
        yield encode(name), simple_text(value)
        return
    value = defined(value)
    if value is OMIT:
        return
    if isinstance(value, Mapping):
        yield from bounded(exploded(value))
    elif isinstance(value, list):
        for item in value:
            yield _pair(name, item)
    else:
        yield _pair(name, value)


def joined(pairs: Iterable[tuple[str, str | None]]) -> str:
    """Return encoded pairs as a query or form body: `a=1&b`, with None for the text of `b`."""
    return "&".join(key if text is None else f"{key}={text}" for key, text in pairs)


def path_text(name: str, value: Any) -> str:
    """Return a path parameter, encoded: `simple` without explode, unless already encoded."""
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, Pairs):
        # RFC 6570 section 3.2.7: no `=` before an empty value
        return "".join(f";{key}={text}" if text else f";{key}" for key, text in value.of(name))
    return simple_text(value)


_SEPARATORS = {",": ",", " ": "%20", "\t": "%09", "|": "%7C"}
_SEPARATOR_NAMES = {",": "a comma", " ": "a space", "\t": "a tab"}


def simple_text(value: Any) -> str:
    """Return a value in `simple` style, percent-encoded unless it is already. Raises Refused."""
    if isinstance(value, Encoded):
        return value.text
    value = value if isinstance(value, Simple) else Simple(value, False)
    items = texts_of(value.value, value.explode, encode)
    separator = _SEPARATORS[value.separator]
    if separator != ",":
        refuse_separator(items, separator)
    return separator.join(items)


def header_text(value: Any) -> str:
    """Return a header value in `simple` style, not percent-encoded. Raises Refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, Encoded):
        return value.text
    value = value if isinstance(value, Simple) else Simple(value, False)
    items = texts_of(value.value, value.explode, text_of)
    refuse_separator(items, value.separator)
    return str(value.separator.join(items))


def escaped(value: Any, safe: str) -> str:
    """Percent-encode a scalar. If `%` is safe, it stays only at the beginning of an escape."""
    return _NO_ESCAPE.sub("%25", encode(value, safe))


def scalar(value: Any, safe: str = "") -> Encoded | Omit:
    if isinstance(value, Omit):
        return value
    return Encoded(escaped(value, safe))


def _pair(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, Encoded):
        return encode(name), value.text
    return encode(name), encode(value)


def exploded(value: Mapping[Any, Any], safe: str = "") -> Iterator[tuple[str, str]]:
    """Yield the pairs of an object in `form` style; an array inside it repeats its key."""
    for key, item in value.items():
        members = item if isinstance(item, list | tuple) else (item,)
        for member in members:
            if member is not None:
                yield encode(str(key)), escaped(member, safe)


def bounded(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs. Raises Refused past `MAX_PAIRS` characters: keys may be repeated."""
    written: list[tuple[str, str]] = []
    left = MAX_PAIRS
    for key, text in pairs:
        left -= len(key) + len(text)
        if left < 0:
            raise Refused(f"too long: more than {MAX_PAIRS:,} characters when it is written out")
        written.append((key, text))
    return tuple(written)


def refuse_separator(items: list[str], separator: str) -> None:
    """Raise Refused if one of several items contains the separator: the two would be
    indistinguishable.
    """
    if len(items) > 1 and any(separator in item for item in items):
        label = _SEPARATOR_NAMES.get(unquote(separator), "`|`")
        raise Refused(f"an item that holds {label} cannot stand in a list separated by it")


def members(value: Any) -> Iterable[Any]:
    """Return an array's items, an object's keys and values in turn, or `(value,)`."""
    if isinstance(value, Mapping):
        return [member for pair in value.items() for member in pair]
    if isinstance(value, list | tuple):
        return value
    return (value,)


def texts_of(value: Any, explode: bool, write: Callable[[Any], str]) -> list[str]:
    """Return the members of a value as texts of `write`; of an exploded object as `key=value`."""
    if explode and isinstance(value, Mapping):
        return [f"{write(key)}={write(item)}" for key, item in value.items()]
    return [write(member) for member in members(value)]


def _deep(value: Any, prefix: str) -> Iterator[tuple[str, str]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        if isinstance(key, str) and re.search(r"[\[\]]", key):
            raise Refused("a key that holds `[` or `]` cannot be written in a query")
        name = f"{prefix}%5B{encode(key)}%5D"
        if isinstance(item, COMPOUND):
            yield from _deep(item, name)
        elif item is not None:
            yield name, encode(item)


def named(name: str, write: Callable[[Any], _T], value: Any) -> _T:
    """Return `write(value)`. Raises its Refused, with `name` if that names no argument."""
    try:
        return write(value)
    except Refused as refused:
        raise refused if refused.name else Refused(str(refused), name) from None


FUNCTIONS = {
    name: module
    for module, names in {
        "files": "file from_base64 json_part json_parts multipart_fields text_part",
        "styles": "cookie form form_fields form_text json_lines json_text label matrix "
        "pipe_delimited query_string reserved space_delimited tab_delimited with_fields",
    }.items()
    for name in names.split()
}
"""Rarer function -> the end of its module's name."""


def rarer(module: str) -> Any:
    """Return a module of this folder that not every server has. Raises ImportError."""
    try:
        return import_module(f".{module}", __package__)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"this server was made without `{module}.py`, which none of its operations needs: run"
            " `mcpgen generate` in its project, now that your code needs it"
        ) from error


def __getattr__(name: str) -> Any:
    """Import a rarer function when it is first used. Raises ImportError for a server without it."""
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = getattr(rarer(f"wire_{FUNCTIONS[name]}"), name)
    return function

"""Serialise argument values for a request (OpenAPI 3.1 section 4.8.12 "Style Values", RFC 6570).

Every function takes the value of an argument, returns it as it is sent, and passes `OMIT` through,
so that a tool's function can write `"ids": csv(ids)`. The results are

* `Encoded`: one value, percent-encoded, for the place after `name=` or in the path;
* `Pairs`: several `key=value`, percent-encoded;
* `Simple`: several members that are joined where they are written;
* `Part`: one part of a multipart body (or a list of them).

A value that cannot be written raises `Refused`. Null is undefined, as is an array or object without
members (RFC 6570 section 2.3): they are left out.
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
from types import MappingProxyType
from typing import Any, Final, TypeVar
from urllib.parse import quote, unquote, unquote_to_bytes

from ..errors import Refused
from ..pointer import split
from ..results.answer import charset_of, codec_of

EVERY_FIELD = "*"
"""Stands for the names of all fields of a map."""
MAX_PAIRS = 32 * 1024 * 1024
"""Characters of the pairs of one value: more than any request holds (`_MAX_REQUEST_BYTES`)."""


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
    """The members of an array or object, joined; a header does not percent-encode them."""

    value: Any
    explode: bool
    separator: str = ","


COMPOUND = (list, tuple, Mapping)


class Omit(enum.Enum):
    """The type of `OMIT`: an argument that was not given."""

    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> bool:
        return False


OMIT: Final = Omit.OMIT
NO_FIELDS: Mapping[str, Any] = MappingProxyType({})


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
        return _integer_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, COMPOUND):
        return json_of(value)
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


def encoded(text: str, media_type: str) -> bytes:
    """A text in the charset that its media type names; UTF-8 where it names none, or an unknown
    one. Raises Refused for a character that the charset does not have.
    """
    charset = charset_of(media_type)
    codec = codec_of(charset)
    if codec == "utf-8":
        return utf8(text)
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise Refused(f"the text is sent as {charset}, which does not have `{character}`") from None


_SCALARS = (str, int, float, Omit)


def defined(value: Any) -> Any:
    """The value as it is written: without null members, and `OMIT` for null and for an array or
    object without members (RFC 6570 sections 2.3 and 3.2.1).
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
    """A value as JSON. Raises Refused for what JSON cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        raise Refused("the value cannot be written as JSON (NaN, too deep, or not data)") from None


def _half_a_pair() -> Refused:
    return Refused("the text holds half of a surrogate pair, which is not a character")


def csv(value: Any, within: str = "") -> Simple | Omit:
    """`form` without explode: `blue,black,brown`, `R,100,G,200` (RFC 6570 section 3.2.8)."""
    return simple(value, False, within=within)


def space_delimited(value: Any, within: str = "") -> Simple | Omit:
    """`spaceDelimited` without explode: `blue%20black%20brown`."""
    return simple(value, False, " ", within)


def pipe_delimited(value: Any, within: str = "") -> Simple | Omit:
    """`pipeDelimited` without explode: `blue%7Cblack%7Cbrown`."""
    return simple(value, False, "|", within)


def tab_delimited(value: Any, within: str = "") -> Simple | Omit:
    """Swagger 2.0 `collectionFormat: tsv`: `blue%09black%09brown`."""
    return simple(value, False, "\t", within)


def form(
    value: Any, explode: bool = True, within: str = ""
) -> Encoded | Pairs | list[Encoded] | Omit:
    """`form`: an object is `R=100&G=200` exploded, `R,100,G,200` not (RFC 6570 section 3.2.8)."""
    return _form(_with_texts_for_lists(value, within), explode, "")


# RFC 6570 section 3.2.3 leaves the reserved characters and escapes such as `%2F` alone. Those that
# end a value or begin something else are encoded all the same: `&` and `;` separate pairs, `#`
# begins the fragment, most readers take `+` for a space, and a query has no `[` and `]` (RFC 3986
# section 3.4).
_RESERVED = ":/?@!$'()*,=%"
_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


def reserved(value: Any, explode: bool = True) -> Encoded | Pairs | list[Encoded] | Omit:
    """`allowReserved`: as `form`, but characters such as `:` `/` `,` that cannot end the value stay
    as they are, and so does what is percent-encoded (OpenAPI 3.1.1 section 4.8.12.2.2).
    """
    return _form(value, explode, _RESERVED)


def deep_object(value: Any) -> Encoded | Pairs | Omit:
    """`deepObject`: `color[R]=100&color[G]=200`.

    OpenAPI leaves deeper levels open. They are written as most servers read them:
    `filter[size][gt]=3`, array items by index (`filter[tags][0]=a`). An index is also the only form
    that says which fields belong to the same object of an array.
    """
    value = defined(value)
    if not isinstance(value, COMPOUND):
        return _scalar(value)
    return Pairs(_bounded(_deep(value, "")), under_name=True)


def label(value: Any, explode: bool = False) -> Encoded | Omit:
    """`label` in a path: `.blue,black`, exploded `.blue.black` and `.R=100.G=200` (RFC 6570 section
    3.2.5).
    """
    value = defined(value)
    if isinstance(value, Omit):
        return value
    separator = "." if explode else ","
    return Encoded("." + separator.join(_items(value, explode, encode)))


def matrix(value: Any, explode: bool = False) -> Pairs | Omit:
    """`matrix` in a path: `;color=blue,black`, exploded `;color=blue;color=black`, `;R=100;G=200`
    (RFC 6570 section 3.2.7).
    """
    return _named_pairs(value, explode, encode)


def cookie(value: Any, explode: bool = True) -> Pairs | Omit:
    """OpenAPI 3.2 `style: cookie`: `color=blue; color=black`, `R=100; G=200`, without explode
    `color=blue,black`; nothing is percent-encoded.
    """
    return _named_pairs(value, explode, text_of)


def simple(
    value: Any, explode: bool = True, separator: str = ",", within: str = ""
) -> Simple | Omit:
    """`simple` in a path or header: `blue,black`, `R,100,G,200`, exploded `R=100,G=200` (RFC 6570
    section 3.2.2). `separator`: a comma, a space, a tab or `|`; `within`: those of lists inside the
    list, the outermost first (Swagger 2.0, `collectionFormat` of `items`).
    """
    value = defined(_with_texts_for_lists(value, within))
    if isinstance(value, Omit):
        return value
    return Simple(value, explode, separator)


def json_text(value: Any, ascii_only: bool = False) -> str | Omit:
    """A `content` parameter or field: the value as JSON (OpenAPI 3.1 section 4.8.12.3). A header
    holds ASCII only.
    """
    if isinstance(value, Omit):
        return value
    return json_of(value, ascii_only)


def form_text(value: Any) -> str | Omit:
    """A parameter with `content` of application/x-www-form-urlencoded: the whole form is its text,
    which is encoded again where it stands (OpenAPI 3.1.1 section 4.8.12.3).
    """
    value = defined(value)
    if isinstance(value, Mapping):
        return joined(_bounded(_exploded(value)))
    if isinstance(value, Omit):
        return value
    return text_of(value)


def json_lines(value: Any, start: str = "") -> str | Omit:
    """A body of several JSON values: each on a line, and in a JSON text sequence (RFC 7464) behind
    the control character `start`.
    """
    if isinstance(value, Omit):
        return value
    return "".join(f"{start}{json_of(item)}\n" for item in value)


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
    return Pairs(((encode(json_of(value)), None),))


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a multipart body. `path` names a local file instead of `content`.

    `media_type` of a file may be a range, or several types separated by commas: the file's own type
    decides (`own_type`, where a `data:` URL names it). A file without a name has an empty one.
    """

    content: bytes
    media_type: str | None = None
    filename: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    own_type: str | None = None


def file(
    value: Any,
    media_type: str | None = None,
    filename: str | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
) -> Part | list[Part] | Omit:
    """A file of a multipart body (RFC 7578 section 4.2), or a list of them.

    Each is base64 text, a `data:` URL or a `file:` URL. `file:` URLs name local files; they are
    read when the request is made, and only inside the folders that the operator has opened.
    """
    return each_part(value, lambda item: _file(item, media_type, filename, headers))


def json_part(
    value: Any, media_type: str = "application/json", headers: Mapping[str, str] = NO_HEADERS
) -> Part | Omit:
    """A JSON part of a multipart body."""
    if isinstance(value, Omit):
        return value
    return Part(utf8(json_of(value)), media_type, headers=headers)


def json_parts(
    value: Any, media_type: str = "application/json", headers: Mapping[str, str] = NO_HEADERS
) -> Part | list[Part] | Omit:
    """The items of a list as JSON parts, one for each (OpenAPI 3.1.1 section 4.8.15.1.1)."""
    return each_part(value, lambda item: Part(utf8(json_of(item)), media_type, headers=headers))


def text_part(
    value: Any, media_type: str | None = None, headers: Mapping[str, str] = NO_HEADERS
) -> Part | list[Part] | Omit:
    """A text part of a multipart body, with its own media type and headers; a list becomes one part
    per item.
    """
    return each_part(value, lambda item: _text_part(item, media_type, headers))


def _text_part(value: Any, media_type: str | None, headers: Mapping[str, str]) -> Part:
    return Part(encoded(text_of(value), media_type or ""), media_type, headers=headers)


def each_part(value: Any, write: Callable[[Any], Part]) -> Part | list[Part] | Omit:
    """The part of a value; of a list, the part of each item. Null is left out."""
    value = defined(value)
    if isinstance(value, Omit):
        return value
    if isinstance(value, list):
        return [write(item) for item in value]
    return write(value)


def unnamed_part(value: Any) -> Part:
    if isinstance(value, str | bytes):
        return _file(value, None, None, NO_HEADERS)
    return Part(utf8(json_of(value)), "application/json")


def from_base64(value: Any) -> Part | Omit:
    """A binary body, from the texts that `file` accepts."""
    if isinstance(value, Omit):
        return value
    return _file(value, None, None, NO_HEADERS)


HOW_TO_SEND = (
    "give the bytes of the file as base64, or as `data:image/png;name=a.png;base64,...`, and a text"
    " as `data:text/plain;name=a.txt,...`; a path or a name alone sends nothing"
)
_PATH = re.compile(
    "/(app|data|etc|home|media|mnt|opt|private|root|srv|tmp|users|usr|var|volumes|workspaces?)/",
    re.I,
)
"""Beginnings of paths. Bytes that begin so in base64 are of no type of file."""


def decode_base64(text: str) -> bytes:
    """The bytes of base64 text (RFC 4648 sections 3.2, 4 and 5: with padding; line breaks are
    ignored). Raises Refused.
    """
    if _PATH.match(text):
        raise Refused(f"the path of a file: {HOW_TO_SEND}")
    text = "".join(text.split()).translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refused(f"not base64 with its padding: {HOW_TO_SEND}") from None


def _file(
    value: Any, media_type: str | None, filename: str | None, headers: Mapping[str, str]
) -> Part:
    if isinstance(value, bytes):
        return Part(value, media_type, filename or "", headers)
    if isinstance(value, dict):  # an object that a union allows beside the file
        return Part(utf8(json_of(value)), "application/json", headers=headers)
    if not isinstance(value, str):
        raise Refused(f"a file is a text: {HOW_TO_SEND}")
    scheme = value[:5].lower()
    if scheme == "file:":
        return Part(b"", media_type, filename, headers, path=value)
    if scheme == "data:":
        own_type, own_name, content = _data_url(value)
        return Part(content, media_type, filename or own_name, headers, own_type=own_type)
    return Part(decode_base64(value), media_type, filename or "", headers)


def _data_url(url: str) -> tuple[str | None, str, bytes]:
    """The media type, if there is one, the name of the file and the content of a `data:` URL (RFC
    2397).
    """
    head, comma, body = url[len("data:") :].partition(",")
    if not comma:
        raise Refused("not a `data:` URL")
    media_type, *options = map(str.strip, head.split(";"))
    named = [_NAME_OPTION.fullmatch(option) for option in options]
    name = next((unquote(option[1]) for option in filter(None, named)), "")
    if "base64" in map(str.lower, options):
        text = "".join(unquote(body).split()).rstrip("=")
        content = decode_base64(text + "=" * (-len(text) % 4))
    else:
        content = unquote_to_bytes(utf8(body))
    return media_type or None, last_segment(name), content


_NAME_OPTION = re.compile('(?:file)?name="?([^"]{1,255})"?', re.I)
"""The name of a file among the parameters of a `data:` URL."""


def last_segment(path: str) -> str:
    """The name of a file at the end of a path."""
    return path.replace("\\", "/").rpartition("/")[2]


def with_fields(
    value: Any, fixed: Mapping[str, Any] = NO_FIELDS, defaults: Mapping[str, Any] = NO_FIELDS
) -> Any:
    """A value with the fields that the server's owner gives, by JSON Pointer (RFC 6901): `fixed`
    in each object that is there, `defaults` where the object has no such field. In a list, each
    item is such an object.
    """
    for pointer, item in defaults.items():
        value = _with_field(value, split(pointer), item, False)
    for pointer, item in fixed.items():
        value = _with_field(value, split(pointer), item, True)
    return value


def _with_field(value: Any, path: list[str], item: Any, fixed: bool) -> Any:
    if isinstance(value, list):
        return [_with_field(each, path, item, fixed) for each in value]
    name, *rest = path
    if not isinstance(value, dict):
        return value
    if rest:
        inner = {key: _with_field(value[key], rest, item, fixed) for key in value if key == name}
        return value | inner
    if fixed:
        return {**value, name: item}
    return {name: item, **value}


Fields = tuple[str, ...] | Mapping[str, Mapping[str, Any]]
"""The names of the fields that a function writes (`*`: all), or its options by these names."""


def form_fields(value: Any, **writers: Fields) -> Any:
    """The fields of a form that is one argument; a text is the form as it stands.

    Each keyword is the name of a function of this module and has the fields it writes; any other
    object is JSON text (OpenAPI 3.1 section 4.8.15.1).
    """
    if isinstance(value, str | Omit):
        return value
    if not isinstance(value, Mapping):
        raise Refused("a form is an object of its fields, or its text")
    fields = dict(value)
    for name, item in value.items():
        if isinstance(item, Mapping):
            fields[name] = json_of(item)
    return fields | _written_fields(value, writers)


def multipart_fields(value: Any, **writers: Fields) -> Any:
    """The fields of a multipart body that is one argument; keywords as for `form_fields`.

    What is no object has no names for its parts: it is sent under the name `file`.
    """
    if isinstance(value, Omit):
        return value
    if not isinstance(value, Mapping):
        return {"file": each_part(value, unnamed_part)}
    return {**value, **_written_fields(value, writers)}


def _written_fields(value: Mapping[str, Any], writers: Mapping[str, Fields]) -> dict[str, Any]:
    fields = {}
    for function, names in writers.items():
        options = names if isinstance(names, Mapping) else {name: {} for name in names}
        rest = options.get(EVERY_FIELD)
        for name in value if rest is not None else options:
            if name in value:
                fields[name] = _WRITERS[function](value[name], **options.get(name) or rest or {})
    return fields


_WRITERS: Mapping[str, Callable[..., Any]] = {
    writer.__name__: writer
    for writer in (
        *(csv, deep_object, file, form, json_part, json_parts, json_text, pipe_delimited),
        *(reserved, space_delimited, tab_delimited, text_part),
    )
}


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


_Function = TypeVar("_Function", bound=Callable[..., Any])


def sends(
    *,
    nullable: tuple[str, ...] = (),
    names: Mapping[str, str] | None = None,
    merge_patch: bool = False,
) -> Callable[[_Function], _Function]:
    """Attach `Sends` to a tool's function."""

    def attach(function: _Function) -> _Function:
        function.__dict__["sends"] = Sends(nullable, dict(names or {}), merge_patch)
        return function

    return attach


def pairs_of(name: str, value: Any) -> Iterator[tuple[str, str | None]]:
    """A query parameter or form field as encoded pairs: the default style, `form` exploded, unless
    already encoded.

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
        yield from _bounded(_exploded(value))
    elif isinstance(value, list):
        for item in value:
            yield _pair(name, item)
    else:
        yield _pair(name, value)


def joined(pairs: Iterable[tuple[str, str | None]]) -> str:
    """Encoded pairs as a query or form body."""
    return "&".join(key if text is None else f"{key}={text}" for key, text in pairs)


def path_text(name: str, value: Any) -> str:
    """A path parameter, encoded: `simple` without explode, unless already encoded."""
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, Pairs):
        # RFC 6570 section 3.2.7: no `=` before an empty value
        return "".join(f";{key}={text}" if text else f";{key}" for key, text in value.of(name))
    return simple_text(value)


_SEPARATORS = {",": ",", " ": "%20", "\t": "%09", "|": "%7C"}
_SEPARATOR_NAMES = {",": "a comma", " ": "a space", "\t": "a tab"}


def simple_text(value: Any) -> str:
    """A value in `simple` style, percent-encoded, unless it is already."""
    if isinstance(value, Encoded):
        return value.text
    value = value if isinstance(value, Simple) else Simple(value, False)
    items = _items(value.value, value.explode, encode)
    separator = _SEPARATORS[value.separator]
    if separator != ",":
        _refuse_separator(items, separator)
    return separator.join(items)


def header_text(value: Any) -> str:
    """A header value: `simple` style, not percent-encoded (RFC 9110 section 5.5)."""
    if isinstance(value, str):
        return value
    if isinstance(value, Encoded):
        return value.text
    value = value if isinstance(value, Simple) else Simple(value, False)
    items = _items(value.value, value.explode, text_of)
    _refuse_separator(items, value.separator)
    return str(value.separator.join(items))


def _form(value: Any, explode: bool, safe: str) -> Encoded | Pairs | list[Encoded] | Omit:
    value = defined(value)
    if not isinstance(value, COMPOUND):
        return _scalar(value, safe)
    if not explode:
        # The comma separates items here, so a comma inside an item is always encoded
        safe = safe.replace(",", "")
        return Encoded(",".join(_escaped(item, safe) for item in _members(value)))
    if isinstance(value, Mapping):
        return Pairs(_bounded(_exploded(value, safe)))
    return [Encoded(_escaped(item, safe)) for item in value]


def _escaped(value: Any, safe: str) -> str:
    """A scalar, percent-encoded; where `%` is safe, it stays only where it begins an escape."""
    return _NO_ESCAPE.sub("%25", encode(value, safe))


def _scalar(value: Any, safe: str = "") -> Encoded | Omit:
    if isinstance(value, Omit):
        return value
    return Encoded(_escaped(value, safe))


def _named_pairs(value: Any, explode: bool, write: Callable[[Any], str]) -> Pairs | Omit:
    """The pairs of a style that writes the parameter's name as well."""
    value = defined(value)
    if isinstance(value, Omit):
        return value
    if explode and isinstance(value, Mapping):
        return Pairs(tuple((write(str(key)), write(item)) for key, item in value.items()))
    texts = [",".join(_items(value, False, write))]
    if explode and isinstance(value, list):
        texts = [write(item) for item in value]
    return Pairs(tuple(("", text) for text in texts), under_name=True)


def _pair(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, Encoded):
        return encode(name), value.text
    return encode(name), encode(value)


def _exploded(value: Mapping[Any, Any], safe: str = "") -> Iterator[tuple[str, str]]:
    """The pairs of an object in `form` style; an array inside it repeats its key."""
    for key, item in value.items():
        members = item if isinstance(item, list | tuple) else (item,)
        for member in members:
            if member is not None:
                yield encode(str(key)), _escaped(member, safe)


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


def _with_texts_for_lists(value: Any, separators: str) -> Any:
    """A list whose items that are lists are texts, joined by the first separator; what is in them
    by the others. Without separators it stays as it is.
    """
    if not separators or not isinstance(value, list):
        return value
    return [_joined_list(item, separators) for item in value]


def _joined_list(value: Any, separators: str) -> Any:
    if not isinstance(value, list):
        return value
    separator = separators[0]
    texts = [text_of(item) for item in _with_texts_for_lists(value, separators[1:])]
    _refuse_separator(texts, separator)
    return separator.join(texts)


def _refuse_separator(items: list[str], separator: str) -> None:
    """Raise Refused where one of several items holds what separates them: the two could not be told
    apart.
    """
    if len(items) > 1 and any(separator in item for item in items):
        label = _SEPARATOR_NAMES.get(unquote(separator), "`|`")
        raise Refused(f"an item that holds {label} cannot stand in a list separated by it")


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

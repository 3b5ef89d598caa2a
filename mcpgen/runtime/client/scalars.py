"""Single values as text: what is sent for a number, a text or null, and what is left out; the parts
of a multipart body (RFC 7578), and files: base64 text, `data:` URLs and `file:` URLs.
"""

from __future__ import annotations

import base64
import binascii
import enum
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from ..errors import Refused
from ..results.answer import charset_of, codec_of

COMPOUND = (list, tuple, Mapping)


class Omit(enum.Enum):
    """The type of `OMIT`: an argument that was not given."""

    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> bool:
        return False


OMIT: Final = Omit.OMIT


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
    if text == "-0":
        return "0"
    return text


def json_of(value: Any, ascii_only: bool = False) -> str:
    """A value as JSON. Raises Refused for what JSON cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        raise Refused("the value cannot be written as JSON (NaN, too deep, or not data)") from None


def _half_a_pair() -> Refused:
    return Refused("the text holds half of a surrogate pair, which is not a character")


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a multipart body. `path` names a local file instead of `content`.

    `media_type` of a file may be a range, or several types separated by commas: the file's own type
    decides (`own_type`, where a `data:` URL names it).
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


def _file(
    value: Any, media_type: str | None, filename: str | None, headers: Mapping[str, str]
) -> Part:
    if isinstance(value, bytes):
        return Part(value, media_type, filename or "file", headers)
    if not isinstance(value, str):
        raise Refused("a file is given as base64 text")
    scheme = value[:5].lower()
    if scheme == "file:":
        return Part(b"", media_type, filename, headers, path=value)
    own_type, content = None, b""
    if scheme == "data:":
        own_type, content = _data_url(value)
    else:
        content = _content(value)
    return Part(content, media_type, filename or "file", headers, own_type=own_type)


def _data_url(url: str) -> tuple[str | None, bytes]:
    """The media type, if there is one, and the content of a `data:` URL (RFC 2397)."""
    head, comma, body = url[len("data:") :].partition(",")
    if not comma:
        raise Refused("not a `data:` URL")
    media_type, *options = head.split(";")
    if any(option.strip().lower() == "base64" for option in options):
        return media_type or None, decode_base64(body)
    return media_type or None, unquote_to_bytes(utf8(body))

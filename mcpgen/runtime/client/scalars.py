"""Single values as text: what is sent for a number, a text or null, and what is left out."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote

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

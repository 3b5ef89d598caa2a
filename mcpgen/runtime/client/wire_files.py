"""Files and other parts of bodies, from the texts that a model gives."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from ..results.answer import charset_of, codec_of
from . import Refused
from .wire import Fields, Omit, Part, defined, json_of, text_of, utf8, written_fields


def encoded(text: str, media_type: str) -> bytes:
    """Return a text in the charset of its media type; UTF-8 without a charset, or for an unknown
    charset. Raises Refused for a character that the charset does not have.
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


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


def file(
    value: Any,
    media_type: str | None = None,
    filename: str | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
) -> Part | list[Part] | Omit:
    """Return a file of a multipart body (RFC 7578 section 4.2), or a list of them for a list.

    Each is base64 text, a `data:` URL or a `file:` URL, and is read when the request is made. A
    `file:` URL names a local file, inside the folders that the operator has opened.
    """
    return each_part(value, lambda item: _file(item, media_type, filename, headers))


def json_part(
    value: Any, media_type: str = "application/json", headers: Mapping[str, str] = NO_HEADERS
) -> Part | Omit:
    """Return a value as a JSON part of a multipart body. Raises Refused."""
    if isinstance(value, Omit):
        return value
    return Part(utf8(json_of(value)), media_type, headers=headers)


def json_parts(
    value: Any, media_type: str = "application/json", headers: Mapping[str, str] = NO_HEADERS
) -> Part | list[Part] | Omit:
    """Return the items of a list as JSON parts, one for each (OpenAPI 3.1.1, 4.8.15.1.1)."""
    return each_part(value, lambda item: Part(utf8(json_of(item)), media_type, headers=headers))


def text_part(
    value: Any, media_type: str | None = None, headers: Mapping[str, str] = NO_HEADERS
) -> Part | list[Part] | Omit:
    """Return a text part of a multipart body, with its own media type and headers; for a list, a
    part for each item. Raises Refused.
    """
    return each_part(value, lambda item: _text_part(item, media_type, headers))


def _text_part(value: Any, media_type: str | None, headers: Mapping[str, str]) -> Part:
    return Part(encoded(text_of(value), media_type or ""), media_type, headers=headers)


def each_part(value: Any, write: Callable[[Any], Part]) -> Part | list[Part] | Omit:
    """Return `write(value)`; for a list, that of each item; OMIT for null and an empty list."""
    value = defined(value)
    if isinstance(value, Omit):
        return value
    if isinstance(value, list):
        return [write(item) for item in value]
    return write(value)


def unnamed_part(value: Any) -> Part:
    if not isinstance(value, str | bytes):
        return Part(utf8(json_of(value)), "application/json")
    try:
        return opened(_file(value, None, None, NO_HEADERS))
    except Refused as refused:
        raise Refused(str(refused), "body") from None


def from_base64(value: Any) -> Part | Omit:
    """Return a binary body from bytes or a text that `file` accepts. Raises Refused."""
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
    """Return the bytes of base64 text (RFC 4648 sections 3.2, 4 and 5: with padding; line breaks
    are ignored). Raises Refused, also for a text that begins as a path (`/home/`).
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
    return Part(b"", media_type, filename or "", headers, source=value)


def opened(part: Part) -> Part:
    """Return a part with the bytes of its base64 text or `data:` URL; unchanged for a local file
    (`file:`) and without a source. Raises Refused for another text.
    """
    scheme = part.source[:5].lower()
    if scheme in ("", "file:"):
        return part
    if scheme != "data:":
        return replace(part, content=decode_base64(part.source), source="")
    own_type, own_name, content = _data_url(part.source)
    name = part.filename or own_name
    return replace(part, content=content, filename=name, own_type=own_type, source="")


def _data_url(url: str) -> tuple[str | None, str, bytes]:
    """Return media type (or None), file name (or empty) and content of a `data:` URL (RFC 2397).
    Raises Refused.
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
"""Name of a file among the parameters of a `data:` URL."""


def last_segment(path: str) -> str:
    """Return the file name at the end of a path, after the last slash or backslash."""
    return path.replace("\\", "/").rpartition("/")[2]


def multipart_fields(value: Any, **writers: Fields) -> Any:
    """Return name -> value of a multipart body that is a single argument, OMIT as it is; keywords
    as for `form_fields`.

    A value that is no object has no part names: it, or each item of a list, is sent under the name
    `file`.
    """
    if isinstance(value, Omit):
        return value
    if not isinstance(value, Mapping):
        return {"file": each_part(value, unnamed_part)}
    return {**value, **written_fields(value, writers)}

"""The parts of a request besides its URL: header fields, cookies and the body."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import Refused
from ..headers import FORBIDDEN_HEADERS, TOKEN
from ..settings import Settings
from .wire import OMIT, Omit, Pairs, Part, Simple, encode, header_text, joined, pairs_of, text_of

MAX_HEADER = 8 * 1024

VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")
# What the first bytes say, for file parts whose document names no single media type.
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)


def header_fields(headers: Mapping[str, Any]) -> dict[str, str]:
    """Header arguments as fields that keep to the grammar (RFC 9110, section 5). Raises Refused
    naming the field.
    """
    fields: dict[str, str] = {}
    for name, value in headers.items():
        if value is OMIT:
            continue
        if not TOKEN.fullmatch(name) or name.lower() in FORBIDDEN_HEADERS:
            raise Refused("this header cannot be set by an argument", name)
        inner = value.value if isinstance(value, Simple) else value
        if isinstance(inner, list | tuple | Mapping) and not inner:
            continue
        fields[name] = header_value(name, _named(name, header_text, value))
    return fields


def header_value(name: str, text: str) -> str:
    """The text, if a header field can hold it. Raises Refused naming the field, not the value."""
    if len(text) > MAX_HEADER:
        raise Refused(f"longer than {MAX_HEADER} characters", name)
    if text and not VALUE.fullmatch(text):
        raise Refused(
            "a header holds ASCII text without line breaks, control characters or spaces around it",
            name,
        )
    return text


def cookie_pairs(cookies: Mapping[str, Any]) -> dict[str, str]:
    """Cookie arguments, percent-encoded, one cookie each; lists and objects are joined by
    commas.
    """
    pairs: dict[str, str] = {}
    for name, value in cookies.items():
        if value is OMIT or (isinstance(value, list | tuple | Mapping) and not value):
            continue
        if not TOKEN.fullmatch(name):
            raise Refused("not a cookie name", name)
        pairs[name] = _named(name, _cookie_text, value)
    return pairs


def _cookie_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(encode(item) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple):
        return ",".join(encode(item) for item in value)
    return str(value.text) if hasattr(value, "text") else encode(value)


def query_text(query: Mapping[str, Any]) -> str:
    """Query arguments as the query of a URL."""
    pairs: list[tuple[str, str | None]] = []
    for name, value in query.items():
        pairs += _named(name, lambda given, name=name: list(pairs_of(name, given)), value)
    return joined(pairs)


class Payload:
    """A request body: its bytes and their media type; `content` is None for no body at all."""

    __slots__ = ("content", "media_type")

    def __init__(self, content: bytes | None, media_type: str = "") -> None:
        self.content, self.media_type = content, media_type


def payload(
    *,
    json_value: Any,
    form: Mapping[str, Any] | Omit,
    multipart: Mapping[str, Any] | Omit,
    content: Any,
    media_type: str | None,
    optional: bool,
    settings: Settings,
) -> Payload:
    """The body of a request. Raises Refused for what cannot be said, and for more bytes than the
    limit.
    """
    if json_value is not OMIT:
        made = _json_body(json_value, media_type, optional)
    elif not isinstance(form, Omit):
        made = _form_body(form, media_type, optional)
    elif not isinstance(multipart, Omit):
        made = _multipart_body(multipart, optional, settings)
    elif content is not OMIT:
        made = _raw_body(content, media_type, settings)
    else:
        made = Payload(None)
    if made.content is not None and len(made.content) > settings.max_request_bytes:
        limit = f"`{settings.variable('MAX_REQUEST_BYTES')}`"
        raise Refused(
            f"the request body is larger than {settings.max_request_bytes:,} bytes ({limit})"
        )
    return made


def _json_body(value: Any, media_type: str | None, optional: bool) -> Payload:
    if isinstance(value, Mapping):
        value = {key: item for key, item in value.items() if item is not OMIT}
        if not value and optional:
            return Payload(None)
    try:
        text = json.dumps(_whole(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return Payload(text.encode(), media_type or "application/json")
    except UnicodeEncodeError:
        raise Refused("the body holds half of a surrogate pair, which is not a character") from None
    except (ValueError, TypeError, RecursionError):
        raise Refused(
            "the body cannot be written as JSON (NaN, nested too deeply, or not data)"
        ) from None


def _whole(value: Any) -> Any:
    """The value with `7.0` as `7`: JSON Schema calls both an integer, and not every API reads the
    first as one.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value


def _form_body(form: Mapping[str, Any], media_type: str | None, optional: bool) -> Payload:
    if optional and all(value is OMIT for value in form.values()):
        return Payload(None)
    return Payload(
        query_text(form).encode("ascii"), media_type or "application/x-www-form-urlencoded"
    )


def _raw_body(content: Any, media_type: str | None, settings: Settings) -> Payload:
    if isinstance(content, Part):
        content = local_file(content.path, settings) if content.path else content.content
    if isinstance(content, bytes):
        given = media_type if media_type and "*" not in media_type else None
        return Payload(content, given or _sniff(content))
    try:
        data = text_of(content).encode()
    except UnicodeEncodeError:
        raise Refused("the body holds half of a surrogate pair, which is not a character") from None
    kind = media_type or "text/plain"
    if kind.lower().startswith("text/") and "charset" not in kind.lower():
        kind += "; charset=utf-8"
    return Payload(data, kind)


def _multipart_body(fields: Mapping[str, Any], optional: bool, settings: Settings) -> Payload:
    """`multipart/form-data` (RFC 7578), one part per value."""
    parts: list[tuple[str, Part]] = []
    for name, value in fields.items():
        parts += [(name, part) for part in _named(name, _parts, value)]
    if not parts and optional:
        return Payload(None)
    contents = []
    for name, part in parts:
        contents.append(
            _named(name, lambda path: local_file(path, settings), part.path)
            if part.path
            else part.content
        )
    boundary = _boundary(contents)
    lines = []
    for (name, part), content in zip(parts, contents, strict=True):
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{escape(name)}"'
        if part.filename is not None or part.path:
            filename = (
                part.filename or unquote(part.path).replace("\\", "/").rpartition("/")[2] or "file"
            )
            head += f'; filename="{escape(filename)}"'
            media_type = (
                part.media_type
                if part.media_type and "*" not in part.media_type
                else _sniff(content)
            )
        else:
            media_type = part.media_type or ""
        if media_type:
            head += f"\r\nContent-Type: {header_value(name, media_type)}"
        for field, value in part.headers.items():
            if not TOKEN.fullmatch(field):
                raise Refused("not a header name", field)
            head += f"\r\n{field}: {header_value(field, value)}"
        lines.append(head.encode("utf-8", "replace") + b"\r\n\r\n" + content + b"\r\n")
    return Payload(
        b"".join(lines) + f"--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
    )


def _parts(value: Any) -> list[Part]:
    if value is OMIT:
        return []
    if isinstance(value, Part):
        return [value]
    if isinstance(value, list | tuple):
        return [part for item in value for part in _parts(item)]
    if isinstance(value, bytes):
        return [Part(value, None, "file")]
    if isinstance(value, Mapping):
        made = _json_body(value, None, False)
        return [Part(made.content or b"", made.media_type)]
    if isinstance(value, Pairs):
        raise Refused("cannot be written as one part")
    try:
        return [Part(text_of(value).encode())]
    except UnicodeEncodeError:
        raise Refused("the text holds half of a surrogate pair, which is not a character") from None


def escape(name: str) -> str:
    """A field or file name inside quotes: quote, backslash and controls percent-encoded (RFC 7578,
    WHATWG).
    """
    return re.sub(r'["\\\x00-\x1f\x7f]', lambda found: f"%{ord(found[0]):02X}", name)


def _boundary(contents: Iterable[bytes]) -> str:
    """A boundary that no part holds."""
    while True:
        boundary = secrets.token_hex(16)
        if not any(boundary.encode() in content for content in contents):
            return boundary


def _sniff(content: bytes) -> str:
    return next(
        (kind for magic, kind in _MAGIC if content.startswith(magic)), "application/octet-stream"
    )


def local_file(url: str, settings: Settings) -> bytes:
    """The bytes of a `file:` URL inside one of the folders the operator opened. Raises Refused
    otherwise.
    """
    variable = f"`{settings.variable('FILE_ROOTS')}`"
    if not settings.file_roots:
        raise Refused(
            "local files cannot be named here: give the bytes as base64 (or the operator sets"
            f" {variable})"
        )
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise Refused("not a local file")
    try:
        path = Path(unquote(parts.path)).resolve(strict=True)
        inside = any(path.is_relative_to(root) for root in settings.file_roots)
        if not inside or not path.is_file():
            raise Refused(f"not a file inside the folders of {variable}")
        with path.open("rb") as stream:
            return stream.read(settings.max_request_bytes + 1)
    except (OSError, ValueError):
        raise Refused(f"not a file inside the folders of {variable}") from None


def _named(name: str, write: Any, value: Any) -> Any:
    """`write(value)`, with the name of the argument in what it may refuse."""
    try:
        return write(value)
    except Refused as refused:
        raise refused if refused.name else Refused(str(refused), name) from None

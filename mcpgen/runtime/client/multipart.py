"""Bodies that are neither JSON nor a form: multipart, files and text."""

from __future__ import annotations

import mimetypes
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from ..facts import TOKEN
from ..results.answer import UNTYPED
from . import Refused
from .request import Payload, header_value, json_bytes
from .settings import ApiSettings
from .wire import OMIT, Encoded, Omit, Pairs, Part, Simple, header_text, named, text_of, utf8
from .wire_files import HOW_TO_SEND, encoded, last_segment, opened

# The first bytes of file types, for file parts whose document names no single media type
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)


def payload(
    multipart: Mapping[str, Any] | Omit,
    content: Any,
    media_type: str | None,
    optional: bool,
    settings: ApiSettings,
) -> Payload:
    """Return the body of `multipart`, or of `content` if that is OMIT. Raises Refused."""
    if isinstance(multipart, Omit):
        return _raw_body(content, media_type, settings)
    return _multipart_body(multipart, media_type, optional, settings)


def _raw_body(content: Any, media_type: str | None, settings: ApiSettings) -> Payload:
    if isinstance(content, bytes):
        content = Part(content)
    if isinstance(content, Part):
        body = named("body", partial(_opened, settings), content)
        return Payload(body.content, named("body", partial(_file_type, media_type), body))
    text_type = media_type or "text/plain"
    declared = text_type.lower()
    if declared.startswith("text/") and "charset" not in declared:
        text_type += "; charset=utf-8"
    return Payload(encoded(text_of(content), text_type), text_type)


def _multipart_body(
    fields: Mapping[str, Any], media_type: str | None, optional: bool, settings: ApiSettings
) -> Payload:
    """Return fields as a multipart body (RFC 7578; named so in `multipart/mixed`, too), a part for
    each value or item of a list. Raises Refused.
    """
    parts: list[tuple[str, bytes]] = []
    for name, value in fields.items():
        for index, (own_name, part) in enumerate(named(name, partial(_parts_of, name), value)):
            place = f"{name}[{index}]" if isinstance(value, list) else name
            body = named(place, partial(_opened, settings), part)
            parts.append((_part_head(own_name, body, place), body.content))
    if optional and not parts:
        return Payload()
    boundary = _boundary([content for _, content in parts])
    lines = []
    for head, content in parts:
        head = f"--{boundary}\r\n{head}\r\n\r\n"
        lines += [head.encode("utf-8", "replace"), content, b"\r\n"]
    lines.append(f"--{boundary}--\r\n".encode())
    essence = (media_type or "multipart/form-data").partition(";")[0]
    return Payload(b"".join(lines), f"{essence}; boundary={boundary}")


def _part_head(name: str, part: Part, place: str) -> str:
    """Return the header fields of a part (RFC 7578 section 4.2) without the empty line after them.
    `place` is the argument that an error names. Raises Refused.
    """
    head = f'Content-Disposition: form-data; name="{escape(name)}"'
    media_type = part.media_type
    if part.filename is not None:
        if media_type in UNTYPED:  # it says that these are bytes, not which
            media_type = None
        media_type = named(place, partial(_file_type, media_type), part)
        head += f'; filename="{escape(part.filename or _made_name(media_type))}"'
    if media_type:
        head += f"\r\nContent-Type: {header_value(name, media_type)}"
    for header, value in part.headers.items():
        if not TOKEN.fullmatch(header):
            raise Refused("not a header name", header)
        head += f"\r\n{header}: {header_value(header, value)}"
    return head


def _made_name(media_type: str) -> str:
    """Return `file` with the extension of a media type: `file.png`; without for an unknown type."""
    essence = media_type.partition(";")[0].strip()
    if essence in UNTYPED:
        return "file"
    return f"file{mimetypes.guess_extension(essence) or ''}"


def _opened(settings: ApiSettings, part: Part) -> Part:
    """Return a part with its bytes, decoded, or read from a local file. Raises Refused."""
    part = opened(part)
    if not part.source:
        return part
    name = part.filename or last_segment(unquote(part.source))
    return replace(part, content=local_file(part.source, settings), filename=name)


def _parts_of(name: str, value: Any) -> list[tuple[str, Part]]:
    """Return (name, part) for each part of a field; none for null and OMIT. `Pairs` have own names
    and are not percent-encoded here (OpenAPI 3.1.1 section 4.8.15.1.2).
    """
    if isinstance(value, Pairs):
        pairs = value.of(name)
        return [(unquote(key), Part(unquote_to_bytes(text or ""))) for key, text in pairs]
    return [(name, part) for part in _parts(value)]


def _parts(value: Any) -> list[Part]:
    if value in (OMIT, None):
        return []
    if isinstance(value, Part):
        return [value]
    if isinstance(value, list | tuple):
        return [part for item in value for part in _parts(item)]
    if isinstance(value, bytes):
        return [Part(value, None, "")]
    if isinstance(value, Encoded):
        return [Part(unquote_to_bytes(value.text))]
    if isinstance(value, Simple):
        return [Part(utf8(header_text(value)))]
    if isinstance(value, Mapping):
        fields = {key: item for key, item in value.items() if item is not OMIT}
        return [Part(json_bytes(fields), "application/json")]
    return [Part(utf8(text_of(value)))]


def escape(name: str) -> str:
    """Return a name for use inside quotes: quote, backslash and controls percent-encoded (RFC 7578
    section 2, WHATWG).
    """
    return re.sub(r'["\\\x00-\x1f\x7f]', lambda match: f"%{ord(match[0]):02X}", name)


def _boundary(contents: Iterable[bytes]) -> str:
    """Return a random boundary that no part contains."""
    while True:
        boundary = secrets.token_hex(16)
        if not any(boundary.encode() in content for content in contents):
            return boundary


def _file_type(declared: str | None, part: Part) -> str:
    """Return the declared media type of a file; of several types or a range, the declared one that
    its `data:` URL, name or bytes say, else the first full one. Raises Refused without any.
    """
    declared = declared or "*/*"
    ranges = [one.strip() for one in declared.split(",")]
    if not re.search("[*,]", declared):
        return declared
    by_name, _ = mimetypes.guess_type(part.filename or "")
    by_content = [known_type for magic, known_type in _MAGIC if part.content.startswith(magic)]
    known = (part.own_type, by_name, *by_content, "application/octet-stream", *ranges)
    for one in [one for one in known if one if "*" not in one]:
        if any(fnmatchcase(one.lower(), each.lower()) for each in ranges):
            return one
    raise Refused(
        f"the file must be `{declared}`, and its bytes do not say which type it is: give it as a"
        " `data:` URL, which names the type"
    )


def local_file(url: str, settings: ApiSettings) -> bytes:
    """Return the bytes of a `file:` URL in a folder that the operator opened, at most one more than
    a request may have. Raises Refused for any other file.
    """
    variable = f"`{settings.variable('FILE_ROOTS')}`"
    if not settings.file_roots:
        raise Refused(
            f"local files cannot be named here: {HOW_TO_SEND} (or the operator sets {variable})"
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

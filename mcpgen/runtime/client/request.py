"""A request on its way out: its URL, header fields, cookies and body.

For a URL: refuse, then encode, then verify. Encoding alone does not keep a value inside its path
segment: `..` is made of unreserved characters, and readers on the way decode `%2e` and `%2F` before
they route. So a value that some reader could take for a dot segment is refused (`facts`), what is
left is percent-encoded, and the finished URL is parsed again and compared with what it has to be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, unquote_plus, unquote_to_bytes, urljoin, urlsplit

from yarl import URL

from ..facts import (
    FORBIDDEN_HEADERS,
    TOKEN,
    Origin,
    TooManyDecodings,
    may_hold_dots,
    origin_of,
    readings,
)
from ..results.answer import Answer, charset_of, codec_of
from ..secrets import Caller, Redactor, Secret
from . import Redirected, Refused
from .settings import ApiSettings
from .wire import OMIT, Omit, defined, header_text, joined, named, pairs_of, path_text, rarer, utf8

MAX_SEGMENT = 2_048
MAX_URL = 64 * 1024
MAX_LOCATION = 8 * 1024
MAX_SHOWN = 200

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"[A-Za-z0-9_~-]{1,500}(?:\.[A-Za-z0-9_~-]{1,500}){0,3}")
"""Part of a segment that has one meaning for every reader: unreserved characters, dots only between
them (RFC 3986, section 2.3).
"""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def expand(template: str, values: Mapping[str, Any]) -> str:
    """Return a path template with its values, percent-encoded; each stays inside its segment.

    Raises Refused for a value that is missing, empty, or could be read as more or less than one
    segment.
    """
    return "/".join([_segment(parts, values) for parts in _segments(template)])


def build(base_url: str, template: str, values: Mapping[str, Any], query: str) -> URL:
    """Return the URL of a request: base URL, path and query, joined, then verified by parsing.

    Raises Refused for a value that `expand` refuses, for more than `MAX_URL` characters, and when
    the parsed URL has another origin, base path, number of segments or query than it should have.
    """
    path = expand(template, values)
    target = f"{path}?{query}" if query else path
    text = base_url + target
    if len(text) > MAX_URL:
        raise Refused(f"the arguments make a URL of more than {MAX_URL} characters")
    try:
        url = URL(text, encoded=True)
        verified = text.isascii() and _goes_where_it_should(url, text, base_url, path, query)
    except ValueError:
        raise Refused("the arguments do not make a URL") from None
    if not verified or path.count("/") != len(_segments(template)) - 1:
        raise Refused("the arguments would change where the request goes")
    return url


def _goes_where_it_should(url: URL, text: str, base_url: str, path: str, query: str) -> bool:
    """Return whether Python and the HTTP library both parse `text` into the parts it was made of.

    Raises ValueError when it is not a URL.
    """
    _, base = _base(base_url)
    parts = (base.scheme, base.netloc, f"{base.path}{path}", query, "")
    if urlsplit(text) != parts:
        return False
    if (url.scheme, url.raw_authority, url.raw_path, url.raw_query_string, url.fragment) != parts:
        return False
    return path.startswith("/") and not may_hold_dots(path)


@lru_cache
def _base(base_url: str) -> tuple[Origin, SplitResult]:
    """Return a base URL's origin and its parts. Raises ValueError."""
    return origin_of(base_url), urlsplit(base_url)


@lru_cache(maxsize=1024)
def _segments(template: str) -> tuple[tuple[str, ...], ...]:
    """Return the segments of a template, each as text and parameter names in turn, split before
    there are values: `/a/{id}.json` gives `(("",), ("a",), ("", "id", ".json"))`.
    """
    segments = f"/{template.removeprefix('/')}".split("/")
    return tuple(tuple(_literals_quoted(segment)) for segment in segments)


def _literals_quoted(segment: str) -> Iterator[str]:
    for index, part in enumerate(_PLACEHOLDER.split(segment)):
        is_name = index % 2 == 1
        yield part if is_name else quote(part, safe="/:@!$&'()*+,;=~%")


def redirect(url: URL, location: str, base_url: str, redact: Callable[[str], str]) -> URL:
    """Return the URL that a redirect leads to (RFC 9110 section 10.2.2), dot segments resolved.

    Raises Redirected, naming that URL, unless it is on the origin of `base_url` and below its path:
    no credential may leave them. `redact` masks secrets in the message.
    """
    if _CONTROLS.search(location) or "\\" in location or not 0 < len(location) <= MAX_LOCATION:
        raise Redirected("the API answered with a redirect to something that is not a URL")
    try:
        text = quote(urljoin(str(url), location).partition("#")[0], safe="%/:?@!$&'()*+,;=~[]")
        target = URL(text, encoded=True)
        origin, parts = origin_of(text), urlsplit(text)
    except ValueError:
        raise Redirected(
            "the API answered with a redirect to something that is not an http URL"
        ) from None
    reason = f"the API redirected to `{redact(f'{origin}{parts.path}')[:MAX_SHOWN]}`"
    api_origin, base = _base(base_url)
    if origin != api_origin or target.origin() != url.origin():
        raise Redirected(f"{reason}, which is another origin than {api_origin}: it is not followed")
    if "@" in parts.netloc:
        raise Redirected(f"{reason} with a user name or password: it is not followed")
    if not _is_below(target.raw_path, base.path):
        raise Redirected(
            f"{reason}, which is not below the API's base path `{base.path}/`: it is not followed"
        )
    return target


def _is_below(path: str, base: str) -> bool:
    """Return whether every reader finds a path at or below the path of a base URL."""
    if path != base and not path.startswith(f"{base}/"):
        return False
    try:
        return not may_hold_dots(path)
    except TooManyDecodings:
        return False


def _segment(parts: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """Return one segment of a template (of `_segments`) with its values. Raises Refused."""
    if len(parts) == 1:
        return parts[0]
    texts = list(parts)
    for index in range(1, len(parts), 2):
        texts[index] = _value(parts[index], values.get(parts[index], OMIT))
    segment = "".join(texts)
    # Harmless values can still add up: `/` and `/` around the dot of `{name}.{ext}`
    _refuse_dots(segment, parts[1], "makes a `.` or `..` path segment with what is around it")
    return segment


def _value(name: str, value: Any) -> str:
    """Return a parameter, encoded. Raises Refused for a missing, empty, long or unsafe value."""
    if value in (OMIT, None):
        raise Refused("a value is needed, it is part of the path", name)
    try:
        text = path_text(name, value)
    except Refused as refused:
        raise Refused(str(refused), name) from None
    if _PLAIN.fullmatch(text):
        return text
    if not text:
        hint = "; the root of a path is `/`" if "path" in name.lower() else ""
        raise Refused(f"must not be empty, it is part of the path{hint}", name)
    if len(unquote_to_bytes(text)) > MAX_SEGMENT:
        raise Refused(f"longer than {MAX_SEGMENT} bytes", name)
    _refuse_dots(text, name, "holds a `.` or `..` path segment")
    if any(_CONTROLS.search(reading) for reading in readings(text)):
        raise Refused("holds a control character", name)
    return text


def _refuse_dots(text: str, name: str, reason: str) -> None:
    """Raise Refused when a reading of a text has a dot segment, or there are too many readings."""
    try:
        if may_hold_dots(text):
            raise Refused(reason, name)
    except TooManyDecodings as error:
        raise Refused(str(error), name) from None


@dataclass(slots=True, repr=False)
class Outgoing:
    """A request on its way out, as `auth.authorize` sees it."""

    method: str
    url: URL
    headers: dict[str, str]
    cookies: dict[str, str]
    content: bytes | None
    redactor: Redactor
    tokens: dict[str, Secret] = field(default_factory=dict)
    """First variable of an OAuth credential -> the access token that was used."""
    caller: Caller | None = None
    """Caller, on a server that distinguishes its callers."""

    def conceal(self, secret: str) -> str:
        """Mask a text in results, errors and logs from now on, and return it unchanged."""
        self.redactor.add(secret)
        return secret

    def set_header(self, name: str, value: str) -> None:
        """Set a header, replacing any of that name, whatever its case."""
        for other in [key for key in self.headers if key.lower() == name.lower()]:
            del self.headers[other]
        self.headers[name] = value

    def set_query(self, name: str, value: str) -> None:
        """Set a query parameter, replacing any of that name."""
        address, _, query = str(self.url).partition("?")
        pairs = [pair for pair in query.split("&") if pair]
        pairs = [pair for pair in pairs if unquote_plus(pair.partition("=")[0]) != name]
        pairs.append(f"{quote(name, safe='')}={quote(value, safe='')}")
        self.url = URL(f"{address}?{'&'.join(pairs)}", encoded=True)


Post = Callable[[Outgoing], Awaitable[Answer[Any]]]
"""Sends a request to a token endpoint."""


MAX_HEADER = 8 * 1024

VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")


def header_fields(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return header arguments as name -> text, OMIT and null left out. Raises Refused, naming the
    field, for a reserved name or a value that breaks the grammar (RFC 9110 section 5).
    """
    fields: dict[str, str] = {}
    for name, argument in headers.items():
        if argument is OMIT:
            continue
        if not TOKEN.fullmatch(name) or name.lower() in FORBIDDEN_HEADERS:
            raise Refused("this header cannot be set by an argument", name)
        value = defined(argument)
        if value is not OMIT:
            fields[name] = header_value(name, named(name, header_text, value))
    return fields


def header_value(name: str, text: str) -> str:
    """Return the text. Raises Refused, naming the field alone, if a header cannot hold it."""
    if len(text) > MAX_HEADER:
        raise Refused(f"longer than {MAX_HEADER} characters", name)
    if text and not VALUE.fullmatch(text):
        raise Refused(
            "a header holds ASCII text without line breaks, control characters or spaces around it",
            name,
        )
    return text


def query_text(query: Mapping[str, Any]) -> str:
    """Return query arguments as the query of a URL, without `?`. Raises Refused."""
    pairs: list[tuple[str, str | None]] = []
    for name, value in query.items():
        pairs += named(name, partial(_pairs, name), value)
    return joined(pairs)


def _pairs(name: str, value: Any) -> list[tuple[str, str | None]]:
    return list(pairs_of(name, value))


class Payload(NamedTuple):
    """A request body: its bytes and their media type; `content` is None for no body at all."""

    content: bytes | None = None
    media_type: str = ""


def payload(
    *,
    json_value: Any,
    form: Mapping[str, Any] | str | Omit,
    multipart: Mapping[str, Any] | Omit,
    content: Any,
    media_type: str | None,
    optional: bool,
    settings: ApiSettings,
) -> Payload:
    """Return the body from the first argument that is not OMIT; `Payload()` without any or, if
    `optional`, without fields. Raises Refused for a body that cannot be written or is too large.
    """
    if json_value is not OMIT:
        body = _json_body(json_value, media_type, optional)
    elif not isinstance(form, Omit):
        body = _form_body(form, media_type, optional)
    elif OMIT is multipart is content:
        return Payload()
    else:
        write = rarer("multipart").payload
        body = write(multipart, content, media_type, optional, settings)
    if body.content is not None and len(body.content) > settings.max_request_bytes:
        raise Refused(
            f"the request body is larger than {settings.max_request_bytes:,} bytes"
            f" (`{settings.variable('MAX_REQUEST_BYTES')}`)"
        )
    return body


def _json_body(value: Any, media_type: str | None, optional: bool) -> Payload:
    if isinstance(value, Mapping):
        value = {key: item for key, item in value.items() if item is not OMIT}
        if not value and optional:
            return Payload()
    media_type = media_type or "application/json"
    # JSON is UTF-8 (RFC 8259 section 8.1), but an API may read it in the charset it names
    ascii_only = codec_of(charset_of(media_type)) != "utf-8"
    return Payload(json_bytes(value, ascii_only=ascii_only), media_type)


def json_bytes(value: Any, *, ascii_only: bool = False) -> bytes:
    try:
        text = json.dumps(
            _whole(value), ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":")
        )
    except (ValueError, TypeError, RecursionError):
        raise Refused(
            "the body cannot be written as JSON (NaN, nested too deeply, or not data)"
        ) from None
    return utf8(text)


def _whole(value: Any) -> Any:
    """Return a value with `7.0` as `7`: both are integers to JSON Schema, but not to every API."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value


def _form_body(form: Mapping[str, Any] | str, media_type: str | None, optional: bool) -> Payload:
    if media_type is None:
        media_type = "application/x-www-form-urlencoded"
    if isinstance(form, str):
        return Payload(utf8(form), media_type)
    if optional and all(value is OMIT for value in form.values()):
        return Payload()
    return Payload(query_text(form).encode("ascii"), media_type)

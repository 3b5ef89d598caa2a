"""The URL of a request: refuse, then encode, then prove.

Encoding alone does not keep a value inside its path segment: `..` is made of unreserved characters,
and readers on the way decode `%2e` and `%2F` before they route. So a value that some reader could
take for a dot segment is refused (`segments`), what is left is percent-encoded, and the finished
URL is parsed again and compared with what it has to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, quote, unquote_to_bytes, urljoin, urlsplit

import httpx2

from ..errors import Redirected, Refused
from ..origin import Origin, origin_of
from ..segments import TooManyDecodings, may_hold_dots, readings
from .wire import OMIT, path_text

MAX_SEGMENT = 2_048
MAX_URL = 64 * 1024
MAX_LOCATION = 8 * 1024
MAX_SHOWN = 200

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def expand(template: str, values: Mapping[str, Any]) -> str:
    """A path template with its values, percent-encoded; every parameter stays inside its segment.

    Raises Refused for a value that is missing, empty, or could be read as more or less than one
    segment.
    """
    return "/".join(_segment(pieces, values) for pieces in _segments(template))


def build(base_url: str, template: str, values: Mapping[str, Any], query: str) -> httpx2.URL:
    """The URL of a request: base URL, path and query, put together by concatenation and proven by
    parsing.

    Raises Refused when the parsed URL has another origin, base path, number of segments or query
    than it should have.
    """
    path = expand(template, values)
    target = f"{path}?{query}" if query else path
    text = base_url + target
    if len(text) > MAX_URL:
        raise Refused(f"the arguments make a URL of more than {MAX_URL} characters")
    try:
        url = httpx2.URL(text)
        proven = _goes_where_it_should(url, text, base_url, path, query)
    except (ValueError, httpx2.InvalidURL):
        raise Refused("the arguments do not make a URL") from None
    if not proven or path.count("/") != len(_segments(template)) - 1:
        raise Refused("the arguments would change where the request goes")
    return url


def _goes_where_it_should(url: httpx2.URL, text: str, base_url: str, path: str, query: str) -> bool:
    """Whether both readers of a URL, Python's and the HTTP library's, find in `text` what it was
    made of. Raises ValueError when it is not a URL.
    """
    origin, base, authority = _base(base_url)
    parts = urlsplit(text)
    expected = (origin, base.netloc, f"{base.path}{path}", query, "")
    if (origin_of(text), parts.netloc, parts.path, parts.query, parts.fragment) != expected:
        return False
    target = f"{base.path}{path}?{query}" if query else f"{base.path}{path}"
    if (url.scheme, url.netloc, url.raw_path) != (*authority, target.encode("ascii")):
        return False
    return path.startswith("/") and not may_hold_dots(path)


@lru_cache(maxsize=64)
def _base(base_url: str) -> tuple[Origin, SplitResult, tuple[str, bytes]]:
    """A base URL's origin, its parts, and its scheme and authority as the HTTP library reads
    them.
    """
    url = httpx2.URL(base_url)
    return origin_of(base_url), urlsplit(base_url), (url.scheme, url.netloc)


@lru_cache(maxsize=1024)
def _segments(template: str) -> tuple[tuple[str, ...], ...]:
    """The segments of a template, each as text and parameter names in turn.

    The template is split before there are values: nothing in a value is a placeholder.
    """
    path = template if template.startswith("/") else f"/{template}"
    return tuple(
        tuple(
            piece if index % 2 else quote(piece, safe="/:@!$&'()*+,;=~%")
            for index, piece in enumerate(_PLACEHOLDER.split(segment))
        )
        for segment in path.split("/")
    )


def redirect(
    url: httpx2.URL, location: str, base_url: str, redact: Callable[[str], str]
) -> httpx2.URL:
    """Where a redirect leads (RFC 9110, section 10.2.2), dot segments resolved.

    Raises Redirected, saying where it pointed, unless that is on the origin of `base_url` and below
    its path: a credential may go nowhere else. `redact` masks secrets in what is said.
    """
    if _CONTROLS.search(location) or "\\" in location or not 0 < len(location) <= MAX_LOCATION:
        raise Redirected("the API answered with a redirect to something that is not a URL")
    try:
        text = urljoin(str(url), location).partition("#")[0]
        target = httpx2.URL(text)
        origin, parts = origin_of(text), urlsplit(text)
    except (ValueError, httpx2.InvalidURL):
        raise Redirected(
            "the API answered with a redirect to something that is not an http URL"
        ) from None
    shown = f"the API redirected to `{redact(f'{origin}{parts.path}')[:MAX_SHOWN]}`"
    own, base, _ = _base(base_url)
    if origin != own or (target.scheme, target.netloc) != (url.scheme, url.netloc):
        raise Redirected(f"{shown}, which is another origin than {own}: it is not followed")
    if "@" in parts.netloc:
        raise Redirected(f"{shown} with a user name or password: it is not followed")
    path = target.raw_path.decode("ascii").partition("?")[0]
    if not _is_below(path, base.path):
        raise Redirected(
            f"{shown}, which is not below the API's base path `{base.path}/`: it is not followed"
        )
    return target


def _is_below(path: str, base: str) -> bool:
    """Whether every reader finds a path at or below the path of a base URL."""
    if path != base and not path.startswith(f"{base}/"):
        return False
    try:
        return not may_hold_dots(path)
    except TooManyDecodings:
        return False


def _segment(pieces: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """One segment of a template with its values."""
    segment = "".join(
        _value(piece, values.get(piece, OMIT)) if index % 2 else piece
        for index, piece in enumerate(pieces)
    )
    # Harmless values can still add up: `/` and `/` around the dot of `{name}.{ext}`
    if len(pieces) > 1:
        _refuse_dots(segment, pieces[1], "makes a `.` or `..` path segment with what is around it")
    return segment


def _value(name: str, value: Any) -> str:
    """One parameter, encoded. It is judged by what readers on the way could decode it to."""
    if value is OMIT or value is None:
        raise Refused("a value is needed, it is part of the path", name)
    try:
        text = path_text(name, value)
    except Refused as refused:
        raise Refused(str(refused), name) from None
    if not text:
        raise Refused("must not be empty, it is part of the path", name)
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

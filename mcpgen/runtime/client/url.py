"""Where a request goes: refuse, then encode, then prove.

Encoding alone does not keep a value inside its path segment: `..` is made of unreserved characters,
and readers on the way decode `%2e` and `%2F` before they route. So values that could be read as a
dot segment after any number of decodings are refused, what is left is percent-encoded, and the
finished URL is parsed again and compared with what it has to be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, quote, unquote, unquote_to_bytes, urljoin, urlsplit

import httpx2

from .errors import Redirected, Refused
from .wire import OMIT, path_text

MAX_SEGMENT = 2_048
MAX_URL = 64 * 1024

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
# Dots that only careless decoders see: overlong UTF-8 and the %u escapes of old.
_DISGUISED_DOT = re.compile(r"%c0%(?:ae|2e)|%e0%80%ae|%u(?:002e|ff0e)", re.I)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port (RFC 6454), the port never left out."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def loopback(self) -> bool:
        """Whether the host can only be this machine."""
        return (
            self.host in ("localhost", "::1")
            or self.host.endswith(".localhost")
            or self.host.startswith("127.")
        )


def origin_of(url: str) -> Origin:
    """The origin of an absolute http(s) URL. Raises ValueError for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("not an http or https URL with a host")
    return Origin(parts.scheme, parts.hostname.rstrip("."), parts.port or _PORTS[parts.scheme])


def check_base_url(url: str) -> str:
    """A base URL, without its trailing slash. Raises ValueError saying what is wrong with it."""
    if (
        _CONTROLS.search(url)
        or _SURROGATES.search(url)
        or "\\" in url
        or any(letter.isspace() for letter in url)
    ):
        raise ValueError("has a space, control character or backslash in it")
    origin_of(url)
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("has a user name or password in it")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError("has a query or fragment in it")
    if not url.isascii():
        raise ValueError("is not ASCII")
    if any(_is_dots(segment) for segment in parts.path.split("/")):
        raise ValueError("has a `.` or `..` segment in it")
    return url.rstrip("/")


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
    text = base_url + path + (f"?{query}" if query else "")
    if len(text) > MAX_URL:
        raise Refused(f"the arguments make a URL of more than {MAX_URL} characters")
    try:
        url = httpx2.URL(text)
        origin, base, authority = _base(base_url)
        same_origin = origin_of(text) == origin
    except (ValueError, httpx2.InvalidURL):
        raise Refused("the arguments do not make a URL") from None
    parts = urlsplit(text)
    count = base.path.count("/") + len(_segments(template)) - 1
    target = base.path + path + (f"?{query}" if query else "")
    proven = (
        same_origin
        and parts.netloc == base.netloc
        and parts.path.startswith(f"{base.path}/")
        and parts.path.count("/") == count
        and not any(_is_dots(segment) for segment in parts.path.split("/"))
        and parts.query == query
        and not parts.fragment
        and url.raw_path == target.encode("ascii")
        and (url.scheme, url.netloc) == authority
    )
    if not proven:
        raise Refused("the arguments would change where the request goes")
    return url


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


def redirect(url: httpx2.URL, location: str) -> httpx2.URL:
    """Where a redirect leads. Raises Redirected unless it stays on the origin and its path is a
    plain one.
    """
    if not location or len(location) > 8_192 or _CONTROLS.search(location) or "\\" in location:
        raise Redirected("the API answered with a redirect to something that is not a URL")
    try:
        text = urljoin(str(url), location).partition("#")[0]
        same = origin_of(text) == origin_of(str(url)) and "@" not in urlsplit(text).netloc
        target = httpx2.URL(text)
    except (ValueError, httpx2.InvalidURL):
        raise Redirected(
            "the API answered with a redirect to something that is not an http URL"
        ) from None
    if not same:
        raise Redirected("the upstream redirected to another origin, which is not followed")
    # In what was sent and in what it resolves to: resolving takes plain dots away
    if _has_dots(urlsplit(location).path) or _has_dots(urlsplit(text).path):
        raise Redirected(
            "the API answered with a redirect to a path with dot segments, which is not followed"
        )
    return target


def _segment(pieces: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """One segment of a template with its values."""
    segment = "".join(
        _value(piece, values.get(piece, OMIT)) if index % 2 else piece
        for index, piece in enumerate(pieces)
    )
    # Harmless values can still add up: `/` and `/` around the dot of `{name}.{ext}`
    if len(pieces) > 1 and any(_has_dots(text) for text in _decodings(segment)):
        raise Refused("makes a `.` or `..` path segment together with what is around it", pieces[1])
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
    for decoded in _decodings(text):
        if _CONTROLS.search(decoded):
            raise Refused("holds a control character", name)
        if _has_dots(decoded):
            raise Refused("holds a `.` or `..` path segment", name)
    return text


def _decodings(text: str) -> list[str]:
    """The text, and what is left of it after each further percent-decoding, until nothing
    changes.
    """
    seen = [text]
    while "%" in seen[-1]:
        decoded = unquote(_DISGUISED_DOT.sub(".", seen[-1]), errors="replace")
        if decoded == seen[-1]:
            break
        seen.append(decoded)
    return seen


def _has_dots(text: str) -> bool:
    """Whether a text holds a dot segment for readers to whom `/` or a backslash separates."""
    return any(_is_dots(segment) for segment in re.split(r"[/\\]", text))


def _is_dots(segment: str) -> bool:
    """Whether a path segment is, to any reader, `.` or `..`; path parameters (`..;x`) do not hide
    it.
    """
    for text in _decodings(segment):
        bare = text.partition(";")[0].strip()
        if bare in (".", "..") or unicodedata.normalize("NFKC", bare) in (".", ".."):
            return True
    return False

"""Facts of HTTP that the generator and the server both read; nothing of ours is imported here.

They are the methods that only read or can be repeated (any other is treated as a write that
cannot), the header fields that only the client sets, and the allowed destinations of requests:
origins, base URLs, and the readings of a path.

A server, proxy or framework may decode a path once, twice or not at all before it routes, and some
take a backslash for a slash. A path is judged by each of these readings.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

SAFE = frozenset(("GET", "HEAD", "OPTIONS", "QUERY", "TRACE"))
"""Methods that only read (RFC 9110 section 9.2.1; QUERY of draft-ietf-httpbis-safe-method-w-body).
"""
IDEMPOTENT = SAFE | {"DELETE", "PUT"}
"""Methods that sent twice have the effect of one request (section 9.2.2)."""

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
"""A field name or cookie name (RFC 9110, section 5.6.2; RFC 6265, section 4.1.1)."""

FORBIDDEN_HEADERS = frozenset(
    (
        "accept accept-encoding authorization connection content-encoding content-length"
        " content-type cookie cookie2 expect forwarded host http2-settings keep-alive"
        " proxy-authenticate proxy-authorization proxy-connection set-cookie te trailer"
        " transfer-encoding upgrade via x-forwarded-for x-forwarded-host x-forwarded-port"
        " x-forwarded-prefix x-forwarded-proto x-forwarded-server x-http-method"
        " x-http-method-override x-method-override x-original-url x-real-ip x-rewrite-url"
    ).split()
)
"""Fields that no argument sets, in lower case.

They tell the API the target, length and format of a request, its sender, and the party behind the
sender (RFC 9110, RFC 7239). The client writes them itself.
"""

_UNSAFE = re.compile(r"[\x00-\x20\x7f\\{}<>\"^`|]")
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")
MAX_DECODINGS = 8

# Slash and backslash, and the characters that compatibility normalisation turns into them
_SEPARATOR = re.compile("[/\\\\\uff0f\uff3c\ufe68]")
# Dots that only careless decoders see: overlong UTF-8 and the %u escapes of old
_DISGUISED_DOT = re.compile(r"%c0%(?:ae|2e)|%e0%80%ae|%u(?:002e|ff0e)", re.I)
_DOTS = (".", "..")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port (RFC 6454); the port is always set."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = self.host
        if ":" in host:
            host = f"[{host}]"
        if self.port == _PORTS.get(self.scheme):
            return f"{self.scheme}://{host}"
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether the host can only be this machine (RFC 6761, section 6.3; RFC 1122)."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a name, even if it begins like an address

    @property
    def is_open(self) -> bool:
        """Whether a request there can be read on the way: another machine, without TLS."""
        return self.scheme != "https" and not self.loopback


def origin_of(url: str) -> Origin:
    """Return the origin of an absolute http(s) URL. Raises ValueError for anything else."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in _PORTS or not host:
        raise ValueError("not an http or https URL with a host")
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    if port == 0:
        raise ValueError("has port 0 in it")
    return Origin(parts.scheme, host, port)


def check_base_url(url: str) -> str:
    """Return the base URL without trailing slashes. Raises ValueError with the fault."""
    if _UNSAFE.search(url):
        raise ValueError("has a space or another character in it that no URL has")
    origin_of(url)
    if "@" in urlsplit(url).netloc:
        raise ValueError("has a user name or password in it")
    if not {"?", "#"}.isdisjoint(url):
        raise ValueError("has a query or fragment in it")
    if not url.isascii():
        raise ValueError("is not ASCII")
    if may_hold_dots(urlsplit(url).path):
        raise ValueError("has a `.` or `..` segment in it")
    return url.rstrip("/")


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet, also when it wraps an IPv4
    address. Raises ValueError for what is no IP address.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = _wrapped(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip in _LOCAL_NAT64 or ip.is_site_local:
            return False
    return ip.is_global and not any((ip.is_multicast, ip.is_reserved, ip.is_unspecified))


def _wrapped(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address inside an IPv6 one: mapped (RFC 4291), 6to4 (RFC 3056), Teredo (RFC
    4380) or NAT64 (RFC 6052); None without any.
    """
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip.teredo is not None:
        return ip.teredo[1]
    return ip.ipv4_mapped or ip.sixtofour


class TooManyDecodings(ValueError):
    """A text is still percent-encoded after `MAX_DECODINGS` decodings."""


def readings(text: str) -> list[str]:
    """Return the text and the result of each further percent-decoding, until nothing changes.

    Raises TooManyDecodings, so that the work stays in proportion to the length of the text.
    """
    texts = [text]
    if "%" not in text:
        return texts
    while (decoded := _decoded(texts[-1])) != texts[-1]:
        if len(texts) > MAX_DECODINGS:
            raise TooManyDecodings(f"is percent-encoded more than {MAX_DECODINGS} times over")
        texts.append(decoded)
    return texts


def has_dot_segment(text: str) -> bool:
    """Return whether some reader takes a segment of the text, undecoded, for `.` or `..`."""
    return any(map(_is_dots, _SEPARATOR.split(text)))


def may_hold_dots(text: str) -> bool:
    """Return whether any reading of a text has a dot segment. Raises TooManyDecodings."""
    return any(map(has_dot_segment, readings(text)))


def _decoded(text: str) -> str:
    return unquote(_DISGUISED_DOT.sub(".", text), errors="replace")


def _is_dots(segment: str) -> bool:
    """Return whether a segment is `.` or `..`, also with path parameters (`..;x`)."""
    name = segment.partition(";")[0].strip()
    # No text of more than two characters normalises to one or two dots
    if len(name) > 2:
        return False
    return unicodedata.normalize("NFKC", name) in _DOTS

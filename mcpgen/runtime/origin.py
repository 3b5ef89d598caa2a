"""Origins and base URLs: which host a request may go to, and below which path."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from .segments import may_hold_dots

_UNSAFE = re.compile(r"[\x00-\x20\x7f\\{}<>\"^`|]")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port (RFC 6454), the port never left out."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
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
            return False  # a name, whatever it begins with


def origin_of(url: str) -> Origin:
    """The origin of an absolute http(s) URL. Raises ValueError for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("not an http or https URL with a host")
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    if port == 0:
        raise ValueError("has port 0 in it")
    return Origin(parts.scheme, parts.hostname.rstrip("."), port)


def check_base_url(url: str) -> str:
    """A base URL, without its trailing slash. Raises ValueError saying what is wrong with it."""
    if _UNSAFE.search(url):
        raise ValueError("has a space or another character in it that no URL has")
    origin_of(url)
    if "@" in urlsplit(url).netloc:
        raise ValueError("has a user name or password in it")
    if "?" in url or "#" in url:
        raise ValueError("has a query or fragment in it")
    if not url.isascii():
        raise ValueError("is not ASCII")
    if may_hold_dots(urlsplit(url).path):
        raise ValueError("has a `.` or `..` segment in it")
    return url.rstrip("/")

"""Destinations of requests: `servers` of the document, a path or an operation (OpenAPI 3.1 §4.8.5),
and path templates (§4.8.8.2).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from ..config.credentials import fault, shown_url
from ..load.values import as_list, as_object, is_number
from ..problems import Unsupported
from ..runtime.pointer import escape
from ..text import visible

PATH = re.compile(r"(/(?!/).*)?")
"""A path that counts from the origin; an empty one is its root."""

LITERAL = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*(?<!%20)")
SYMBOLS = re.compile(r"[!$&'()*+,;=:@]")
"""Characters of a URL that words do not have: with a space among them a path is no path."""
TEMPLATE_NAME = re.compile(r"\{([^{}]+)\}")

Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL that can be trusted unasked, or None and why not. `text` is what the document
    says, with variables filled in and resolved as far as possible. `on_origin`: it is a path on the
    origin of the API, which only the operator knows. `said`: a remark on how it was chosen.
    """

    url: str | None
    note: str = ""
    text: str = ""
    on_origin: bool = False
    said: str = ""

    @property
    def path(self) -> str:
        """The path on its origin, without a slash at the end."""
        return urlsplit(self.text).path.rstrip("/")

    def is_at(self, other: Address) -> bool:
        """Return whether both are on one origin, or both are paths on the operator's."""
        if None in (self.url, other.url):
            return all([self.on_origin, other.on_origin, self.path, other.path])
        return origin(self.text) == origin(other.text)


def address(servers: Any, source_url: str | None, vouched: Collection[str] = ()) -> Address:
    """Return the first server as a base URL without a trailing slash.

    Relative ones count from the address the document came from. A URL that is not https, names a
    private host, carries credentials or cannot be completed is None, with a note for the operator,
    who has to name it. Origins in `vouched` may be http or private.
    """
    entries = [entry for entry in as_list(servers) if isinstance(entry, dict)]
    if not entries:
        return _beside_the_document(source_url, vouched)
    raw = entries[0].get("url")
    if not isinstance(raw, str):
        return Address(None, "the document's first server has no URL")
    url, missing = fill(raw.strip(), entries[0].get("variables"))
    if missing:
        note = f"`{shown_url(url)}` has a variable without a default: {', '.join(missing)}"
        return Address(None, note, url)
    said = ""
    if source_url and not url.partition("?")[0].partition("#")[0]:
        # No API is below a file (RFC 3986 §5.2.2 resolves it to the document itself).
        url = urljoin(source_url, "/")
        said = f"the server's URL is empty: `{shown_url(origin(url))}` is taken"
    if source_url and not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", url):
        url = urljoin(source_url, url)
    on_origin = source_url is None and PATH.fullmatch(url) is not None
    return replace(screen(url, vouched), text=url.rstrip("/"), on_origin=on_origin, said=said)


def _beside_the_document(source_url: str | None, vouched: Collection[str]) -> Address:
    """Return the origin of the document as the address, if it is vouched for (OpenAPI 3.1 §4.8.1);
    else none, and a note. On the public web documents are often kept elsewhere.
    """
    note = "the document names no server"
    if source_url is None:
        return Address(None, note, on_origin=True)
    home = origin(source_url)
    if home in vouched:
        return Address(home, text=home)
    return Address(None, f"{note}; if the API is where it came from, name `{shown_url(home)}`")


def own_network(source_url: str | None) -> set[str]:
    """Return the origin of a document's address if it is private, as the user named it; else an
    empty set.
    """
    if source_url is None:
        return set()
    if is_private(_host(source_url)):
        return {origin(source_url)}
    return set()


def screen(url: str, vouched: Collection[str] = ()) -> Address:
    """Return `url` as an address if it is an absolute https URL of a public host, or at a `vouched`
    origin; else None and the reason.
    """
    shown = shown_url(url)
    reason = fault(url)
    if reason:
        return Address(None, reason)
    if origin(url) in vouched:
        return Address(url.rstrip("/"))
    if is_private(_host(url)):
        return Address(None, f"`{shown}` is a private host: name it yourself if you mean it")
    if urlsplit(url).scheme == "http":
        return Address(None, f"`{shown}` is not https: name it yourself if you mean it")
    return Address(url.rstrip("/"))


def is_private(host: str) -> bool:
    """Return whether a host is local by its form: `localhost`, `nas.local`, a name without a dot,
    an address that is not global.
    """
    if host == "localhost" or host.endswith(
        (".localhost", ".local", ".internal", ".lan", ".home.arpa")
    ):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def origin(url: str) -> str:
    """Return scheme, host and port of a URL in lower case: `https://api.example.com:8443`."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def is_same(url: str, other: str) -> bool:
    """Return whether two servers are one. One of them may leave the scheme open:
    `//api.example.com` (RFC 3986, section 4.2).
    """
    if url == other:
        return True
    if not any(text.startswith("//") for text in (url, other)):
        return False
    return urlsplit(url)[1:] == urlsplit(other)[1:]


def fill(url: str, variables: Any) -> tuple[str, list[str]]:
    """Return `url` with its variables' defaults filled in, and the names of variables that have
    none.
    """
    declared = as_object(variables)
    missing: list[str] = []

    def value(match: re.Match[str]) -> str:
        text = _default(as_object(declared.get(match[1])))
        if text is None:
            missing.append(match[1])
            return match[0]
        return text

    return re.sub(r"\{([^{}]*)\}", value, url), missing


def _default(variable: dict[str, Any]) -> str | None:
    """Return the default of a variable, else the first of its choices; None where it has
    neither.
    """
    default = variable.get("default")
    if is_number(default):
        return str(default)
    choices = as_list(variable.get("enum"))
    for text in (default, *choices[:1]):
        if isinstance(text, str) and text:
            return text
    if default == "":
        return ""
    return None


def split_path(path: str) -> tuple[str, Query]:
    """Return a path key as (template, fixed query); a fragment and patterns of parameters
    (`{id:[0-9]+}`) are dropped. Raises Unsupported for a path that no request can have.
    """
    at = f"/paths/{escape(path)}"
    template, _, query = path.partition("#")[0].partition("?")
    if not re.match("/(?!/)", template):
        raise Unsupported("E0402", "the path does not start with one `/`", at)
    literal = re.sub(r"\{[^{}/]+\}", "x", template)
    if re.search("[{}]", literal):
        raise Unsupported("E0402", "the path's braces do not match", at)
    literal = "".join(map(_percent_encoded, literal))
    if not LITERAL.fullmatch(literal) or visible(literal) != literal:
        raise Unsupported("E0402", "the path has characters a URL cannot have", at)
    if " " in template and SYMBOLS.search(literal) is not None:
        raise Unsupported("E0402", "the path has spaces among symbols, which no path has", at)
    segments = re.sub(r"%2[eE]", ".", literal.replace("%25", "%")).split("/")
    if not {".", ".."}.isdisjoint(segments):
        raise Unsupported("E0402", "the path has a dot segment", at)
    # A pattern behind a parameter's name (`{id:[0-9]+}`) is of other path languages.
    template = re.sub(r"\{([^{}:]+):[^{}]*\}", r"{\1}", template)
    return template, tuple(parse_qsl(query, keep_blank_values=True))


def _percent_encoded(char: str) -> str:
    if char == " ":
        return "%20"
    if char.isascii():
        return char
    return "".join(f"%{octet:02X}" for octet in char.encode("utf-8", "replace"))


def parameter_names(template: str) -> list[str]:
    """Return the names in the braces of a path template, in order, with repeats."""
    return TEMPLATE_NAME.findall(template)

"""Notation of addresses, credentials and headers in `mcpgen.toml` and on the command line, and
whether requests can go there: one judge, for a document too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ..load.values import as_text
from ..problems import Problem, UsageError
from ..runtime.facts import FORBIDDEN_HEADERS, TOKEN
from ..text import visible

CONSTANT_HEADERS = frozenset(("accept", "content-type"))
"""Headers that no argument sets, and whose constant value an author or operator may choose."""

CREDENTIAL_HEADERS = frozenset(("authorization", "cookie", "proxy-authorization"))
"""The forbidden fields that exist to carry a credential: a credential may set them."""

_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCHEMES = "`bearer`, `basic`, `header:NAME` or `query:NAME`"


def base_url_problem(url: str | None, name: str = "the base URL") -> Problem | None:
    """Return the problem (E0706) with a configured address, or None. `name` is its role."""
    if url is None:
        return None
    reason = fault(url)
    if not reason:
        return None
    hint = "give a URL as in `https://api.example.com/v1`"
    meant = corrected(url)
    if meant:
        hint = f"did you mean `{meant}`?"
    return Problem(
        code="E0706", severity="error", message=f"{name} cannot be used: {reason}", hint=hint
    )


def fault(url: str) -> str:
    """Explain why requests cannot go to a URL; empty if they can."""
    shown = shown_url(url)
    if re.search(r"[\x00-\x20\\^`{|}<>\"\x7f-\U0010ffff]", url):
        return f"`{shown}` is not a URL"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return f"`{shown}` is not a URL"
    if not parts.scheme and not parts.netloc:
        return f"`{shown}` is relative: it names neither scheme nor host"
    if parts.scheme not in ("http", "https") or not host:
        return f"`{shown}` is not an http or https URL"
    if parts.username is not None or parts.query or parts.fragment:
        return f"`{shown}` carries credentials, a query or a fragment"
    if any(segment in (".", "..") for segment in parts.path.split("/")):
        return f"`{shown}` has dot segments"
    return ""


def corrected(url: str) -> str:
    """Return the probable URL of an address without a scheme, with `https://` for a host name,
    `http://` for this machine and IP addresses; empty for others.
    """
    match = re.fullmatch(r"(?://)?(([a-zA-Z0-9-]+)(?:\.[a-zA-Z0-9-]+)*)(:\d+)?(/.*)?", url)
    if match is None:
        return ""
    host, first = match[1], match[2]
    if host == "localhost" or first.isdigit():
        candidate = f"http://{url.removeprefix('//')}"
    elif "." in host:
        candidate = f"https://{url.removeprefix('//')}"
    else:
        return ""
    if fault(candidate):
        return ""
    return candidate


def shown_url(url: str) -> str:
    """Return a URL for a message: one line of visible characters, without possible secrets."""
    line = re.sub(r"(?<=//)[^/?#@]*(?=@)|(?<=[?#]).+", "…", " ".join(url.split()))
    return visible(line)[:120]


@dataclass(frozen=True, slots=True)
class FetchHeader:
    """A header of the request for the document, and the environment variable of its value."""

    name: str
    variable: str


def split_schemes(schemes: str) -> list[tuple[str, str]]:
    """Return (kind, name) of credentials that are sent together: `bearer, header:X-Api-Key` →
    (`bearer`, ``), (`header`, `X-Api-Key`).
    """
    pairs = (scheme.partition(":") for scheme in schemes.split(","))
    return [(kind.strip().lower(), name.strip()) for kind, _, name in pairs]


def scheme_problem(schemes: str | None) -> Problem | None:
    """Return the problem (E1176) with credentials as in `bearer, header:X-Api-Key`, or None.

    The value is never repeated: it may be the credential itself.
    """
    if schemes is None:
        return None
    found = split_schemes(schemes)
    messages = list(filter(None, (_fault_of_scheme(kind, name) for kind, name in found)))
    places = [_SENT_IN.get(kind, f"{kind}:{name.lower()}") for kind, name in found]
    if len({*places}) < len(places):
        messages.append("two of the credentials are sent in the same place")
    if not messages:
        return None
    return Problem(code="E1176", severity="error", message=messages[0])


_SENT_IN = dict.fromkeys(("bearer", "basic"), "header:authorization")


def _fault_of_scheme(kind: str, name: str) -> str:
    match kind:
        case "bearer" | "basic" if not name:
            return ""
        case "query" if re.fullmatch(r"[^\s=&#]+", name):
            return ""
        case "query":
            return "`query:` takes the name of a parameter alone, as in `query:api_key`"
        case "header" if not TOKEN.fullmatch(name):
            return "`header:` takes the name of a header alone, as in `header:X-Api-Key`"
        case "header" if name.lower() in FORBIDDEN_HEADERS - CREDENTIAL_HEADERS:
            return f"`header:{name}` names a header that the HTTP client sets itself"
        case "header":
            return ""
    return f"this is no way to send a credential: it is {_SCHEMES}"


def fetch_header(text: str) -> FetchHeader | None:
    """Return the parts of `Authorization: env:NAME`; None for another form."""
    name, colon, value = text.partition(":")
    prefix, _, variable = value.strip().partition(":")
    if not colon or not TOKEN.fullmatch(name.strip()):
        return None
    if prefix != "env" or not _VARIABLE.fullmatch(variable):
        return None
    return FetchHeader(name.strip(), variable)


def fetch_problem(headers: Iterable[str]) -> Problem | None:
    """Return the problem (E1175) of the first header to fetch the document with that is not written
    as `NAME: env:VARIABLE`, or None. Whether the variable is set is not looked at.

    The value is never repeated: it may be a secret instead of a variable's name.
    """
    for text in headers:
        if fetch_header(text) is None:
            name = re.match(r"[\w-]{1,40}(?=\s*:)", text)
            return _unusable(
                f"the header{f' `{name[0]}`' if name else ''} must name an environment variable"
                " that holds its value, as in `Authorization: env:NAME`"
            )
    return None


def forward_problem(headers: Iterable[str]) -> Problem | None:
    """Return the problem (E1175) of the first caller's header that cannot go to the API, or
    None.
    """
    for name in headers:
        folded = name.lower()
        is_set_here = folded in FORBIDDEN_HEADERS - {"authorization"}
        if is_set_here or folded.startswith(("mcp-", "x-mcp-")) or not TOKEN.fullmatch(name):
            return _unusable(f"the header `{visible(name[:60])}` of a caller cannot go to the API")
    return None


def fetch_headers(headers: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return name → value from the environment of the headers for fetching the document.

    Raises UsageError for a header that names no variable, and for a variable that is not set or
    holds no header value.
    """
    problem = fetch_problem(headers)
    values: dict[str, str] = {}
    for header in filter(None, map(fetch_header, headers)):
        variable = f"the environment variable `{header.variable}`"
        value = values[header.name] = environ.get(header.variable, "").strip()
        if not value:
            taken = f"the header `{header.name}` takes its value from it"
            problem = problem or _unusable(f"{variable} is not set: {taken}")
        elif not _VALUE.fullmatch(value):
            problem = problem or _unusable(f"{variable} holds characters that no header can carry")
    if problem is not None:
        raise UsageError(problem)
    return values


def _unusable(message: str) -> Problem:
    return Problem(code="E1175", severity="error", message=message)


def is_constant_header(name: str, value: Any) -> bool:
    """Return whether every request may carry a header with this value: no credential."""
    lower = name.lower()
    if not TOKEN.fullmatch(name) or lower in FORBIDDEN_HEADERS - CONSTANT_HEADERS:
        return False
    return _VALUE.fullmatch(as_text(value)) is not None

"""Whether requests can go to a URL: one judge for a document, an option and `mcpgen.toml`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..problems import Problem
from ..text import visible


def base_url_problem(url: str | None, name: str = "the base URL") -> Problem | None:
    """Return the problem with a configured address, or None. `name` is its role."""
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
    """Explain why requests cannot go to a URL, or return an empty text."""
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
    """The URL that was probably meant where a scheme is missing, or an empty text: `https://` for a
    host name, `http://` for this machine and for addresses.
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
    """A URL as a message shows it: one line of visible characters."""
    return " ".join(visible(url).split())[:120]

"""Notation of credentials and headers in `mcpgen.toml` and on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..load.values import as_text
from ..problems import Problem, UsageError
from ..runtime.facts import CREDENTIAL_HEADERS, FORBIDDEN_HEADERS, TOKEN
from ..text import visible

CONSTANT_HEADERS = frozenset(("accept", "content-type"))
"""Headers that no argument sets, and whose constant value an author or operator may choose."""

_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCHEMES = "`bearer`, `basic`, `header:NAME` or `query:NAME`"


@dataclass(frozen=True, slots=True)
class FetchHeader:
    """A header of the request for the document, and the environment variable of its value."""

    name: str
    variable: str


def split_scheme(scheme: str) -> tuple[str, str]:
    """`header:X-Api-Key` as (`header`, `X-Api-Key`); the name is empty for `bearer` and `basic`."""
    kind, _, name = scheme.partition(":")
    return kind.strip().lower(), name.strip()


def scheme_problem(scheme: str | None) -> Problem | None:
    """Return the reason why a credential cannot be sent in this way, or None."""
    if scheme is None:
        return None
    kind, name = split_scheme(scheme)
    text = f"`{visible(scheme)[:60]}`"
    match kind:
        case "bearer" | "basic" if not name:
            return None
        case "query" if name:
            return None
        case "header" if not TOKEN.fullmatch(name):
            message = f"{text} names no header: write it as in `header:X-Api-Key`"
        case "header" if name.lower() in FORBIDDEN_HEADERS - CREDENTIAL_HEADERS:
            message = f"{text} names a header that the HTTP client sets itself"
        case "header":
            return None
        case _:
            message = f"{text} is no way to send a credential: it is {_SCHEMES}"
    return Problem(code="E1176", severity="error", message=message)


def fetch_header(text: str) -> FetchHeader | None:
    """`Authorization: env:NAME` in its parts, or None where it is written otherwise."""
    name, colon, value = text.partition(":")
    prefix, _, variable = value.strip().partition(":")
    if not colon or not TOKEN.fullmatch(name.strip()):
        return None
    if prefix != "env" or not _VARIABLE.fullmatch(variable):
        return None
    return FetchHeader(name.strip(), variable)


def fetch_problem(headers: Iterable[str]) -> Problem | None:
    """Return the reason why headers cannot be sent when the document is fetched, or None.

    The value is never repeated: it may be a secret that was written in place of a variable.
    """
    for text in headers:
        if fetch_header(text) is None:
            name = visible(text.partition(":")[0])[:60]
            return _unusable(
                f"the header `{name}` must name an environment variable that holds its value, as in"
                " `Authorization: env:NAME`"
            )
    return None


def fetch_headers(headers: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The headers for fetching the document, with their values from the environment.

    Raises UsageError where a header names no variable, or one that is not set or holds no header
    value.
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
    """Return whether every request may carry a header with this value."""
    lower = name.lower()
    if not TOKEN.fullmatch(name) or lower in FORBIDDEN_HEADERS - CONSTANT_HEADERS:
        return False
    return _VALUE.fullmatch(as_text(value)) is not None

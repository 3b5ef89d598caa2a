"""JSON Pointers (RFC 6901), and the definitions that schemas refer to by them."""

from __future__ import annotations

import re
from typing import Any

_INDEX = re.compile("0|[1-9][0-9]{0,17}")


def escape(token: str) -> str:
    """Return one token as a part of a pointer: `a/b` -> `a~1b` (RFC 6901 section 3)."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Return the token of an escaped part of a pointer (RFC 6901 section 4)."""
    return token.replace("~1", "/").replace("~0", "~")


def split(pointer: str) -> list[str]:
    """Return the tokens of a pointer: `/a~1b/0` gives `["a/b", "0"]`; the empty pointer none."""
    return [unescape(part) for part in pointer.split("/")[1:]]


def child(container: Any, token: str) -> Any:
    """Return the member or item of a container that a token names. Raises LookupError.

    An index of a list has no leading zero and no sign (RFC 6901 section 4).
    """
    if type(container) is dict:
        return container[token]
    if type(container) is list and _INDEX.fullmatch(token):
        return container[int(token)]
    raise LookupError(token)


def referred_to(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the definitions that a schema, or a list of schemas, refers to (`#/$defs/...`),
    directly or through others; sorted by name.
    """
    names: set[str] = set()
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            pending += part.values()
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions and name not in names:
                names.add(name)
                pending.append(definitions[name])
    return {name: definitions[name] for name in sorted(names)}

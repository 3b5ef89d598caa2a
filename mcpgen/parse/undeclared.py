"""Hints of an API's credential in a document that declares no security scheme."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..load.operations import DocumentedOperation
from ..load.values import as_list, as_object, as_text
from ..runtime.facts import TOKEN
from ..text import visible

if TYPE_CHECKING:
    from .schema import Reader

KEY_NAME = re.compile(r".*(api|app|auth|access|subscription|secret)_?(key|token)", re.I)
"""The name of a parameter that is a credential, with `_` for `-`: `X-Api-Key`, `auth_token`."""
BASIC = re.compile(r"\bbasic auth|\bhttp basic\b", re.I)
ANY = re.compile(r"\bbearer\b|\bapi[ -]?keys?\b|\bauthenticat|\baccess tokens?\b|\boauth", re.I)


@dataclass(frozen=True, slots=True)
class Clue:
    """The credential that a document suggests: `scheme` as `--auth` takes it, and the reason in
    words. `is_argument`: it is a parameter, which the model would have to give.
    """

    scheme: str
    reason: str
    is_argument: bool = False


def find_clue(
    reader: Reader, info: dict[str, Any], operations: list[DocumentedOperation]
) -> Clue | None:
    """The strongest clue: a parameter that is a credential, answers 401 and 403, the text."""
    parameters = Counter(_parameters(reader, operations))
    for (place, name), count in parameters.most_common():
        words = (
            f"{count} of {len(operations)} operations take `{visible(name)[:60]}` as a parameter"
        )
        if (place, name.lower()) == ("header", "authorization"):
            return Clue("bearer", words)
        if _is_credential(place, name) and count * 2 >= len(operations):
            return Clue(f"{place}:{name}", words, is_argument=True)
    text = as_text(info.get("description"))
    scheme = "basic" if BASIC.search(text) else "bearer"
    refusing = sum(_refuses(operation) for operation in operations)
    if refusing:
        return Clue(scheme, f"{refusing} of {len(operations)} operations answer 401 or 403")
    if ANY.search(text) or BASIC.search(text):
        return Clue(scheme, "its description speaks of authentication")
    return None


def _parameters(
    reader: Reader, operations: Iterable[DocumentedOperation]
) -> Iterator[tuple[str, str]]:
    """The place and name of every parameter of every operation."""
    for operation in operations:
        for owner in (operation.path_item, operation.node):
            for entry in as_list(owner.get("parameters")):
                parameter = reader.peek(entry)
                yield str(parameter.get("in")), as_text(parameter.get("name"))


def _is_credential(place: str, name: str) -> bool:
    if place == "header" and not TOKEN.fullmatch(name):
        return False
    if place not in ("header", "query"):
        return False
    return bool(KEY_NAME.fullmatch(name.replace("-", "_")))


def _refuses(operation: DocumentedOperation) -> bool:
    """Return whether an operation documents an answer to callers without a credential or a right
    (RFC 9110 sections 15.5.2 and 15.5.4).
    """
    return not {"401", "403"}.isdisjoint(map(str, as_object(operation.node.get("responses"))))

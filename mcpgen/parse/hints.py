"""Behaviour hints of operations (MCP `ToolAnnotations`), from the method and the document's verbs.

The method decides (RFC 9110 section 9.2), but POST says nothing of what it does. A POST is additive
only where the document says that it adds or reads; else it may overwrite, as the protocol assumes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..ir import Hints
from ..runtime.facts import SAFE
from ..text import plain, words
from . import describe
from .vocabulary import (
    ADDING,
    ADDITIVE,
    CHANGING_ONE,
    NOUNS,
    READING,
    USUAL_VERBS,
    VERBS,
)

IRREVERSIBLE = re.compile(
    r"irreversib|\bpermanently (?:\w+ )?(?:delet|destroy|eras|los|remov)"
    r"|\b(?:cannot|can['’]t|can not) be (?:undone|reversed|recovered|restored)",
    re.I,
)
"""Words of a text about what cannot be taken back."""
LOOKUPS = frozenset("get list query search".split())
"""Words of a path's last literal that make its POST a question: `/transactions/get`."""
STRONG = USUAL_VERBS | CHANGING_ONE | LOOKUPS
"""Verbs that count in a name though the sentence has another: `Submit a request` by `/cancel`."""
READS = Hints(read_only=True, destructive=False, idempotent=True)
_LITERAL = re.compile(r"[^{}/?#]+(?=/|$|[?#])(?![^{}]*\})")


def hints_of(
    method: str,
    operation_id: str | None,
    path: str,
    operation: Mapping[str, Any],
    *,
    status: str = "",
    arguments: Iterable[str] = (),
) -> Hints:
    """Return the hints of an operation. `status` is that of its success; `arguments` are the texts
    of those in its query.
    """
    written = describe.written_sentence(operation)
    spoken = describe.sentence_verbs(written)
    told = spoken or describe.sentence_verbs(describe.told(operation))
    end = words(next(reversed(_LITERAL.findall(path)), ""))
    named = [*_named(method, words(operation_id or "")), *_named(method, end[:1])]
    verbs = {*spoken, *(named if not spoken else STRONG.intersection(named))} or {*told}
    if method in SAFE and not describe.changes_something(written, path, arguments):
        return READS
    if method == "POST" and told and LOOKUPS.intersection(end) and {*told, *verbs} <= READING:
        return READS
    if method == "PUT":
        replaces = path.endswith("}") and "requestBody" in operation
        adds = bool(verbs) and verbs <= ADDING and not replaces
    else:
        adds = verbs <= ADDITIVE if verbs else status == "201"
        adds &= method not in ("PATCH", "DELETE", *SAFE)
    text = f"{plain(operation.get('summary'))} {plain(operation.get('description'))}"
    is_destructive = not adds or IRREVERSIBLE.search(text) is not None
    return Hints(
        read_only=False, destructive=is_destructive, idempotent=method in ("PUT", "DELETE")
    )


def _named(method: str, found: list[str]) -> list[str]:
    """Return the first verb among the words of a name, and one joined to it (`createOrUpdate`). The
    method is no verb.
    """
    for verb, link, other in zip(found, [*found[1:], ""], [*found[2:], "", ""], strict=False):
        if verb in STRONG | (VERBS - NOUNS) and verb != method.lower():
            return [verb, other] if link in ("and", "or") else [verb]
    return []

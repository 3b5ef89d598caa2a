"""Budgets: of each tool in the list, and of its texts. Texts repeated too often are dropped.

A budget for each tool keeps a list of hundreds within bounds. In a list that is still short, cut
tools are listed anew with a larger budget, the same for all, as long as the list stays short. A
long list is left alone, so that a tool more or less changes no other tool.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..load.values import as_list, as_object, as_text

if TYPE_CHECKING:
    from ..config import Config
    from ..ir import Origin, Tool
    from ..load.operations import DocumentedOperation
    from .schema import Reader

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

LARGEST = 65_536
"""Bytes of names and types that are listed even over the budget."""
BUDGET = {"portable": 4096, "rich": LARGEST}
"""Profile → the bytes that a tool should have at most."""

MANY = 500
"""Tools of an API from which on a list is so long that each has the smaller budget."""
SMALL = 3072
"""Bytes that a tool among many should have at most."""

SHORT_LIST = 40_000
"""Bytes of a list short enough for any client, about 10,000 tokens."""

ANNOTATIONS = 105
"""Bytes of the annotations, which are nearly the same for every tool."""

LARGER = (16_384, 8_192)
"""The larger budgets, the first that keeps the list short."""

OFTEN = 20
"""Operations with the same text about an argument, of which its beginning is listed."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Characters that the document's texts have at most: of a tool, of one of its arguments, and of
    what is inside an argument. Where there is room, texts of up to `written` characters are listed
    as their author wrote them (0: never). A tool's text over `alike` characters goes without what
    dozens of tools say alike.
    """

    tool: int
    argument: int
    nested: int
    alike: int
    written: int = 0


TEXTS = {
    "portable": Texts(tool=450, argument=220, nested=120, alike=225),
    "rich": Texts(tool=1500, argument=600, nested=300, alike=750),
}
"""Profile → budgets of texts in a short list."""

LIMITS = {
    ("portable", False): (BUDGET["portable"], TEXTS["portable"]),
    ("portable", True): (SMALL, replace(TEXTS["portable"], alike=0)),
    ("rich", False): (BUDGET["rich"], TEXTS["rich"]),
    ("rich", True): (BUDGET["rich"], TEXTS["rich"]),
}
"""Profile, and if there are `MANY` tools → the bytes that each has at most, and its texts."""


def own_budget(config: Config, origin: Origin) -> int | None:
    """Return the user's limit, in bytes, for the tool of an operation; None without a limit."""
    names = (origin.operation_id, origin.operation)
    for key, tool in config.tools.items():
        if tool.budget is not None and config.pinned.formerly.get(key, key) in names:
            return tool.budget
    return None


def size(tool: Tool) -> int:
    """Return the bytes of a tool in a list, as compact JSON."""
    entry: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        entry["outputSchema"] = tool.output_schema
    return len(_encode(entry)) + ANNOTATIONS


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool as listed within its budget: its bytes, and the tag of its toolset.

    `within` lists the tool anew with a larger budget; None if nothing was cut or the user set its
    budget. `finished` returns the tool with its types.
    """

    tag: str
    size: int
    within: Callable[[int], Draft] | None
    finished: Callable[[], Tool]


def within_budget(drafts: list[Draft], *, others: int = 0) -> list[tuple[str, Tool]]:
    """Return (tag, tool) of the drafts, in a short list with the largest budget that keeps it
    short; `others` are the bytes of further tools in the list.
    """
    chosen = drafts
    for budget in LARGER if _is_short(drafts, others) else ():
        larger = [draft.within(budget) if draft.within else draft for draft in drafts]
        if _is_short(larger, others):
            chosen = larger
            break
    return [(draft.tag, draft.finished()) for draft in chosen]


def _is_short(drafts: list[Draft], others: int) -> bool:
    return sum(draft.size for draft in drafts) + others <= SHORT_LIST


def frequent_texts(
    reader: Reader, operations: Iterable[DocumentedOperation]
) -> frozenset[tuple[str, str]]:
    """Return (wire name, text) of each argument's text that `OFTEN` or more operations have."""
    count: Counter[tuple[str, str]] = Counter()
    for operation in operations:
        texts: dict[tuple[str, str], None] = {}
        for owner in (operation.path_item, operation.node):
            for entry in as_list(owner.get("parameters")):
                parameter = reader.peek(entry)
                texts[as_text(parameter.get("name")), as_text(parameter.get("description"))] = None
        body = reader.peek(operation.node.get("requestBody"))
        for media in as_object(body.get("content")).values():
            for name, schema in reader.properties(as_object(media).get("schema")).items():
                texts[name, text_of(reader, schema)] = None
        count.update(texts.keys())
    return frozenset(key for key, times in count.items() if times >= OFTEN)


def text_of(reader: Reader, schema: Any) -> str:
    """Return the text of a schema, as it is written."""
    return as_text(reader.flatten(schema).get("description"))

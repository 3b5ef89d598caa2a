"""The budget of a server's tools in its list, and texts that stand in it too often.

A budget for each tool keeps a list of hundreds within bounds. A list that is short all the
same has budget to spare: its cut tools are listed anew with a larger budget, all with the
same one, as long as the list stays short. A list that is not short is not touched, however
many tools it has, so that a tool more or less there changes no other one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..load.values import as_list, as_object, as_text
from .detail import SHORT_LIST

if TYPE_CHECKING:
    from ..ir import Tool
    from ..load.operations import DocumentedOperation
    from .schema import Reader

LARGER = (16_384, 8_192)
"""The larger budgets, the first that keeps the list short."""

OFTEN = 20
"""Operations with the same text about an argument, of which its beginning is listed."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool as it is listed within its budget: its bytes, and the tag of its toolset.

    `within` lists it anew with a larger budget; None where it has room for everything or the user
    set its budget. `finished` is the tool with its types, once it is clear that it stays so.
    """

    tag: str
    size: int
    within: Callable[[int], Draft] | None
    finished: Callable[[], Tool]


def with_room(drafts: list[Draft], *, others: int = 0) -> list[tuple[str, Tool]]:
    """The tools with the room that their list has; `others` are the bytes of those beside them."""
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
    """The texts that dozens of operations have about an argument, each with its name on the wire: a
    model that has read one has read them all.
    """
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
    """The text of a schema, as it is written."""
    return as_text(reader.flatten(schema).get("description"))

"""The budget of a server's tools in its list.

A budget for each tool keeps a list of hundreds within bounds. A list that is short all the
same has budget to spare: its cut tools are listed anew with a larger budget, all with the
same one, as long as the list stays short. A list that is not short is not touched, however
many tools it has, so that a tool more or less there changes no other one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .detail import SHORT_LIST

if TYPE_CHECKING:
    from ..ir import Tool

LARGER = (16_384, 8_192)
"""The larger budgets, the first that keeps the list short."""


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
    return [(draft.tag, draft.finished()) for draft in _with_more(drafts, others)]


def _with_more(drafts: list[Draft], others: int) -> list[Draft]:
    if not _is_short(drafts, others):
        return drafts
    for budget in LARGER:
        larger = [draft.within(budget) if draft.within else draft for draft in drafts]
        if _is_short(larger, others):
            return larger
    return drafts


def _is_short(drafts: list[Draft], others: int) -> bool:
    return sum(draft.size for draft in drafts) + others <= SHORT_LIST

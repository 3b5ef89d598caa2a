"""Limits on the size of a tool and on the length of its texts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..config import Config
    from ..ir import Origin, Tool

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
"""Bytes of a list of tools, about 10,000 tokens, up to which nobody minds its length."""

ANNOTATIONS = 105
"""Bytes of the annotations, which are nearly the same for every tool."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Characters that the document's texts have at most: of a tool, of one of its arguments, and of
    what is inside an argument. Where there is room, texts of `written` characters are listed as
    their author wrote them; 0 where they are put in order. A tool's text over `alike` characters
    goes without what dozens of tools say alike.
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
"""Profile → its texts where there is room for them."""

LIMITS = {
    ("portable", False): (BUDGET["portable"], TEXTS["portable"]),
    ("portable", True): (SMALL, replace(TEXTS["portable"], alike=0)),
    ("rich", False): (BUDGET["rich"], TEXTS["rich"]),
    ("rich", True): (BUDGET["rich"], TEXTS["rich"]),
}
"""Profile, and if there are `MANY` tools → the bytes that each has at most, and its texts."""


def own_budget(config: Config, origin: Origin) -> int | None:
    """The bytes that the user lets the tool of an operation have at most; None where the user says
    nothing of it.
    """
    names = (origin.operation_id, origin.operation)
    for key, tool in config.tools.items():
        if tool.budget is not None and config.pinned.formerly.get(key, key) in names:
            return tool.budget
    return None


def size(tool: Tool) -> int:
    """The bytes of a tool in a list, as compact JSON."""
    entry: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        entry["outputSchema"] = tool.output_schema
    return len(_encode(entry)) + ANNOTATIONS

"""Go constants that go-swagger adds to a description, a line for each value of an enum."""

from __future__ import annotations

import re
from typing import Any

from ..load.values import as_text

KEY = "x-go-enum-desc"
"""Extension in which go-swagger stores its addition."""
EMPTY = '""'
_CONSTANT = re.compile(r"(\S*) \w+(?:  (.*))?")
"""A value, the name of its constant, and perhaps what the author says of it."""


def without_constants(text: str, schema: dict[str, Any]) -> str:
    """The description of an enum without the names of constants; what is said of a value stays, as
    an item of a list.
    """
    added = as_text(schema.get(KEY)).strip("\n")
    own = text.rstrip().removesuffix(added.rstrip())
    if not added.strip() or own == text.rstrip():
        return text
    constants = [_CONSTANT.fullmatch(line.rstrip()) for line in added.split("\n")]
    said = [f"- `{match[1] or EMPTY}`: {match[2]}" for match in constants if match and match[2]]
    return "\n".join([own.rstrip(), *said]).strip()

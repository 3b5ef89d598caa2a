"""Names of toolsets: of their modules and JSON files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...text import words
from .digest import digest
from .reserved import NOT_FOR_TOOLSETS

TOOLSET_LIMIT = 40


def toolset_names(tags: Iterable[str]) -> dict[str, str]:
    """Tag → name of its module and JSON file."""
    plain = {tag: toolset_name(tag) for tag in tags}
    count = Counter(plain.values())
    return {
        tag: name if count[name] == 1 else f"{name}_{digest(tag)}" for tag, name in plain.items()
    }


def toolset_name(tag: str) -> str:
    """The module name of one tag."""
    name = "_".join(words(tag))
    if not name:
        return f"toolset_{digest(tag)}"
    if not name[0].isalpha():
        name = f"t_{name}"
    if len(name) > TOOLSET_LIMIT:
        name = f"{shorten_words(name, TOOLSET_LIMIT - 7)}_{digest(tag)}"
    if name in NOT_FOR_TOOLSETS:
        name = f"{name}_tools"
    return name


def shorten_words(name: str, limit: int) -> str:
    """As many whole words of a snake_case name as fit in `limit` characters; a piece of the first
    where none does.
    """
    if len(name) <= limit:
        return name
    head = name[: limit + 1].rpartition("_")[0]
    return head if len(head) >= limit // 2 else name[:limit].rstrip("_")

"""Names of toolsets: of their modules and JSON files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ...text import words
from .digest import digest
from .reserved import NOT_FOR_TOOLSETS

TOOLSET_LIMIT = 40
GENERAL = "general"
"""The toolset of tools without a tag."""
GENERAL_TOOLS = "general_tools"
"""Its name where a tag has the other one."""


def toolset_names(
    tags: Iterable[str], last: Mapping[str, Counter[str]] = MappingProxyType({})
) -> dict[str, str]:
    """Tag → name of its module and JSON file; the tag of tools without one is empty.

    `last` says of a tag how many of its tools were in which toolset at the last run. A name stays
    with the tag of most of them, and another tag that would have it gives way: a new `Books` is
    `books_9da7f7` beside `books`.
    """
    spellings = {tag: _spellings(tag) for tag in tags}
    claims = []
    for tag, names in spellings.items():
        counts = last.get(tag, Counter())
        spelt = [name for name in counts if _is_spelt(name, names)]
        claims += [(-counts[name], tag != name, tag, name) for name in spelt]
    kept: dict[str, str] = {}
    for _, _, tag, name in sorted(claims):
        if tag not in kept.values():
            kept.setdefault(name, tag)
    out = {tag: name for name, tag in kept.items()}
    rivals = Counter(names[0] for tag, names in spellings.items() if tag and tag not in out)
    for tag, (plain, longer) in spellings.items():
        is_free = rivals[plain] == bool(tag) and plain not in kept
        out.setdefault(tag, plain if is_free else longer)
    return out


def _spellings(tag: str) -> tuple[str, str]:
    """Return the name of a tag's toolset, and the one that no other tag can have."""
    if not tag:
        return GENERAL, GENERAL_TOOLS
    name = toolset_name(tag)
    return name, f"{name}_{digest(tag)}"


def _is_spelt(name: str, names: tuple[str, str]) -> bool:
    """Return whether a name is one of these, but perhaps for where a word ends: `o_auth`."""
    if name in NOT_FOR_TOOLSETS:
        return False
    if name != name.strip("_"):
        return False
    return name.replace("_", "") in [each.replace("_", "") for each in names]


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

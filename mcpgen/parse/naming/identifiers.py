"""Identifiers: the names of arguments, reserved names (of clients, of Python, of the generated
modules, of Windows), and names for things without words.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from ...load.values import picked, without
from ...text import ascii_of

# Tools that clients bring themselves: a server's own tool of that name would be taken for them.
HOST_TOOLS = frozenset("""
    agent apply_patch ask bash computer create_file delete_file edit edit_file execute
    execute_command fetch find_files glob grep list_directory list_dir ls move_file multi_edit
    open_file patch python read read_file read_many_files replace run_command run_shell_command
    search_files shell str_replace task terminal think todo_read todo_write view web_fetch
    web_search write write_file
    """.split())
# Names with a meaning inside a generated module of tools.
MODULE_NAMES = frozenset("""
    api wire models sends omit answer any literal annotations type_checking custom hooks
    """.split())
RESERVED = (
    frozenset(keyword.kwlist)
    | frozenset(map(str.lower, keyword.kwlist))
    | frozenset(keyword.softkwlist)
    | frozenset(dir(builtins))
    | MODULE_NAMES
)
WINDOWS_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
NOT_FOR_TOOLS = RESERVED | HOST_TOOLS
NOT_FOR_TOOLSETS = RESERVED | WINDOWS_NAMES

ARGUMENT_LIMIT = 64
ARGUMENT_RESERVED = frozenset(
    [*keyword.kwlist, *"api wire self cls OMIT Omit Answer Any Literal".split()]
)
SYMBOLS = dict(zip("<>!=~*+-%", "lt gt not eq like any plus minus percent".split(), strict=True))
"""Characters that distinguish wire names: `MessageDate<` and `MessageDate>`."""
IDENTIFIER = re.compile(r"(?:[A-Za-z]|_[A-Za-z0-9])[A-Za-z0-9_]*")
"""A name on the wire that can be an argument's."""
ArgumentKey = tuple[str, str]
"""The place of an argument and its name on the wire."""


def digest(text: str, length: int = 6) -> str:
    """Return `length` hexadecimal digits of a stable hash of `text`."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def definition_name(token: str) -> str:
    """Return the name under `$defs` for the last token of a pointer, at most 60 characters:
    letters, digits, `_`, `.`, `-`, and `_` for others; `root` for none.
    """
    return re.sub(r"[^A-Za-z0-9_.-]", "_", token)[:60] or "root"


def argument_names(
    keys: Iterable[ArgumentKey],
    pinned: Mapping[ArgumentKey, str] = MappingProxyType({}),
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> dict[ArgumentKey, str]:
    """Return (place, wire name) → argument name.

    `pinned` are the names of earlier runs, which are kept. `chosen` maps names chosen by the user
    to their arguments, by name or wire name; no other argument gets such a name.

    If names clash, a name equal to its wire name is kept, and a changed name gives way. If both
    equal their wire names, both get their place as a suffix. `maxItems` and `MaxItems` are two
    names, as in JSON.
    """
    names = {key: argument_name(key[1]) for key in keys}
    kept = picked(pinned, names)
    free = without(names, kept)
    in_use = set(kept.values())
    for key in _clashing(free, in_use, chosen):
        free[key] = _told_apart(free[key], *key)
    for key in _clashing(free, in_use, chosen):
        free[key] = f"{free[key]}_{digest('/'.join(key))}"
    return names | free | kept


def _clashing(
    names: dict[ArgumentKey, str], in_use: Collection[str], chosen: Mapping[str, str]
) -> list[ArgumentKey]:
    """Return the keys whose name is in use, or chosen for another argument, or repeated; the only
    unchanged one of equal names is left out.
    """
    count = Counter(names.values())
    unchanged_count = Counter(name for key, name in names.items() if name == key[1])
    clashing = []
    for key, name in names.items():
        rivals = unchanged_count if name == key[1] else count
        is_claimed = chosen.get(name, name) not in (name, key[1])
        if any([is_claimed, name in in_use, rivals[name] > 1]):
            clashing.append(key)
    return clashing


def _told_apart(name: str, place: str, wire_name: str) -> str:
    """Return a name with its symbols in words (`MessageDate_lt`), else with its place."""
    symbols = "".join(f"_{SYMBOLS[char]}" for char in wire_name if char in SYMBOLS)
    return f"{name}{symbols}" if symbols else f"{name.rstrip('_')}_{place}"


def argument_name(wire_name: str) -> str:
    """Return a Python identifier for a wire name, unchanged where it can be; a reserved one gets a
    `_`.
    """
    name = wire_name
    if len(wire_name) > ARGUMENT_LIMIT or not IDENTIFIER.fullmatch(wire_name):
        name = _identifier(wire_name)
    return f"{name}_" if name in ARGUMENT_RESERVED else name


def _identifier(wire_name: str) -> str:
    """Return a wire name as an identifier of at most `ARGUMENT_LIMIT` characters."""
    parts = re.findall(r"[A-Za-z0-9]+", ascii_of(wire_name))
    lowered = [part.lower() if part.isupper() or part.istitle() else part for part in parts]
    name = "_".join(lowered) or f"argument_{digest(wire_name)}"
    if name[0].isdigit():
        name = f"_{name}"
    if len(name) > ARGUMENT_LIMIT:
        name = f"{name[: ARGUMENT_LIMIT - 7].rstrip('_')}_{digest(wire_name)}"
    return name

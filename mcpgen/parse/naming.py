"""Names: of tools, toolsets, arguments and the server.

A name depends on its own operation alone: never on the order of the document, and on other
operations only where two ask for the same name; then **all** of them carry a short hash of `METHOD
path`, so that none depends on which came first. Names that would be shortened carry the same hash.
Names are ASCII, lower-case and never a Python keyword, a builtin or a name the generated modules
use.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from ..text import words

TOOL_LIMIT = 50
COMBINED_LIMIT = 64  # `mcp__<server>__<tool>`, the longest prefix a client is known to add
SERVER_LIMIT = 16
ARGUMENT_LIMIT = 64
TOOLSET_LIMIT = 40

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
    | frozenset(name.lower() for name in keyword.kwlist)
    | frozenset(keyword.softkwlist)
    | frozenset(name for name in dir(builtins))
    | MODULE_NAMES
)
ARGUMENT_RESERVED = frozenset(keyword.kwlist) | {
    "api",
    "wire",
    "self",
    "cls",
    "OMIT",
    "Omit",
    "Answer",
    "Any",
    "Literal",
}
# Characters of wire names that tell two of them apart: `MessageDate<` and `MessageDate>`.
SYMBOLS = {
    "<": "lt",
    ">": "gt",
    "!": "not",
    "=": "eq",
    "~": "like",
    "*": "any",
    "+": "plus",
    "-": "minus",
    "%": "percent",
}
WINDOWS_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
SERVER_NOISE = frozenset("""
    a an the api apis rest restful http openapi swagger service services server spec specification
    documentation docs public official unofficial reference json web platform definition description
    version for of and in
    """.split())


def digest(text: str, length: int = 6) -> str:
    """A short stable hash of `text`: hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def tool_limit(server: str) -> int:
    """The longest tool name for a server of that name, the client's prefix counted."""
    return min(TOOL_LIMIT, COMBINED_LIMIT - len("mcp____") - len(server))


def operation_words(operation_id: str | None, method: str, path: str) -> list[str]:
    """The words an operation's name is made of: its operationId's, else its method's and path's."""
    id_words = words(operation_id or "")
    if id_words:
        return id_words
    parts = [method.lower()]
    for segment in path.split("?")[0].split("/"):
        for literal, parameter in re.findall(r"([^{}]+)|\{([^{}]*)\}", segment):
            if parameter:
                parts.append("by")
            parts += words(literal or parameter)
    return parts if len(parts) > 1 else [*parts, "root"]


def tool_names(
    operations: Iterable[tuple[str, str, str | None]],
    server: str,
    pinned: Mapping[str, str] | None = None,
    reserved: Iterable[str] = (),
    chosen: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """`METHOD /path` → tool name, for operations given as (method, path, operationId).

    `pinned` are names that earlier runs gave (from the lock file): they are kept and no other
    operation may have them, nor those in `reserved`. `chosen` are names of the user's choice → the
    operation they are for, and no other one gets them either.
    """
    owners = chosen or {}
    limit = tool_limit(server)
    parts = {
        f"{method} {path}": operation_words(operation_id, method, path)
        for method, path, operation_id in operations
    }
    kept = {key: name for key, name in (pinned or {}).items() if key in parts}
    in_use = {*kept.values(), *reserved}
    names = {key: spell(parts[key], limit, key, server) for key in parts if key not in kept}
    for length in (6, 12, 24):
        count = Counter(names.values())
        clashing = [
            key
            for key, name in names.items()
            if count[name] > 1 or name in in_use or owners.get(name, key) != key
        ]
        for key in clashing:
            names[key] = spell(parts[key], limit, key, server, length)
    return {key: kept.get(key) or names[key] for key in parts}


def spell(parts: list[str], limit: int, key: str, server: str, hash_length: int = 0) -> str:
    """Words as a snake_case name of at most `limit` characters; with the hash where it was
    shortened or asked for.
    """
    name = "_".join(parts)
    if not name[:1].isalpha():
        name = f"call_{name}".rstrip("_")
    if name in RESERVED or name in HOST_TOOLS:
        name = f"{server}_{name}"
    if len(name) <= limit and not hash_length:
        return name
    suffix = "_" + digest(key, hash_length or 6)
    return shorten_words(name, limit - len(suffix)) + suffix


def shorten_words(name: str, limit: int) -> str:
    """As many whole words of a snake_case name as fit in `limit` characters; a piece of the first
    where none does.
    """
    if len(name) <= limit:
        return name
    head = name[: limit + 1].rpartition("_")[0]
    return head if len(head) >= limit // 2 else name[:limit].rstrip("_")


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
    if name in RESERVED or name in WINDOWS_NAMES:
        name = f"{name}_tools"
    return name


def server_name(title: str) -> str:
    """The key clients use for the server: the title's telling words, at most 16 characters."""
    title_words = re.findall(r"[a-z0-9]+", _ascii(title).lower().replace("'s", ""))
    telling = [word for word in title_words if not _is_noise(word)] or title_words
    name = ""
    for word in telling:
        longer = f"{name}_{word}".lstrip("_")
        if len(longer) > SERVER_LIMIT:
            break
        name = longer
    name = name or "".join(telling[:1])[:SERVER_LIMIT] or "api"
    if not name[0].isalpha():
        name = f"api_{name}"[:SERVER_LIMIT]
    return name


def _is_noise(word: str) -> bool:
    """Whether a word of a title says nothing of this API: `API`, `service`, `v2`."""
    return word in SERVER_NOISE or re.fullmatch(r"v?\d+", word) is not None


ArgumentKey = tuple[str, str]
"""The place of an argument and its name on the wire."""


def argument_names(
    keys: Iterable[ArgumentKey],
    pinned: Mapping[ArgumentKey, str] | None = None,
    chosen: Mapping[str, str] | None = None,
) -> dict[ArgumentKey, str]:
    """(place, wire name) → argument name.

    `pinned` are names that earlier runs gave, which are kept. `chosen` maps names of the user's
    choice to the argument they are for, by its name or its name on the wire; no other gets one.

    Where names clash, one that is its wire name as it stands keeps it, unless another does as well:
    then they get their place as a suffix. Names that were changed to be one give way. `maxItems`
    and `MaxItems` are two names, as in JSON.
    """
    names = {key: argument_name(key[1]) for key in keys}
    kept = {key: name for key, name in (pinned or {}).items() if key in names}
    free = {key: name for key, name in names.items() if key not in kept}
    in_use = set(kept.values())
    for key in _clashing(free, in_use, chosen or {}):
        free[key] = _told_apart(free[key], *key)
    for key in _clashing(free, in_use, chosen or {}):
        free[key] = f"{free[key]}_{digest('/'.join(key))}"
    return {key: kept.get(key) or free[key] for key in names}


def _clashing(
    names: dict[ArgumentKey, str], in_use: Collection[str], chosen: Mapping[str, str]
) -> list[ArgumentKey]:
    """The keys whose name another key has too, but for the only unchanged one of each name."""
    count = Counter(names.values())
    unchanged_count = Counter(name for key, name in names.items() if name == key[1])
    clashing = []
    for key, name in names.items():
        if name in in_use or chosen.get(name, name) not in (name, key[1]):
            clashing.append(key)
            continue
        keeps_name = name == key[1] and unchanged_count[name] == 1
        if count[name] > 1 and not keeps_name:
            clashing.append(key)
    return clashing


def _told_apart(name: str, place: str, wire_name: str) -> str:
    """A name with its symbols in words (`MessageDate<`), else with its place."""
    symbols = "".join(f"_{SYMBOLS[char]}" for char in wire_name if char in SYMBOLS)
    return f"{name}{symbols}" if symbols else f"{name.rstrip('_')}_{place}"


def argument_name(wire_name: str) -> str:
    """A Python identifier for a wire name: the wire name itself where it is one."""
    is_identifier = re.fullmatch(r"_?[A-Za-z0-9][A-Za-z0-9_]*", wire_name) is not None
    if len(wire_name) > ARGUMENT_LIMIT or not (is_identifier and wire_name.isidentifier()):
        name = _identifier(wire_name)
    else:
        name = wire_name
    return f"{name}_" if name in ARGUMENT_RESERVED else name


def _identifier(wire_name: str) -> str:
    """A wire name as an identifier of at most `ARGUMENT_LIMIT` characters."""
    parts = re.findall(r"[A-Za-z0-9]+", _ascii(wire_name))
    lowered = [part.lower() if part.isupper() or part.istitle() else part for part in parts]
    name = "_".join(lowered) or f"argument_{digest(wire_name)}"
    if name[0].isdigit():
        name = f"_{name}"
    if len(name) > ARGUMENT_LIMIT:
        name = f"{name[: ARGUMENT_LIMIT - 7].rstrip('_')}_{digest(wire_name)}"
    return name


def _ascii(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()

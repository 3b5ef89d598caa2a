"""Options of the command line and `mcpgen.toml`: options as a `Config`, their conflicts with the
file, the first file of a project, and edits of the file that lose no comment.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from ..load.source import by_key, is_fetched, on_path
from .file import SCHEMA, field_value
from .keys import BY_NAME, OPTIONS, Key
from .model import DEFAULT_PARTS, Config, Selection
from .positions import KeyPath

SHORT_LIST = 3
"""Most items of a list written on one line."""
INSTALLED = (
    '# runtime = "installed"                # the package `mcpgen-runtime`, and no `runtime/` here'
)


def new_text(config: Config, folder: Path, *, name: str, examples: bool = True) -> str:
    """Return the first `mcpgen.toml` of a project: the settings of `config`, and `examples` of
    others as comments.

    Sources that are files are written relative to `folder`; standard input is not written at all.
    `name` is the server's name, which the file pins.
    """
    sources = by_key(config.sources)
    sources["path"] = [relative_to(source, folder) for source in sources["path"]]
    server = _changed_values("", config, folder)
    parts = DEFAULT_PARTS if config.parts is None else config.parts
    server |= {"name": config.name or name, "parts": list(parts), "profile": config.profile}
    settings = _assignments("", server)
    if config.runtime == "copied":
        settings.append(INSTALLED)
    source = _changed_values("source", config, folder)
    source |= {key: _one_or_all(items) for key, items in sources.items()}
    lines = [*settings, "", "[source]", *_assignments("source", source)]
    if not config.sources or config.sources == ("-",):
        lines.append("# The document was read from standard input and is kept in `document/`.")
        lines.append('# path = "../openapi.yaml"')
    auth = _assignments("auth", _changed_values("auth", config, folder))
    if auth:
        lines += ["", "[auth]", *auth]
    selected = _assignments("select", _changed_values("select", config.selection, folder))
    text = (resources.files("mcpgen") / "data" / "new_mcpgen.toml").read_text("utf-8")
    head, _, tail = text.replace("{schema}", SCHEMA).partition("{keys}\n")
    if not examples:
        return head + "\n".join([*lines, ""])
    lines += ["", "# Which operations become tools. Without this table: all of them."]
    lines += ["[select]", *selected] if selected else ["# [select]"]
    return head + "\n".join([*lines, tail])


def _changed_values(table: str, part: Config | Selection, folder: Path) -> dict[str, Any]:
    """Return key → value of a table, without defaults and sources. Paths are relative to
    `folder`.
    """
    default = type(part)()
    values: dict[str, Any] = {}
    for key in BY_NAME[table].keys:
        if key.is_note or key.target == "sources":
            continue
        value = getattr(part, key.target)
        if value != getattr(default, key.target):
            values[key.name] = _written_value(key, value, folder)
    return values


def _written_value(key: Key, value: Any, folder: Path) -> Any:
    if not key.is_path:
        return value
    if isinstance(value, tuple):
        return [on_path(item, lambda path: relative_to(path, folder)) for item in value]
    return relative_to(value, folder)


def _one_or_all(items: list[str]) -> str | list[str]:
    if len(items) == 1:
        return items[0]
    return items or ""


def _assignments(table: str, values: Mapping[str, Any]) -> list[str]:
    """Return a line `key = value` for each value that is not empty, in the order of the table."""
    lines = []
    for key in BY_NAME[table].keys:
        value = values.get(key.name)
        if value not in (None, "", (), {}):
            lines.append(f"{key.name} = {literal(value)}")
    return lines


def literal(value: Any) -> str:
    """Return a value as TOML on one line; texts are ASCII, a character beyond U+FFFF is one
    escape.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        items = ", ".join(f"{literal(key)} = {literal(item)}" for key, item in value.items())
        return f"{{ {items} }}"
    if isinstance(value, str):
        spelt = (f"\\U{ord(c):08x}" if c > "\uffff" else json.dumps(c)[1:-1] for c in value)
        return f'"{"".join(spelt)}"'
    return str(value)


def relative_to(source: str, folder: Path) -> str:
    """Return a file's path from the project's folder, with `/`; absolute on another drive."""
    try:
        return Path(os.path.relpath(_followed(source), folder.resolve())).as_posix()
    except ValueError:  # another drive on Windows
        return Path(_followed(source)).as_posix()


def edit(text: str, changes: Mapping[KeyPath, Any]) -> str:
    """Return the text with keys set, or removed for None; comments and order stay. A new key comes
    after the last key of its table; a table without comments goes with its last key.
    """
    import tomlkit

    document = tomlkit.parse(text)
    for path, value in changes.items():
        if value is None:
            _remove(document, path)
        else:
            _set(document, path, value)
    return tomlkit.dumps(document)


def _set(table: Any, path: KeyPath, value: Any) -> None:
    import tomlkit

    for depth, name in enumerate(path[:-1], 1):
        if name not in table:
            # A table that only holds tables needs no header of its own
            table[name] = tomlkit.table(is_super_table=depth < len(path) - 1)
        table = table[name]
    key = path[-1]
    if isinstance(value, (list, tuple)) and isinstance(table.get(key), list):
        _change_items(table[key], value)
        return
    if isinstance(value, (list, tuple)):
        items = tomlkit.array()
        items.extend(value)
        value = items.multiline(len(value) > SHORT_LIST)
    if key in table:
        table[key] = value
    else:
        _append(table, key, value)


def _change_items(array: Any, values: Iterable[Any]) -> None:
    """Change a list, in place, to hold these values; existing items keep their places and
    comments.
    """
    wanted = list(values)
    for item in list(array):
        if item not in wanted:
            array.remove(item)
    for value in wanted:
        if value not in array:
            array.append(value)


def _append(table: Any, key: str, value: Any) -> None:
    """Add a key after the last key of its table: comments at its end are about what follows."""
    import tomlkit
    from tomlkit.items import AbstractTable, Table

    if not isinstance(table, Table):
        table[key] = value
        return
    content = table.value
    last = None
    for name, item in content.body:
        if name is not None and not isinstance(item, AbstractTable):
            last = name
    if last is not None:
        content._insert_after(last, key, tomlkit.item(value))
    elif content.body:
        content._insert_at(0, tomlkit.key(key), tomlkit.item(value))
    else:
        table[key] = value


def _remove(document: Any, path: KeyPath) -> None:
    """Remove a key, and the tables around it that hold no key and no comment then."""
    tables = [document]
    for name in path[:-1]:
        if name not in tables[-1]:
            return
        tables.append(tables[-1][name])
    tables[-1].pop(path[-1], None)
    for depth in range(len(path) - 1, 1, -1):
        if len(tables[depth]) or _has_comment(tables[depth]):
            return
        tables[depth - 1].pop(path[depth - 1])


def _has_comment(table: Any) -> bool:
    """Return whether a table without keys has a comment, beside its header or below it."""
    from tomlkit.items import AbstractTable, Comment

    if not isinstance(table, AbstractTable):  # its parts stand in several places
        return True
    if table.trivia.comment:
        return True
    return any(isinstance(item, Comment) for _, item in table.value.body)


def config_from_options(values: Mapping[str, Any]) -> Config:
    """Return the configuration of a command's options. `values`: parameter → value; None, False and
    `[]` mean that an option was not given.
    """
    fields: dict[str, dict[str, Any]] = {"Config": {}, "Selection": {}}
    for table, key, option in OPTIONS:
        value = values[option.parameter]
        if value in (None, False, []):
            continue
        if key.kind == "flag":
            value = option.sets
        fields[table.dataclass][key.target] = field_value(key, value)
    return Config(**fields["Config"], selection=Selection(**fields["Selection"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionConflict:
    """An option whose value differs from that in the project's file, and its key there.

    `value` and `file_value` are written as in TOML; `file_value` is empty if the file has no value.
    """

    option: str
    header: str
    key: str
    value: str
    file_value: str


def conflicting_options(options: Config, file: Config) -> list[OptionConflict]:
    """Return the options that set another value than a project's file; paths are compared as
    absolute.
    """
    default = Config()
    conflicts = []
    for table, key, option in OPTIONS:
        value = _value(options, table.dataclass, key)
        file_value = _value(file, table.dataclass, key)
        if value in (_value(default, table.dataclass, key), file_value):
            continue
        stored = _stored_value(file, table.dataclass, key)
        conflict = OptionConflict(
            option=option.name,
            header=table.header,
            key=key.name,
            value=literal(_stored_value(options, table.dataclass, key)),
            file_value=_written(stored, key),
        )
        conflicts.append(conflict)
    return conflicts


def agreed_with(options: Config, file: Config) -> Config:
    """Return the configuration of a project's file with the options that are set over it."""
    default, changes = Config(), {"Config": dict[str, Any](), "Selection": dict[str, Any]()}
    for table, key, _ in OPTIONS:
        value = _stored_value(options, table.dataclass, key)
        if value != _stored_value(default, table.dataclass, key):
            changes[table.dataclass][key.target] = value
    selection = replace(file.selection, **changes["Selection"])
    return replace(file, **changes["Config"], selection=selection)


def _written(value: Any, key: Key) -> str:
    """Return a value as in the file; empty for an unset value."""
    if not value:
        return ""
    if key.kind == "text or texts" and len(value) == 1:
        return literal(value[0])
    return literal(value)


def _stored_value(config: Config, part: str, key: Key) -> Any:
    if part == "Selection":
        return getattr(config.selection, key.target)
    return getattr(config, key.target)


def _value(config: Config, part: str, key: Key) -> Any:
    """Return the value of a key in a form to compare: file names as absolute paths."""
    value = _stored_value(config, part, key)
    if not key.is_path or value is None:
        return value
    if isinstance(value, tuple):
        return tuple(_absolute(item) for item in value)
    return _absolute(value)


def _absolute(path: str) -> str:
    if is_fetched(path) and "=" not in path:
        return path
    return on_path(path, _followed)


def _followed(path: str) -> str:
    """Return an absolute path with the links of its folders followed, but not a link at its end:
    the Python of an environment is one.
    """
    absolute = Path(os.path.normpath(Path(path).absolute()))
    return str(absolute.parent.resolve() / absolute.name)

"""Options of the command line that are keys of `mcpgen.toml`: as a `Config`, and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..load.source import is_url, on_path
from .file import field_value
from .keys import OPTIONS, Key
from .model import Config, Selection
from .new_file import literal


def config_from_options(values: Mapping[str, Any]) -> Config:
    """The configuration that options make. `values` are by parameter; None, False and `[]` stand
    for an option that was not given.
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
    """An option whose value is not the one in the project's file, and the place of its key there.

    `value` and `file_value` are written as in TOML; `file_value` is empty for a key without one.
    """

    option: str
    header: str
    key: str
    value: str
    file_value: str


def conflicting_options(options: Config, file: Config) -> list[OptionConflict]:
    """The options that set another value than a project's file does."""
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


def _written(value: Any, key: Key) -> str:
    """A value as in the file; nothing for one that is not set there."""
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
    """The value of a key in a form to compare: file names as absolute paths."""
    value = _stored_value(config, part, key)
    if not key.is_path or value is None:
        return value
    if isinstance(value, tuple):
        return tuple(_absolute(item) for item in value)
    return _absolute(value)


def _absolute(path: str) -> str:
    if path == "-" or (is_url(path) and "=" not in path):
        return path
    return on_path(path, lambda path: str(Path(path).resolve()))

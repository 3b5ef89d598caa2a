"""`[tools."read_*"]` and `[tools.tag."Flows"]`: one table of `mcpgen.toml` for many tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase

from ..config import Config, ToolConfig
from ..ir import Origin


@dataclass(frozen=True, slots=True)
class Many:
    """A table for the tools that a word is about: a glob, or a tag of the document."""

    path: tuple[str, ...]
    word: str
    config: ToolConfig

    @property
    def header(self) -> str:
        """The table's header in the file."""
        return f'`[{".".join(self.path[:-1])}."{self.word}"]`'


def of_tool(config: Config, origin: Origin, *names: str) -> Iterator[Many]:
    """Yield the tables that are about a tool, the most special last: tags, then globs, the more
    letters the more special. `names` are those of the tool.
    """
    tags = config.pinned.tags.get(origin.operation, ())
    for tag, table in config.tags.items():
        if tag in tags:
            yield Many(("tools", "tag", tag), tag, table)
    words = [*names, origin.operation_id or "", origin.operation]
    for glob in sorted(config.globs, key=lambda glob: len(glob.replace("*", ""))):
        if any(fnmatchcase(word, glob) for word in words if word):
            yield Many(("tools", glob), glob, config.globs[glob])


def table_of(config: Config, origin: Origin, name: str, own: str) -> ToolConfig:
    """Return all that a configuration says of a tool; `own` is the key of its own table."""
    made = ToolConfig()
    tables = [(many.path, many.config) for many in of_tool(config, origin, name)]
    if own in config.tools:
        tables.append((("tools", own), config.tools[own]))
    for path, table in tables:
        made = merged(made, table, says_enabled=(*path, "enabled") in config.places)
    return made


def every(config: Config) -> Iterator[Many]:
    """Yield every table for many tools."""
    for tag, table in config.tags.items():
        yield Many(("tools", "tag", tag), tag, table)
    for glob, table in config.globs.items():
        yield Many(("tools", glob), glob, table)


def merged(general: ToolConfig, special: ToolConfig, *, says_enabled: bool) -> ToolConfig:
    """Return a table with the settings of a more special one over it; `says_enabled`: whether that
    has the key `enabled`.
    """
    changes = {
        key.name: getattr(special, key.name)
        for key in fields(special)
        if key.name != "arguments" and getattr(special, key.name) != key.default
    }
    if says_enabled:
        changes["enabled"] = special.enabled
    if not changes.keys().isdisjoint(("read_only", "destructive")):
        general = replace(general, read_only=None, destructive=None)  # one excludes the other
    return replace(general, **changes, arguments={**general.arguments, **special.arguments})

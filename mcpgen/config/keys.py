"""Every key of `mcpgen.toml`, once: the rows of `data/keys.toml`.

From them come the reader of the file, its JSON Schema, its documentation, and the options of
commands. A new key is one row there and one field of the dataclass that its table names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

Kind = Literal[
    "text", "name", "prefix", "texts", "text or texts", "flag", "count", "rate", "headers", "any"
]

COUNT_LIMIT = 1_000_000_000
NAME_PATTERN = r"^(?=.{1,16}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$"
"""A server's name. Packages, commands and environment variables are made of it unchanged."""
SYSTEM = (
    "ALL|DBUS|DYLD|GCONV|GLIBC|HOME|HTTPS?|IFS|LANG|LANGUAGE|LC|LD|LOGNAME|MALLOC|NO|PATH|PIP|PWD"
    "|PYTHON[A-Z0-9]*|REQUESTS|SHELL|SSL|SYSTEMD|TEMP|TERM|TMP|TMPDIR|TZ|USER|UV|VIRTUAL|XDG"
)
"""First words of variables that the system, Python or its libraries read: `LD_PRELOAD`."""
PREFIX_PATTERN = rf"^(?!(?:{SYSTEM})(?!_MCP$)(?:_|$))" r"(?=.{1,40}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$"
"""The beginning of a server's environment variables. `_MCP` behind it makes any word its own."""
_TEXT = {"type": "string", "pattern": "\\S"}
_TEXTS = {"type": "array", "items": _TEXT}
SCHEMAS: Mapping[Kind, dict[str, Any]] = {
    "text": _TEXT,
    "name": {"type": "string", "pattern": NAME_PATTERN},
    "prefix": {"type": "string", "pattern": PREFIX_PATTERN},
    "texts": _TEXTS,
    "text or texts": {"anyOf": [_TEXT, _TEXTS]},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1, "maximum": COUNT_LIMIT},
    "rate": {"type": "string", "pattern": "^[1-9][0-9]{0,8}/[smhd]$"},
    "headers": {"type": "object", "additionalProperties": _TEXT},
    "any": {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The command-line option of a key.

    A `name` without dashes is the argument. An empty `help` is the key's own text. The option of a
    `flag` key takes no value: it sets the field to `sets`.
    """

    name: str
    help: str = ""
    metavar: str = ""
    sets: bool = True

    @property
    def parameter(self) -> str:
        """The name of the Python parameter: `--base-url` → `base_url`."""
        return self.name.lower().lstrip("-").replace("-", "_")

    @property
    def is_argument(self) -> bool:
        """Whether this is an argument: a word without an option's name before it."""
        return not self.name.startswith("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key: the kind of its value, its meaning, an example in TOML, and its option, if any.

    The value is stored in the dataclass field `field`, by default that of the key's name; not at
    all with `is_note`. With `is_path` a relative path starts at the file's folder.
    """

    name: str
    kind: Kind
    text: str
    example: str
    field: str = ""
    choices: tuple[str, ...] = ()
    is_path: bool = False
    is_note: bool = False
    lower_case: bool = False
    option: Option | None = None

    @property
    def target(self) -> str:
        """The name of the dataclass field for the value."""
        return self.field or self.name

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its value."""
        if not self.choices:
            return SCHEMAS[self.kind]
        chosen = {"enum": list(self.choices)}
        return {"type": "array", "items": chosen} if self.kind == "texts" else chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of the file. A `*` in its name means the user's names; `dataclass` holds its
    values.
    """

    name: str
    dataclass: str
    text: str
    keys: tuple[Key, ...]

    @property
    def header(self) -> str:
        """The table's header in the file (`[select]`), or `top of the file`."""
        if not self.name:
            return "top of the file"
        header = self.name.replace("tools.*", 'tools."<operation>"').replace(
            "apis.*", "apis.billing"
        )
        return f"[{header.replace('arguments.*', 'arguments.<argument>')}]"


def _key(row: Mapping[str, Any]) -> Key:
    option = Option(**row["option"]) if "option" in row else None
    return Key(**{**row, "choices": tuple(row.get("choices", ())), "option": option})


def _read() -> tuple[Table, ...]:
    text = (resources.files("mcpgen") / "data" / "keys.toml").read_text("utf-8")
    rows = tomllib.loads(text)["table"]
    return tuple(Table(**{**row, "keys": tuple(map(_key, row["keys"]))}) for row in rows)


TABLES = _read()
BY_NAME = {table.name: table for table in TABLES}

SUBTABLES = {
    "": ("source", "apis", "auth", "select", "answers", "tools"),
    "apis.*": ("select",),
    "tools.*": ("hints", "arguments", "answer"),
}
"""Tables within tables: `tools` and `arguments` hold one table for each operation and argument."""

REMOVED = dict.fromkeys(
    (("apis.*", name) for name in ("timeout", "rate_limit", "max_concurrency", "retries")),
    "whoever runs the server sets it, as in `SHOP_MCP_BILLING_RATE_LIMIT`",
)
"""Keys that people look for, with what to write instead, by table and name."""

OPTIONS = tuple(
    (table, key, key.option) for table in TABLES for key in table.keys if key.option is not None
)
"""The keys that have an option on the command line, each with its table and the option."""

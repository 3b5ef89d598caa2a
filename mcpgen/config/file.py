"""Read `mcpgen.toml` into a `Config`.

Reading is strict: an unknown key or a value of the wrong kind is an error with its line and, where
possible, the key that was meant. Nothing in the file is ignored silently.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..load.source import STDIN, has_stdin, on_path
from ..load.values import as_object
from ..paths import CONFIG, Obstacle, read_plain
from ..problems import Problem, UsageError
from ..text import visible
from .credentials import (
    base_url_problem,
    fetch_problem,
    forward_problem,
    is_constant_header,
    scheme_problem,
)
from .keys import BY_NAME, NAME_PATTERN, PREFIX_PATTERN, REMOVED, SUBTABLES, TABLES, Key
from .model import AnswerConfig, ApiConfig, ArgumentConfig, Config, Selection, ToolConfig
from .positions import KeyPath, key_positions, place_at, place_of

NAME = CONFIG
SCHEMA = "document/mcpgen.schema.json"
"""The schema of the file, in the project."""
SECRETIVE = (("headers",), ("scheme",), ("auth",))
"""Keys whose value may be a secret by mistake: no message repeats the value."""


def read_config(folder: Path) -> Config:
    """Read the configuration of a project. Its file names become relative to the current folder.

    Raises UsageError for a missing or unreadable file, and with one problem for each fault in it.
    """
    path = folder / NAME
    try:
        content = read_plain(folder, NAME)
        if isinstance(content, Obstacle):  # what a link leads to would be shown with its faults
            raise OSError(f"it is {content.kind}")
        text = (content or b"").decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read `{path}`: {error}"
        raise UsageError.of("E1101", message, "put a file of text in its place") from error
    if content is None:
        hint = "run this inside a project, or name a document: `mcpgen generate openapi.yaml`"
        message = f"no `{NAME}` in `{folder}`"
        raise UsageError.of("E1101", message, hint)
    return config_in_project(text, folder)


def config_in_project(text: str, folder: Path) -> Config:
    """Parse the text of a project's configuration. Without a document, the source is the project's
    copy of standard input, if any.
    """
    config = replace(
        parse_config(text, folder=folder, file=str(folder / NAME)), project=folder, folder=folder
    )
    if not config.documents and has_stdin(folder):
        return replace(config, sources=(STDIN,))
    return config


def parse_config(text: str, *, folder: Path = Path(), file: str = NAME) -> Config:
    """Parse the text of a configuration with paths from `folder`. Raises UsageError with one
    problem for each fault.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_syntax_problem(text, file, error)) from None
    reader = _Reader(text, file, folder)
    server = reader.table("", (), data)
    reader.report(("base_url",), base_url_problem(server.get("base_url")))
    reader.report(("forward_headers",), forward_problem(server.get("forward_headers", ())))
    source = reader.table("source", ("source",), data.get("source", {}))
    reader.report(("source", "headers"), fetch_problem(source.get("fetch_headers", ())))
    auth = reader.table("auth", ("auth",), data.get("auth", {}))
    reader.report(("auth", "scheme"), scheme_problem(auth.get("auth_scheme")))
    if auth.keys() & {"auth_description", "auth_scheme"} == {"auth_description"}:
        reader.add("E1104", ("auth", "description"), "`description` is never used without `scheme`")
    apis = {
        name: reader.api(name, table)
        for name, table in reader.tables(("apis",), data.get("apis", {}))
    }
    selection = reader.table("select", ("select",), data.get("select", {}))
    answers = reader.table("answers", ("answers",), data.get("answers", {}))
    tools: dict[str, ToolConfig] = {}
    globs: dict[str, ToolConfig] = {}
    tags: dict[str, ToolConfig] = {}
    for name, table in reader.tables(("tools",), data.get("tools", {})):
        if name == "tag" and _holds_tables(table):
            tags = {tag: reader.many((name, tag), own) for tag, own in table.items()}
        elif "*" in name:
            globs[name] = reader.many((name,), table)
        else:
            tools[name] = reader.tool((name,), table)
    if reader.problems:
        raise UsageError(*sorted(reader.problems, key=_line))
    return Config(
        **server,
        **source,
        **answers,
        **auth,
        apis=apis,
        selection=Selection(**selection),
        tools=tools,
        globs=globs,
        tags=tags,
        places={
            path: place_at(text, file, line, column)
            for line, column, path in key_positions(text)
            if path[0] in ("answers", "tools")
        },
    )


def _line(problem: Problem) -> int:
    if problem.place is None:
        return 0
    return problem.place.line


@dataclass(slots=True)
class _Reader:
    """One pass over the file. It collects a problem for each fault."""

    text: str
    file: str
    folder: Path
    problems: list[Problem] = field(default_factory=list)

    def table(self, name: str, path: KeyPath, data: Any) -> dict[str, Any]:
        """Return the valid values of a table by dataclass field, and report the others."""
        if not isinstance(data, dict):
            self.wrong_value(path, "must be a table", data)
            return {}
        table = BY_NAME[name]
        values: dict[str, Any] = {}
        for key in table.keys:
            if key.name not in data:
                continue
            value = data[key.name]
            if not accepts(key, value):
                self.wrong_value((*path, key.name), f"must be {_expected(key)}", value)
            elif not key.is_note:
                # `path` and `url` of `[source]` make one list
                value = field_value(key, self.from_here(key, value))
                if key.target in values:
                    value = (*values[key.target], *value)
                values[key.target] = value
        names = [*(key.name for key in table.keys), *SUBTABLES.get(name, ())]
        for word in data:
            if word not in names:
                self.unknown_key(name, (*path, word), names)
        return values

    def report(self, path: KeyPath, problem: Problem | None) -> None:
        """Add a problem at the line of a key; nothing for None."""
        if problem is not None:
            self.add(problem.code, path, problem.message, hint=problem.hint)

    def from_here(self, key: Key, value: Any) -> Any:
        """Return a value of a key; if it is a path, relative to the current folder."""
        if not key.is_path:
            return value
        if isinstance(value, list):
            return [self.from_here(key, item) for item in value]
        return on_path(value, lambda path: os.path.normpath(self.folder / path))

    def tables(self, path: KeyPath, data: Any) -> Iterator[tuple[str, Any]]:
        """Yield (name, value) of a table whose names are the user's; reports another value."""
        if isinstance(data, dict):
            yield from data.items()
        else:
            self.wrong_value(path, "must be a table", data)

    def api(self, name: str, data: Any) -> ApiConfig:
        """Read one `[apis.…]` table; faults are reported."""
        path = ("apis", name)
        problem = name_problem(name)
        if problem is not None:
            self.add(problem.code, path, problem.message.replace("a server", "an API"))
        values = self.table("apis.*", path, data)
        if {"path", "url"} <= values.keys():
            self.add("E1104", (*path, "url"), "`url` is never read beside `path`")
        self.report((*path, "base_url"), base_url_problem(values.get("base_url")))
        for origin in values.get("allow_origins", ()):
            self.report((*path, "allow_origins"), base_url_problem(origin, "an allowed origin"))
        self.report((*path, "auth"), scheme_problem(values.get("auth")))
        chosen = data.get("select", {}) if isinstance(data, dict) else {}
        selection = Selection(**self.table("select", (*path, "select"), chosen))
        return ApiConfig(**values, selection=selection)

    def many(self, names: KeyPath, data: Any) -> ToolConfig:
        """Read a table for many tools; keys of single tools are reported."""
        for key in ("name", "aliases", "budget"):
            if key in as_object(data):
                path = ("tools", *names, key)
                self.add("E1102", path, f"`{key}` belongs to one tool, and this table is for many")
        return self.tool(names, data)

    def tool(self, names: KeyPath, data: Any) -> ToolConfig:
        """Read a `[tools."…"]` table, and the tables inside."""
        path = ("tools", *names)
        values = self.table("tools.*", path, data)
        if not isinstance(data, dict):
            return ToolConfig()
        hints = self.table("tools.*.hints", (*path, "hints"), data.get("hints", {}))
        answer = self.table("tools.*.answer", (*path, "answer"), data.get("answer", {}))
        arguments: dict[str, ArgumentConfig] = {}
        for argument, table in self.tables((*path, "arguments"), data.get("arguments", {})):
            arguments[argument] = self.argument((*path, "arguments", argument), table)
        return ToolConfig(**values, **hints, arguments=arguments, answer=AnswerConfig(**answer))

    def argument(self, path: KeyPath, data: Any) -> ArgumentConfig:
        """Read an argument's table, and report keys that make no sense together."""
        values = self.table("tools.*.arguments.*", path, data)
        hidden = values.get("hidden", False)
        if "value" in values and not hidden:
            message = (
                "`value` needs `hidden = true`: the model chooses the value of an argument it sees"
            )
            self.add("E1104", path, message)
        if "default" in values and hidden:
            message = "`default` of a hidden argument is never used"
            self.add("E1104", path, message, hint="use `value` instead")
        return ArgumentConfig(**values)

    def unknown_key(self, table: str, path: KeyPath, names: list[str]) -> None:
        """Report (E1102) a key that is not among the `names` of its table."""
        word = path[-1]
        hint = REMOVED.get((table, word)) or _hint_for_key(word, names)
        where = _where(BY_NAME[table].header)
        self.add("E1102", path, f"unknown key `{word}` {where}", hint=hint)

    def wrong_value(self, path: KeyPath, expected: str, value: Any) -> None:
        """Report (E1103) a value of the wrong kind, without possible secrets."""
        found = "" if path[-1:] in SECRETIVE else f", not `{str(value)[:60]}`"
        self.add("E1103", path, f"`{'.'.join(path)}` {expected}{found}")

    def add(self, code: str, path: KeyPath, message: str, hint: str = "") -> None:
        """Add a problem at the line of a key."""
        place = place_of(self.text, self.file, path)
        self.problems.append(
            Problem(code=code, severity="error", message=message, hint=hint, place=place)
        )


def _holds_tables(data: Any) -> bool:
    """Return whether `[tools.tag]` holds only a table for each tag: it is not the operation
    `tag`.
    """
    if not isinstance(data, dict) or not data.keys().isdisjoint(SUBTABLES["tools.*"]):
        return False
    return all(isinstance(table, dict) for table in data.values())


def _hint_for_key(word: str, names: list[str]) -> str:
    """Return a hint: the table of a misplaced key, else a similar key, else all keys."""
    for table in TABLES:
        if any(key.name == word for key in table.keys):
            return f"it belongs {_where(table.header)}"
    near = difflib.get_close_matches(word.lower().replace("-", "_"), names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"its keys are {', '.join(f'`{name}`' for name in names)}"


def _where(header: str) -> str:
    if header.startswith("["):
        return f"in `{header}`"
    return f"at the {header}"


def accepts(key: Key, value: Any) -> bool:
    """Return whether a TOML value has the kind of a key."""
    import jsonschema_rs  # late: `mcpgen --help` does without it

    if (key.kind, type(value)) == ("count", float):
        return False
    try:
        text = json.dumps(value, allow_nan=False)
        fits = jsonschema_rs.is_valid(key.schema, value)
    except (TypeError, ValueError):  # a date, or a number that JSON does not have
        return False
    if key.kind != "any" and r"\u0000" in text.replace(r"\\", ""):
        return False
    if key.kind == "headers":
        return fits and all(map(is_constant_header, value, value.values()))
    return fits


def values_problems(config: Config) -> list[Problem]:
    """Return the problems of names, addresses and credentials, which options may set, too; empty
    without.
    """
    origin_problem = partial(base_url_problem, name="an allowed origin")
    checks: list[tuple[Callable[[Any], Problem | None], Any]] = [
        (name_problem, config.name),
        (prefix_problem, config.env_prefix),
        (base_url_problem, config.base_url),
        *((origin_problem, origin) for origin in config.allow_origins),
        (scheme_problem, config.auth_scheme),
        (fetch_problem, config.fetch_headers or None),
    ]
    found = [check(value) for check, value in checks if value is not None]
    return list(filter(None, found))


def prefix_problem(prefix: str) -> Problem | None:
    """Return the problem (E1103) with a prefix of a server's variables, or None."""
    if re.fullmatch(PREFIX_PATTERN, prefix):
        return None
    message = f"`env_prefix` must be {_EXPECTED['prefix']}, not `{visible(prefix)[:60]}`"
    return Problem(code="E1103", severity="error", message=message)


def name_problem(name: str | None) -> Problem | None:
    """Return the problem (E1103) with a server's name, or None."""
    if name is None or re.fullmatch(NAME_PATTERN, name):
        return None
    message = f"`{visible(name)[:60]}` cannot be the name of a server: it is {_NAME}"
    return Problem(code="E1103", severity="error", message=message)


def field_value(key: Key, value: Any) -> Any:
    """Return an accepted value as its dataclass field holds it: a list as a tuple, in lower case if
    the key says so, a text of the kind `text or texts` as a tuple of one.
    """
    if key.kind not in ("texts", "text or texts"):
        return value
    if isinstance(value, str):
        return (value,)
    if key.lower_case:
        return tuple(item.lower() for item in value)
    return tuple(value)


_NAME = "up to 16 letters of a to z, digits and single underscores, as in `book_shop`"
_EXPECTED = {
    "text": "text in quotes",
    "name": _NAME,
    "prefix": "capital letters, digits and single underscores after a letter, as in"
    " `BOOKSHOP_MCP`, and no word of the system (`PATH`, `HOME`, `LD`, `PYTHON` …)",
    "texts": 'a list of texts, as in `["one", "two"]`',
    "text or texts": "text in quotes, or a list of texts",
    "flag": "`true` or `false`",
    "count": "a whole number of at least 1",
    "rate": "calls per second, minute, hour or day, as in `10/m`",
    "headers": "a table of header names and texts, without credentials (`[auth]` is for those)",
    "any": "a value that JSON has (no date, no infinity)",
}


def _expected(key: Key) -> str:
    choices = " or ".join(f"`{choice}`" for choice in key.choices)
    if key.choices and key.kind == "texts":
        return f"a list of {choices}"
    if key.choices:
        return choices
    return _EXPECTED[key.kind]


def _syntax_problem(text: str, file: str, error: tomllib.TOMLDecodeError) -> Problem:
    position = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    line, column = len(text.splitlines()), 1
    if position:
        line, column = int(position[1]), int(position[2])
    reason = re.sub(r"\s*\(at .*\)$", "", str(error))
    message = f"`{NAME}` is not TOML: {reason[:1].lower()}{reason[1:]}"
    hint = ""
    repeated = re.search(r"Cannot declare \((.+?),?\) twice", reason)
    if repeated:
        header = ".".join(re.findall(r"'([^']*)'", repeated[1]))
        message = f"`[{header}]` stands twice in `{NAME}`"
        hint = "write all of its keys under the first one"
    place = place_at(text, file, line, column)
    return Problem(code="E1105", severity="error", message=message, hint=hint, place=place)

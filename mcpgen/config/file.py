"""`mcpgen.toml`: read into a `Config`, written on the first run, edited without losing a comment.

Reading is strict: an unknown key or a value of the wrong kind is an error with its line and, where
one is near, the key that was meant. Nothing in the file is ever ignored silently.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import Any

from ..problems import Place, Problem, UsageError
from .base_url import base_url_problem
from .keys import BY_NAME, COUNT_LIMIT, SUBTABLES, TABLES, Key
from .model import AnswerConfig, ArgumentConfig, Config, Selection, ToolConfig

NAME = "mcpgen.toml"
SCHEMA_NAME = "mcpgen.schema.json"
Path_ = tuple[str, ...]


def read_config(folder: Path) -> Config:
    """The configuration of a project. Sources that are files are paths from here, not from the
    project's folder.

    Raises UsageError when there is none, or with one problem for each fault in it.
    """
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(
            Problem(
                code="E1101",
                severity="error",
                message=f"no `{NAME}` in `{folder}`",
                hint=(
                    "run this inside a project, or name a document: `mcpgen generate openapi.yaml`"
                ),
            )
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            Problem(code="E1101", severity="error", message=f"cannot read `{path}`: {error}")
        ) from error
    return parse_config(text, folder=folder, file=str(path))


def parse_config(text: str, *, folder: Path = Path(), file: str = NAME) -> Config:
    """The configuration a text says. Raises UsageError with one problem for each fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_syntax(text, file, error)) from None
    reading = _Reading(text, file)
    top = reading.table("", (), data)
    source = reading.table("source", ("source",), data.get("source", {}))
    chosen = reading.table("select", ("select",), data.get("select", {}))
    reading.address("base_url", top.get("base_url"))
    tools = {
        name: reading.tool(name, value)
        for name, value in reading.named(("tools",), data.get("tools", {}))
    }
    if reading.problems:
        raise UsageError(
            *sorted(
                reading.problems, key=lambda problem: problem.place.line if problem.place else 0
            )
        )
    overlays = tuple(_from_here(item, folder) for item in source.pop("overlays", ()))
    return Config(
        **top,
        sources=(
            *(_from_here(item, folder) for item in source.get("path", ())),
            *source.get("url", ()),
        ),
        overlays=overlays,
        draft=source.get("draft"),
        ref_root=_from_here(source["ref_root"], folder) if "ref_root" in source else None,
        max_bytes=source.get("max_bytes"),
        fetch_seconds=source.get("fetch_seconds"),
        selection=_selection(chosen),
        tools=tools,
        places={
            path: _place(text, file, line, column)
            for line, column, path in _keys(text)
            if tools and path[0] == "tools"
        },
    )


def _selection(chosen: dict[str, Any]) -> Selection:
    for key in ("include_methods", "exclude_methods"):
        if key in chosen:
            chosen[key] = tuple(method.lower() for method in chosen[key])
    return Selection(**chosen)


def _from_here(item: str, folder: Path) -> str:
    return item if PurePath(item).is_absolute() else os.path.normpath(folder / item)


@dataclass(slots=True)
class _Reading:
    """One pass over the file: values by key, and everything that is wrong with it."""

    text: str
    file: str
    problems: list[Problem] = field(default_factory=list)

    def table(self, name: str, path: Path_, data: Any) -> dict[str, Any]:
        """The values of one table by dataclass field; unknown keys and wrong kinds become
        problems.
        """
        keys = {key.name: key for key in BY_NAME[name].keys}
        inside = SUBTABLES.get(name, ())
        found: dict[str, Any] = {}
        if not isinstance(data, dict):
            self.wrong(path, "must be a table", data)
            return found
        for word, value in data.items():
            if word in keys:
                ok, taken = _taken(keys[word], value)
                if ok:
                    found[keys[word].name if name == "source" else keys[word].target] = taken
                else:
                    self.wrong((*path, word), f"must be {_wanted(keys[word])}", value)
            elif word not in inside:
                self.unknown((*path, word), BY_NAME[name].header, [*keys, *inside])
        return found

    def address(self, key: str, url: str | None) -> None:
        """A URL at the top of the file that requests must be able to go to."""
        problem = base_url_problem(url)
        if problem is not None:
            self.add(problem.code, (key,), problem.message, hint=problem.hint)

    def named(self, path: Path_, data: Any) -> Iterator[tuple[str, Any]]:
        """The members of a table whose names the user gives."""
        if isinstance(data, dict):
            yield from data.items()
        else:
            self.wrong(path, "must be a table", data)

    def tool(self, name: str, data: Any) -> ToolConfig:
        """One `[tools."…"]` table with the tables in it."""
        path = ("tools", name)
        values = self.table("tools.*", path, data)
        if not isinstance(data, dict):
            return ToolConfig()
        hints = self.table("tools.*.hints", (*path, "hints"), data.get("hints", {}))
        answer = self.table("tools.*.answer", (*path, "answer"), data.get("answer", {}))
        arguments = {
            argument: ArgumentConfig(**self.argument((*path, "arguments", argument), value))
            for argument, value in self.named((*path, "arguments"), data.get("arguments", {}))
        }
        return ToolConfig(**values, **hints, arguments=arguments, answer=AnswerConfig(**answer))

    def argument(self, path: Path_, data: Any) -> dict[str, Any]:
        """One argument's table, whose keys must make sense together."""
        values = self.table("tools.*.arguments.*", path, data)
        if "value" in values and not values.get("hidden"):
            self.add(
                "E1104",
                path,
                "`value` needs `hidden = true`: an argument the model sees has no fixed value",
            )
        if values.get("hidden") and "default" in values:
            self.add(
                "E1104",
                path,
                "`default` of a hidden argument is never used",
                hint="say `value` instead",
            )
        return values

    def unknown(self, path: Path_, where: str, known: list[str]) -> None:
        """A key that is none of those known here."""
        near = difflib.get_close_matches(path[-1].lower().replace("-", "_"), known, n=1, cutoff=0.6)
        elsewhere = [
            table.header for table in TABLES if path[-1] in (key.name for key in table.keys)
        ]
        if elsewhere:
            hint = f"it belongs into {_shown_header(elsewhere[0])}"
        elif near:
            hint = f"did you mean `{near[0]}`?"
        else:
            hint = f"known here: {', '.join(f'`{word}`' for word in known)}"
        self.add("E1102", path, f"unknown key `{path[-1]}` in {_shown_header(where)}", hint=hint)

    def wrong(self, path: Path_, wanted: str, value: Any) -> None:
        """A value of the wrong kind."""
        self.add("E1103", path, f"`{'.'.join(path)}` {wanted}, not `{str(value)[:60]}`")

    def add(self, code: str, path: Path_, message: str, hint: str = "") -> None:
        """One problem at the line of a key."""
        place = place_of(self.text, self.file, path)
        self.problems.append(
            Problem(code=code, severity="error", message=message, hint=hint, place=place)
        )


def _shown_header(where: str) -> str:
    return f"`{where}`" if where.startswith("[") else f"the {where}"


def _taken(key: Key, value: Any) -> tuple[bool, Any]:
    """Whether a value is of the key's kind, and what the dataclass holds for it."""
    if key.choices:
        return value in key.choices, value
    if key.kind == "flag":
        return isinstance(value, bool), value
    if key.kind == "count":
        return type(value) is int and 1 <= value <= COUNT_LIMIT, value
    if key.kind == "any":
        return _is_json(value), value
    if isinstance(value, str) and key.kind != "texts":
        return bool(value.strip()), (value,) if key.kind == "text or texts" else value
    if isinstance(value, list) and key.kind != "text":
        return all(isinstance(item, str) and item.strip() for item in value), tuple(map(str, value))
    return False, None


def _is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, float):
        return value - value == 0
    return isinstance(value, (str, int))


def _wanted(key: Key) -> str:
    if key.choices:
        return " or ".join(f"`{choice}`" for choice in key.choices)
    return {
        "text": "text in quotes",
        "texts": 'a list of texts, as in `["one", "two"]`',
        "text or texts": "text in quotes, or a list of texts",
        "flag": "`true` or `false`",
        "count": "a whole number of at least 1",
        "any": "a value JSON knows (no dates, no infinity)",
    }[key.kind]


def _syntax(text: str, file: str, error: tomllib.TOMLDecodeError) -> Problem:
    match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    line, column = (int(match[1]), int(match[2])) if match else (len(text.splitlines()), 1)
    message = re.sub(r"\s*\(at .*\)$", "", str(error))
    return Problem(
        code="E1105",
        severity="error",
        message=f"`{NAME}` is not TOML: {message[:1].lower()}{message[1:]}",
        place=_place(text, file, line, column),
    )


# -- positions
# --------------------------------------------------------------------------------------------------------

_WORD = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\]|\\.)*\"|'[^']*')"
_KEY = re.compile(rf"\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*=")


def place_of(text: str, file: str, path: Path_) -> Place:
    """Where a key stands in a TOML text: the key itself, else the nearest table above it that is
    written down.
    """
    best = (0, 0, 1)
    for line, column, found in _keys(text):
        depth = next(
            (at for at, pair in enumerate(zip(path, found, strict=False)) if pair[0] != pair[1]),
            None,
        )
        depth = min(len(path), len(found)) if depth is None else depth
        if depth > best[0]:
            best = (depth, line, column)
    return _place(text, file, best[1], best[2])


def _keys(text: str) -> Iterator[tuple[int, int, Path_]]:
    """(line, column, full key) of every header and assignment, in order; texts over several lines
    are passed over.
    """
    table: Path_ = ()
    closing = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if closing:
            closing = "" if closing in line else closing
            continue
        for quotes in ('"' * 3, "'" * 3):
            if line.count(quotes) % 2:
                closing = quotes
        stripped = line.strip()
        if stripped.startswith("["):
            table = _header(stripped) or table
            yield number, line.index("[") + 1, table
        elif match := _KEY.match(line):
            key = _dotted(match[1])
            yield number, line.index(match[1]) + 1, (*table, *key)


def _header(line: str) -> Path_:
    try:
        return _spine(tomllib.loads(line.split("]]")[0] + "]]" if line.startswith("[[") else line))
    except tomllib.TOMLDecodeError:
        return ()


def _dotted(key: str) -> Path_:
    try:
        return _spine(tomllib.loads(f"{key} = {{}}"))
    except tomllib.TOMLDecodeError:
        return (key,)


def _spine(data: Any) -> Path_:
    path: list[str] = []
    while isinstance(data, dict) and data:
        path.append(next(iter(data)))
        data = data[path[-1]]
    return tuple(path)


def _place(text: str, file: str, line: int, column: int) -> Place:
    lines = text.splitlines()
    around = range(max(1, line - 1), min(len(lines), line + 1) + 1) if line else ()
    return Place(
        file=file,
        line=line,
        column=column,
        excerpt=tuple((number, lines[number - 1]) for number in around),
    )


# -- writing
# ----------------------------------------------------------------------------------------------------------


def new_text(config: Config, folder: Path, *, name: str, obtained: str = "") -> str:
    """The first `mcpgen.toml` of a project: what was asked for, and comments on what else can be
    said.

    Sources that are files are written relative to `folder`; standard input is not written at all.
    `name` is the server's name, which is pinned.
    """
    paths = [
        relative_to(source, folder)
        for source in config.sources
        if source != "-" and not is_url(source)
    ]
    urls = [source for source in config.sources if is_url(source)]
    lines = [
        f"#:schema ./{SCHEMA_NAME}",
        (
            "# This file is yours: mcpgen reads it on every run and never rewrites it. Every key is"
            " explained in the"
        ),
        (
            "# schema beside it, and most editors complete them. After an edit: `mcpgen generate`;"
            " in CI: `mcpgen check`."
        ),
        "",
        f"name = {literal(config.name or name)}",
    ]
    lines += _given(
        "", {"title": config.title, "profile": config.profile, "base_url": config.base_url}
    )
    lines += _given("", {"allow_origins": config.allow_origins})
    lines += ["", "[source]"]
    lines += _given(
        "source", {"path": _one_or_all(paths), "url": _one_or_all(urls), "obtained": obtained}
    )
    ref_root = relative_to(config.ref_root, folder) if config.ref_root is not None else None
    lines += _given(
        "source",
        {
            "draft": config.draft,
            "ref_root": ref_root,
            "max_bytes": config.max_bytes,
            "fetch_seconds": config.fetch_seconds,
        },
    )
    lines += _given("source", {"overlays": [relative_to(item, folder) for item in config.overlays]})
    if not paths and not urls:
        lines.append('# path = "../openapi.yaml"   # the document was read from standard input')
    chosen = {item.name: getattr(config.selection, item.name) for item in fields(Selection)}
    plain = {item.name: getattr(Selection(), item.name) for item in fields(Selection)}
    lines += ["", "# Which operations become tools. Without any key: all of them.", "[select]"]
    lines += _given("select", {key: value for key, value in chosen.items() if value != plain[key]})
    lines += _COMMENTS
    return "\n".join(lines) + "\n"


_COMMENTS = """\
# include_tags = ["books"]
# exclude_methods = ["delete"]

# One table for each operation you want to say something about, by its operationId or `METHOD
# /path`.
#
# [tools."listBooks"]
# name = "find_books"                  # what the model calls it
# aliases = ["list_books"]             # what it answers to as well
# description = "Search the catalogue by words of the title."
# toolset = "catalogue"
# enabled = true
#
# [tools."listBooks".hints]
# read_only = true
#
# [tools."listBooks".arguments.tenant]
# hidden = true                        # the model does not see it
# value = "acme"                       # and this is what is sent
#
# [tools."listBooks".answer]
# keep = ["id", "title", "author.name"]
# page_size = 20""".splitlines()


def _one_or_all(items: list[str]) -> str | list[str]:
    return items[0] if len(items) == 1 else items


def _given(table: str, values: Mapping[str, Any]) -> list[str]:
    order = [key.name for key in BY_NAME[table].keys]
    said = {key: value for key, value in values.items() if value not in (None, "", [], ())}
    return [f"{key} = {literal(said[key])}" for key in order if key in said]


def literal(value: Any) -> str:
    """A value as TOML. Text is quoted as JSON quotes it, which is a subset of TOML's basic
    strings.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    return json.dumps(value, ensure_ascii=True) if isinstance(value, str) else str(value)


def is_url(source: str) -> bool:
    """Whether a source is fetched rather than opened."""
    return source.lower().startswith(("http://", "https://"))


def relative_to(source: str, folder: Path) -> str:
    """A file's path as the project writes it: from its own folder, with `/`, so that the pair can
    be moved together.
    """
    try:
        return Path(os.path.relpath(Path(source).resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive on Windows
        return Path(source).resolve().as_posix()


def edit(text: str, changes: Mapping[Path_, Any]) -> str:
    """The text with these keys set, or removed where the value is None; comments and order stay as
    they are.

    A key is a path of names: `("tools", "listBooks", "enabled")`.
    """
    import tomlkit

    document = tomlkit.parse(text)
    for path, value in changes.items():
        table: Any = document
        for name in path[:-1]:
            if name not in table:
                table[name] = tomlkit.table()
            table = table[name]
        if value is None:
            table.pop(path[-1], None)
        else:
            table[path[-1]] = list(value) if isinstance(value, tuple) else value
    return tomlkit.dumps(document)

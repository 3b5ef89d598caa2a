"""Clients, and their settings: one entry is set or removed in place; comments, order and layout
stay.

JSON may have comments and trailing commas, which clients take. YAML is not edited: Python has no
reader of it.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_SPACE = re.compile(r"\s*")
_COMMA = re.compile(r"\s*,")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_INDENT = re.compile(r'\n([ \t]+)"')
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """Position of an object's member: its key begins at `start`, its value at `value`."""

    start: int
    value: int
    end: int


def load_json(text: str) -> dict[str, Any]:
    """Return the object in a file's text; `{}` for empty text. Raises ValueError for all else."""
    if not text.strip():
        return {}
    data = json.loads(_strict(text))
    if not isinstance(data, dict):
        raise ValueError("the file does not hold an object")
    return data


def put_json(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    """Return the text with `entry` as the member `name` of the object `key`. Raises ValueError."""
    if not text.strip():
        return json.dumps({key: {name: entry}}, indent=2, ensure_ascii=False) + "\n"
    strict = _strict(text)
    root = _after_space(strict, 0)
    top = _members(strict, root)
    if key not in top:
        return _insert(text, strict, root, 1, key, {name: entry})
    container = top[key].value
    if strict[container] != "{":
        raise ValueError(f"`{key}` is not an object")
    servers = _members(strict, container)
    if name not in servers:
        return _insert(text, strict, container, 2, name, entry)
    member = servers[name]
    return text[: member.value] + _dump(text, entry, 2) + text[member.end :]


def drop_json(text: str, key: str, name: str) -> str:
    """Return the text without the member `name` of the object `key`; without that object, too, if
    this leaves it empty and without comments. Raises KeyError if there is no such member.
    """
    strict = _strict(text)
    top = _members(strict, _after_space(strict, 0))
    servers = _members(strict, top[key].value)
    rest = text[top[key].value : servers[name].start] + text[servers[name].end : top[key].end]
    if len(servers) > 1 or _COMMENT.search(rest):
        return _cut(text, strict, servers, name)
    return _cut(text, strict, top, key)


def _strict(text: str) -> str:
    """Return strict JSON of the same length: comments and trailing commas become spaces."""
    without_comments = _COMMENT.sub(_blank, text)
    return _LAST_COMMA.sub(_blank, without_comments)


def _blank(match: re.Match[str]) -> str:
    token = match[0]
    if token.startswith('"'):
        return token
    return re.sub(r"[^\n]", " ", token)


def _members(strict: str, start: int) -> dict[str, _Member]:
    """Return key -> position, for the object that begins at `start`. Raises ValueError."""
    members = {}
    index = _after_space(strict, start + 1)
    while strict[index] != "}":
        key, colon = _DECODER.raw_decode(strict, index)
        if key in members:
            raise ValueError(f"`{key}` stands in it twice")
        value = _after_space(strict, _after_space(strict, colon) + 1)
        _, end = _DECODER.raw_decode(strict, value)
        members[key] = _Member(index, value, end)
        index = _after_space(strict, end)
        if strict[index] == ",":
            index = _after_space(strict, index + 1)
    return members


def _after_space(text: str, index: int) -> int:
    match = _SPACE.match(text, index)
    assert match is not None
    return match.end()


def _insert(text: str, strict: str, start: int, depth: int, key: str, value: Any) -> str:
    """Return the text with one more member at the end of the object that begins at `start`."""
    member = f"{_newline(text, depth)}{json.dumps(key)}: {_dump(text, value, depth)}"
    members = _members(strict, start)
    if members:
        end = max(other.end for other in members.values())
        return f"{text[:end]},{member}{text[end:]}"
    rest = text[start + 1 :].lstrip()
    return f"{text[: start + 1]}{member}{_newline(text, depth - 1)}{rest}"


def _cut(text: str, strict: str, members: dict[str, _Member], key: str) -> str:
    """Return the text without a member, the space before it, and one comma. Comments stay, and the
    end of the line of one before it.
    """
    member = members[key]
    start = len(text[: member.start].rstrip())
    if strict[start - 1].isspace():
        start = member.start
    before = [other.end for other in members.values() if other.end <= member.start]
    if before:
        comma = strict.index(",", max(before))
        return text[:comma] + text[comma + 1 : start] + text[member.end :]
    rest = text[member.end :]
    comma_after = _COMMA.match(_COMMENT.sub(_blank, text), member.end)
    if comma_after:
        rest = text[member.end : comma_after.end() - 1] + text[comma_after.end() :]
    if not rest.strip().startswith("}"):
        return text[:start] + rest
    return text[:start] + rest.lstrip()


def _newline(text: str, depth: int) -> str:
    """Return a line's end as in the text, and the indentation of that depth."""
    indent = _INDENT.search(text)
    unit = indent[1] if indent else "  "
    end = "\r\n" if "\r\n" in text else "\n"
    return end + unit * depth


def _dump(text: str, value: Any, depth: int) -> str:
    """Return a value as JSON, indented as at that depth of the text."""
    unit = _newline(text, 1).lstrip("\r\n")
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", _newline(text, depth))


def put_toml(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    """Return the text with the table `key.name`, in its former place or at the end."""
    table = f"[{key}.{name}]\n"
    table += "".join(f"{_toml_key(word)} = {_toml_value(value)}\n" for word, value in entry.items())
    start, end = _table_span(text, key, name)
    if start < end:
        return text[:start] + table + text[end:]
    if not text.strip():
        return table
    gap = "\n" if text.endswith("\n") else "\n\n"
    return text + gap + table


def drop_toml(text: str, key: str, name: str) -> str:
    """Return the text without the table `key.name`, its subtables and the empty line before it."""
    start, end = _table_span(text, key, name)
    before = text[:start]
    return re.sub(r"\n\n\Z", "\n", before) + text[end:]


def _toml_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _toml_value(key)


def _toml_value(value: Any) -> str:
    """Return a value on one line, tables inline. Raises TypeError for a value unknown to JSON."""
    if isinstance(value, dict):
        pairs = ", ".join(
            f"{_toml_value(key)} = {_toml_value(each)}" for key, each in value.items()
        )
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table_span(text: str, key: str, name: str) -> tuple[int, int]:
    """Return start and end of the table with its subtables; twice 0 without the table."""
    own = re.compile(rf'\s*\[\[?\s*{re.escape(key)}\s*\.\s*"?{re.escape(name)}"?\s*[.\]]')
    start = end = position = 0
    inside = False
    for line in _LINE.findall(text):
        if line.lstrip().startswith("["):
            if own.match(line) and start == end:
                start = position
            inside = own.match(line) is not None
        position += len(line)
        if inside and re.match(r"\s*[^\s#]", line):
            end = position
    return start, max(start, end)


def yaml_lines(key: str, name: str, entry: dict[str, Any]) -> str:
    """Return the entry `name` of the mapping `key` as lines of YAML; their values are JSON, which
    YAML contains (1.2.2 section 1.3).
    """
    members = "".join(f"    {word}: {json.dumps(value)}\n" for word, value in entry.items())
    return f"{key}:\n  {name}:\n{members}"


@dataclass(frozen=True, slots=True)
class Form:
    """Editing functions of a file format: `put` sets the entry `name` in the table `key` of a text,
    `drop` removes it, and `load` parses the text.
    """

    put: Callable[[str, str, str, dict[str, Any]], str]
    drop: Callable[[str, str, str], str]
    load: Callable[[str], dict[str, Any]]


FORMS: Mapping[str, Form] = {
    "json": Form(put_json, drop_json, load_json),
    "toml": Form(put_toml, drop_toml, tomllib.loads),
}
"""The formats that are edited here; an entry in YAML is printed for the user to paste."""


_USUAL = {"command": "command", "args": "args", "env": "env"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Client, and the file of a user's settings in which it looks for servers."""

    title: str
    file: str
    """The path: `{home}`, `{config}` (where the system keeps applications' settings) and `{xdg}`
    (`~/.config` on macOS too) are filled in, or a variable of the environment.
    """
    source: str
    """The documentation or report that names the path."""
    folder: str
    """The client's own folder: what else is in it was written by the client."""
    file_on_windows: str = ""
    folder_on_windows: str = ""
    """The two paths on Windows, where they differ."""
    commands: Sequence[str] = ()
    """The client's programs, by one of which its presence is known, too."""
    form: Literal["json", "toml", "yaml"] = "json"
    key: str = "mcpServers"
    """The member of the file that holds a server under each name."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Members that are the same in every entry."""
    members: Mapping[str, str] = field(default_factory=_USUAL.copy)
    """Our words (`name`, `command`, `args`, `env`, and `start` for the words of both) by the
    client's.
    """
    reference: str = "REPLACE_ME"
    """Notation in the file for a variable's value that comes from elsewhere, if the client has
    one.
    """
    tool_limit: int | None = None
    """Most tools that the client takes, if a limit is known."""
    afterwards: str = "Restart it to see the tools"

    def lists(self, count: int) -> bool:
        """Return whether the client takes that many tools."""
        return self.tool_limit is None or count <= self.tool_limit

    def entry(self, name: str, start: list[str], env: Mapping[str, str]) -> dict[str, Any]:
        """Return the entry of a server that the words of `start` start, in the client's words."""
        command, *args = start
        values: dict[str, Any] = {"name": name, "start": start, "command": command, "args": args}
        values["env"] = dict(env)
        own = {word: values[ours] for word, ours in self.members.items() if values[ours] != {}}
        return {**self.constants, **own}

    def text(self, name: str, entry: dict[str, Any]) -> str:
        """Return the text of a settings file with one entry and nothing else."""
        if self.form in FORMS:
            return FORMS[self.form].put("", self.key, name, entry)
        return yaml_lines(self.key, name, entry)

    def path(self, environ: Mapping[str, str], platform: str = sys.platform) -> Path:
        """Return the path of the client's file, by the user's environment and the platform."""
        return _place(self.file, self.file_on_windows, environ, platform)

    def is_here(self, environ: Mapping[str, str], platform: str = sys.platform) -> bool:
        """Return whether the client was found: a program of it, or something in its folder that no
        `install` writes.
        """
        if any(shutil.which(word, path=environ.get("PATH", "")) for word in self.commands):
            return True
        folder = _place(self.folder, self.folder_on_windows, environ, platform)
        written = set()
        for client in CLIENTS.values():
            path = client.path(environ, platform)
            if path.is_relative_to(folder):
                written.add(path.relative_to(folder).parts[0].lstrip("."))
        if not folder.is_dir():
            return False
        names = [entry.name.lstrip(".") for entry in folder.iterdir()]
        return not all(name.startswith(tuple(written)) for name in names)


def _place(path: str, on_windows: str, environ: Mapping[str, str], platform: str) -> Path:
    """Return the path in the table, filled in for the user of an environment."""
    environ = {name: value for name, value in environ.items() if value}
    home = Path(environ.get("HOME", Path.home()))
    if platform == "win32":
        home = Path(environ.get("USERPROFILE", Path.home()))
        path = on_windows or path
    xdg = environ.get("XDG_CONFIG_HOME", home / ".config")
    folders = {
        "darwin": home / "Library" / "Application Support",
        "win32": environ.get("APPDATA", home / "AppData" / "Roaming"),
    }
    place = path.format(
        home=home,
        xdg=xdg,
        config=folders.get(platform, xdg),
        claude=environ.get("CLAUDE_CONFIG_DIR", home),
        codex=environ.get("CODEX_HOME", home / ".codex"),
        copilot=environ.get("COPILOT_HOME", home / ".copilot"),
    )
    return Path(place)


TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("clients.toml").read_text("utf-8")
)
"""Facts about each client, by its name on the command line."""
CLIENTS: Mapping[str, Client] = {
    name: Client(title=row["title"], tool_limit=row.get("tool_limit"), **row["settings"])
    for name, row in TABLE.items()
    if "settings" in row
}
"""Name on the command line -> a client with settings on this machine."""

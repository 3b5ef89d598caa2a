"""New projects from nothing, and new tools in them.

The source of a new project is `tools.json`, which `mcpgen.toml` names. Its first tool is a typed
function, so the list in `tools.json` is empty.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config import NAME, Config, read_config
from ..config.options import edit, new_text
from ..config.positions import KeyPath
from ..load.definitions import SCHEMA_KEYS, tool_list
from ..load.values import as_object
from ..parse.naming import RESERVED, server_name
from ..problems import UsageError
from ..text import ascii_of
from .functions import functions_of

SOURCE = "tools.json"
LONGEST_NAME = 100
"""Bytes of a project's name, which is its folder's."""
TYPES = ("string", "integer", "number", "boolean", "object", "array")
READS_ONLY = {"readOnlyHint": True}
MAY_CHANGE_DATA = {"readOnlyHint": False, "destructiveHint": True}
"""Annotations of a new contract. Both are written out, to be seen by its editors."""
FUNCTION = '''\
"""A sample to change, or to delete with its test: a function with `@tool` is a tool."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from .. import tool


@dataclass
class Count:
    words: int
    letters: int


@tool(read_only=True, open_world=False)
def count_words(text: str, shortest: Annotated[int, Field(ge=1)] = 1) -> Count:
    """Count the words of a text and their letters; use it when the number has to be right.

    Args:
        text: The text, as it stands.
        shortest: Letters of the shortest word that counts.
    Returns:
        The number of words, and of letters in them.
    """
    letters = [sum(map(str.isalpha, word)) for word in text.split()]
    counted = [number for number in letters if number >= shortest]
    return Count(words=len(counted), letters=sum(counted))
'''
TEST = '''\
"""What `count_words` answers, asked through the official client."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import Client

from {package} import App


def call(tool: str, **arguments: Any) -> Any:
    """The result of one call."""

    async def run() -> Any:
        async with Client(App("{package}").server) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


def test_words_are_counted() -> None:
    result = call("count_words", text="one two three")
    assert result.structured_content == {{"words": 3, "letters": 11}}


def test_short_words_can_be_left_out() -> None:
    result = call("count_words", text="a, bee -- sees", shortest=2)
    assert result.structured_content == {{"words": 2, "letters": 7}}


def test_a_call_without_a_text_is_refused() -> None:
    result = call("count_words")
    assert result.is_error
    assert "text" in result.content[0].text
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The properties of a new project. `transport` is that of `make run`: `stdio` or `http`."""

    folder: Path
    description: str = ""
    transport: str = "stdio"

    def __post_init__(self) -> None:
        """Raise UsageError (E1106) for a folder's name without a letter of a to z, or over 100
        bytes.
        """
        if not re.search(r"[A-Za-z]", ascii_of(self.folder.name)):
            message = (
                f"`{self.folder.name}` cannot be the name of a project: it needs a letter of a to z"
            )
            raise UsageError.of("E1106", message, "choose another name")
        if len(os.fsencode(self.folder.name)) > LONGEST_NAME:
            message = f"the name of a project has at most {LONGEST_NAME} bytes"
            raise UsageError.of("E1106", message, "choose another name")

    @property
    def name(self) -> str:
        """The server's name, made of the folder's."""
        return server_name(self.folder.name)

    @property
    def title(self) -> str:
        """The folder's name as people write it: `my-tools` → `My tools`."""
        return " ".join(re.findall(r"[^\W_]+", self.folder.name)).capitalize() or self.name


def begin(wish: Wish) -> None:
    """Write a new project's source, configuration, example and test. Raises UsageError if the
    folder has files.
    """
    folder = wish.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError.of(
            "E1201",
            f"`{folder}` is there already",
            "choose another name, or `mcpgen add tool` inside it",
        )
    package = folder / "src" / f"{wish.name}_mcp"
    described = {
        "title": wish.title,
        **({"description": wish.description} if wish.description else {}),
    }
    parts = {"http": ("http",), "stdio": ()}[wish.transport]
    config = Config(sources=(str(folder / SOURCE),), parts=parts)
    files = {
        folder / SOURCE: dumped({**described, "tools": []}),
        folder / NAME: new_text(config, folder, name=wish.name, examples=False),
        package / "custom" / "count_words.py": FUNCTION,
        folder / "tests" / "test_count_words.py": TEST.format(package=f"{wish.name}_mcp"),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def dumped(data: Any, indent: int | str = 2, *, ascii_only: bool = False) -> str:
    """Return a value as indented JSON with a newline at the end."""
    return json.dumps(data, indent=indent, ensure_ascii=ascii_only) + "\n"


def effects(*, read_only: bool) -> dict[str, bool]:
    """Return the `annotations` (MCP ToolAnnotations) of a new contract, as a new dictionary."""
    return dict(READS_ONLY) if read_only else dict(MAY_CHANGE_DATA)


def new_tool(
    name: str, description: str, arguments: Sequence[str], *, read_only: bool = False
) -> dict[str, Any]:
    """Return a Tool object from words of a command line (`city:string!`). Raises UsageError (E1115)
    for an invalid name or argument.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,49}", name) or name in RESERVED:
        meant = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        hint = "small letters, digits, `_` and `-` make a name, a letter first"
        if name in RESERVED:
            hint = "Python or the server has a use for this word: choose another one"
        elif meant not in (name, "", *RESERVED):
            hint += f": did you mean `{meant}`?"
        raise UsageError.of("E1115", f"a tool cannot be called `{name[:60]}`", hint)
    properties: dict[str, Any] = {}
    required = []
    for word in arguments:
        argument, schema, needed = _argument(word)
        if argument in properties:
            raise UsageError.of("E1115", f"`{argument}` is there twice", "name each argument once")
        properties[argument] = schema
        required += [argument] if needed else []
    schema = {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }
    return {
        "name": name,
        "description": description or f"{name.replace('_', ' ').replace('-', ' ').capitalize()}.",
        "inputSchema": {**schema, "additionalProperties": False},
        "annotations": effects(read_only=read_only),
    }


def _argument(word: str) -> tuple[str, dict[str, Any], bool]:
    """Return (name, schema, required) of `name:type`, `name:type[]` or `name:one|other`, each with
    `!` if required and optionally `: description`. Without a type it is a string. Raises UsageError
    (E1115).
    """
    written, _, description = word.partition(": ")
    name, _, kind = written.partition(":")
    needed, kind = kind.endswith("!"), kind.removesuffix("!") or "string"
    item, several = kind.removesuffix("[]"), kind.endswith("[]")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{0,63}", name):
        raise UsageError.of(
            "E1115", f"`{word}` is no argument", "write `name:type`, as in `city:string!`"
        )
    if "|" in item:
        schema: dict[str, Any] = {"type": "string", "enum": item.split("|")}
    elif item in TYPES:
        schema = {"type": item}
    else:
        raise UsageError.of(
            "E1115",
            f"`{item}` is no type",
            f"one of {', '.join(f'`{known}`' for known in TYPES)}, or `one|other`",
        )
    if several:
        schema = {"type": "array", "items": schema}
    if description.strip():
        schema["description"] = description.strip()
    return name, schema, needed


def add_tool(folder: Path, tool: dict[str, Any]) -> Path:
    """Append a contract to the first local list of tools among the sources, or to a new source
    `tools.json`; return the file.

    Raises UsageError if the name is taken, and if `tools.json` exists and is no source.
    """
    for function in functions_of(folder):
        if function.name == tool["name"]:
            raise UsageError.of(
                "E1116", f"`{function.path}` makes a tool `{tool['name']}`", "choose another name"
            )
    sources = [
        Path(source)
        for source in read_config(folder).sources
        if "://" not in source and source != "-"
    ]
    for path in sources:
        found = _list_in(path)
        if found is None:
            continue
        text, data, tools = found
        if any(as_object(known).get("name") == tool["name"] for known in tools):
            raise UsageError.of(
                "E1116", f"`{path}` has a tool `{tool['name']}` already", "choose another name"
            )
        tools.append(_in_dialect(tool, tools))
        path.write_text(_like(text, data), encoding="utf-8", newline="\n")
        return path
    path = folder / SOURCE
    if path.exists():
        raise UsageError.of(
            "E1201", f"`{path}` is there and is no source of this project", f"name it in `{NAME}`"
        )
    path.write_text(dumped({"tools": [tool]}), encoding="utf-8", newline="\n")
    _name_source(folder, SOURCE)
    return path


@contextmanager
def entered(folder: Path, keys: Mapping[KeyPath, Any]) -> Iterator[None]:
    """Write keys (path of keys → value) into `mcpgen.toml`; restore the file if the block
    raises.
    """
    path = folder / NAME
    before = path.read_bytes()
    text = edit(before.decode("utf-8-sig"), keys)
    path.write_text(text, encoding="utf-8", newline="\n")
    try:
        yield
    except BaseException:
        path.write_bytes(before)
        raise


def _list_in(path: Path) -> tuple[str, Any, list[Any]] | None:
    """Return a file's text, data and list of tools; None without a list of tools in JSON."""
    try:
        text = path.read_text("utf-8-sig")
        data = json.loads(text)
    except (OSError, ValueError):
        return None
    found = tool_list(data)
    return (text, data, found[0]) if found else None


def _like(text: str, data: Any) -> str:
    """Return JSON in the layout of the old text if it can be recognised, else with its first
    indent, or two spaces.
    """
    before = json.loads(text)
    for indent in (2, 4, "\t", 1, 3):
        for ascii_only in (False, True):
            if dumped(before, indent, ascii_only=ascii_only).strip() == text.strip():
                return dumped(data, indent, ascii_only=ascii_only)
    match = re.search(r"\n(\t|\x20+)\S", text)
    return dumped(data, match[1] if match else 2)


def _in_dialect(tool: dict[str, Any], tools: list[Any]) -> dict[str, Any]:
    """Return a contract as an entry of a list: with the key of the schema and the nesting of the
    first.
    """
    first = next((known for known in tools if isinstance(known, dict)), {})
    inner = first.get("function")
    named = inner if isinstance(inner, dict) else first
    key = next((key for key in SCHEMA_KEYS if key in named), "inputSchema")
    entry = {key if word == "inputSchema" else word: value for word, value in tool.items()}
    if key != "inputSchema" and entry["annotations"] == MAY_CHANGE_DATA:
        # Other dialects know no annotations: a contract without any means the same.
        del entry["annotations"]
    if isinstance(inner, dict):
        return {"type": first.get("type", "function"), "function": entry}
    return {**({"type": first["type"]} if isinstance(first.get("type"), str) else {}), **entry}


def _name_source(folder: Path, name: str) -> None:
    """Add a file to the key `path` of `[source]` in `mcpgen.toml`, and write it: a text for a
    single source, a list for several.
    """
    import tomllib

    path = folder / NAME
    text = path.read_text("utf-8-sig")
    given = tomllib.loads(text).get("source", {}).get("path", [])
    paths = [given] if isinstance(given, str) else list(given)
    path.write_text(
        edit(text, {("source", "path"): [*paths, name] if paths else name}), "utf-8", newline="\n"
    )

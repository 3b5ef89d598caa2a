"""The tools of this server: their contracts, read at the start, and their functions, found at the
first call.

A contract is a Tool object in `tools/<toolset>.json` (generated) or `custom/<name>.json` (yours).
Its function has the tool's name:

* in `custom/<tool>.py`, if the file exists: the function is yours,
* else in the generated module beside its contract,
* else, for a toolset without a generated module, in `custom/<toolset>.py`.

A custom contract replaces its generated namesake; members left out stay as generated. Generated
modules are imported on the first call; yours at the start, so that mistakes show at once.

A function with `@tool` in any module of `custom/` needs no contract: it is made of the function.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from .arguments import suggest
from .log import event
from .package import Package, StartError, decorated
from .parts import Part

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(slots=True)
class Entry:
    """One tool: its Tool object as clients see it, and where its function is."""

    package: Package
    tool: dict[str, Any]
    toolset: str
    module: str
    generated: bool
    contract: dict[str, Any] | None = None
    """The contract in `contracts.json` of a tool without a generated function: the schemas that
    check a call.
    """
    wholes: Any = None
    """The whole input schemas, among them this tool's where the list leaves something out (a
    `arguments.wholes.Wholes`).
    """
    replaces: str = ""
    """The module of the replaced generated function; empty if none is replaced."""
    own: Callable[..., Any] | None = None
    """The function of a tool made of a function."""
    prepared: Any = field(default=None)
    """Objects that the server keeps between calls of this tool (its function, its checker)."""

    name: str = field(init=False)
    read_only: bool = field(init=False)
    """Whether the contract says that a call changes nothing."""

    def __post_init__(self) -> None:
        self.name = str(self.tool["name"])
        self.read_only = self.tool.get("annotations", {}).get("readOnlyHint") is True

    def function(self) -> Callable[..., Any]:
        """The tool's function, its module imported if it is not yet. Raises ImportError or
        AttributeError.
        """
        if self.own is not None:
            return self.own
        module = self.package.module(self.module)
        function: Callable[..., Any] = getattr(module, module_name(self.name))
        return function

    def input(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The whole input schema, and the names on the wire of properties in its `$defs`, by
        pointer.
        """
        listed: dict[str, Any] = self.tool["inputSchema"]
        whole = self.wholes and self.wholes.schema(self.name)
        return (listed, {}) if whole is None else (whole, self.wholes.names())

    def described(self) -> dict[str, Any]:
        """Return the Tool object; if it is listed with less, with the full input schema beside the
        listed schema, which has the texts.
        """
        whole, _ = self.input()
        if whole is self.tool["inputSchema"]:
            return self.tool
        return {**self.tool, "wholeInputSchema": whole}

    def sends(self) -> Any:
        """Return the `wire.Sends` of the generated function, also for its replacement: pointers of
        nullable values, and pointer -> key on the wire of nested properties with another name. None
        for a function without any.
        """
        sends = getattr(self.function(), "sends", None)
        if sends is not None:
            return sends
        if not self.replaces:
            return None
        module = self.package.module(self.replaces)
        return getattr(getattr(module, module_name(self.name), None), "sends", None)


@dataclass(frozen=True, slots=True)
class ToolFilter:
    """Which tools are offered: those of `toolsets`, and `tools`; all of them when `toolsets` is
    None.
    """

    toolsets: frozenset[str] | None
    tools: frozenset[str]

    @classmethod
    def of(cls, root: Path, toolsets: Iterable[str], tools: Iterable[str]) -> ToolFilter:
        """The choice by these names. Raises StartError for a toolset that does not exist."""
        sets = _stripped(toolsets)
        single_tools = _stripped(tools)
        if not sets and not single_tools:
            return cls(None, frozenset())
        files = [*(root / "tools").glob("*.json"), *(root / "custom").glob("*.json")]
        names = sorted({path.stem for path in [*files, *decorated(root)]})
        for name in sorted(sets - set(names)):
            choices = ", ".join(f"`{choice}`" for choice in names)
            hint = suggest(name, names) or f"; the toolsets are {choices}"
            raise StartError(f"there is no toolset `{name}`{hint}")
        return cls(sets, single_tools)

    def refuse_unknown(self, names: Collection[str]) -> None:
        """Raise StartError for a tool that was asked for and is none of `names`."""
        for name in sorted(self.tools.difference(names)):
            raise StartError(f"there is no tool `{name}`{suggest(name, sorted(names))}")

    def takes(self, toolset: str, tool: str = "") -> bool:
        """Return whether a tool is offered; without one, whether every tool of the toolset is."""
        if self.toolsets is None:
            return True
        return toolset in self.toolsets or tool in self.tools


def _stripped(names: Iterable[str]) -> frozenset[str]:
    stripped = (name.strip() for name in names)
    return frozenset(name for name in stripped if name)


class Catalog:
    """Every tool of the chosen toolsets, in the order of the list."""

    def __init__(
        self,
        package: Package,
        *,
        toolsets: Iterable[str] = (),
        tools: Iterable[str] = (),
        read_only: bool = False,
        aliases: dict[str, str] | None = None,
        yours: bool = True,
        parts: Iterable[Part] = (),
    ) -> None:
        self.read_only = read_only
        self.parts = tuple(parts)
        self.aliases = aliases or {}
        self._entries: dict[str, Entry] = {}
        self.by_hand: set[str] = set()
        """The names of the tools whose contract is the user's."""
        self.package = package
        self.left_out: list[str] = []
        """Functions with `@tool` that are not served as they are written, each with its place."""
        self._contracts = package.json("contracts.json")
        self._yours = yours
        root = package.folder
        self._wholes: Any = None
        if (root / "schemas.json").is_file():
            # Only servers with such schemas have this module
            self._wholes = import_module(".arguments.wholes", __package__).Wholes(package)
        self._tool_names: set[str] = set()
        self._unread: list[Path] = []
        chosen = ToolFilter.of(root, toolsets, tools)
        for path in sorted((root / "tools").glob("*.json")):
            if not chosen.tools and not chosen.takes(path.stem):
                self._unread.append(path)
                continue
            generated = path.with_suffix(".py").is_file()
            room = "tools" if generated else "custom"
            self._read(path, f"{room}.{path.stem}", generated, chosen)
        if yours:
            for path in sorted((root / "custom").glob("*.json")):
                self._read(path, f"custom.{path.stem}", False, chosen)
        self._drop_broken()
        if yours:
            self._add_functions(chosen)
        chosen.refuse_unknown(self._tool_names)
        entries = self._entries.values()
        self.listed = [entry.tool for entry in entries if entry.read_only or not read_only]
        self.toolset_of = {entry.name: entry.toolset for entry in entries}

    def whole(self) -> Catalog:
        """Return the tools of all toolsets."""
        return Catalog(self.package, aliases=self.aliases, yours=self._yours, parts=self.parts)

    def every_name(self) -> list[str]:
        """Return the names of all tools, also of those that were not chosen."""
        texts = [path.read_bytes() for path in self._unread]
        return [*self._tool_names, *(tool["name"] for text in texts for tool in json.loads(text))]

    def find(self, name: str) -> Entry | None:
        """Return the tool of a name or alias."""
        return self._entries.get(name) or self._entries.get(self.aliases.get(name, ""))

    def writes(self, name: str) -> bool:
        """Return whether there is a tool of that name that can change something."""
        entry = self.find(name)
        return entry is not None and not entry.read_only

    def near(self, name: str) -> str:
        """`; did you mean ...?` for a name that is not known, or nothing."""
        return suggest(name, [tool["name"] for tool in self.listed])

    def _read(self, path: Path, module: str, generated: bool, chosen: ToolFilter) -> None:
        """Add the tools of one file; an invalid tool is logged and left out."""
        try:
            tools = json.loads(path.read_bytes())
        except ValueError as error:
            line = getattr(error, "lineno", 0)
            event("error", "tools_not_loaded", file=str(path), line=line, reason=str(error))
            return
        if not isinstance(tools, list):
            tools = [tools]
        by_hand = path.parent.name == "custom"
        for index, tool in enumerate(tools):
            namesake: Entry | None = None
            if isinstance(tool, dict):
                namesake = self._entries.get(str(tool.get("name")))
            if by_hand and isinstance(tool, dict):
                tool = _complete(tool, namesake.tool if namesake else {})
            reason = fault(tool) if by_hand else _malformed(tool)
            if reason:
                event("error", "tool_left_out", file=str(path), index=index, reason=reason)
                continue
            toolset = namesake.toolset if namesake else path.stem
            self._tool_names.add(str(tool["name"]))
            if not chosen.takes(toolset, str(tool["name"])):
                continue
            entry = Entry(self.package, tool, toolset, module, generated)
            entry.wholes = self._wholes_of(tool, namesake)
            if by_hand:
                self.by_hand.add(entry.name)
            else:
                self._place(entry, path.parents[1])
            self._entries[entry.name] = entry

    def _wholes_of(self, tool: dict[str, Any], namesake: Entry | None) -> Any:
        """Return the holder of a tool's whole input schema; None if the user wrote it anew."""
        if namesake is not None and namesake.tool["inputSchema"] != tool["inputSchema"]:
            return None
        return self._wholes

    def _place(self, entry: Entry, root: Path) -> None:
        """Point a generated contract to the user's function where there is one: `custom/<tool>.py`,
        or any function of a tool that has no generated one.
        """
        contract = entry.contract = self._contracts.get(entry.name)
        name = module_name(entry.name)
        file = root / "custom" / f"{name}.py"
        has_own = file.is_file() and not file.with_suffix(".json").is_file()
        if contract is None:
            if not has_own:
                return
            if not self._yours:
                return
            if entry.generated:
                entry.replaces = entry.module
        elif not has_own:
            if not entry.generated:
                return
            if contract.get("workflow"):
                entry.generated = False
                return
        entry.module = f"custom.{name}"
        entry.generated = False

    def _add_functions(self, chosen: ToolFilter) -> None:
        """Add the tools that are made of functions. Raises StartError for a name that is taken."""
        paths = decorated(self.package.folder)
        readers = [part.functions for part in self.parts if part.functions is not None]
        # The generator leaves out what reads functions until there is one
        if paths and not readers:
            raise StartError(f"{paths[0]} has a function with `@tool`: run `mcpgen generate`")
        for reader in readers:
            for entry in reader(self, paths, chosen):
                self.by_hand.add(entry.name)
                self._entries[entry.name] = entry

    def claim(self, name: str) -> bool:
        """Claim a name for another tool; return whether it was free."""
        is_free = name not in self._tool_names and name not in self.aliases
        self._tool_names.add(name)
        return is_free

    def _drop_broken(self) -> None:
        """Import the user's modules; drop tools whose function is missing."""
        broken: set[str] = set()
        for name, entry in list(self._entries.items()):
            if entry.generated:
                continue
            if entry.module in broken:
                fields: dict[str, Any] = {"reason": f"{entry.module} could not be imported"}
            else:
                try:
                    entry.function()
                    continue
                except KeyboardInterrupt:
                    raise
                except AttributeError as error:
                    fields = self.package.where(error, f"no function in {entry.module}")
                except BaseException as error:
                    broken.add(entry.module)
                    fields = self.package.where(error)
            event("error", "tool_left_out", tool=name, **fields)
            del self._entries[name]


def module_name(tool: str) -> str:
    """Return the name of a tool's function, and of its file in `custom/`."""
    return re.sub(r"\W", "_", tool)


def _complete(tool: dict[str, Any], generated: dict[str, Any]) -> dict[str, Any]:
    """Complete a custom contract from its generated namesake, else with cautious defaults."""
    own = tool.get("annotations", {})
    tool = {**generated, **tool}
    tool.setdefault("title", str(tool.get("name", "")).replace("_", " ").capitalize())
    tool.setdefault(
        "inputSchema", {"type": "object", "properties": {}, "additionalProperties": False}
    )
    hints = {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    inherited = generated.get("annotations", {})
    own = own if isinstance(own, dict) else {}
    tool["annotations"] = {**hints, **inherited, "title": tool["title"], **own}
    return tool


def fault(tool: Any) -> str:
    """Explain why a contract not written by mcpgen cannot be used, or return an empty text."""
    return _malformed(tool) or _invalid(tool)


def _invalid(tool: dict[str, Any]) -> str:
    """Explain why a contract is not a usable Tool or schema, or return an empty text."""
    import jsonschema_rs
    from mcp.types import Tool
    from pydantic import ValidationError

    from .arguments.checker import compiled

    try:
        Tool.model_validate(tool, by_name=False)
        for key in ("inputSchema", "outputSchema"):
            compiled(tool.get(key, True))
    except ValidationError as error:
        fault = error.errors()[0]
        return f"`{tool['name']}`: `{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg']}"
    except jsonschema_rs.ValidationError as error:
        return f"`{tool['name']}`: not a valid schema: {error.message[:300]}"
    return ""


def _malformed(tool: Any) -> str:
    """Explain why a tool cannot be listed, or return an empty text: one bad Tool object would cost
    clients the whole list.
    """
    name = tool.get("name") if isinstance(tool, dict) else None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "a tool needs a `name` of letters, digits, `_`, `-` and `.`"
    for key in ("inputSchema", "outputSchema"):
        schema = tool.get(key)
        if schema is None and key == "outputSchema":
            continue
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return f"the `{key}` of `{name}` must be a schema with `type: object` at its root"
    for key in ("title", "description"):
        if not isinstance(tool.get(key, ""), str):
            return f"the `{key}` of `{name}` must be text"
    return ""


SEARCH, DESCRIBE, CALL, RUN = "search_tools", "describe_tool", "call_tool", "run_code"
"""The names of the tools that a server started with `--lazy` or `--code` lists."""

Tools = list[dict[str, Any]]

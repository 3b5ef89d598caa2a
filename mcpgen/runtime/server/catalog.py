"""The tools of this server: their contracts, read at the start, and their functions, found at the
first call.

A contract is a Tool object in `tools/<toolset>.json` (generated) or `custom/<name>.json` (yours).
Its function has the tool's name. It stands in `custom/<tool>.py` where there is such a file, which
makes it yours, and else in the module beside its contract; a toolset without a generated module is
implemented in `custom/<toolset>.py`. A custom contract replaces its generated namesake, and what it
leaves out stays as generated. Generated modules are imported on the first call; yours at the start,
so that mistakes show at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..arguments.explain import suggest
from ..log import event
from ..package import Package

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


class StartError(Exception):
    """The server cannot start as it was asked to; the text says what to change."""


@dataclass(slots=True)
class Entry:
    """One tool: its Tool object as on the wire, and where its function stands."""

    package: Package
    wire: dict[str, Any]
    toolset: str
    module: str
    generated: bool
    contract: dict[str, Any] | None = None
    """What `contracts.json` says of a tool that has no generated function: what a call is checked
    against.
    """
    replaces: str = ""
    """The module of the generated function in whose place this one stands, or nothing."""
    prepared: Any = field(default=None)
    """What the server keeps between calls of this tool (its function, its checker)."""

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.wire["name"])

    @property
    def read_only(self) -> bool:
        """Whether the contract says that a call changes nothing."""
        return self.wire.get("annotations", {}).get("readOnlyHint") is True

    def function(self) -> Callable[..., Any]:
        """The tool's function, its module imported if it is not yet. Raises ImportError or
        AttributeError.
        """
        module = self.package.module(self.module)
        found: Callable[..., Any] = getattr(module, module_name(self.name))
        return found

    def sends(self) -> Any:
        """What the generated function says of null and of nested keys; it holds for the one in its
        place as well.
        """
        found = getattr(self.function(), "sends", None)
        if found is None and self.replaces:
            module = self.package.module(self.replaces)
            found = getattr(getattr(module, module_name(self.name), None), "sends", None)
        return found


class Catalog:
    """Every tool of the chosen toolsets, in the order of the list."""

    def __init__(
        self,
        package: Package,
        *,
        toolsets: Iterable[str] = (),
        read_only: bool = False,
        aliases: dict[str, str] | None = None,
        yours: bool = True,
    ) -> None:
        self.read_only = read_only
        self._aliases = aliases or {}
        self._entries: dict[str, Entry] = {}
        self._package = package
        self._contracts = package.json("contracts.json") or {}
        self._yours = yours
        root = package.folder
        chosen = _chosen(root, toolsets)
        for path in sorted((root / "tools").glob("*.json")):
            if chosen is None or path.stem in chosen:
                generated = path.with_suffix(".py").is_file()
                self._read(
                    path, f"tools.{path.stem}" if generated else f"custom.{path.stem}", generated
                )
        for path in sorted((root / "custom").glob("*.json")) if yours else ():
            self._read(path, f"custom.{path.stem}", False, chosen)
        self._keep_working()
        self.listed = [
            entry.wire for entry in self._entries.values() if entry.read_only or not read_only
        ]
        self.toolset_of = {entry.name: entry.toolset for entry in self._entries.values()}

    def find(self, name: str) -> Entry | None:
        """The tool of that name, or of the name an alias stands for."""
        return self._entries.get(name) or self._entries.get(self._aliases.get(name, ""))

    def near(self, name: str) -> str:
        """`; did you mean ...?` for a name that is not known, or nothing."""
        return suggest(name, [tool["name"] for tool in self.listed])

    def _read(
        self, path: Path, module: str, generated: bool, chosen: frozenset[str] | None = None
    ) -> None:
        """Take the tools of one file; what is wrong in it is told on stderr and left out."""
        try:
            tools = json.loads(path.read_bytes())
        except ValueError as error:
            line = getattr(error, "lineno", 0)
            event("error", "tools_not_loaded", file=str(path), line=line, reason=str(error))
            return
        by_hand = path.parent.name == "custom"
        for index, tool in enumerate(tools if isinstance(tools, list) else [tools]):
            namesake = self._entries.get(str(tool.get("name"))) if isinstance(tool, dict) else None
            if by_hand and isinstance(tool, dict):
                tool = _complete(tool, namesake.wire if namesake else {})
            reason = _malformed(tool) or (_invalid(tool) if by_hand else "")
            if reason:
                event("error", "tool_left_out", file=str(path), index=index, reason=reason)
                continue
            toolset = namesake.toolset if namesake else path.stem
            if chosen is None or toolset in chosen:
                entry = Entry(self._package, tool, toolset, module, generated)
                self._entries[tool["name"]] = (
                    entry if by_hand else self._placed(entry, path.parents[1])
                )

    def _placed(self, entry: Entry, root: Path) -> Entry:
        """A generated contract with the function that is yours: it has to be, or it stands in
        `custom/<tool>.py`.
        """
        entry.contract = self._contracts.get(entry.name)
        name = module_name(entry.name)
        own = root / "custom" / f"{name}.py"
        if own.is_file() and not own.with_suffix(".json").is_file():
            if entry.contract is None and not self._yours:
                return entry
            entry.replaces = entry.module if entry.generated and entry.contract is None else ""
        elif entry.contract is None or not entry.generated:
            return entry
        entry.module, entry.generated = f"custom.{name}", False
        return entry

    def _keep_working(self) -> None:
        """Import the modules that are yours, and leave out the tools whose function is not
        there.
        """
        broken: set[str] = set()
        for name, entry in list(self._entries.items()):
            if entry.generated:
                continue
            if entry.module not in broken:
                try:
                    entry.function()
                    continue
                except AttributeError as error:
                    event(
                        "error",
                        "tool_left_out",
                        tool=name,
                        **self._package.where(error, f"no function in {entry.module}"),
                    )
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    broken.add(entry.module)
                    event("error", "tool_left_out", tool=name, **self._package.where(error, ""))
            else:
                event(
                    "error",
                    "tool_left_out",
                    tool=name,
                    reason=f"{entry.module} could not be imported",
                )
            del self._entries[name]


def module_name(tool: str) -> str:
    """What the function of a tool is called, and its file in `custom/`."""
    return re.sub(r"\W", "_", tool)


def _chosen(root: Path, toolsets: Iterable[str]) -> frozenset[str] | None:
    """The toolsets asked for, or None for all. Raises StartError for one that does not exist."""
    names = [name.strip() for name in toolsets if name.strip()]
    if not names:
        return None
    known = sorted(
        {path.stem for folder in ("tools", "custom") for path in (root / folder).glob("*.json")}
    )
    for name in names:
        if name not in known:
            choices = ", ".join(f"`{choice}`" for choice in known)
            raise StartError(
                f"there is no toolset `{name}`{suggest(name, known)} The toolsets are: {choices}"
            )
    return frozenset(names)


def _complete(tool: dict[str, Any], generated: dict[str, Any]) -> dict[str, Any]:
    """A custom contract with what it leaves out: from its generated namesake, else the cautious
    defaults.
    """
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


def _invalid(tool: dict[str, Any]) -> str:
    """Why a contract written by hand is not a Tool object or not a usable schema, or nothing."""
    import jsonschema_rs
    from mcp.types import Tool
    from pydantic import ValidationError

    from ..arguments.checker import compiled

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
    """Why a tool cannot be listed, or nothing: one bad Tool object would cost clients the whole
    list.
    """
    if (
        not isinstance(tool, dict)
        or not isinstance(tool.get("name"), str)
        or not _NAME.fullmatch(tool["name"])
    ):
        return "a tool needs a `name` of letters, digits, `_`, `-` and `.`"
    for key, needed in (("inputSchema", True), ("outputSchema", False)):
        schema = tool.get(key)
        if (needed or schema is not None) and not (
            isinstance(schema, dict) and schema.get("type") == "object"
        ):
            return (
                f"the `{key}` of `{tool['name']}` must be a schema with `type: object` at its root"
            )
    for key in ("title", "description"):
        if not isinstance(tool.get(key, ""), str):
            return f"the `{key}` of `{tool['name']}` must be text"
    return ""

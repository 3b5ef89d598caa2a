"""Contracts of tools in files, read at the start, and their functions, found at the first call.

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
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from .log import event
from .package import Entry, Package, fault, malformed, module_name


class Contracts:
    """Contracts in the files of a package, of which a choice is offered."""

    def __init__(self, catalog: Any, chosen: Any, yours: bool) -> None:
        """Prepare to add to a `catalog.Catalog` what a `catalog.ToolFilter` chooses; with `yours`
        the user's functions are served.
        """
        self._catalog, self._chosen, self._yours = catalog, chosen, yours
        self._entries: dict[str, Entry] = catalog.entries
        self._package: Package = catalog.package
        self._contracts = self._package.json("contracts.json")
        self._wholes: Any = None
        if (self._package.folder / "schemas.json").is_file():
            # Only servers with such schemas have this module
            self._wholes = import_module(".arguments.wholes", __package__).Wholes(self._package)

    def read(self, files: Iterable[Path]) -> None:
        """Add chosen tools of some files; a tool without a function is logged and left out."""
        for path in files:
            if path.parent.name == "custom":
                self._read(path, f"custom.{path.stem}", False)
            elif self._chosen.tools or self._chosen.takes(path.stem):
                generated = path.with_suffix(".py").is_file()
                room = "tools" if generated else "custom"
                self._read(path, f"{room}.{path.stem}", generated)
            else:
                self._catalog.unread.append(path)
        self._drop_broken()

    def _read(self, path: Path, module: str, generated: bool) -> None:
        """Add the chosen tools of one file; an invalid tool or file is logged and left out."""
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
            reason = fault(tool) if by_hand else malformed(tool)
            if reason:
                event("error", "tool_left_out", file=str(path), index=index, reason=reason)
                continue
            toolset = namesake.toolset if namesake else path.stem
            self._catalog.names.add(str(tool["name"]))
            if not self._chosen.takes(toolset, str(tool["name"])):
                continue
            entry = Entry(self._package, tool, toolset, module, generated)
            entry.wholes = self._wholes_of(tool, namesake)
            if by_hand:
                self._catalog.by_hand.add(entry.name)
            else:
                self._place(entry, path.parents[1])
            self._entries[entry.name] = entry

    def _wholes_of(self, tool: dict[str, Any], namesake: Entry | None) -> Any:
        """Return the `Wholes` for a tool's input schema; None if the user wrote the schema anew."""
        if namesake is not None and namesake.tool["inputSchema"] != tool["inputSchema"]:
            return None
        return self._wholes

    def _place(self, entry: Entry, root: Path) -> None:
        """Point a generated contract, in place, to the user's function if there is one:
        `custom/<tool>.py`, or any function of a tool that has no generated one.
        """
        contract = entry.contract = self._contracts.get(entry.name)
        name = module_name(entry.name)
        file = root / "custom" / f"{name}.py"
        has_own = file.is_file() and not file.with_suffix(".json").is_file()
        if contract is None:
            if not all([has_own, self._yours]):
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

    def _drop_broken(self) -> None:
        """Import the user's modules; log and drop tools whose function is missing."""
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
                    fields = self._package.where(error, f"no function in {entry.module}")
                except BaseException as error:
                    broken.add(entry.module)
                    fields = self._package.where(error)
            event("error", "tool_left_out", tool=name, **fields)
            del self._entries[name]


def _complete(tool: dict[str, Any], generated: dict[str, Any]) -> dict[str, Any]:
    """Return a custom contract with members of its generated namesake, or cautious ones, added."""
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

"""`mcpgen list`: the tools of a project."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..problems import UsageError
from .screen import Screen, shown

if TYPE_CHECKING:
    from ..live.tools import ListedTool


def list_tools(
    words: list[str] | None = None, toolset: str = "", project: Path = Path(), as_json: bool = False
) -> int:
    """List the tools of a project.

    Reads the project's files and runs none of its code. Words select the tools that contain them.
    """
    from .project_folder import project_folder

    screen = Screen()
    folder = project_folder(project)
    from ..live.environment import home_of  # late: there is a project
    from ..live.tools import listed_functions, listed_tools
    from ..text import plural

    package = home_of(folder)
    tools = [*listed_tools(package), *listed_functions(package)]
    _refuse_unknown(toolset, {item.toolset for item in tools})
    selected = [item for item in tools if _matches(item, words or [], toolset)]
    if as_json:
        screen.data(json.dumps([item.tool for item in selected], indent=2))
        return 0
    for item in selected:
        screen.out.print(f"{shown(item.name)}({shown(_signature(item))})", style="cyan", end="")
        screen.out.print(f"  {shown(str(item.tool.get('title', '')))}", style="dim")
    near = _near(selected, tools, words or [])
    screen.remark(f"{len(selected):,} of {plural(len(tools), 'tool')}{near}")
    return int(bool(words) and not selected)


def _refuse_unknown(toolset: str, there: set[str]) -> None:
    """Raise UsageError (E0906) for a toolset that no tool is in."""
    if toolset in {"", *there}:
        return
    near = difflib.get_close_matches(toolset, there, n=1, cutoff=0.5)
    hint = f"the project has {', '.join(sorted(there)) or 'no tools'}"
    if near:
        hint = f"did you mean `{near[0]}`?"
    raise UsageError.of("E0906", f"there is no toolset `{toolset}`", hint)


def _near(selected: list[ListedTool], tools: list[ListedTool], words: list[str]) -> str:
    """Return the end of the remark: a near name if `words` select no tool, else empty."""
    names = [tool.name for tool in tools]
    parts = dict.fromkeys(part for name in names for part in name.split("_"))
    near = difflib.get_close_matches("_".join(words), [*names, *parts], n=1)
    if selected or not words:
        return ""
    return f"; did you mean `{near[0]}`?" if near else "; `mcpgen list` lists them all"


def _matches(item: ListedTool, words: list[str], toolset: str) -> bool:
    if toolset not in ("", item.toolset):
        return False
    text = f"{item.name} {item.tool.get('title', '')}".lower()
    return all(word.lower() in text for word in words)


def _signature(item: ListedTool) -> str:
    """Return the arguments as `mcpgen call` takes them: `book_id, [limit]`."""
    schema = item.tool.get("inputSchema", {})
    required = schema.get("required", [])
    names = schema.get("properties", {})
    return ", ".join(name if name in required else f"[{name}]" for name in names)

"""`mcpgen list`: the tools of a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from .screen import Screen, shown

if TYPE_CHECKING:
    from ..live.tools import ListedTool


def list_tools(
    words: list[str] | None = None, toolset: str = "", project: Path = Path(), as_json: bool = False
) -> int:
    """List the tools of a project.

    Reads the project's files and runs none of its code. With words, only the tools that have them.
    """
    from .project_folder import project_folder

    screen = Screen()
    folder = project_folder(project)
    from ..live.environment import package_of  # late: there is a project
    from ..live.tools import listed_functions, listed_tools

    package = folder / "src" / package_of(folder)
    tools = [*listed_tools(package), *listed_functions(package)]
    selected = [item for item in tools if _matches(item, words or [], toolset)]
    if as_json:
        screen.data(json.dumps([item.tool for item in selected], indent=2))
        return 0
    for item in selected:
        screen.out.print(f"{shown(item.name)}({shown(_signature(item))})", style="cyan", end="")
        screen.out.print(f"  {shown(str(item.tool.get('title', '')))}", style="dim")
    screen.remark(f"{len(selected):,} of {len(tools):,} tools")
    return 0


def _matches(item: ListedTool, words: list[str], toolset: str) -> bool:
    if toolset not in ("", item.toolset):
        return False
    text = f"{item.name} {item.tool.get('title', '')}".lower()
    return all(word.lower() in text for word in words)


def _signature(item: ListedTool) -> str:
    """The arguments as `mcpgen call` takes them: `book_id, [limit]`."""
    schema = item.tool.get("inputSchema", {})
    required = schema.get("required", [])
    names = schema.get("properties", {})
    return ", ".join(name if name in required else f"[{name}]" for name in names)

"""What is named after a server, and what another name of it means outside the files."""

from __future__ import annotations


def rename_note(old: str, new: str) -> str:
    """What a new name means outside the files, as a sentence for the summary."""
    return f"the server `{old}` is called `{new}` now: {change_outside(old, new)}"


def change_outside(old: str, new: str) -> str:
    """What changes for whoever runs the server, without a subject of its own."""
    was, now = words_of(old), words_of(new)
    return (
        f"the command `{was['command']}` becomes `{now['command']}`, and environment variables"
        f" begin with `{now['variable']}` instead of `{was['variable']}`"
    )


def words_of(name: str) -> dict[str, str]:
    """Everything that is named after the server."""
    dashes = name.replace("_", "-")
    return {
        "package": f"{name}_mcp",
        "command": f"{dashes}-mcp",
        "distribution": f"mcp-{dashes}",
        "variable": f"MCPGEN_{name.upper()}_",
    }

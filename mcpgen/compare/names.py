"""Names derived from a server's name, and the effects of renaming it outside the files."""

from __future__ import annotations


def rename_note(old: str, new: str) -> str:
    """Describe the effects of a new name outside the files, as a sentence for the summary."""
    return f"the server `{old}` is called `{new}` now: {change_outside(old, new)}"


def change_outside(old: str, new: str) -> str:
    """Describe the changes for the server's operator, as a clause without a subject."""
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

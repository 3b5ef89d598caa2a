"""Names derived from a server's name, and the effects of renaming it outside the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..lock import Lock


def rename_note(old: Lock, new: Lock) -> str:
    """Describe the effects of a new name, or of a new prefix of variables, outside the files, as a
    sentence for the summary; empty where both are as they were.
    """
    if old.name in ("", new.name):
        return variables_note(old, new)
    return f"the server `{old.name}` is called `{new.name}` now: {change_outside(old, new)}"


def change_outside(old: Lock, new: Lock) -> str:
    """Describe the changes for the server's operator, as a clause without a subject."""
    was, now = words_of(old), words_of(new)
    changes = [f"the command `{was['command']}` becomes `{now['command']}`"]
    changes += filter(None, [variables_note(old, new)])
    return ", and ".join(changes)


def variables_note(old: Lock, new: Lock) -> str:
    """Describe a new prefix of the variables; empty where it is the one of the last run."""
    if old.env_prefix in ("", new.env_prefix):
        return ""
    was, now = words_of(old)["variable"], words_of(new)["variable"]
    return f"environment variables begin with `{now}` instead of `{was}`"


def words_of(lock: Lock) -> dict[str, str]:
    """Everything that is named after the server of a lock."""
    dashes = lock.name.replace("_", "-")
    return {
        "package": f"{lock.name}_mcp",
        "command": f"{dashes}-mcp",
        "distribution": f"mcp-{dashes}",
        "variable": f"{lock.env_prefix}_",
    }

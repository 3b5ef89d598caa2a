"""Names derived from a server's name, and the effects of renaming it outside the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..lock import Lock


def rename_note(old: Lock, new: Lock) -> str:
    """Describe the effects of a new server name or prefix of variables outside the files, for the
    summary; empty if both are unchanged.
    """
    start = f"the server `{old.name}` is called `{new.name}` now: " * (old.name != new.name)
    return start + change_outside(old, new)


def change_outside(old: Lock, new: Lock) -> str:
    """Describe changes of the command's name and the prefix of variables; empty without any."""
    was, now = words_of(old), words_of(new)
    texts = {
        "command": f"the command `{was['command']}` becomes `{now['command']}`",
        "variable": f"environment variables begin with `{now['variable']}` instead of"
        f" `{was['variable']}`",
    }
    return ", and ".join(text for kind, text in texts.items() if was[kind] != now[kind])


def words_of(lock: Lock) -> dict[str, str]:
    """Return the names made of a server's: `package`, `command`, `distribution`, and `variable`,
    the start of its environment variables with `_`.
    """
    dashes = lock.name.replace("_", "-")
    return {
        "package": f"{lock.name}_mcp",
        "command": f"{dashes}-mcp",
        "distribution": f"mcp-{dashes}",
        "variable": f"{lock.env_prefix}_",
    }

"""What slow libraries answered before, by the content of the question, in the user's cache folder.

A cache that cannot be read or written is no cache: nothing here raises. Entries hold data that is
checked like the answer itself, never code that is run. The folder is `$MCPGEN_CACHE_DIR`, else the
platform's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

ENTRIES: Final = 2000
"""About how many answers are kept of a kind; beyond that the older half goes."""


def folder() -> Path:
    """The user's cache folder for mcpgen (XDG Base Directory; Apple and Microsoft have their own
    places).
    """
    if given := os.environ.get("MCPGEN_CACHE_DIR"):
        return Path(given)
    if sys.platform == "darwin":
        return Path("~/Library/Caches/mcpgen").expanduser()
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
            / "mcpgen"
            / "Cache"
        )
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path("~/.cache").expanduser()) / "mcpgen"


def key(*parts: str) -> str:
    """The name of an entry: SHA-256 of what determines the answer."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(encoded))
        digest.update(encoded)
    return digest.hexdigest()


def recall(kind: str, name: str) -> Any:
    """The answer stored under `name`, or None."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        return json.loads((folder() / kind / f"{name}.json").read_bytes())
    return None


def remember(kind: str, name: str, answer: Any) -> None:
    """Store an answer: written beside its place and moved there, so that no reader sees half of
    it.
    """
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        home = folder() / kind
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=home, suffix=".new")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(answer, stream, separators=(",", ":"))
            Path(temporary).replace(home / f"{name}.json")
        except BaseException:
            Path(temporary).unlink()
            raise
        if name.startswith("0"):  # names are hashes: about every sixteenth time
            _forget(home)


def _forget(home: Path) -> None:
    entries = list(home.iterdir())
    if len(entries) > ENTRIES:
        for entry in sorted(entries, key=lambda item: item.stat().st_mtime)[: ENTRIES // 2]:
            entry.unlink(missing_ok=True)

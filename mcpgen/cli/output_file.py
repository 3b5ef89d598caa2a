"""Files that an option names, to be written: none that is there is lost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..problems import UsageError
from .screen import Screen, shown


def refuse_others(files: Mapping[str, Path | None], mark: str = "") -> None:
    """Raise UsageError if a file must not be written: two options name it, it is a folder, it
    exists without the line `mark` at its start (E0901), or its folder is missing (E0904). `files`:
    option → path or None.
    """
    named: dict[str, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        name = shown(str(path))
        hint = f"name a file that is not there yet, as in `{option} NEW_FILE`"
        other = named.setdefault(os.path.realpath(path), option)
        if other != option:
            raise UsageError.of("E0901", f"`{other}` and `{option}` name one file: `{name}`", hint)
        if path.is_dir():
            raise UsageError.of("E0901", f"`{name}` is a folder", hint)
        if not path.parent.is_dir():
            raise _no_folder(path.parent)
        if path.is_file() and not (mark and _begins_with(path, mark)):
            message = f"`{name}` exists already" + f", and `{option}` did not write it" * bool(mark)
            raise UsageError.of("E0901", message, f"{hint}, or remove this one")


def _no_folder(folder: Path) -> UsageError:
    """Return the error about a folder that is missing, or a file."""
    name = shown(str(folder))
    if folder.exists():
        return UsageError.of("E0904", f"`{name}` is no folder", "choose another one")
    return UsageError.of("E0904", f"there is no folder `{name}`", f"`mkdir -p {name}`")


def _begins_with(path: Path, mark: str) -> bool:
    """Return whether one of the first two lines of a file is `mark`."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return any(file.readline(1_000).strip() == mark for _ in range(2))


def write_file(screen: Screen, path: Path, text: str) -> None:
    """Write a file, and print its path and size unless quiet."""
    path.write_text(text, encoding="utf-8", newline="\n")
    screen.remark(f"written: {shown(str(path))} ({len(text.encode()) / 1000:,.0f} kB)")

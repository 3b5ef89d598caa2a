"""The finishing of generated Python: black where the layout could not be known to be black's, then
the gate.

Templates and `layout` write what black would. The exception is a line that stays too long: its
module goes to black, in a worker process. Both verdicts are remembered by content, so that an
unchanged module costs a look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from . import cache
from .gate import check_calls, check_models, check_stub, check_tools
from .literal import WIDTH
from .process import Question, identity

KIND: Final = "format"
LIBRARY: Final = "black"
CHECKS: Final[Mapping[str, Callable[[str, str], None]]] = {
    "tools": check_tools,
    "models": check_models,
    "custom": check_stub,
    "tests": check_calls,
}
"""Folder of the package → the gate for its modules."""


def finish(modules: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The generated modules of each folder (`{"tools": {path: text}}`), formatted and checked."""
    formatted = _format(
        {
            path: text
            for folder in modules.values()
            for path, text in folder.items()
            if _is_long(text)
        }
    )
    done: dict[str, dict[str, str]] = {}
    for folder, files in modules.items():
        done[folder] = {path: formatted.get(path, text) for path, text in files.items()}
        for path, text in done[folder].items():
            CHECKS[folder](text, path)
    return done


def _is_long(text: str) -> bool:
    return any(len(line) > WIDTH for line in text.splitlines())


def _format(files: Mapping[str, str]) -> dict[str, str]:
    """The texts as black formats them; one that black cannot read is left as it is."""
    entries = {path: cache.key(identity(LIBRARY), text) for path, text in files.items()}
    found = {path: cache.recall(KIND, entry) for path, entry in entries.items()}
    missing = [path for path, text in found.items() if not isinstance(text, str)]
    if missing:
        answer = Question("format", [files[path] for path in missing]).answer()
        for path, text in zip(missing, answer, strict=True):
            found[path] = text
            if isinstance(text, str):
                cache.remember(KIND, entries[path], text)
    return {path: text for path, text in found.items() if isinstance(text, str)}

"""The making of generated modules: datamodel-code-generator writes the types, black formats each
module as a whole, and the gate looks at what comes out.

A module is made anew only if its source, the project's style or a version of these libraries
changed. A source is the unformatted text, or of `models.py` the JSON Schema.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from importlib import metadata
from typing import Final

from ..text import Progress, shares, silent
from .gate import GRAMMARS, check, parsed
from .literal import WIDTH
from .models import written

_version = cache(metadata.version)
"""Version of a library, for which a whole file is read and parsed."""
LARGE: Final = 300_000
"""Characters of a project from which a second process formats half of it."""
CHILD: Final = (
    "import gc, json, sys\nfrom mcpgen.render.formatting import BlackStyle\n"
    "gc.set_threshold(1_000_000)\ntask = json.load(sys.stdin)\n"
    "json.dump(BlackStyle(**task[0]).formatted(task[1]), sys.stdout)\ngc.freeze()\n"
)
"""The program of the second process. It looks for garbage as seldom as the first."""


@dataclass(frozen=True, slots=True)
class BlackStyle:
    """The settings of black that a project may choose."""

    line_length: int = WIDTH
    skip_magic_trailing_comma: bool = False
    skip_string_normalization: bool = False

    def formatted(self, texts: Mapping[str, str], tell: Progress = silent) -> dict[str, str]:
        """Return the modules, by path, as black formats them; a module that black cannot parse is
        unchanged.
        """
        if not texts:
            return {}
        import black
        from black.mode import Mode, TargetVersion
        from black.parsing import InvalidInput

        mode = Mode(
            line_length=self.line_length,
            magic_trailing_comma=not self.skip_magic_trailing_comma,
            string_normalization=not self.skip_string_normalization,
            target_versions={TargetVersion.PY311},
        )
        # `format_str` formats twice what it changed, which alters none of the forms generated here
        format_once = getattr(black, "_format_str_once", black.format_str)
        finished = dict(texts)
        for path in shares(texts, tell, "writing the modules"):
            try:
                finished[path] = format_once(texts[path], mode=mode)
            except (InvalidInput, ValueError, RecursionError):
                continue
        return finished


@dataclass(slots=True)
class ModuleFormatter:
    """Makes the modules of a project. `kept` are those of the last run, path → hash of the source
    and text; `made` becomes path → hash of the source.
    """

    style: BlackStyle = BlackStyle()
    kept: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    tell: Progress = silent

    def finish(self, modules: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
        """Return the modules of every kind (`{"tools": {path: source}}`), formatted and checked, by
        path.

        Raises GateError, and LibraryFailed where the types cannot be made.
        """
        finished: dict[str, str] = {}
        waiting: dict[str, str] = {}
        for kind, sources in modules.items():
            for path, source in sources.items():
                self.made[path] = self._hash(kind, source)
                before, text = self.kept.get(path, ("", ""))
                if _says(kind, source, text if before == self.made[path] else ""):
                    finished[path] = text
                else:
                    waiting[path] = written(source) if kind == "models" else source
        finished |= _formatted(waiting, self.style, self.tell)
        for kind in modules.keys() & GRAMMARS.keys():
            for path in modules[kind]:
                check(kind, finished[path], path)
        return finished

    def _hash(self, kind: str, source: str) -> str:
        libraries = ["black", *(["datamodel-code-generator"] if kind == "models" else [])]
        facts = [source, asdict(self.style), *map(_version, libraries)]
        return sha256(json.dumps(facts).encode()).hexdigest()[:16]


def _says(kind: str, source: str, text: str) -> bool:
    """Return whether `text`, the formatted module, has its source's syntax; False if empty. Types
    are not compared.
    """
    if not text:
        return False
    if kind == "models":
        return True
    return ast.dump(parsed(source, "")) == ast.dump(parsed(text, ""))


def _formatted(texts: dict[str, str], style: BlackStyle, tell: Progress) -> dict[str, str]:
    """Return modules as black formats them. A second process formats half of a large project."""
    half = sum(map(len, texts.values())) // 2
    second: dict[str, str] = {}
    size = 0
    for path in sorted(texts, key=lambda path: len(texts[path])) if half > LARGE // 2 else ():
        size += len(texts[path])
        if size <= half:
            second[path] = texts[path]
    if not second:
        return style.formatted(texts, tell)
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with child, ThreadPoolExecutor(1) as pool:
        task = json.dumps([asdict(style), second]).encode()
        answer = pool.submit(child.communicate, task)
        first = {path: texts[path] for path in texts if path not in second}
        finished = style.formatted(first, tell)
        output, _ = answer.result()
    done = json.loads(output) if child.returncode == 0 else style.formatted(second)
    return finished | done

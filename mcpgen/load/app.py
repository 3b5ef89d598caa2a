"""A web app as the source of a document: `MODULE:NAME`, imported by the app's own Python.

The import runs the app's code, in a process of its own with the user's rights. It happens for a
name on the command line or in `mcpgen.toml`, never for a document.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..problems import McpgenError, Problem, RefusedError, UsageError
from .fetch import too_large
from .text import Limits

SCRIPT = Path(__file__).parent / "inside" / "document_of.py"
ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")
"""The variables that name the active environment."""
MOST_LINES = 20
"""Lines of a traceback that are shown."""


def module_of(name: str, project: Path | None) -> Path | None:
    """Return the file of the module in `MODULE:NAME`, searched in the current folder, the project,
    the folders above both, and `src` of each; None if there is none.
    """
    return next((module for _, module in _found(name, project)), None)


def _found(name: str, project: Path | None) -> Iterator[tuple[Path, Path]]:
    """Yield (folder to import an app from, file of its module), in the order of `module_of`."""
    parts = name.partition(":")[0].split(".")
    starts = [path.resolve() for path in (Path(), project) if path is not None]
    for folder in [above for start in starts for above in (start, *start.parents)]:
        for root in (folder, folder / "src"):
            module = root.joinpath(*parts)
            for path in (module.with_name(f"{parts[-1]}.py"), module / "__init__.py"):
                if path.is_file():
                    yield root, path


def python_of_app(folder: Path, chosen: str | None) -> str:
    """Return the Python to import an app with: the chosen one, else that of the active environment,
    of the nearest `.venv` at or above the folder, or mcpgen's own.
    """
    if chosen is not None:
        return chosen
    named = (Path(os.environ[name]) for name in ENVIRONMENTS if os.environ.get(name))
    near = (above / ".venv" for above in (folder, *folder.parents))
    for environment in (*named, *near):
        for python in ("bin/python", "Scripts/python.exe", "python.exe"):
            if (environment / python).is_file():
                return str(environment / python)
    return sys.executable


def read_app(name: str, python: str | None, project: Path | None, limits: Limits) -> bytes:
    """Import an app (`MODULE:NAME`) in a process of its own; return its document as UTF-8 bytes.
    Raises UsageError if that fails (E0130) or describes no API (E0131), RefusedError beyond the
    limits.
    """
    folder = next((root for root, _ in _found(name, project)), Path.cwd())
    chosen = str(Path(python_of_app(folder, python)).absolute())
    try:
        done = subprocess.run(
            [chosen, str(SCRIPT), name, str(folder)],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": "0"},  # FastAPI names an operation after a set
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limits.seconds,
            check=False,
        )
        answer: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        message = f"`{name}` gave no document within {limits.seconds:g} s"
        hint = "`fetch_seconds` in `mcpgen.toml` allows more time"
        raise RefusedError.of("E0130", message, hint, file=name) from None
    except OSError as error:
        message = f"`{chosen}` does not start: {error.strerror}"
        raise UsageError.of("E0130", message, "name another with `--python`", file=name) from None
    except ValueError:
        lines = done.stderr.decode("utf-8", "replace").splitlines()
        raise _failed(name, chosen, f"`{chosen}` ended without an answer", lines) from None
    if "text" not in answer:
        raise _refused(name, chosen, folder, answer)
    text = str(answer["text"]).encode()
    if len(text) > limits.bytes:
        raise too_large(name, limits)
    return text


def _refused(name: str, python: str, folder: Path, answer: dict[str, Any]) -> McpgenError:
    """Return the error for an answer of the script that has no document."""
    module, _, attribute = name.partition(":")
    near = ", ".join(f"`{module}:{each}`" for each in answer.get("names", ()))
    if "failed" in answer:
        return _failed(name, python, f"`{name}` cannot be imported", answer["failed"].splitlines())
    if "missing" in answer:
        message = f"`{python}` finds no module `{answer['missing']}`, and `{folder}` has none"
        hint = "run this in the folder of the app, or name its Python with `--python`"
        return UsageError.of("E0130", message, hint, file=name)
    if "kind" in answer:
        message = f"`{attribute}` is a `{answer['kind']}`, which describes no API"
        hint = "name an app that writes an OpenAPI document, or a function that returns one"
        return UsageError.of("E0131", message, f"did you mean {near}?" if near else hint, file=name)
    hint = f"did you mean {near}?" if near else "name a variable of the module that holds the app"
    return UsageError.of("E0130", f"`{module}` has no `{attribute}`", hint, file=name)


def _failed(name: str, python: str, message: str, lines: list[str]) -> UsageError:
    """Return the UsageError (E0130) for an app whose code fails, with the last lines of its
    traceback.
    """
    hint = f"mend it, or name another Python than `{python}` with `--python`"
    return UsageError(
        Problem(
            code="E0130",
            severity="error",
            message=message,
            hint=hint,
            notes=tuple(lines[-MOST_LINES:]),
        )
    )

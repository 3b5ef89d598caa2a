"""Runs `worker.py` beside this process: ask now, work on, read the answer later."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, Literal

from ..problems import McpgenError, Problem
from .cache import key

WORKER: Final = Path(__file__).with_name("worker.py")
TIMEOUT: Final = 300
"""Seconds. A worker that takes longer has failed."""


@cache
def identity(library: str) -> str:
    """What besides the question determines an answer: the worker's own text and the version of its
    library.
    """
    try:
        return key(WORKER.read_text(encoding="utf-8"), library, version(library))
    except (OSError, PackageNotFoundError):
        return key(library)


def _absolute(path: str) -> str:
    """A search path without what depends on the current folder: there lies the document, and
    whatever came with it.
    """
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if Path(entry).is_absolute())


class WorkerFailed(McpgenError):
    """A worker process gave no answer: the installation is broken, not the document."""


class Question:
    """A question to a worker process, asked on creation. `-P` keeps the current folder out of its
    imports.
    """

    def __init__(self, task: Literal["types", "format"], data: Any) -> None:
        self._task = task
        self._answer: Any = None
        self._failure = ""
        self._text = json.dumps(data)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(WORKER), self._task],
                input=self._text.encode(),
                capture_output=True,
                timeout=TIMEOUT,
                check=True,
                env={
                    **os.environ,
                    "PYTHONHASHSEED": "0",
                    "PYTHONPATH": _absolute(os.environ.get("PYTHONPATH", "")),
                },
            )
            self._answer = json.loads(done.stdout)
        except subprocess.CalledProcessError as error:
            self._failure = (
                error.stderr.decode("utf-8", "replace").strip().splitlines() or [str(error)]
            )[-1]
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._failure = str(error)

    def answer(self) -> Any:
        """What the worker answered. Raises WorkerFailed."""
        self._thread.join()
        if self._failure:
            library = {"types": "datamodel-code-generator", "format": "black"}[self._task]
            raise WorkerFailed(
                Problem(
                    code="E1208",
                    severity="error",
                    message=f"`{library}` does not run: {self._failure[:300]}",
                    hint="install mcpgen again in a fresh environment",
                )
            )
        return self._answer

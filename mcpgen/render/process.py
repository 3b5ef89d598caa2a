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

from .cache import key

WORKER: Final = Path(__file__).with_name("worker.py")
TIMEOUT: Final = 300
"""Seconds. A worker that takes longer has failed."""


@cache
def identity(library: str) -> str:
    """What besides the question determines an answer: the worker's own text and the version of its library."""
    try:
        return key(WORKER.read_text(encoding="utf-8"), library, version(library))
    except (OSError, PackageNotFoundError):
        return key(library)


class Question:
    """A question to a worker process, asked on creation. `-P` keeps the current folder out of its imports."""

    def __init__(self, task: Literal["types", "format"], data: Any) -> None:
        self._answer: Any = None
        self._text = json.dumps(data)
        self._thread = threading.Thread(target=self._run, args=(task,), daemon=True)
        self._thread.start()

    def _run(self, task: str) -> None:
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(WORKER), task],
                input=self._text.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=TIMEOUT,
                check=True,
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )
            self._answer = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            self._answer = None

    def answer(self) -> Any:
        """What the worker answered, or None where it failed."""
        self._thread.join()
        return self._answer

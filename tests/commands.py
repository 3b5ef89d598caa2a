"""Commands of mcpgen in this process, as they are typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgen.cli import run


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything it printed, on one line."""
        return " ".join((self.out + self.err).split())

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Command = Callable[..., Ended]


@pytest.fixture
def mcpgen(capsys: Any) -> Command:
    """Run a command."""

    def command(*words: str | Path) -> Ended:
        capsys.readouterr()
        code = run([str(word) for word in words])
        return Ended(code, *capsys.readouterr())

    return command

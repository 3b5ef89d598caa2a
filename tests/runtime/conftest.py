"""How the tests of the runtime run: those that are coroutines too."""

import functools
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(
    str(Path(__file__).parent)
)  # pytest's importlib mode leaves the folder of the tests out

from calls import run


def pytest_itemcollected(item: pytest.Item) -> None:
    """Make a test that is a coroutine one that runs to its end."""
    if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
        test = item.obj

        @functools.wraps(test)
        def to_its_end(**fixtures: Any) -> None:
            run(test(**fixtures))

        item.obj = to_its_end

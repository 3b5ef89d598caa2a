"""The recorder in the place of the API, and the outcome of every call for all tests."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
DATA = json.loads((HERE / "tools.json").read_bytes())

sys.path.insert(0, str(SOURCE))


@pytest.fixture(scope="session")
def package() -> str:
    """The name of the package under test."""
    return next(path.parent.name for path in SOURCE.glob("*/api.json"))


@pytest.fixture(scope="session")
def outcomes(package: str) -> Iterator[Any]:
    """Every tool, called through the official client."""
    face = importlib.import_module(package)
    api = face.Recorder()
    facts = json.loads((SOURCE / package / "api.json").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (api.settings(facts) | DATA["environment"]).items():
            patch.setenv(name, value)
        if (SOURCE / package / "auth.py").is_file():
            auth = importlib.import_module(f"{package}.auth")
            patch.setattr(auth, "authorize", _add_nothing)
            patch.setattr(auth, "PROVIDES", frozenset())
        yield face.Outcomes(api, package, DATA["tools"])
    api.close()


async def _add_nothing(request: Any) -> None:
    """In the place of `auth.authorize`, which is yours."""

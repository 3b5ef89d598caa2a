"""Generated files on the disk, and a generated package in this process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def written(files: Mapping[str, str], folder: Path) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@contextmanager
def importable(source: Path, package: str, **environment: str) -> Iterator[Callable[[str], Any]]:
    """Import modules of a package below a folder, which are forgotten at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(source))
        for name, value in environment.items():
            patch.setenv(name, value)

        def module(name: str) -> Any:
            importlib.invalidate_caches()
            return importlib.import_module(f"{package}.{name}")

        yield module
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]

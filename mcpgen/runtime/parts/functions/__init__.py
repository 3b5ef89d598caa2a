"""Part `functions`: tools made of typed functions in `custom/`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...package import StartError
from .. import Part

if TYPE_CHECKING:
    from ...catalog import Catalog, ToolFilter
    from ...package import Entry


def _functions(catalog: Catalog, paths: Sequence[Path], chosen: ToolFilter) -> Iterator[Entry]:
    if not paths:
        return
    if find_spec("docstring_parser") is None:
        raise StartError(
            f"{paths[0]} has a function with `@tool`, which needs `docstring-parser`: add it"
            " to the dependencies in pyproject.toml and install the server again"
        )
    from .tools import entries

    yield from entries(catalog, paths, chosen)


PART = Part(functions=_functions)

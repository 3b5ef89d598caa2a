"""Tools made of typed functions in `custom/`."""

from __future__ import annotations

from types import ModuleType

from ...part import Part


def _functions() -> ModuleType:
    from . import tools

    return tools


PART = Part(functions=_functions)

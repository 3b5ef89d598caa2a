"""Part `code`: the model writes a program, which runs in a sandbox over the tools of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import Mode, Part

if TYPE_CHECKING:
    from ...catalog import Catalog
    from ...limits import CurrentQuota
    from ...package import Package
    from ...settings import Settings
    from ..search.front import Front


def _front(package: Package, catalog: Catalog, settings: Settings, quota: CurrentQuota) -> Front:
    from .front import CodeMode

    return CodeMode(package, catalog, settings, quota)


PART = Part(
    reads=("MAX_RESULT_TOKENS",),
    mode=Mode(
        "--code", "offer two tools: one searches the others, one runs a program over them", _front
    ),
)

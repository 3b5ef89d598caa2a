"""Part `search`: the index of a server whose list is searched instead of sent, and its ranking.

The index is made when the server is generated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import Mode, Part

if TYPE_CHECKING:
    from ...catalog import Catalog
    from ...limits import CurrentQuota
    from ...package import Package
    from ...settings import Settings
    from .front import Front


def _front(package: Package, catalog: Catalog, settings: Settings, quota: CurrentQuota) -> Front:
    from .lazy import Lazy

    return Lazy(package, catalog)


PART = Part(
    mode=Mode("--lazy", "offer three tools that search, describe and call the others", _front)
)

"""Whole input schemas of tools where the list leaves something out."""

from __future__ import annotations

from typing import Any

from ..package import Package
from ..pointer import referred_to


class Wholes:
    """Schemas of `schemas.json`, read when the first is asked for.

    `tools` has the schema of each tool that is not listed whole, `$defs` what these refer to, and
    `names` the names on the wire of properties in `$defs`, by pointer.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._content: dict[str, Any] | None = None

    def schema(self, tool: str) -> dict[str, Any] | None:
        """Return the whole input schema of a tool, with the definitions it refers to; None if the
        listed schema is whole.
        """
        content = self._read()
        schema = content.get("tools", {}).get(tool)
        if schema is None:
            return None
        definitions = content["$defs"]
        needed = referred_to(schema, definitions)
        if not needed:
            return dict(schema)
        return {**schema, "$defs": needed}

    def names(self) -> dict[str, str]:
        """Return pointer of a property in `$defs` -> its name on the wire."""
        return dict(self._read().get("names", {}))

    def _read(self) -> dict[str, Any]:
        if self._content is None:
            self._content = self._package.json("schemas.json")
        return self._content

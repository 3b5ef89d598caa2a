"""The heirs of a schema, and the values of the property that tells them apart.

A schema with a `discriminator` and no union is a parent: the components that name it in their
`allOf` inherit from it, and the property says which of them a value is (OpenAPI 3.1 section
4.8.25).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ..load.values import as_list, as_object, as_text
from ..runtime.pointer import unescape


class Heirs:
    """Which components of a document inherit from which."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._direct: defaultdict[str, list[str]] = defaultdict(list)
        components = as_object(as_object(root.get("components")).get("schemas"))
        for name, schema in components.items():
            for part in as_list(as_object(schema).get("allOf")):
                parent = component_name(as_text(as_object(part).get("$ref")))
                self._direct[parent].append(name)

    def family(self, name: str) -> list[str]:
        """A component and all that inherit from it, directly or not."""
        names = [name]
        for member in names:
            names += [heir for heir in self._direct.get(member, ()) if heir not in names]
        return names

    def tags(self, name: str, mapping: dict[str, Any]) -> list[str]:
        """The values that a discriminator's mapping has for a component and its heirs. Names that
        stand in no mapping are left out: authors who write one rarely mean them.
        """
        family = self.family(name)
        return [tag for tag in mapping if component_name(as_text(mapping[tag])) in family]

    def kinds(self, name: str, mapping: dict[str, Any]) -> dict[str, list[str]]:
        """The components that inherit from one → their values in a discriminator's mapping; without
        a mapping the name of a component is its value.
        """
        heirs = self.family(name)[1:]
        if not mapping:
            return {heir: [heir] for heir in heirs}
        kinds: defaultdict[str, list[str]] = defaultdict(list)
        for tag, reference in mapping.items():
            kinds[component_name(as_text(reference))].append(tag)
        return {heir: kinds[heir] for heir in heirs if heir in kinds}


def component_name(reference: str) -> str:
    """The name of the component that a reference or a mapping leads to."""
    return unescape(reference.rpartition("/")[2])

"""The `$id` and anchors of schemas: targets of references besides pointers (JSON Schema 2020-12
core, section 8.2).
"""

from __future__ import annotations

import copy
import urllib.parse
from dataclasses import dataclass, field
from typing import Any

from ..runtime.pointer import escape
from .values import objects_in

NAMES = frozenset(
    "properties patternProperties $defs definitions dependentSchemas dependencies headers"
    " parameters responses schemas examples requestBodies links callbacks securitySchemes"
    " securityDefinitions pathItems mediaTypes content encoding variables paths webhooks x-webhooks"
    " x-ms-paths additionalOperations scopes".split()
)
"""Keywords whose value maps names the author chose to objects: there, `example` is a name."""


@dataclass(frozen=True, slots=True)
class Above:
    """The context of a node: the pointers of the whole schema (`home`) and of the nearest ancestor
    with an `$id` (`resource`), and the base URI.
    """

    home: str
    resource: str
    base: str = ""


@dataclass(slots=True)
class Identifiers:
    """Every `$id` and anchor in the trees read, with its pointer.

    Two tools of a list may use the same `$id`; the nearest schema, in the same tool, is preferred.
    """

    starts: dict[int, str] = field(default_factory=dict)
    """The schemas that are documents of their own, by `id()`: their pointers."""
    has_draft_4: bool = False
    """Whether there are schemas of draft-04, whose `$id` is `id`."""
    _by_home: dict[tuple[str, str], str] = field(default_factory=dict)
    _anywhere: dict[str, str] = field(default_factory=dict)
    _anchors: dict[tuple[str, str], str] = field(default_factory=dict)
    _dynamic: dict[tuple[str, str], str] = field(default_factory=dict)
    """The dynamic anchors; the recursive anchor of a schema has no name."""

    def collect(self, tree: Any, home: str) -> None:
        """Note every identifier of a tree whose root has the pointer `home`."""
        self._collect(tree, home, Above(home, home), has_names=False)

    def identity(self, node: dict[str, Any]) -> tuple[str, str]:
        """Return the URI and the fragment of an object's `$id` (draft-04: `id`), both empty without
        one.
        """
        identity = node.get("$id")
        if identity is None and self.has_draft_4:
            identity = node.get("id")
        if type(identity) is not str:
            return "", ""
        address, _, fragment = identity.partition("#")
        return address, fragment

    def resource(self, home: str, uri: str) -> str | None:
        """Return the pointer of the schema with a URI as its `$id`, below `home` if possible; None
        if no schema has it.
        """
        pointer = self._by_home.get((home, uri))
        if pointer is None:
            pointer = self._anywhere.get(uri)
        return pointer

    def anchor(self, resource: str, home: str, fragment: str) -> str | None:
        """Return the pointer of an anchor in the schema `resource`, else in the document `home`;
        None if there is none.
        """
        name = urllib.parse.unquote(fragment)
        pointer = self._anchors.get((resource, name))
        if pointer is None:
            pointer = self._anchors.get((home, name))
        return pointer

    def is_dynamic(self, pointer: str, name: str) -> bool:
        """Return whether the schema at a pointer has a dynamic anchor of that name."""
        return (name, pointer) in ((anchor, at) for (_, anchor), at in self._dynamic.items())

    def outermost(self, name: str, scope: str, home: str) -> str | None:
        """Return the pointer that a dynamic reference to an anchor means in the schema `scope`: the
        outermost enclosing schema with the anchor (core, section 8.2.3.2). None if the target
        depends on the references followed on the way.
        """
        anchored = [at for at, anchor in self._dynamic if anchor == name and _is_within(at, home)]
        around = [pointer for pointer in anchored if _is_within(scope, pointer)]
        outer = min(around or anchored, key=len)
        if all(_is_within(pointer, outer) for pointer in anchored):
            return self._dynamic[outer, name]
        return None

    def _collect(self, node: Any, pointer: str, above: Above, *, has_names: bool) -> None:
        if isinstance(node, list):
            for index, item in enumerate(node):
                self._collect(item, f"{pointer}/{index}", above, has_names=False)
            return
        if not isinstance(node, dict):
            return
        if id(node) in self.starts:
            above = Above(pointer, pointer)
            has_names = False
        if not has_names:
            above = self._note(node, pointer, above)
        for key, value in node.items():
            if isinstance(value, (dict, list)):
                maps_names = key in NAMES and not has_names
                self._collect(value, f"{pointer}/{escape(key)}", above, has_names=maps_names)

    def _note(self, node: dict[str, Any], pointer: str, above: Above) -> Above:
        """Note the identifiers of one object, and return the context of its children."""
        address, fragment = self.identity(node)
        if fragment:  # an anchor, before draft 2019-09
            self._note_anchor(fragment, pointer, above)
        if address:
            base = urllib.parse.urljoin(above.base, address)
            self._by_home.setdefault((above.home, base), pointer)
            self._anywhere.setdefault(base, pointer)
            above = Above(above.home, pointer, base)
        for keyword in ("$anchor", "$dynamicAnchor"):
            anchor = node.get(keyword)
            if type(anchor) is str:
                self._note_anchor(anchor, pointer, above)
        if type(node.get("$dynamicAnchor")) is str:
            self._dynamic.setdefault((above.resource, node["$dynamicAnchor"]), pointer)
        if node.get("$recursiveAnchor") is True:
            self._dynamic.setdefault((above.resource, ""), pointer)
        return above

    def _note_anchor(self, name: str, pointer: str, above: Above) -> None:
        self._anchors.setdefault((above.resource, name), pointer)
        self._anchors.setdefault((above.home, name), pointer)


def _is_within(pointer: str, above: str) -> bool:
    """Return whether a pointer equals `above` or leads below it."""
    return f"{pointer}/".startswith(f"{above}/")


def meta_schema(uri: str) -> Any:
    """Return a copy of the meta-schema, or of the vocabulary of one, with this URI; None for any
    other URI.

    Its dynamic references are replaced by references to the meta-schema as a whole.
    """
    if "json-schema.org/" not in uri:
        return None
    # Few documents need it, and it has no type hints.
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    if uri not in REGISTRY:
        return None
    tree = copy.deepcopy(REGISTRY.contents(uri))
    whole = uri
    if "/meta/" in uri:
        whole = uri.partition("/meta/")[0] + "/schema"
    _replace_dynamic(tree, whole)
    return tree


def _replace_dynamic(node: Any, whole: str) -> None:
    for schema in objects_in(node):
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if isinstance(schema.get(keyword), str):
                del schema[keyword]
                schema["$ref"] = whole

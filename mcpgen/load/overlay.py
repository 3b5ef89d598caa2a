"""OpenAPI Overlay 1.0 and 1.1: a list of changes to a document, kept in a file of its own.

An action names its targets with a JSONPath (RFC 9535) and removes them, merges `update` into them,
or (1.1) copies another place of the document into them. Messages about what an overlay wrote show
its place in the overlay.
"""

from __future__ import annotations

import copy as copying
from typing import Any, TypeAlias

from jsonpath import JSONPathError

from ..problems import DocumentError, Problems
from ..runtime.parts.workflows.paths import selected
from ..runtime.pointer import escape
from .document import FILES, Document
from .json import measured
from .text import SourceText
from .values import as_object

Path: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead from the root to a node."""

_SECONDS = 30.0
"""Most seconds of CPU for finding the places of one target."""


def apply(document: Document, overlay: SourceText, tree: Any, problems: Problems) -> None:
    """Apply an overlay in place; a target without a match is a warning. Raises DocumentError
    (E0123).
    """
    _Overlay(document, overlay, tree, problems).apply()


class _Overlay:
    def __init__(self, document: Document, text: SourceText, tree: Any, problems: Problems) -> None:
        self.document = document
        self.moved = document.moved
        self.tree = tree
        self.problems = problems
        self.added = 0
        """Values that the actions so far have added, or moved within lists."""
        # The overlay is not part of the tree, but what it wrote has its place in this text.
        file = f"overlay:{text.name}"
        document.files[file] = text
        self.home = f"/{FILES}/{escape(file)}"

    def apply(self) -> None:
        tree = self.tree
        if type(as_object(tree).get("overlay")) is not str:
            hint = "an overlay begins with `overlay: 1.0.0`, `info:` and `actions:`"
            raise self.error("this is not an overlay", "", hint)
        version = tree["overlay"]
        if not version.startswith(("1.0.", "1.1.")):
            message = f"`overlay: {version[:20]}` is not supported"
            raise self.error(message, "/overlay", "supported: 1.0.0 and 1.1.0")
        actions = tree.get("actions")
        if type(actions) is not list:
            raise self.error("`actions` must be a list", "/actions", "each action has a `target`")
        for index, action in enumerate(actions):
            self.action(action, f"/actions/{index}", version.startswith("1.1"))

    def error(self, message: str, pointer: str, hint: str) -> DocumentError:
        pointer = self.home + pointer
        place = self.document.place(pointer)
        return DocumentError.of("E0123", message, hint, pointer=pointer, place=place)

    def action(self, action: Any, pointer: str, may_copy: bool) -> None:
        if type(as_object(action).get("target")) is not str:
            raise self.error("an action needs a `target`", pointer, "for example `target: $.info`")
        targets = self.find(action["target"], f"{pointer}/target")
        if not targets:
            self.problems.warn(
                "E0124",
                f"the overlay's target `{action['target'][:80]}` matches nothing",
                pointer=f"{self.home}{pointer}/target",
                hint="compare it with the document: names are case-sensitive",
            )
        elif action.get("remove") is True:
            for path in targets:
                self.remove(path, pointer)
        elif may_copy and "copy" in action:
            self.copy(action["copy"], targets, pointer)
        elif "update" in action:
            self.weigh(action["update"], targets, f"{pointer}/update")
            for path in targets:
                self.update(path, action["update"], f"{self.home}{pointer}/update")
        else:
            where = self.home + pointer
            self.problems.warn("E0124", "an action that does nothing", pointer=where)

    def find(self, query: str, pointer: str) -> list[Path]:
        """Return the paths of the nodes that a JSONPath matches, the last first and children before
        their parents, so that no change moves a later node. Raises DocumentError if it is no
        JSONPath.
        """
        try:
            matches = selected(query, self.document.root, _SECONDS)
            return sorted((match.parts for match in matches), reverse=True)
        except (JSONPathError, RecursionError) as error:
            reason = str(error).split("\n")[0][:200]
            message = f"`{query[:80]}` cannot be used as a JSONPath: {reason}"
            raise self.error(message, pointer, "see RFC 9535") from None

    def node(self, path: Path) -> Any:
        node: Any = self.document.root
        for key in path:
            node = node[key]
        return node

    def weigh(self, value: Any, targets: list[Path], pointer: str) -> None:
        """Count what an action adds. Raises DocumentError beyond the limits of a document."""
        limits = self.document.limits
        values, levels = measured(value)
        self.count(values * len(targets), pointer)
        if levels + max(map(len, targets)) > limits.depth:
            message = f"with this action the document is nested deeper than {limits.depth} levels"
            raise self.error(message, pointer, "add less, or name another target")

    def count(self, values: int, pointer: str) -> None:
        """Count values that an action adds or moves. Raises DocumentError for too many."""
        self.added += values
        most = self.document.limits.nodes
        if self.added > most:
            message = f"up to this action the overlay adds or moves more than {most:,} values"
            raise self.error(message, pointer, "add less, or name fewer targets")

    def remove(self, path: Path, pointer: str) -> None:
        if not path:
            message = "the whole document cannot be removed"
            raise self.error(message, f"{pointer}/target", "name a part of it")
        parent, last = self.node(path[:-1]), path[-1]
        if type(parent) is dict:
            parent.pop(last, None)
            return
        assert isinstance(last, int)
        del parent[last]
        self.count(len(parent) - last, pointer)
        above = _pointer(path[:-1])
        for index in range(last, len(parent)):
            self.moved.append((f"{above}/{index}", f"{above}/{index + 1}"))

    def copy(self, source: Any, targets: list[Path], pointer: str) -> None:
        """Merge a copy of the one place that `source` (a JSONPath, Overlay 1.1) matches into each
        target. Raises DocumentError for other numbers of places.
        """
        sources: list[Path] = []
        if type(source) is str:
            sources = self.find(source, f"{pointer}/copy")
        if len(sources) != 1:
            matches = "nothing"
            if sources:
                matches = f"{len(sources)} places"
            message = f"`copy` must match one place, but it matches {matches}"
            raise self.error(message, f"{pointer}/copy", "use a path that matches one place")
        value = copying.deepcopy(self.node(sources[0]))
        self.weigh(value, targets, f"{pointer}/copy")
        for path in targets:
            self.update(path, value, _pointer(sources[0]))

    def update(self, path: Path, value: Any, origin: str) -> None:
        """Merge a value into a target in place: objects by key, a list into a list, else a list
        gets one item; anything else is replaced. `origin` is the pointer of the value. Raises
        DocumentError for the root.
        """
        target = self.node(path)
        pointer = _pointer(path)
        kinds = type(target), type(value)
        if kinds == (list, list):
            self.extend(target, value, pointer, origin)
        elif type(target) is list:
            # Overlay 1.0 section 4.4.3: the value is one new item.
            self.moved.append((f"{pointer}/{len(target)}", origin))
            target.append(copying.deepcopy(value))
        elif kinds == (dict, dict):
            self.merge(target, value, pointer, origin)
        elif path:
            self.node(path[:-1])[path[-1]] = copying.deepcopy(value)
            self.moved.append((pointer, origin))
        else:
            message = "the document's root can only be merged with an object"
            raise self.error(message, "", "write `update` as an object")

    def merge(
        self, target: dict[str, Any], value: dict[str, Any], pointer: str, origin: str
    ) -> None:
        for key, new in value.items():
            old: Any = target.get(key)
            below, source = f"{pointer}/{escape(key)}", f"{origin}/{escape(key)}"
            kinds = type(old), type(new)
            if kinds == (dict, dict):
                self.merge(old, new, below, source)
            elif kinds == (list, list):
                self.extend(old, new, below, source)
            else:
                target[key] = copying.deepcopy(new)
                self.moved.append((below, source))

    def extend(self, target: list[Any], items: list[Any], pointer: str, origin: str) -> None:
        for index, item in enumerate(items):
            self.moved.append((f"{pointer}/{len(target)}", f"{origin}/{index}"))
            target.append(copying.deepcopy(item))


def _pointer(path: Path) -> str:
    return "".join("/" + escape(str(key)) for key in path)

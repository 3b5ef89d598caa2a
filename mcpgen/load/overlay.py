"""OpenAPI Overlay 1.0 and 1.1: a list of changes to a document, kept in a file of its own.

An action names its targets with a JSONPath (RFC 9535) and removes them, merges `update` into them,
or (1.1) copies another place of the document into them. What an overlay wrote is shown at its place
in the overlay.
"""

from __future__ import annotations

import copy as copying
from typing import Any

from ..problems import DocumentError, Problem, Problems
from ..runtime.pointer import escape
from .document import FILES, Document
from .text import Text


def apply(document: Document, overlay: Text, tree: Any, problems: Problems) -> None:
    """Apply one overlay to a document, in place. A target that matches nothing is a warning."""
    _Overlay(document, overlay, tree, problems).apply()


class _Overlay:
    def __init__(self, document: Document, text: Text, tree: Any, problems: Problems) -> None:
        self.document = document
        self.moved = document.moved
        self.text = text
        self.tree = tree
        self.problems = problems
        # The overlay's text is found under a name of its own, though no part of it stands in the
        # tree.
        self.file = f"overlay:{text.name}"
        document.files[self.file] = text
        self.home = f"/{FILES}/{escape(self.file)}"

    def apply(self) -> None:
        tree = self.tree
        if type(tree) is not dict or type(tree.get("overlay")) is not str:
            raise self.error(
                "this is not an overlay",
                "",
                "an overlay begins with `overlay: 1.0.0`, `info:` and `actions:`",
            )
        version = tree["overlay"]
        if not version.startswith(("1.0.", "1.1.")):
            raise self.error(
                f"`overlay: {version[:20]}` is not supported",
                "/overlay",
                "supported: 1.0.0 and 1.1.0",
            )
        actions = tree.get("actions")
        if type(actions) is not list:
            raise self.error("`actions` must be a list", "/actions", "each action has a `target`")
        for index, action in enumerate(actions):
            self.action(action, f"/actions/{index}", version.startswith("1.1"))

    def error(self, message: str, pointer: str, hint: str) -> DocumentError:
        where = self.home + pointer
        return DocumentError(
            Problem(
                code="E0123",
                severity="error",
                message=message,
                pointer=where,
                hint=hint,
                place=self.document.place(where),
            )
        )

    def action(self, action: Any, pointer: str, may_copy: bool) -> None:
        if type(action) is not dict or type(action.get("target")) is not str:
            raise self.error("an action needs a `target`", pointer, "for example `target: $.info`")
        targets = self.find(action["target"], f"{pointer}/target")
        if not targets:
            self.problems.warn(
                "E0124",
                f"the overlay's target `{action['target'][:80]}` matches nothing",
                pointer=f"{self.home}{pointer}/target",
                hint="compare it with the document: names are case-sensitive",
            )
            return
        if action.get("remove") is True:
            # Last first, so that the positions of those before stay what they are.
            for parts in reversed(targets):
                self.remove(parts, pointer)
        elif "copy" in action and may_copy:
            self.copy(action["copy"], targets, pointer)
        elif "update" in action:
            for parts in targets:
                self.update(parts, action["update"], f"{self.home}{pointer}/update")
        else:
            self.problems.warn(
                "E0124", "an action that does nothing", pointer=f"{self.home}{pointer}"
            )

    def find(self, query: str, pointer: str) -> list[tuple[str | int, ...]]:
        """The places a JSONPath matches, in the order of the document."""
        import jsonpath  # only documents with overlays pay for it

        try:
            matches = jsonpath.JSONPathEnvironment().finditer(query, self.document.root)
            return list(dict.fromkeys(tuple(match.parts) for match in matches))
        except (jsonpath.JSONPathError, RecursionError) as error:
            reason = str(error).split("\n")[0][:200]
            raise self.error(
                f"`{query[:80]}` is not a JSONPath: {reason}", pointer, "see RFC 9535"
            ) from None

    def node(self, parts: tuple[str | int, ...]) -> Any:
        node: Any = self.document.root
        for part in parts:
            node = node[part]
        return node

    def remove(self, parts: tuple[str | int, ...], pointer: str) -> None:
        if not parts:
            raise self.error(
                "the whole document cannot be removed", f"{pointer}/target", "name a part of it"
            )
        parent, last = self.node(parts[:-1]), parts[-1]
        if type(parent) is dict:
            parent.pop(last, None)
            return
        above = _pointer(parts[:-1])
        del parent[last]
        assert isinstance(last, int)
        self.moved += [
            (f"{above}/{index}", f"{above}/{index + 1}") for index in range(last, len(parent))
        ]

    def copy(self, source: Any, targets: list[tuple[str | int, ...]], pointer: str) -> None:
        """Overlay 1.1: `copy` is a JSONPath that matches exactly one node."""
        found = self.find(source, f"{pointer}/copy") if type(source) is str else []
        if len(found) != 1:
            matches = "nothing" if not found else f"{len(found)} places"
            raise self.error(
                f"`copy` must name one place, and matches {matches}",
                f"{pointer}/copy",
                "make it exact",
            )
        value = copying.deepcopy(self.node(found[0]))
        for parts in targets:
            self.update(parts, value, _pointer(found[0]))

    def update(self, parts: tuple[str | int, ...], value: Any, origin: str) -> None:
        """Merge a value into a target: objects member by member, a list gets one more item, all
        else is replaced.
        """
        target = self.node(parts)
        here = _pointer(parts)
        if type(target) is list:
            # Overlay 1.0 section 4.4.3: the value is one new item; a list of them is taken as
            # several.
            items = value if type(value) is list else [value]
            for index, item in enumerate(items):
                self.moved.append(
                    (
                        f"{here}/{len(target)}",
                        f"{origin}/{index}" if type(value) is list else origin,
                    )
                )
                target.append(copying.deepcopy(item))
        elif type(target) is dict and type(value) is dict:
            self.merge(target, value, here, origin)
        elif parts:
            self.node(parts[:-1])[parts[-1]] = copying.deepcopy(value)
            self.moved.append((here, origin))
        else:
            raise self.error(
                "the document's root can only be merged with an object",
                "",
                "write `update` as an object",
            )

    def merge(self, target: dict[str, Any], value: dict[str, Any], here: str, origin: str) -> None:
        for key, new in value.items():
            old = target.get(key)
            below, source = f"{here}/{escape(key)}", f"{origin}/{escape(key)}"
            if type(old) is dict and type(new) is dict:
                self.merge(old, new, below, source)
            elif type(old) is list and type(new) is list:
                for index, item in enumerate(new):
                    self.moved.append((f"{below}/{len(old)}", f"{source}/{index}"))
                    old.append(copying.deepcopy(item))
            else:
                target[key] = copying.deepcopy(new)
                self.moved.append((below, source))


def _pointer(parts: tuple[str | int, ...]) -> str:
    return "".join("/" + escape(str(part)) for part in parts)

"""The references of one document, and what is said of those that point to nothing."""

from __future__ import annotations

from typing import Any

from ..problems import Problems
from ..runtime.pointer import escape
from ..text import visible
from .document import Document, UnresolvedReference
from .values import as_object


class References:
    """Follows the references of a document, and reports those that point to nothing."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self._resolved: dict[str, tuple[Any, str]] = {}

    def resolve(self, ref: str) -> tuple[Any, str]:
        """The target of a local reference and its pointer; `({}, "")` and a problem where there is
        none.
        """
        if ref not in self._resolved:
            try:
                self._resolved[ref] = self.document.resolve_one(ref)
            except UnresolvedReference as error:
                self.report_dangling(error, "")
                self._resolved[ref] = ({}, "")
        return self._resolved[ref]

    def deref(self, node: Any, pointer: str) -> tuple[Any, str]:
        """A node that may be a reference, followed to its end; `(None, pointer)` and a problem
        where it has none.
        """
        try:
            return self.document.deref(node, pointer)
        except UnresolvedReference as error:
            self.report_dangling(error, pointer)
            return None, pointer

    def peek(self, node: Any) -> dict[str, Any]:
        """An object, or the one its `$ref` points to; empty, and no problem, where that is none."""
        try:
            return as_object(self.document.deref(node, "")[0])
        except UnresolvedReference:
            return {}

    def report_dangling(self, error: UnresolvedReference, pointer: str) -> None:
        """Report a reference that points to nothing, in an object whose pointer may be
        empty where it is not known.
        """
        self.problems.warn(
            "E0203",
            self.reason(error),
            pointer=f"{pointer or self.holder(error.ref)}/$ref",
            hint=self.suggestion(error),
        )

    def reason(self, error: UnresolvedReference) -> str:
        return f"`$ref` {error.reason}: {self._written(error.ref)}"

    def suggestion(self, error: UnresolvedReference) -> str:
        """References that exist, in words."""
        names = [self._written(name) for name in error.suggestions][:3]
        if not names:
            return ""
        return f"did you mean {' or '.join(names)}?"

    def _written(self, ref: str) -> str:
        """A reference as its author wrote it: what it points to may have moved."""
        return f"`{visible(self.document.reference(ref))[:120]}`"

    def holder(self, ref: str) -> str:
        """The pointer of the first object that holds a reference; slow, so only for reports."""
        pending: list[tuple[Any, str]] = [(self.document.root, "")]
        while pending:
            node, pointer = pending.pop()
            members: list[tuple[Any, str]] = []
            if isinstance(node, dict):
                if node.get("$ref") == ref:
                    return pointer
                members = [(value, escape(key)) for key, value in node.items()]
            elif isinstance(node, list):
                members = [(item, str(index)) for index, item in enumerate(node)]
            pending += [(member, f"{pointer}/{token}") for member, token in reversed(members)]
        return ""

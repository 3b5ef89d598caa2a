"""The operations of an OpenAPI document, in a fixed order: by path, then by method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..http import METHODS
from ..runtime.pointer import escape
from ..text import visible
from .document import Document
from .values import as_object, as_text

Deref = Callable[[Any, str], tuple[Any, str]]
"""(node, its pointer) → what the node refers to (None where that is nothing), and its pointer."""
Report = Callable[[str, str], None]
"""Takes a message and the pointer it is about, or an empty text."""


@dataclass(frozen=True, slots=True)
class DocumentedOperation:
    """One operation as the document has it. `method` is in capitals."""

    method: str
    path: str
    operation_id: str | None
    pointer: str
    path_item: dict[str, Any]
    node: dict[str, Any]


def _ignore(message: str, pointer: str) -> None:
    pass


def operations(
    document: Document, deref: Deref, report: Report = _ignore
) -> Iterator[DocumentedOperation]:
    """Every operation of an upgraded document; `report` gets what should be one and is none."""
    paths = as_object(document.root.get("paths"))
    for path in sorted(paths):
        if path.startswith("x-"):
            continue
        at = f"/paths/{escape(path)}"
        path_item, pointer = deref(paths[path], at)
        if isinstance(path_item, dict):
            yield from _of_path(path, path_item, pointer, deref, report)
        else:
            report(f"path `{visible(path)[:80]}` is not an object", at)


def _of_path(
    path: str, path_item: dict[str, Any], pointer: str, deref: Deref, report: Report
) -> Iterator[DocumentedOperation]:
    additional = as_object(path_item.get("additionalOperations"))
    nodes = {name: (node, "/additionalOperations") for name, node in additional.items()}
    nodes |= {name: (path_item[name], "") for name in METHODS if name in path_item}
    for name, (node, holder) in sorted(nodes.items(), key=lambda item: item[0]):
        operation, at = deref(node, f"{pointer}{holder}/{escape(name)}")
        if not isinstance(operation, dict):
            report(f"operation `{name.upper()} {visible(path)[:80]}` is not an object", "")
            continue
        yield DocumentedOperation(
            method=name.upper(),
            path=path,
            operation_id=as_text(operation.get("operationId")).strip() or None,
            pointer=at,
            path_item=path_item,
            node=operation,
        )

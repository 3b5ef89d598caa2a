"""The operations of an OpenAPI document, in a fixed order: by path, then by method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..ir import within
from ..runtime.pointer import escape
from .document import Document, home_of_api
from .methods import PATH_ITEM
from .values import as_object, as_text

Deref = Callable[[Any, str], tuple[Any, str]]
"""(node, its pointer) → what the node refers to (None where that is nothing), and its pointer."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A path, or an operation of one, that is not an object. `method` is in capitals, and `*` for a
    whole path.
    """

    method: str
    path: str
    pointer: str
    is_dangling: bool
    """Whether the path or operation is a reference that points to nothing."""


Report = Callable[[Unreadable], None]


@dataclass(frozen=True, slots=True)
class DocumentedPath:
    """One path as the document has it. `pointer` is that of the path item, `key` that of the path
    itself, which may refer to a path item elsewhere.
    """

    path: str
    key: str
    pointer: str
    node: dict[str, Any]
    api: str


@dataclass(frozen=True, slots=True)
class DocumentedOperation:
    """One operation as the document has it. `method` is in capitals; `api` is the name of a
    further API, which is part of the operationId as well.
    """

    method: str
    path: str
    operation_id: str | None
    pointer: str
    path_item: dict[str, Any]
    node: dict[str, Any]
    api: str

    @property
    def key(self) -> str:
        """Name in its document: `METHOD /path`, of a further API `METHOD NAME:/path`."""
        return f"{self.method} {within(self.api, self.path)}"


def _ignore(unreadable: Unreadable) -> None:
    pass


def operations(document: Document, deref: Deref) -> Iterator[DocumentedOperation]:
    """Yield the operations of an upgraded document that are objects, those of further APIs last."""
    for api in ("", *document.apis):
        for path in paths(document, deref, api=api):
            yield from operations_of(path, deref)


def paths(
    document: Document, deref: Deref, report: Report = _ignore, api: str = ""
) -> Iterator[DocumentedPath]:
    """Yield the paths of an upgraded document, or of a further API in it, sorted, without `x-…`;
    `report` gets those that are no objects.
    """
    owner = document.apis[api] if api else document
    nodes = as_object(owner.root.get("paths"))
    for path in sorted(nodes):
        if path.startswith("x-"):
            continue
        key = f"{home_of_api(api)}/paths/{escape(path)}"
        item, pointer = deref(nodes[path], key)
        if isinstance(item, dict):
            yield DocumentedPath(path, key, pointer, item, api)
        else:
            report(Unreadable("*", path, key, _is_dangling(nodes[path], item)))


def operations_of(
    path: DocumentedPath, deref: Deref, report: Report = _ignore
) -> Iterator[DocumentedOperation]:
    """Yield the operations of a path by method; `report` gets those that are no objects."""
    additional = as_object(path.node.get("additionalOperations"))
    nodes = {name: (path.node[name], "") for name in PATH_ITEM if name in path.node}
    methods = {name.upper() for name in nodes}
    for name in additional:
        if name.upper() not in methods:  # `POST` beside `post` is an error of its own
            nodes[name] = additional[name], "/additionalOperations"
            methods.add(name.upper())
    for name, (node, holder) in sorted(nodes.items(), key=lambda item: item[0]):
        at = f"{path.pointer}{holder}/{escape(name)}"
        operation, pointer = deref(node, at)
        if not isinstance(operation, dict):
            report(Unreadable(name.upper(), path.path, at, _is_dangling(node, operation)))
            continue
        operation_id = as_text(operation.get("operationId")).strip()
        yield DocumentedOperation(
            method=name.upper(),
            path=path.path,
            operation_id=within(path.api, operation_id) if operation_id else None,
            pointer=pointer,
            path_item=path.node,
            node=operation,
            api=path.api,
        )


def _is_dangling(node: Any, target: Any) -> bool:
    return isinstance(node, dict) and target is None

"""Which errors of a JSON Schema validator tell most, of alternatives (`oneOf`, `anyOf`) that all
failed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

Peers: TypeAlias = list[Any]
"""Validation errors that expect something at the same place; nearly always one."""
KINDS = ("in", "type", "flow")
"""Keys that say of which kind an object is: a parameter or a security scheme."""


def telling(error: Any) -> list[Peers]:
    """The errors that tell most, of alternatives that all failed: those of the one that was meant,
    or comes closest. What each of them expects at one place is one error.
    """
    context = getattr(error.kind, "context", None) or ()
    branches = [errors for errors in map(_beside_references, context) if errors]
    if not branches:
        return [[error]]
    depth = len(error.instance_path) + 1
    others = [[each for each in branch if _is_of_another(each, depth)] for branch in branches]
    meant = [branch for branch, other in zip(branches, others, strict=True) if not other]
    peers = [errors[0] for errors in meant or others]
    if all(len(branch) == 1 for branch in meant) and _expect_at_one_place(peers):
        return [peers]
    closest = max(meant or branches, key=_closeness)
    return [peers for each in closest for peers in telling(each)]


def _beside_references(errors: Iterable[Any]) -> list[Any]:
    """The errors of a branch; every object that is no reference also fails to be one."""
    return [each for each in errors if getattr(each.kind, "property", None) != "$ref"]


def _is_of_another(error: Any, depth: int) -> bool:
    """Return whether an error says that an object is of another kind: a parameter in another place,
    a security scheme of another type (OpenAPI 3.0, its JSON Schema).
    """
    if (error.kind.name, len(error.instance_path)) != ("enum", depth):
        return False
    return error.instance_path[-1] in KINDS


def _expect_at_one_place(peers: list[Any]) -> bool:
    """Return whether errors are about one value: its type, or which one it is."""
    about = {(error.kind.name, *error.instance_path) for error in peers}
    return len(about) == 1 and peers[0].kind.name in ("type", "enum")


def _closeness(errors: list[Any]) -> tuple[int, int, int]:
    """Rate the fit of an alternative by its errors: deep, at few places, and few is best."""
    places = {tuple(error.instance_path) for error in errors}
    return max(map(len, places)), -len(places), -len(errors)

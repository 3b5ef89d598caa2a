"""The errors of a JSON Schema validator that tell a fault: of alternatives (`oneOf`, `anyOf`) that
all failed those of the one that was meant, and none that only follows from another error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

Peers: TypeAlias = list[Any]
"""Validation errors that expect something at the same place; nearly always one."""
KINDS = ("in", "type", "flow")
"""Keys that say of which kind an object is: a parameter or a security scheme."""


def telling(errors: Iterable[Any]) -> Iterator[Peers]:
    """The errors without consequences: of an object of an unknown kind its kind alone, and no keys
    that are unexpected because the part of the schema that knows them failed, too (JSON Schema
    2020-12, section 11.3).
    """
    found = [peers for error in errors for peers in _meant(error)]
    failed: set[tuple[str | int, ...]] = set()
    unsettled = set()
    for error, *_ in found:
        place = tuple(error.instance_path)
        if error.kind.name == "unevaluatedProperties":
            continue
        failed |= {place[: end + 1] for end in range(len(place))}
        if error.kind.name == "required":
            failed.add((*place, ""))
        if _is_of_kind(error):
            unsettled.add(_object_of(error))
    for peers in found:
        above = _object_of(peers[0])
        if above in unsettled and not _is_of_kind(peers[0]):
            continue
        if peers[0].kind.name == "unevaluatedProperties":
            names = ["", *peers[0].kind.as_dict().get("unexpected", ())]
            if any((*above, name) in failed for name in names):
                continue
        yield peers


def _is_of_kind(error: Any) -> bool:
    """Return whether an error is about the kind of an object: it is wrong or missing, or the object
    is empty.
    """
    if error.kind.name == "minProperties":
        return True
    if error.kind.name == "required":
        return error.kind.as_dict().get("property") in KINDS
    return error.instance_path[-1:] in [[key] for key in KINDS]


def _object_of(error: Any) -> tuple[str | int, ...]:
    """The object that an error is about; of a wrong value the one that holds it."""
    place = tuple(error.instance_path)
    return place if type(error.instance) is dict and not _is_of_value(error) else place[:-1]


def _is_of_value(error: Any) -> bool:
    return error.kind.name in ("type", "enum", "const")


def _meant(error: Any) -> list[Peers]:
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
    about = {(each.kind.name, *each.instance_path) for each in peers}
    if all(len(branch) == 1 for branch in meant) and len(about) == 1 and _is_of_value(peers[0]):
        return [peers]
    closest = max(meant or branches, key=_closeness)
    return [peers for each in closest for peers in _meant(each)]


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


def _closeness(errors: list[Any]) -> tuple[int, int, int]:
    """Rate the fit of an alternative by its errors: deep, at few places, and few is best."""
    places = {tuple(error.instance_path) for error in errors}
    return max(map(len, places)), -len(places), -len(errors)

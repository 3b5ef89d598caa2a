"""Choice of the errors of a JSON Schema validator that name the fault. If all alternatives
(`oneOf`, `anyOf`) failed, the errors of the intended branch count; consequences of other errors are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

Peers: TypeAlias = list[Any]
"""Validation errors that expect something at the same place; nearly always one."""
Path: TypeAlias = tuple[str | int, ...]
UNEVALUATED = "unevaluatedProperties"
KINDS = ("in", "type", "flow")
"""Keys with the kind of an object: a parameter or a security scheme."""
_KIND_PATHS = [[key] for key in KINDS]


def relevant_errors(errors: Iterable[Any]) -> Iterator[Peers]:
    """Yield the errors without consequences, in lists about one place: of an object of an unknown
    kind its kind alone, and no keys that are unexpected because the part of the schema that knows
    them failed, too (JSON Schema 2020-12, section 11.3).
    """
    found = [peers for error in errors for peers in _meant(error)]
    unsettled = {_object_of(error) for error, *_ in found if _is_of_kind(error)}
    failed = set(chain.from_iterable(_failed(error) for error, *_ in found))
    for peers in found:
        error, above = peers[0], _object_of(peers[0])
        if above in unsettled and not _is_of_kind(error):
            continue
        unexpected = error.kind.unexpected if error.kind.name == UNEVALUATED else ()
        if not unexpected or failed.isdisjoint((*above, name) for name in ("", *unexpected)):
            yield peers


def _failed(error: Any) -> Iterator[Path]:
    """Yield the path of an error's place, and those above it but the root; none for an unexpected
    key. A missing key also gives the path of its object with an empty name.
    """
    place = tuple(error.instance_path)
    if error.kind.name != UNEVALUATED:
        yield from (place[:end] for end in range(1, len(place) + 1))
    if error.kind.name == "required":
        yield (*place, "")


def _is_of_kind(error: Any) -> bool:
    """Return whether an error is about the kind of an object: it is wrong or missing, or the object
    is empty.
    """
    if error.kind.name == "minProperties":
        return True
    if error.kind.name == "required":
        return error.kind.as_dict().get("property") in KINDS
    return error.instance_path[-1:] in _KIND_PATHS


def _object_of(error: Any) -> Path:
    """Return the path of the faulty object, or of the object around a faulty value."""
    place = tuple(error.instance_path)
    return place[:-1] if type(error.instance) is not dict or _is_of_value(error) else place


def _is_of_value(error: Any) -> bool:
    return error.kind.name in ("type", "enum", "const")


def _meant(error: Any) -> list[Peers]:
    """Return an error without alternatives alone, else the most telling errors: of the intended
    branch, or of the best match. Several expected values at a place make a single error.
    """
    context = getattr(error.kind, "context", ())
    branches = list(filter(None, map(_beside_references, context)))
    if not branches:
        return [[error]]
    depth = len(error.instance_path) + 1
    others = [_of_another(branch, depth) for branch in branches]
    meant = [branch for branch, other in zip(branches, others, strict=True) if not other]
    peers = [errors[0] for errors in meant or others]
    if max(map(len, meant), default=1) == 1 and _expect_at_one_place(peers):
        return [peers]
    closest = max(meant or branches, key=_closeness)
    return [peers for each in closest for peers in _meant(each)]


def _beside_references(errors: Iterable[Any]) -> list[Any]:
    """Return the errors of a branch; every object that is no reference also fails to be one."""
    return [each for each in errors if getattr(each.kind, "property", None) != "$ref"]


def _of_another(branch: list[Any], depth: int) -> list[Any]:
    """Return the errors of a branch for objects of another kind: a parameter in another place, a
    security scheme of another type. `depth`: the place of the object's keys in the path of an
    error, from 1.
    """
    kinds = [error for error in branch if error.kind.name == "enum"]
    return [each for each in kinds if each.instance_path[depth - 1 :] in _KIND_PATHS]


def _expect_at_one_place(peers: list[Any]) -> bool:
    """Return whether errors are about one value: its type, or which one it is."""
    about = {(error.kind.name, *error.instance_path) for error in peers}
    return len(about) == 1 and _is_of_value(peers[0])


def _closeness(errors: list[Any]) -> tuple[int, int, int]:
    """Return a rank of an alternative by its errors, the highest is best: deep, at few places, and
    few.
    """
    places = {tuple(error.instance_path) for error in errors}
    return max(map(len, places)), -len(places), -len(errors)

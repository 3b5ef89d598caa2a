"""Which errors of a JSON Schema validator only follow from another error in the same object.

consequences = Consequences(errors)
[error for error in errors if error not in consequences]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from .alternatives import KINDS

Path: TypeAlias = tuple[str | int, ...]

_IN_PLACE = frozenset("$ref allOf anyOf oneOf if then else dependentSchemas".split())
"""Keywords whose schemas are about the same value."""
_OF_MEMBERS = frozenset("properties patternProperties prefixItems".split())
"""Keywords whose schemas are about a value inside, each with a name or an index of its own."""
_OF_REST = frozenset("items additionalProperties unevaluatedProperties".split())
"""Keywords whose schema is about values inside."""
_OF_PARTS = _OF_MEMBERS | _OF_REST
_NAMED = _OF_MEMBERS | {"allOf", "anyOf", "oneOf", "dependentSchemas"}


class Consequences:
    """The errors that follow from others. Each error is looked at once."""

    def __init__(self, errors: Iterable[Any]) -> None:
        self.failed: set[tuple[Path, Path]] = set()
        """The schema and the object of every part of a schema that failed there."""
        self.unsettled: set[Path] = set()
        """Objects that are empty, or of no known kind: which rules hold for them is open."""
        for error in errors:
            place = tuple(error.instance_path)
            self.failed |= {(schema, above) for _, schema, above in _steps(error)}
            if _is_of_wrong_kind(error):
                self.unsettled.add(place[:-1])
            elif error.kind.name == "minProperties" or _is_without_kind(error):
                self.unsettled.add(place)

    def __contains__(self, error: object) -> bool:
        """Return whether an error follows from another one."""
        return self._is_unknown_to_failed(error) or self._is_of_open_kind(error)

    def _is_unknown_to_failed(self, error: Any) -> bool:
        """Return whether keys are unexpected only because a part of the same schema that knows them
        failed in the same object for another reason (JSON Schema 2020-12, section 11.3).
        """
        if error.kind.name != "unevaluatedProperties":
            return False
        return (tuple(error.evaluation_path[:-1]), tuple(error.instance_path)) in self.failed

    def _is_of_open_kind(self, error: Any) -> bool:
        """Return whether a rule is one of several kinds, in an object whose kind is open."""
        if _is_without_kind(error) or _is_of_wrong_kind(error):
            return False
        above = _object_of(error)
        if above not in self.unsettled:
            return False
        if error.kind.name == "unevaluatedProperties":
            return True
        return any((word, place) == ("then", above) for word, _, place in _steps(error))


def _is_without_kind(error: Any) -> bool:
    return error.kind.name == "required" and error.kind.as_dict().get("property") in KINDS


def _is_of_wrong_kind(error: Any) -> bool:
    return error.instance_path[-1:] in [[key] for key in KINDS]


def _object_of(error: Any) -> Path:
    """The object that an error is about; of a wrong value the one that holds it."""
    place = tuple(error.instance_path)
    if type(error.instance) is dict:
        return place
    return place[:-1]


def _steps(error: Any) -> Iterator[tuple[str, Path, Path]]:
    """The keywords on the way to an error whose schemas are about the same value: each with the
    path of its schema and of that value.
    """
    route, place = tuple(error.evaluation_path[:-1]), tuple(error.instance_path)
    at = depth = 0
    while at < len(route):
        word = str(route[at])
        if word in _IN_PLACE:
            yield word, route[:at], place[:depth]
        depth += word in _OF_PARTS
        at += 1 + (word in _NAMED)

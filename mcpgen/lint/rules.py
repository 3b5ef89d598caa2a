"""The rules of OpenAPI that its official schema cannot state, by openapi-spec-validator: a default
is valid for its schema, and a parameter, an operationId or a tag is there once.

The library looks at a document as its author wrote it, before `upgrade`, and passes over parts that
the official schema reports (`structure`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from jsonschema.validators import extend  # type: ignore[import-untyped]
from jsonschema_path.paths import SchemaPath
from openapi_spec_validator.shortcuts import get_validator_cls
from openapi_spec_validator.validation import exceptions, keywords

from ..load.document import UnresolvedReference
from ..load.values import as_object
from ..runtime.pointer import escape
from ..text import shares, visible
from .structure import CODE, LIMIT, short

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problems, Severity

STEPS = 200_000
"""References that are followed to compare defaults with their schemas."""
CACHED = 128
"""Paths of the document whose parts the library keeps."""
HINTS = {
    exceptions.ParameterDuplicateError: "remove one of them: only the last one is used",
    exceptions.DuplicateOperationIDError: "give each operation an operationId of its own",
    exceptions.OpenAPIValidationError: "",
}
"""Kind of error → remedy."""
PASSED_OVER = (exceptions.ExtraParametersError, exceptions.UnresolvableParameterError)
"""A key may be required without a schema (JSON Schema 2020-12 Validation, section 6.5.3); `parse`
says what becomes of a path and parameters that do not match.
"""
DEFAULT = "correct the default or its schema: until then callers are not told of it"


class TooManySteps(Exception):
    """Schemas refer to each other too often for comparing a default with them."""


class _Seen(set[Any]):
    """A set that replaces the library's lists of seen items, for speed."""

    append = set.add


class _Nowhere(dict[str, Any]):
    """Resolves no reference to another document: `load` has already embedded the allowed parts."""

    def __contains__(self, scheme: object) -> bool:
        return True

    def __getitem__(self, scheme: str) -> Any:
        raise LookupError(scheme)


def check_rules(document: Document, problems: Problems, *, severity: Severity = "warning") -> bool:
    """Report violations of rules that the official schema cannot state (E0304), at most `LIMIT`,
    and return whether anything was reported. A default whose schema already has a problem is left
    out.
    """
    if not document.describes_api:
        return False
    reported = [problem.pointer for problem in problems]
    try:
        for pointer, message, hint in islice(violations(document), LIMIT):
            place = document.place(pointer)
            pointer = document.written(pointer)
            schema = pointer.rpartition("/default")[0] or pointer
            if not any(f"{known}/".startswith(f"{schema}/") for known in reported):
                problems.add(CODE, severity, message, pointer=pointer, place=place, hint=hint)
    except TooManySteps:
        problems.note("E0305", "not every default could be compared with its schema")
    return len(problems.items) > len(reported)


def violations(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield (pointer, message, remedy) of each violation. Raises TooManySteps."""
    library = get_validator_cls(document.root)
    steps = iter(range(STEPS))
    paths = shares(as_object(document.root.get("paths")), document.tell, "checking the document")
    placed = {
        name: _placed(kind, steps, paths) for name, kind in library.keyword_validators.items()
    }
    rules = type("Rules", (library,), {"keyword_validators": placed})
    root = SchemaPath.from_dict(document.root, handlers=_Nowhere(), resolved_cache_maxsize=CACHED)
    for error in rules(root).root_validator(root):
        if isinstance(error, PASSED_OVER):
            continue
        keys = [escape(str(key)).replace("%", "%25") for key in error.place]
        try:
            pointer = document.resolve_one("#" + "".join(f"/{key}" for key in keys))[1]
        except UnresolvedReference:
            continue
        yield pointer, _wording(error), HINTS.get(type(error), DEFAULT)


class _Placed(keywords.KeywordValidator):
    """A keyword's validator whose errors have a `place`, the path of what is wrong. It passes over
    parts whose structure the library cannot read: the official schema reports them. `paths` tell
    how far it is.
    """

    paths: Iterator[str]

    def __init__(self, registry: Any) -> None:
        super().__init__(registry)
        self.visited_schema_ids = _Seen()
        self.operation_ids_registry = _Seen()

    def __call__(self, *parts: Any, **options: Any) -> Iterator[Any]:
        path = next(part for part in parts if isinstance(part, SchemaPath))
        if isinstance(self, keywords.PathValidator):
            next(self.paths, None)
        try:
            errors = super().__call__(*parts, **options)  # type: ignore[misc]
            for error in chain(errors, self._of_body(path)):
                if not hasattr(error, "place"):
                    error.place = (*path.parts, *_within(error, path))
                yield error
        except TooManySteps:
            raise
        except Exception:
            return

    def _of_body(self, path: SchemaPath) -> Iterator[Any]:
        """Yield the errors of a request body, which the library does not read."""
        if isinstance(self, keywords.OperationValidator):
            body = path / "requestBody" / "content"
            if body.exists():
                yield from self.registry["content"](body)

    def _validate_schema_meta(self, *_: Any) -> None:
        """Check no schema: the official schema has checked them all at once."""

    def _collect_properties(self, *_: Any) -> set[str]:
        """Collect no names: only errors ignored here need them."""
        return set()


def _placed(kind: type, steps: Iterator[int], paths: Iterator[str]) -> type:
    members: dict[str, object] = {"paths": paths}
    if issubclass(kind, keywords.ValueValidator):
        members["value_validator_cls"] = _bounded(kind.value_validator_cls, steps)
    return type(kind.__name__, (_Placed, kind), members)


def _within(error: Any, path: SchemaPath) -> tuple[str | int, ...]:
    """Return the place of an error below the part of the document that was being read."""
    match error:
        case exceptions.DuplicateOperationIDError():
            return ("operationId",)
        case exceptions.OpenAPIValidationError() if error.message.startswith("Duplicate"):
            names = [(item / "name").read_value() for item in path]
            last = [at for at, name in enumerate(names) if error.message.endswith(f"'{name}'")]
            return tuple(last[-1:])
        case exceptions.OpenAPIValidationError():
            return ()
    return ("default", *error.absolute_path)


def _wording(error: Any) -> str:
    """Return the message for an error of the library, in a sentence."""
    if not isinstance(error, exceptions.OpenAPIValidationError):
        return f"the default {short(error.instance)} breaks `{error.validator}` of its schema"
    if error.message.endswith("is not of type 'object', 'boolean'"):
        return "a schema must be an object or true or false"
    return visible(error.message)[:200]


def _bounded(library: Any, steps: Iterator[int]) -> Any:
    """Return a validator of values that takes a step for each schema, and none without a bound: it
    matches no pattern and compares no items with each other. Raises TooManySteps after the last
    step.
    """
    unbounded = ("pattern", "patternProperties", "uniqueItems")
    made = extend(library, dict.fromkeys(unbounded, lambda *_: ()))

    def evolve(self: Any, **changes: Any) -> Any:
        if next(steps, None) is None:
            raise TooManySteps
        changes = {"schema": self.schema, "_resolver": self._resolver, **changes}
        return made(format_checker=self.format_checker, **changes)

    made.evolve = evolve
    return made

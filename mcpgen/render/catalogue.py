"""The types of shapes: asked of datamodel-code-generator once, then known by content.

A shape is the canonical JSON of a list of (required, JSON Schema) pairs, in which nothing comes
from the document (see `models`). Its answer is a list of type trees: `"str"`, `["list", tree]`,
`["dict", tree]`, `["union", tree, ...]`, `["literal", "v0", ...]`, `["model", "R0"]`. The answers
of one toolset are one entry of the cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from . import cache
from .process import Question, identity

Shape: TypeAlias = str
TypeTree: TypeAlias = Any

KIND = "types"
LIBRARY = "datamodel-code-generator"


class Catalogue:
    """The types of all shapes of a server. Asked on creation, known when first looked up."""

    def __init__(self, shapes: Mapping[str, Iterable[Shape]]) -> None:
        """`shapes` of every toolset, by its name."""
        self._known: dict[Shape, list[TypeTree] | None] = {}
        self._entries: dict[str, list[Shape]] = {}
        for given in shapes.values():
            wanted = sorted(set(given))
            if not wanted:
                continue
            entry = cache.key(identity(LIBRARY), *wanted)
            found = cache.recall(KIND, entry)
            if (
                isinstance(found, list)
                and len(found) == len(wanted)
                and all(map(_answers, wanted, found))
            ):
                self._known |= dict(zip(wanted, found, strict=True))
            else:
                self._entries[entry] = wanted
        self._asked = sorted(
            {shape for wanted in self._entries.values() for shape in wanted} - self._known.keys()
        )
        self._question = (
            Question("types", [json.loads(shape) for shape in self._asked]) if self._asked else None
        )

    def fields(self, shape: Shape) -> list[TypeTree] | None:
        """The types of a shape's fields, or None where the library found none."""
        self._wait()
        return self._known.get(shape)

    def _wait(self) -> None:
        """Take in the worker's answer, and store it toolset by toolset."""
        if self._question is None:
            return
        answer = self._question.answer()
        self._question = None
        for shape, fields in zip(self._asked, answer, strict=True):
            self._known[shape] = fields if _answers(shape, fields) else None
        for entry, wanted in self._entries.items():
            cache.remember(KIND, entry, [self._known[shape] for shape in wanted])


def _answers(shape: Shape, fields: Any) -> bool:
    """Whether an answer fits its shape: nothing else becomes a type, wherever it comes from."""
    if fields is None:
        return True
    return (
        isinstance(fields, list)
        and len(fields) == len(json.loads(shape))
        and all(_is_tree(shape, tree) for tree in fields)
    )


def _is_tree(shape: Shape, tree: TypeTree) -> bool:
    match tree:
        case "str" | "int" | "float" | "bool" | "Any" | "None":
            return True
        case ["list" | "dict", inner]:
            return _is_tree(shape, inner)
        case ["union", *inner] if inner:
            return all(_is_tree(shape, item) for item in inner)
        case ["literal", *texts] if texts:
            return all(
                isinstance(text, str) and text[:1] == "v" and f'"{text}"' in shape for text in texts
            )
        case ["model", str(text)]:
            return text[:1] == "R" and f'"#/$defs/{text}"' in shape
    return False

"""Read functions and TypedDicts of the generated modules from their text.

The modules are not imported for it: a type is text for the author of a program.
"""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ANSWER = "Answer["
OMITTED = " | Omit"


@dataclass(frozen=True, slots=True)
class StubSignature:
    """Function as a program sees it: the text of each parameter (`page: int = ...`) by its name,
    and of what it returns.
    """

    parameters: dict[str, str]
    returns: str


class ModuleSource:
    """Text of a package's generated modules, read when first needed."""

    def __init__(self, folder: Path) -> None:
        """`folder` is that of the package."""
        self._folder = folder
        self._modules: dict[str, str] = {}

    def signature(self, module: str, function: str) -> StubSignature | None:
        """Return the signature of a generated function (`tools.books`, `list_books`); None if the
        module has no such function.
        """
        start = re.compile(rf"^async def {re.escape(function)}\(.*?:\n    ", re.M | re.S)
        match = start.search(self._text(module))
        if match is None:
            return None
        [node] = ast.parse(f"{match[0]}pass").body
        assert isinstance(node, ast.AsyncFunctionDef)
        parameters: dict[str, str] = {}
        defaults = node.args.kw_defaults
        for parameter, default in zip(node.args.kwonlyargs, defaults, strict=True):
            text = f"{parameter.arg}: {_type(parameter.annotation)}"
            if default is not None:
                text += " = ..."
            parameters[parameter.arg] = text.replace(OMITTED, "")
        return StubSignature(parameters, _type(node.returns))

    def fields(self, name: str) -> dict[str, str]:
        """Return the fields, with types, of a TypedDict in the module `models`; empty for an
        unknown name.
        """
        span = self.models.get(name)
        if span is None:
            return {}
        [node] = ast.parse(self._text("models")[slice(*span)]).body
        if isinstance(node, ast.ClassDef):
            return {
                str(field.target.id): _type(field.annotation)
                for field in node.body
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            }
        return _fields_of_call(node)

    @cached_property
    def models(self) -> dict[str, tuple[int, int]]:
        """Name of each TypedDict -> its start and end in the text of `models`."""
        text = self._text("models")
        starts = list(re.finditer(r"^(?:class )?(\w+)(?:\(TypedDict| = TypedDict\()", text, re.M))
        edges = [match.start() for match in starts] + [len(text)]
        spans = itertools.pairwise(edges)
        return {match[1]: span for match, span in zip(starts, spans, strict=True)}

    def _text(self, module: str) -> str:
        if module not in self._modules:
            path = self._folder.joinpath(*module.split(".")).with_suffix(".py")
            self._modules[module] = path.read_text("utf-8") if path.is_file() else ""
        return self._modules[module]


def _fields_of_call(node: ast.stmt) -> dict[str, str]:
    """Return field -> type for `Name = TypedDict("Name", {...})`, whose keys are no identifiers."""
    for part in ast.walk(node):
        if isinstance(part, ast.Dict):
            return {
                str(key.value): _type(value)
                for key, value in zip(part.keys, part.values, strict=True)
                if isinstance(key, ast.Constant)
            }
    return {}


def _type(annotation: ast.expr | None) -> str:
    """Return a type without `models.` and `Answer[...]` around it; `Any` without an annotation."""
    if annotation is None:
        return "Any"
    text = ast.unparse(annotation).replace("models.", "")
    if text.startswith(ANSWER):
        text = text.removeprefix(ANSWER).removesuffix("]")
    return text

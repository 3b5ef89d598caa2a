"""The types of a server: the module `models` of its package (a TypedDict for each object that
arguments and answers hold, for type checkers alone), and annotations.

Types as Python are asked of datamodel-code-generator, one question for a server. The library types
each *kind* of field once. In a kind, models are `R0 R1 …` and allowed values `v0 v1 …`, so an API
with thousands of fields has few kinds, and no text of a document reaches the library. Its answer is
read back as syntax, and only the forms in `_Reader` are taken: nothing else can become code.

The 1,285 objects of GitHub's description have 88 kinds of field. Asking takes a tenth of the CPU of
generating, half of that the import of the library (`python -m cProfile -m mcpgen generate`).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from ..ir import Argument, Schema, Server, Tool
from ..problems import McpgenError, Problem
from ..runtime.pointer import referred_to
from .layout import Expression, Group, Union, atoms, declare, dictionary, lay_out, subscript, union
from .literal import Code, is_field, py_ident, py_literal, quoted

SCALARS: Final = frozenset({"str", "int", "float", "bool", "Any"})
STUB: Final[Schema] = {"type": "object", "properties": {"x": {"type": "string"}}}
"""Stands for any model in the question."""

TYPING_NAMES = ("Any", "Literal", "NotRequired", "TypedDict", "Union")


class LibraryFailed(McpgenError):
    """datamodel-code-generator does not work: the installation is broken, not the document."""

    def __init__(self, reason: object) -> None:
        super().__init__(
            Problem(
                code="E1208",
                severity="error",
                message=f"`datamodel-code-generator` does not run: {str(reason)[:300]}",
                hint="install mcpgen again in a fresh environment",
            )
        )


@dataclass(slots=True)
class Kind:
    """A type without its names and values: `text` is JSON, equal for fields of one kind."""

    text: str = ""
    models: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


def kind_of(schema: Schema) -> Kind:
    """The kind of a type."""
    kind = Kind()
    kind.text = _abstract(schema, kind)
    return kind


def _abstract(schema: Schema, kind: Kind) -> str:
    """A type as JSON, its names and values numbered and added to `kind`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in kind.models:
            kind.models.append(name)
        return f'{{"$ref": "#/$defs/R{kind.models.index(name)}"}}'
    if "enum" in schema:
        start = len(kind.values)
        kind.values += schema["enum"]
        values = ", ".join(f'"v{index}"' for index in range(start, len(kind.values)))
        return f'{{"enum": [{values}]}}'
    if "anyOf" in schema:
        members = ", ".join(_abstract(member, kind) for member in schema["anyOf"])
        return f'{{"anyOf": [{members}]}}'
    keywords = []
    if "type" in schema:
        keywords.append(f'"type": "{schema["type"]}"')
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            keywords.append(f'"{keyword}": {_abstract(schema[keyword], kind)}')
    return f'{{{", ".join(keywords)}}}'


def annotate_kinds(kinds: Iterable[Kind]) -> dict[str, ast.expr]:
    """The annotation of every kind, by its text. Raises LibraryFailed."""
    distinct = {kind.text: kind for kind in kinds}
    if not distinct:
        return {}
    stubs = max(len(kind.models) for kind in distinct.values())
    names = [f"f{index}" for index in range(len(distinct))]
    fields = {name: json.loads(text) for name, text in zip(names, distinct, strict=True)}
    question = {f"R{index}": STUB for index in range(stubs)}
    question["Fields"] = {"type": "object", "properties": fields, "required": names}
    declared = _fields(_generated(json.dumps({"$defs": question})))
    answers = {text: declared.get(name) for name, text in zip(names, distinct, strict=True)}
    return {text: answer for text, answer in answers.items() if answer is not None}


@lru_cache(maxsize=16)
def _generated(definitions: str) -> ast.Module:
    """Return the library's code for a JSON Schema of definitions. It is cached, because the
    definitions of servers are often alike.
    """
    try:
        from datamodel_code_generator import generate
        from datamodel_code_generator.enums import DataModelType, InputFileType
        from datamodel_code_generator.format import PythonVersion
        from datamodel_code_generator.parser import LiteralType

        source = generate(
            definitions,
            input_file_type=InputFileType.JsonSchema,
            output_model_type=DataModelType.TypingTypedDict,
            target_python_version=PythonVersion.PY_311,
            enum_field_as_literal=LiteralType.All,
            use_union_operator=True,
            use_standard_collections=True,
            disable_timestamp=True,
            allow_remote_refs=False,
            formatters=[],
        )
        return ast.parse(str(source))
    except Exception as error:  # the library has no base class of its own for what goes wrong
        raise LibraryFailed(error) from error


def _fields(module: ast.Module) -> dict[str, ast.expr]:
    """The annotations in the class `Fields`, by field."""
    fields: dict[str, ast.expr] = {}
    for node in module.body:
        match node:
            case ast.ClassDef(name="Fields", body=body):
                fields |= dict(_annotated(body))
    return fields


def _annotated(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """The annotated names of a class, each with its annotation."""
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield name, annotation


class NotAType(ValueError):
    """An annotation has a form that is not taken."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the annotation of a kind with the names and values of one field.

    `name` gives the expression of a model.
    """

    kind: Kind
    name: Callable[[str], Expression]

    def expression(self, node: ast.expr) -> Expression:
        """An annotation as an expression. Raises NotAType."""
        match node:
            case ast.Constant(value=None):
                return "None"
            case ast.Name(id=name) if name in SCALARS:
                return name
            case ast.Name(id=name):
                return self.name(_numbered(self.kind.models, "R", name))
            case ast.Subscript(value=ast.Name(id="list"), slice=inner):
                return subscript("list", self.expression(inner))
            case ast.Subscript(
                value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), inner])
            ):
                return subscript("dict", "str", self.expression(inner))
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
                return self._literal(inner)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _either(self.expression(left), self.expression(right))
        raise NotAType(ast.dump(node))

    def _literal(self, node: ast.expr) -> Expression:
        constants = node.elts if isinstance(node, ast.Tuple) else [node]
        texts = [item.value for item in constants if isinstance(item, ast.Constant)]
        if len(texts) < len(constants):
            raise NotAType(ast.dump(node))
        values = [_numbered(self.kind.values, "v", text) for text in texts]
        return subscript("Literal", *map(py_literal, values))


def _numbered(items: list[Any], letter: str, text: Any) -> Any:
    """Return the item that `R3` or `v3` refers to. Raises NotAType."""
    number = str(text).removeprefix(letter)
    if not number.isdecimal() or int(number) >= len(items):
        raise NotAType(f"`{text}` stands for nothing")
    return items[int(number)]


def _either(left: Expression, right: Expression) -> Expression:
    """`left | right`. A name in quotes is a text, which `|` does not take when it is evaluated:
    there it is `Union`.
    """
    operands = [*_operands(left), *_operands(right)]
    if any(isinstance(item, str) and item.startswith('"') for item in operands):
        return subscript("Union", *operands)
    return union(operands)


def _operands(expression: Expression) -> Sequence[Expression]:
    match expression:
        case Union(operands=operands):
            return operands
        case Group(opening="Union[", items=items):
            return [item for _, item in items]
        case _:
            return [expression]


@dataclass(frozen=True, slots=True)
class ModelView:
    """A TypedDict as the template prints it: a class with `fields`, or a `literal` (a call of
    `TypedDict`) where a key is no identifier.
    """

    name: str
    fields: tuple[Code, ...]
    literal: Code | None


@dataclass(frozen=True, slots=True)
class ModelsView:
    """The module. `typing` are the names it imports from there."""

    typing: Code
    models: tuple[ModelView, ...]


class Types:
    """The types of a server's arguments and answers, as annotations."""

    def __init__(self, server: Server) -> None:
        roots = [schema for tool in server.tools for schema in _types_of(tool)]
        self._models = referred_to(roots, server.models)
        fields = [field for model in self._models.values() for field in _properties(model).values()]
        self._annotations = annotate_kinds(map(kind_of, [*roots, *fields]))

    def argument(self, argument: Argument) -> Expression | None:
        """The type of an argument, null not included; None where its annotation says everything."""
        return None if argument.type is None else self._expression(argument.type, "models.")

    def answer(self, tool: Tool) -> Expression | None:
        """The type of a tool's answer, None where it holds no model."""
        schema = tool.response.type
        return None if schema is None else self._expression(schema, "models.")

    def view(self) -> ModelsView | None:
        """The module of TypedDicts in the order of their names; None where there are none."""
        used = {"TypedDict"}
        views = tuple(
            self._view(name, self._models[name], used)
            for name in self._models
            if _properties(self._models[name])
        )
        typing = [name for name in TYPING_NAMES if name in used or f"{name}[" in used]
        return ModelsView(Code(", ".join(typing)), views) if views else None

    def _view(self, name: str, model: Schema, used: set[str]) -> ModelView:
        """One TypedDict; the names it needs are added to `used`."""
        is_class = all(map(is_field, _properties(model)))
        fields: dict[str, Expression] = {}
        for key, schema in _properties(model).items():
            # A call evaluates its types at once, so that names of other models stand in quotes
            expression = self._expression(schema, "" if is_class else '"')
            is_required = key in model.get("required", ())
            fields[key] = expression if is_required else subscript("NotRequired", expression)
            used.update(atoms(fields[key]))
        if is_class:
            declared = (declare(key, item, depth=1) for key, item in fields.items())
            return ModelView(name, tuple(declared), None)
        literal = Group("TypedDict(", (("", quoted(name)), ("", dictionary(fields))), ")")
        return ModelView(name, (), lay_out(f"{py_ident(name)} = ", literal, depth=0))

    def _expression(self, schema: Schema, prefix: str) -> Expression:
        """A type as an expression; `Any` where the library has none."""

        def name(model: str) -> Expression:
            if not _properties(self._models.get(model, {})):
                return subscript("dict", "str", "Any")
            return quoted(model) if prefix == '"' else prefix + py_ident(model)

        kind = kind_of(schema)
        annotation = self._annotations.get(kind.text)
        if annotation is None:
            return "Any"
        try:
            return Writer(kind, name).expression(annotation)
        except NotAType:
            return "Any"


def _types_of(tool: Tool) -> Iterator[Schema]:
    """The types in a tool's signature that hold models."""
    for argument in tool.arguments:
        if argument.type is not None and not argument.fixed:
            yield argument.type
    if tool.response.type is not None:
        yield tool.response.type


def _properties(model: Schema) -> dict[str, Schema]:
    properties: dict[str, Schema] = model.get("properties", {})
    return properties

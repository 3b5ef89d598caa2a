"""The types of answers, read from the Python of a generated package as JSON Schemas.

A list of tools says little of answers (`{"type": "object"}`). The functions of the package say all
of it: one returns `Answer[models.Book]`, and `models.py` says what a `Book` is. Both are read as
syntax and never imported. Those of a document are rendered and read in the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import NoneType
from typing import Any

from .. import ir
from ..ir import Schema
from .schemas import reference, type_names

SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
DEFINITIONS = "#/$defs/"


def types_of_server(server: ir.Server) -> dict[str, Schema]:
    """The answers of a server that was just parsed; see `types_of_files`."""
    from ..render.stage import answer_modules  # late: a project is read without it

    return types_of_files(*answer_modules(server))


def types_of_files(models: str | bytes, modules: Iterable[str | bytes]) -> dict[str, Schema]:
    """The schema of each tool's answer, with the `$defs` it refers to.

    `models` is the text of `models.py`, `modules` are those of `tools/*.py`. The schema of an
    answer that may be anything is empty. Tools whose type cannot be read are left out.
    """
    definitions = _read(_models, models)
    answers: dict[str, Schema] = {}
    for module in modules:
        for name, schema in _read(_answers, module).items():
            reachable = _reachable(schema, definitions)
            if reachable is not None:
                answers[name] = _complete(schema, reachable)
    return answers


def _read(read: Any, text: str | bytes) -> dict[str, Schema]:
    """Return the schemas that `read` finds in a module; none if the text is not mcpgen's."""
    try:
        return dict(read(ast.parse(text)))
    except (SyntaxError, ValueError, TypeError, LookupError, RecursionError, MemoryError):
        return {}


def _answers(module: ast.Module) -> Iterator[tuple[str, Schema]]:
    """The type of the answer of every function that has one."""
    for node in module.body:
        match node:
            case ast.AsyncFunctionDef(
                name=name, returns=ast.Subscript(value=ast.Name(id="Answer"), slice=answer)
            ):
                yield name, _schema(answer)


def _models(module: ast.Module) -> Iterator[tuple[str, Schema]]:
    """Every TypedDict: a class, or a call where a key is no identifier."""
    for node in module.body:
        match node:
            case ast.ClassDef(name=name, body=body):
                yield name, _model(_fields(body))
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(args=[_, ast.Dict(keys=keys, values=values)]),
            ):
                names = [key.value for key in keys if isinstance(key, ast.Constant)]
                yield name, _model(dict(zip(names, values, strict=True)))


def _fields(body: list[ast.stmt]) -> dict[Any, ast.expr]:
    fields: dict[Any, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                fields[name] = annotation
    return fields


def _model(fields: dict[Any, ast.expr]) -> Schema:
    properties = {name: _schema(annotation) for name, annotation in fields.items()}
    required = [name for name, annotation in fields.items() if not _may_be_missing(annotation)]
    return {"type": "object", "properties": properties, "required": required}


def _may_be_missing(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Subscript(value=ast.Name(id="NotRequired")):
            return True
    return False


def _schema(node: ast.expr) -> Schema:
    """An annotation as a schema; an empty one where it allows anything."""
    match node:
        case ast.Constant(value=None):
            return {"type": ["null"]}
        case ast.Constant(value=str(name)) | ast.Name(id=name):
            return _named(name)
        case ast.Attribute(value=ast.Name(id="models"), attr=name):
            return _named(name)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=items)):
            return _generic(name, items)
        case ast.Subscript(value=ast.Name(id=name), slice=item):
            return _generic(name, [item])
        case ast.BinOp(op=ast.BitOr()):
            return _union(list(_operands(node)))
    return {}


def _named(name: str) -> Schema:
    if name == "Any":
        return {}
    if name in SCALARS:
        return {"type": [SCALARS[name]]}
    return {"$ref": f"{DEFINITIONS}{name}", "type": ["object"]}


def _generic(name: str, items: list[ast.expr]) -> Schema:
    match name:
        case "list":
            return {"type": ["array"], "items": _schema(items[0])}
        case "dict":
            return {"type": ["object"], "additionalProperties": _schema(items[-1])}
        case "Literal":
            values = [ast.literal_eval(item) for item in items]
            return {"type": sorted({TYPES[type(value)] for value in values}), "enum": values}
        case "Union":
            return _union(items)
        case "NotRequired" | "Required":
            return _schema(items[0])
    return {}


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """The operands of `a | b | c`, which Python reads as `(a | b) | c`."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _operands(left)
            yield right
        case _:
            yield node


def _union(operands: list[ast.expr]) -> Schema:
    """One schema with every type: that of `Book | None` is the book's, which may be null as well.
    Only members that say more than their type are alternatives, where there are several.
    """
    members = [_schema(operand) for operand in operands]
    if {} in members:
        return {}
    types = sorted({name for member in members for name in type_names(member)})
    structured = [member for member in members if member.keys() != {"type"}]
    if not structured:
        return {"type": types}
    if len(structured) == 1:
        return {**structured[0], "type": types}
    return {"type": types, "anyOf": structured}


def _reachable(schema: Schema, definitions: dict[str, Schema]) -> dict[str, Schema] | None:
    """The definitions a schema refers to, directly or through others; None where one is missing."""
    reachable: dict[str, Schema] = {}
    pending = list(_references(schema))
    while pending:
        name = pending.pop()
        if name in reachable:
            continue
        if name not in definitions:
            return None
        reachable[name] = definitions[name]
        pending += _references(definitions[name])
    return reachable


def _references(schema: Schema) -> Iterator[str]:
    """The names of the definitions a schema refers to."""
    if reference(schema):
        yield reference(schema).removeprefix(DEFINITIONS)
    members = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            members.append(schema[keyword])
    for member in members:
        yield from _references(member)


def _complete(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """The schema of a whole answer: what is no object stands under `result`, as on the wire."""
    if not schema:
        return {}
    if "object" not in type_names(schema):
        schema = {"type": ["object"], "properties": {"result": schema}}
    return {**schema, "$defs": definitions}

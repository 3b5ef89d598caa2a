"""The syntax of a generated module with every text of the document masked."""

import ast
from typing import Final

VOCABULARY: Final = frozenset(
    "api wire models OMIT Omit Answer Api Any Literal NotRequired Optional TypedDict Union"
    " TYPE_CHECKING annotations str int float bool list dict".split()
)
"""Names of the generator's own."""


def syntax(source: str) -> str:
    """The syntax of a generated module with every constant and every name from the document masked.

    Equal for two documents that differ in their texts alone. A TypedDict has one syntax, written as
    a class or a call.
    """
    return "\n".join(_masked(node, frozenset()) for node in ast.parse(source).body)


def _masked(node: ast.AST, arguments: frozenset[str]) -> str:
    match node:
        case ast.ClassDef(body=body):
            types = [
                _masked(item.annotation, arguments)
                for item in body
                if isinstance(item, ast.AnnAssign)
            ]
            return f"TypedDict({', '.join(types)})"
        case ast.Assign(
            value=ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict(values=values)])
        ):
            return f"TypedDict({', '.join(_masked(item, arguments) for item in values)})"
        case ast.AsyncFunctionDef():
            arguments = frozenset(argument.arg for argument in node.args.kwonlyargs)
        case ast.Constant(value=value):
            return "text" if isinstance(value, str) else type(value).__name__
        case ast.Name(id=name):
            return name if name in VOCABULARY and name not in arguments else "text"
        case ast.Attribute(value=ast.Name(id="models")):
            return "text"
        case ast.arg(arg=name, annotation=annotation):
            return (
                f"{'api' if name == 'api' else 'text'}:"
                f" {_masked(annotation, arguments) if annotation else '?'}"
            )
    fields = (
        (name, value)
        for name, value in ast.iter_fields(node)
        if name not in ("ctx", "type_comment")
    )
    parts = ", ".join(f"{name}={_part(name, value, arguments)}" for name, value in fields)
    return f"{type(node).__name__}({parts})"


def _part(name: str, value: object, arguments: frozenset[str]) -> str:
    """One field of a node. Names of functions and imports are masked unless they are the
    generator's own.
    """
    if isinstance(value, ast.AST):
        return _masked(value, arguments)
    if isinstance(value, list):
        return "[" + ", ".join(_part(name, item, arguments) for item in value) + "]"
    return "text" if name == "name" and value not in VOCABULARY else repr(value)

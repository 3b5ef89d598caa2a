"""The last check of generated Python, with a grammar for each kind of module.

A module is a docstring and statements of a few types, made of nodes of a few types. It imports
known names, reads no name that it does not bind, and calls what its kind of module calls. Anything
else is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

TYPING: Final = (
    "__future__:annotations"
    "|typing:(TYPE_CHECKING|Any|Literal|NotRequired|Optional|TypedDict|Union)"
    r"|\.\.:models"
)
"""Imports of modules of every kind, as `_imported` writes them."""
FACE: Final = rf"{TYPING}|\.\.:(OMIT|Answer|Api|Omit|wire)"
BUILTINS: Final = frozenset({"NotImplementedError", "bool", "dict", "float", "int", "list", "str"})
ENCODERS: Final = frozenset(
    (
        "cookie csv deep_object file form form_fields form_text from_base64 json_lines "
        "json_part json_parts json_text label matrix multipart_fields pipe_delimited "
        "query_string reserved simple space_delimited tab_delimited text_part with_fields"
    ).split()
)
"""Functions of the runtime's `wire` that put an argument on the wire."""
PLAIN: Final = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.BitOr, ast.Expr, ast.alias),
    *(ast.List, ast.Tuple, ast.UnaryOp, ast.USub),
)
"""Types of nodes that modules of every kind may have, whatever is in them."""
NODES: Final = (
    *(ast.ImportFrom, ast.If, ast.arguments, ast.arg, ast.Constant, ast.Call, ast.keyword),
    ast.Dict,
)
"""Types of nodes in modules of every kind."""
NAMES_OF_MODULES: Final = frozenset({"OMIT", "api", "wire"})
"""Names that no argument may hide. `models` is read in annotations alone, outside the function."""


class GateError(RuntimeError):
    """Generated Python outside its grammar: a bug of mcpgen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A kind of module. `statements` are the types of its statements, `nodes` further node types
    besides `NODES`; `imports`, `calls` and `attributes` are regular expressions of what is allowed.
    `flows`: whether its functions hold more than one statement.
    """

    statements: tuple[type[ast.stmt], ...]
    nodes: tuple[type[ast.AST], ...] = ()
    imports: str = TYPING
    calls: str
    attributes: str = r"models\.[A-Za-z]\w*"
    flows: bool = False

    def allows(self, node: ast.AST) -> bool:
        """Return whether such a module may have a node, whatever is in it."""
        if type(node) in PLAIN:
            return True
        if not isinstance(node, (*NODES, *self.statements, *self.nodes)):
            return False
        match node:
            case ast.ImportFrom():
                return all(re.fullmatch(self.imports, name) for name in _imported(node))
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
                return all(isinstance(inner, self.statements) for inner in body)
            case ast.If() | ast.keyword(arg=None):
                return self.flows
            case ast.AnnAssign(target=ast.Name(), value=None):
                return True
            case ast.AnnAssign(target=ast.Name()):
                return self.flows
            case ast.Call(func=function):
                return re.fullmatch(self.calls, _dotted(function)) is not None
            case ast.AsyncFunctionDef():
                return self.has_body(node)
        return _is_sound(node)

    def has_body(self, node: ast.AsyncFunctionDef) -> bool:
        """Return whether a function is one request, a stub, or with `flows` any statements after a
        docstring.
        """
        match node:
            case ast.AsyncFunctionDef(
                args=ast.arguments(args=[ast.arg(arg="api")], kwarg=None),
                body=[
                    ast.Expr(value=ast.Constant(value=str())),
                    ast.Return(
                        value=ast.Await(value=ast.Call(args=[ast.Constant(), ast.Constant()]))
                    ),
                ],
                decorator_list=[] | [ast.Call(func=ast.Attribute(attr="sends"))],
                returns=ast.expr(),
            ) | ast.AsyncFunctionDef(
                args=ast.arguments(args=[]),
                body=[ast.Expr(value=ast.Constant(value=str())), ast.Raise(cause=None)],
                decorator_list=[],
                returns=ast.expr(),
            ):
                return True
            case ast.AsyncFunctionDef(
                body=[ast.Expr(value=ast.Constant(value=str())), *_],
                decorator_list=[],
                returns=ast.expr(),
            ):
                return self.flows
        return False


GRAMMARS: Final = {
    "tools": Grammar(
        statements=(ast.ImportFrom, ast.If, ast.AsyncFunctionDef),
        nodes=(ast.Return, ast.Await, ast.IfExp, ast.Compare, ast.Is),
        imports=FACE,
        calls=rf"api\.of|api(\.of\(\))?\.request|wire\.(sends|{'|'.join(sorted(ENCODERS))})",
    ),
    "models": Grammar(
        statements=(ast.ImportFrom, ast.ClassDef, ast.Assign),
        nodes=(ast.AnnAssign,),
        calls="TypedDict",
    ),
    "custom": Grammar(
        statements=(ast.ImportFrom, ast.If, ast.AsyncFunctionDef),
        nodes=(ast.Raise,),
        calls="NotImplementedError",
    ),
    "workflows": Grammar(
        statements=(ast.ImportFrom, ast.If, ast.AsyncFunctionDef),
        nodes=(
            *(ast.Assign, ast.AnnAssign, ast.While, ast.Match, ast.match_case, ast.MatchValue),
            *(ast.Return, ast.Break, ast.Continue, ast.Await, ast.Starred, ast.BoolOp),
            *(ast.boolop, ast.unaryop, ast.Compare, ast.cmpop),
        ),
        imports=rf"{TYPING}|\.\.:(OMIT|Context|Omit|Steps|paths|values)( as \w+)?|\.:\w+( as \w+)?",
        calls=r"Steps|[A-Za-z]\w*\.\w+",
        attributes=r"[A-Za-z]\w*\.\w+",
        flows=True,
    ),
    "tests": Grammar(
        statements=(ast.ImportFrom, ast.If, ast.FunctionDef),
        imports=".*",
        calls=r"_arguments(\(\))?",
        attributes=r"\w+\.\w+",
    ),
}
"""Kind of module → its grammar."""


def _is_sound(node: ast.AST) -> bool:
    """Return whether a node is one that modules of every kind may have."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str | int | float | None)
        case ast.Dict(keys=keys):
            return all(isinstance(getattr(key, "value", None), str) for key in keys)
        case ast.ClassDef(bases=[ast.Name(id="TypedDict")], keywords=[], decorator_list=[]):
            return all(isinstance(field, ast.AnnAssign) for field in node.body)
        case ast.arguments(posonlyargs=[], vararg=None, defaults=[]):
            return NAMES_OF_MODULES.isdisjoint(item.arg for item in node.kwonlyargs)
        case ast.ClassDef() | ast.arguments() | ast.arg(annotation=None):
            return False
    return True


def check(kind: str, source: str, path: str) -> None:
    """Raise GateError unless `source` is a module of a kind."""
    grammar, tree = GRAMMARS[kind], parsed(source, path)
    match tree.body:
        case [ast.Expr(value=ast.Constant(value=str())), *statements]:
            pass
        case _:
            raise GateError(f"{path} does not start with a docstring")
    nodes = [node for node in ast.walk(tree) if not isinstance(node, ast.mod | ast.expr_context)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    bound = BUILTINS.union(_bound(nodes))
    for statement in statements:
        if not all([isinstance(statement, grammar.statements), _is_declaration(statement)]):
            raise _refused(statement, path)
    wrong = [node for node in nodes if not grammar.allows(node)]
    wrong += [node for node in nodes if isinstance(node, ast.Name) and node.id not in bound]
    wrong += [node for node in nodes if not bound.issuperset(_quoted_by(node))]
    read = [node for node in nodes if isinstance(node, ast.Attribute) and id(node) not in called]
    wrong += [node for node in read if not re.fullmatch(grammar.attributes, _dotted(node))]
    if wrong:
        raise _refused(wrong[0], path)


def parsed(source: str, path: str) -> ast.Module:
    """Return the syntax tree. Raises GateError for what is not ASCII or does not parse."""
    if not source.isascii():
        raise GateError(f"{path} is not ASCII")
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise GateError(f"{path} does not parse: {error}") from error


def _refused(node: ast.AST, path: str) -> GateError:
    line = getattr(node, "lineno", 0)
    return GateError(f"{path}:{line}: `{type(node).__name__}` has no place here")


def _imported(node: ast.ImportFrom) -> Iterator[str]:
    """Yield the names of an import with their module: `..:wire`, `..:values as values_`."""
    for alias in node.names:
        renamed = f" as {alias.asname}" if alias.asname else ""
        yield f"{'.' * node.level}{node.module or ''}:{alias.name}{renamed}"


def _dotted(node: ast.AST) -> str:
    """Return a function as it is called: `api.request`, `api.of().request`; else an empty text."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr) if not attr.startswith("_"):
            return f"{_dotted(value)}.{attr}"
        case ast.Call(func=function):
            return f"{_dotted(function)}()"
    return ""


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that nodes bind."""
    for node in nodes:
        match node:
            case ast.alias(name=name, asname=asname):
                yield asname or name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def _quoted_by(node: ast.AST) -> Iterator[str]:
    """Yield the texts in the type of a node: quoted names of types."""
    match node:
        case ast.arg(annotation=ast.expr() as kind) | ast.AnnAssign(annotation=kind):
            yield from _quoted(kind)
        case ast.AsyncFunctionDef(returns=ast.expr() as kind):
            yield from _quoted(kind)
        case ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict(values=kinds)]):
            for kind in kinds:
                yield from _quoted(kind)


def _quoted(kind: ast.AST) -> Iterator[str]:
    """Yield the texts in a type, but for those of `Literal`."""
    parts = [kind]  # no recursion: a union of a thousand types is a thousand levels deep
    while parts:
        match parts.pop():
            case ast.Constant(value=str(text)):
                yield text
            case ast.Subscript(value=ast.Name(id="Literal")):
                continue
            case part:
                parts += ast.iter_child_nodes(part)


def _is_declaration(node: ast.stmt) -> bool:
    """Return whether a statement, if it assigns, is `Name = TypedDict("Name", {…})`."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(args=[ast.Constant(value=text), ast.Dict()], keywords=[]),
        ):
            return name == text
    return not isinstance(node, ast.Assign)

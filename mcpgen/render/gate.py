"""The last look at generated Python, on the very bytes that are written: is it only what it may be?

A module of tools is a docstring, known imports, and functions that make one request of literals and
their arguments. A module of models is TypedDicts. Whatever else a fault in a template or a name
could make of it is refused here.
"""

from __future__ import annotations

import ast
from typing import Final

IMPORTS: Final = {
    ("__future__", 0): {"annotations"},
    ("typing", 0): {"TYPE_CHECKING", "Any", "Literal", "NotRequired", "TypedDict", "Union"},
    (None, 2): {"OMIT", "Answer", "Api", "Omit"},
    ("runtime.client", 2): {"wire"},
}
"""(module, level) → what may be imported from it. `from ..models import <toolset> as models`
besides.
"""
EXPRESSIONS: Final = (
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.Attribute,
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.BinOp,
    ast.BitOr,
    ast.UnaryOp,
    ast.USub,
    ast.Call,
    ast.keyword,
    ast.IfExp,
    ast.Compare,
    ast.Is,
)
"""What an expression in a generated module may be made of."""
CALLED: Final = {"api", "wire"}
"""Objects whose attributes are called."""


class GateError(RuntimeError):
    """Generated Python is not what it may be: a bug of mcpgen, whatever the document says."""


def check_tools(source: str, path: str) -> None:
    """Raise GateError unless `source` is a module of tools and nothing else."""
    tree = parsed(source, path)
    for node in _body(tree, path):
        if isinstance(node, ast.AsyncFunctionDef):
            _check_function(node, path)
        elif not (_is_models_import(node) or _is_import(node)):
            raise _refused(node, path)


def check_stub(source: str, path: str) -> None:
    """Raise GateError unless `source` is a function that is not implemented yet and nothing
    else.
    """
    tree = parsed(source, path)
    for node in _body(tree, path):
        if isinstance(node, ast.AsyncFunctionDef):
            _check_stub(node, path)
        elif not (_is_models_import(node) or _is_import(node)):
            raise _refused(node, path)


def check_calls(source: str, path: str) -> None:
    """Raise GateError unless `source` is calls for type checkers and nothing else: all of it under
    `TYPE_CHECKING`.
    """
    tree = parsed(source, path)
    for node in _body(tree, path):
        if (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "TYPE_CHECKING"
        ):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    _check_calls(inner, path)
                elif not isinstance(inner, ast.ImportFrom):
                    raise _refused(inner, path)
        elif not _is_import(node):
            raise _refused(node, path)


def _check_calls(node: ast.FunctionDef, path: str) -> None:
    """`def name(argument: type) -> None`: nothing but calls with the arguments."""
    for argument in node.args.args:
        if argument.annotation is None:
            raise _refused(argument, path)
        _check_expression(argument.annotation, path, set())
    for statement in node.body:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Call(func=ast.Name(id="_arguments"), args=[ast.Attribute()]),
                    args=[],
                    keywords=keywords,
                )
            ) if all(isinstance(keyword.value, ast.Name) for keyword in keywords):
                continue
        raise _refused(statement, path)


def check_models(source: str, path: str) -> None:
    """Raise GateError unless `source` is a module of TypedDicts and nothing else."""
    tree = parsed(source, path)
    for node in _body(tree, path):
        if isinstance(node, ast.ClassDef) and not node.decorator_list and not node.keywords:
            if [ast.dump(base) for base in node.bases] != ["Name(id='TypedDict', ctx=Load())"]:
                raise _refused(node, path)
            for field in node.body:
                if not isinstance(field, ast.AnnAssign) or field.value is not None:
                    raise _refused(field, path)
                _check_expression(field.annotation, path, set())
        elif (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ):
            call = node.value
            if not (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id == "TypedDict"
            ):
                raise _refused(node, path)
            for argument in call.args:
                _check_expression(argument, path, set())
        elif not _is_import(node):
            raise _refused(node, path)


def parsed(source: str, path: str) -> ast.Module:
    """The syntax tree. Raises GateError for what is not ASCII or does not parse."""
    if not source.isascii():
        raise GateError(f"{path} is not ASCII")
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise GateError(f"{path} does not parse: {error}") from error


def _body(tree: ast.Module, path: str) -> list[ast.stmt]:
    """The statements after the docstring."""
    if not tree.body or not _is_docstring(tree.body[0]):
        raise GateError(f"{path} does not start with a docstring")
    return tree.body[1:]


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_import(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ImportFrom):
        return False
    allowed = IMPORTS.get((node.module, node.level), set())
    return all(alias.name in allowed and alias.asname is None for alias in node.names)


def _is_models_import(node: ast.stmt) -> bool:
    """`if TYPE_CHECKING:` with the one import of this toolset's models."""
    match node:
        case ast.If(
            test=ast.Name(id="TYPE_CHECKING"),
            body=[ast.ImportFrom(module="models", level=2, names=[ast.alias(asname="models")])],
            orelse=[],
        ):
            return True
    return False


def _check_function(node: ast.AsyncFunctionDef, path: str) -> None:
    """`async def name(api, *, ...)`: a docstring and `return await api.request(...)`."""
    match node.body:
        case [
            ast.Expr(value=ast.Constant(value=str())),
            ast.Return(value=ast.Await(value=ast.Call() as request)),
        ]:
            pass
        case _:
            raise _refused(node, path)
    if (
        ast.dump(request.func)
        != "Attribute(value=Name(id='api', ctx=Load()), attr='request', ctx=Load())"
    ):
        raise _refused(request, path)
    signature = node.args
    if (
        [argument.arg for argument in signature.args] != ["api"]
        or signature.vararg
        or signature.kwarg
    ):
        raise _refused(node, path)
    arguments = {argument.arg for argument in signature.kwonlyargs}
    if len(arguments) < len(signature.kwonlyargs) or arguments & CALLED:
        raise _refused(node, path)
    for argument in (*signature.args, *signature.kwonlyargs):
        if argument.annotation is None:
            raise _refused(argument, path)
        _check_expression(argument.annotation, path, set())
    for default in signature.kw_defaults:
        if default is not None:
            _check_expression(default, path, {"OMIT"})
    if node.returns is None:
        raise _refused(node, path)
    _check_expression(node.returns, path, set())
    for decorator in node.decorator_list:
        _check_expression(decorator, path, {"wire"})
    _check_expression(request, path, {"api", "wire", "OMIT"} | arguments)


def _check_stub(node: ast.AsyncFunctionDef, path: str) -> None:
    """`async def name(*, ...)`: a docstring and `raise NotImplementedError("...")`."""
    match node.body:
        case [
            ast.Expr(value=ast.Constant(value=str())),
            ast.Raise(
                exc=ast.Call(
                    func=ast.Name(id="NotImplementedError"),
                    args=[ast.Constant(value=str())],
                    keywords=[],
                ),
                cause=None,
            ),
        ]:
            pass
        case _:
            raise _refused(node, path)
    signature = node.args
    if (
        signature.args
        or signature.posonlyargs
        or signature.vararg
        or node.decorator_list
        or node.returns is None
    ):
        raise _refused(node, path)
    more = [signature.kwarg] if signature.kwarg else []
    for argument in (*signature.kwonlyargs, *more):
        if argument.annotation is None:
            raise _refused(argument, path)
        _check_expression(argument.annotation, path, set())
    for default in signature.kw_defaults:
        if default is not None:
            _check_expression(default, path, {"None"})
    _check_expression(node.returns, path, set())


def _check_expression(node: ast.expr, path: str, names: set[str]) -> None:
    """Only allowed nodes; where `names` are given, no other name; calls only of `api`'s and
    `wire`'s functions.
    """
    for inner in ast.walk(node):
        if not isinstance(inner, EXPRESSIONS):
            raise _refused(inner, path)
        if isinstance(inner, ast.Name) and names and inner.id not in names:
            raise _refused(inner, path)
        if isinstance(inner, ast.Attribute) and (
            inner.attr.startswith("_") or not isinstance(inner.value, ast.Name)
        ):
            raise _refused(inner, path)
        if isinstance(inner, ast.Call) and not (
            isinstance(inner.func, ast.Attribute)
            and isinstance(inner.func.value, ast.Name)
            and inner.func.value.id in CALLED
        ):
            raise _refused(inner, path)


def _refused(node: ast.AST, path: str) -> GateError:
    return GateError(
        f"{path}:{getattr(node, 'lineno', 0)}: `{type(node).__name__}` has no place here"
    )


def shape(source: str) -> str:
    """The syntax of a generated module with every constant and every name from the document masked.

    Equal for two documents that differ in their texts alone. A TypedDict has one shape, written as
    a class or a call.
    """
    return "\n".join(_shape(node, frozenset()) for node in ast.parse(source).body)


def _shape(node: ast.AST, arguments: frozenset[str]) -> str:
    match node:
        case ast.ClassDef(body=body):
            types = [
                _shape(item.annotation, arguments)
                for item in body
                if isinstance(item, ast.AnnAssign)
            ]
            return f"TypedDict({', '.join(types)})"
        case ast.Assign(
            value=ast.Call(func=ast.Name(id="TypedDict"), args=[_, ast.Dict(values=values)])
        ):
            return f"TypedDict({', '.join(_shape(item, arguments) for item in values)})"
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
                f" {_shape(annotation, arguments) if annotation else '?'}"
            )
    fields = (
        (name, value)
        for name, value in ast.iter_fields(node)
        if name not in ("ctx", "type_comment")
    )
    return f"{type(node).__name__}({', '.join(f'{name}={_part(name, value, arguments)}' for name, value in fields)})"


def _part(name: str, value: object, arguments: frozenset[str]) -> str:
    """One field of a node. Names of functions and imports are masked unless they are the
    generator's own.
    """
    if isinstance(value, ast.AST):
        return _shape(value, arguments)
    if isinstance(value, list):
        return "[" + ", ".join(_part(name, item, arguments) for item in value) + "]"
    return "text" if name == "name" and value not in VOCABULARY else repr(value)


VOCABULARY: Final = frozenset(
    "api wire models OMIT Omit Answer Api Any Literal NotRequired TypedDict Union TYPE_CHECKING"
    " annotations str int float bool list dict".split()
)
"""Names of the generator's own."""

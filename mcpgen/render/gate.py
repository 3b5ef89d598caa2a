"""The last look at generated Python as it is written: a grammar for each kind of module.

A module of tools is a docstring, known imports, and functions that make one request of data and
their arguments. The module of models is TypedDicts. Whatever else a fault in a template or a name
could make of it is refused here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

IMPORTS: Final = {
    ("__future__", 0): {"annotations"},
    ("typing", 0): {"TYPE_CHECKING", "Any", "Literal", "NotRequired", "TypedDict", "Union"},
    (None, 2): {"OMIT", "Answer", "Api", "Omit", "wire"},
}
"""(module, level) → what may be imported from it. `from .. import models` besides, for type
checkers alone.
"""
TYPES: Final = frozenset({"Answer", "Any", "Api", "Context", "Omit", "bool", "float", "int", "str"})
GENERICS: Final = frozenset({"Answer", "NotRequired", "Union", "dict", "list"})
ENCODERS: Final = frozenset(
    {
        "cookie",
        "csv",
        "deep_object",
        "file",
        "form",
        "form_fields",
        "form_text",
        "from_base64",
        "json_lines",
        "json_part",
        "json_parts",
        "json_text",
        "label",
        "matrix",
        "multipart_fields",
        "pipe_delimited",
        "query_string",
        "reserved",
        "simple",
        "space_delimited",
        "tab_delimited",
        "text_part",
    }
)
"""Functions of the runtime's `wire` that put an argument on the wire."""
WORKFLOW_FACE: Final = frozenset({"OMIT", "Context", "Omit", "Steps", "paths", "values"})
"""The imports of workflows from the face of their package."""
WORKFLOW_NODES: Final = (
    *(ast.Expr, ast.Assign, ast.AnnAssign, ast.If, ast.While, ast.Match, ast.match_case),
    *(ast.MatchValue, ast.Return, ast.Break, ast.Continue, ast.Await, ast.Call, ast.keyword),
    *(ast.Name, ast.Attribute, ast.Constant, ast.Dict, ast.List, ast.Starred),
    *(ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop, ast.Compare, ast.cmpop, ast.expr_context),
)
"""Everything that a workflow is written with."""
NAMES_OF_MODULES: Final = frozenset({"OMIT", "api", "wire"})
"""Names that no argument may hide. `models` is read in annotations alone, outside the function."""


class GateError(RuntimeError):
    """Generated Python is not what it may be: a bug of mcpgen, whatever the document says."""


def check_tools(source: str, path: str) -> None:
    """Raise GateError unless `source` is a module of tools."""
    gate = _Gate(path)
    for node in gate.statements(source):
        if isinstance(node, ast.AsyncFunctionDef):
            gate.tool(node)
        else:
            gate.imports(node)


def check_workflows(source: str, path: str) -> None:
    """Raise GateError unless `source` is a module of workflows: functions of statements and
    expressions of `WORKFLOW_NODES`, which call nothing but methods of `Steps`, helpers and
    functions of other tools.
    """
    gate = _Gate(path)
    for node in gate.statements(source):
        if isinstance(node, ast.AsyncFunctionDef):
            gate.signature(node)
            gate.workflow(node)
        else:
            gate.workflow_import(node)


def check_stub(source: str, path: str) -> None:
    """Raise GateError unless `source` is a function that is not implemented yet."""
    gate = _Gate(path)
    for node in gate.statements(source):
        if isinstance(node, ast.AsyncFunctionDef):
            gate.stub(node)
        else:
            gate.imports(node)


def check_models(source: str, path: str) -> None:
    """Raise GateError unless `source` is a module of TypedDicts."""
    gate = _Gate(path)
    statements = gate.statements(source)
    gate.types = TYPES | {name for node in statements for name in _declared(node)}
    for node in statements:
        if isinstance(node, ast.ClassDef):
            gate.model_class(node)
        elif isinstance(node, ast.Assign):
            gate.model_call(node)
        else:
            gate.imports(node)


def check_calls(source: str, path: str) -> None:
    """Raise GateError unless `source` is calls for type checkers, all of it under
    `TYPE_CHECKING`.
    """
    gate = _Gate(path)
    for node in gate.statements(source):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=[]):
                for inner in node.body:
                    gate.calls(inner)
            case _:
                gate.imports(node)


def parsed(source: str, path: str) -> ast.Module:
    """The syntax tree. Raises GateError for what is not ASCII or does not parse."""
    if not source.isascii():
        raise GateError(f"{path} is not ASCII")
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise GateError(f"{path} does not parse: {error}") from error


def _declared(node: ast.stmt) -> Iterator[str]:
    """The name of the TypedDict that a statement declares."""
    match node:
        case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            yield name


class _Gate:
    """The grammar, for one module. `types` are the names an annotation may be made of."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.types: frozenset[str] = TYPES

    def statements(self, source: str) -> list[ast.stmt]:
        """The statements of a module after its docstring."""
        match parsed(source, self.path).body:
            case [ast.Expr(value=ast.Constant(value=str())), *rest]:
                return rest
        raise GateError(f"{self.path} does not start with a docstring")

    def refuse(self, node: ast.AST) -> GateError:
        """The error for a node that the grammar does not have."""
        line = getattr(node, "lineno", 0)
        return GateError(f"{self.path}:{line}: `{type(node).__name__}` has no place here")

    # -- statements
    # ---------------------------------------------------------------------------------------------

    def imports(self, node: ast.stmt) -> None:
        """A known import, or the one of the models for type checkers."""
        match node:
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING"),
                body=[ast.ImportFrom(module=None, level=2, names=[ast.alias("models", None)])],
                orelse=[],
            ):
                return
            case ast.ImportFrom(module=module, level=level, names=names):
                allowed = IMPORTS.get((module, level), set())
                if all(alias.name in allowed and alias.asname is None for alias in names):
                    return
        raise self.refuse(node)

    def tool(self, node: ast.AsyncFunctionDef) -> None:
        """`async def name(api: Api, *, …) -> …:` with a docstring and one request."""
        match node.body:
            case [
                ast.Expr(value=ast.Constant(value=str())),
                ast.Return(value=ast.Await(value=ast.Call() as request)),
            ]:
                pass
            case _:
                raise self.refuse(node)
        if [argument.arg for argument in node.args.args] != ["api"] or node.args.kwarg:
            raise self.refuse(node)
        arguments = self.signature(node)
        for decorator in node.decorator_list:
            self.decorator(decorator)
        if len(node.decorator_list) > 1:
            raise self.refuse(node.decorator_list[1])
        match request:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id="api")
                    | ast.Call(
                        func=ast.Attribute(value=ast.Name(id="api"), attr="of"),
                        args=[ast.Constant(value=str())],
                        keywords=[],
                    ),
                    attr="request",
                ),
                args=[ast.Constant(value=str()), ast.Constant(value=str())],
            ):
                for keyword in request.keywords:
                    self.keyword(keyword)
                    self.value(keyword.value, arguments)
            case _:
                raise self.refuse(request)

    def workflow_import(self, node: ast.stmt) -> None:
        """An import of the face, of other tools, or of what tools import."""
        match node:
            case ast.ImportFrom(module=None, level=1):
                return
            case ast.ImportFrom(module=None, level=2, names=names):
                if {alias.name for alias in names} <= WORKFLOW_FACE:
                    return
        self.imports(node)

    def workflow(self, node: ast.AsyncFunctionDef) -> None:
        """The statements of a workflow."""
        for statement in node.body:
            for inner in ast.walk(statement):
                if not isinstance(inner, WORKFLOW_NODES):
                    raise self.refuse(inner)
                match inner:
                    case ast.Name(id=name) | ast.Attribute(attr=name) if name.startswith("_"):
                        raise self.refuse(inner)
                    case ast.Call(func=function) if not _calls_a_member(function):
                        raise self.refuse(inner)

    def stub(self, node: ast.AsyncFunctionDef) -> None:
        """`async def name(*, …) -> …:` with a docstring and `raise NotImplementedError("…")`."""
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
                raise self.refuse(node)
        if node.args.args or node.decorator_list:
            raise self.refuse(node)
        self.signature(node)

    def signature(self, node: ast.AsyncFunctionDef) -> set[str]:
        """The names of the keyword arguments; every annotation and default is looked at."""
        signature = node.args
        if any((signature.posonlyargs, signature.vararg, signature.defaults)):
            raise self.refuse(node)
        named = [*signature.args, *signature.kwonlyargs]
        if signature.kwarg:
            named.append(signature.kwarg)
        for argument in named:
            self.annotation(argument.annotation, argument)
        for default in signature.kw_defaults:
            if default is not None and not _is_name(default, "OMIT"):
                self.data(default)
        self.annotation(node.returns, node)
        names = {argument.arg for argument in signature.kwonlyargs}
        if len(names) < len(signature.kwonlyargs) or names & NAMES_OF_MODULES:
            raise self.refuse(node)
        return names

    def decorator(self, node: ast.expr) -> None:
        """`@wire.sends(nullable=…, names=…, merge_patch=…)`."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="wire"), attr="sends"), args=[]) if {
                keyword.arg for keyword in node.keywords
            } <= {"nullable", "names", "merge_patch"}:
                for keyword in node.keywords:
                    self.data(keyword.value)
            case _:
                raise self.refuse(node)

    def model_class(self, node: ast.ClassDef) -> None:
        """`class Name(TypedDict):` with annotated fields."""
        match node:
            case ast.ClassDef(bases=[ast.Name(id="TypedDict")], keywords=[], decorator_list=[]):
                pass
            case _:
                raise self.refuse(node)
        for field in node.body:
            match field:
                case ast.AnnAssign(target=ast.Name(), value=None):
                    self.annotation(field.annotation, field)
                case _:
                    raise self.refuse(field)

    def model_call(self, node: ast.Assign) -> None:
        """`Name = TypedDict("Name", {"key": type})`."""
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="TypedDict"),
                    args=[ast.Constant(value=text), ast.Dict(keys=keys, values=values)],
                    keywords=[],
                ),
            ) if (
                name == text
            ):
                for key in keys:
                    self.key(key, node)
                for value in values:
                    self.annotation(value, node)
            case _:
                raise self.refuse(node)

    def calls(self, node: ast.stmt) -> None:
        """An import, or `def name(argument: type) -> None:` with calls of its arguments."""
        if isinstance(node, ast.ImportFrom):
            return
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            raise self.refuse(node)
        for argument in node.args.args:
            self.annotation(argument.annotation, argument)
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
            raise self.refuse(statement)

    # -- expressions
    # ---------------------------------------------------------------------------------------------

    def annotation(self, node: ast.expr | None, owner: ast.AST) -> None:
        """A type. `owner` is what has it."""
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self.annotation(node.right, owner)
            node = node.left
        match node:
            case None:
                raise self.refuse(owner)
            case ast.Constant(value=None):
                return
            case ast.Constant(value=str(name)) | ast.Name(id=name) if name in self.types:
                return
            case ast.Attribute(value=ast.Name(id="models"), attr=name) if name[0] != "_":
                return
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
                for item in _items(inner):
                    self.data(item)
            case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in GENERICS:
                for item in _items(inner):
                    self.annotation(item, owner)
            case _:
                raise self.refuse(node)

    def data(self, node: ast.expr) -> None:
        """A literal of JSON data, or of tuples of it."""
        match node:
            case ast.Constant(value=str() | int() | float() | None):
                return
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
                return
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for item in items:
                    self.data(item)
            case ast.Dict(keys=keys, values=values):
                for key in keys:
                    self.key(key, node)
                for value in values:
                    self.data(value)
            case _:
                raise self.refuse(node)

    def value(self, node: ast.expr, arguments: set[str]) -> None:
        """Check the value of a request: data, arguments, and arguments that `wire` encodes."""
        match node:
            case ast.Name(id=name) if name in arguments:
                return
            case ast.IfExp(
                test=ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Name(id="OMIT")]
                ),
                orelse=ast.Name(id=same),
            ) if (
                name == same and name in arguments
            ):
                self.data(node.body)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="wire"), attr=encoder), args=[argument]
            ) if (encoder in ENCODERS):
                self.value(argument, arguments)
                for keyword in node.keywords:
                    self.keyword(keyword)
                    self.data(keyword.value)
            case ast.Dict(keys=keys, values=values):
                for key in keys:
                    self.key(key, node)
                for value in values:
                    self.value(value, arguments)
            case _:
                self.data(node)

    def key(self, node: ast.expr | None, owner: ast.AST) -> None:
        """A key of a dictionary: a text, never `**`."""
        match node:
            case ast.Constant(value=str()):
                return
        raise self.refuse(node or owner)

    def keyword(self, node: ast.keyword) -> None:
        """A named argument, never `**`."""
        if node.arg is None:
            raise self.refuse(node)


def _calls_a_member(function: ast.expr) -> bool:
    """Return whether what is called is `module.function`, or `Steps`."""
    match function:
        case ast.Name(id="Steps") | ast.Attribute(value=ast.Name()):
            return True
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _items(node: ast.expr) -> list[ast.expr]:
    """The items between the brackets of a subscript."""
    return node.elts if isinstance(node, ast.Tuple) else [node]

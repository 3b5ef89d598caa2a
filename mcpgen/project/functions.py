"""The user's code as syntax trees: problems that point into it, and the functions with `@tool` in a
project's `custom/`, read and never run.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..paths import homes
from ..problems import Place, Problem
from ..runtime.client.wire import FUNCTIONS
from ..runtime.package import decorated

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names of tools that every client takes."""
_CONTENT = {"Answer", "Audio", "Image", "Resource", "ResourceLink", "Structured", "Text"}
_MAPPINGS = {"dict", "mapping", "defaultdict"}
INJECTED = ("api", "context")
"""Parameters that the server fills in."""
_LISTS = {"list", "tuple", "sequence", "iterable"}


def parsed(path: Path) -> ast.Module | Problem | None:
    """Return the syntax tree of a file; None without a file, a Problem (E1312) if it is no Python
    or cannot be read.
    """
    try:
        return ast.parse(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        line, column = (getattr(error, name, None) or 0 for name in ("lineno", "offset"))
        place = Place(file=str(path), line=line, column=column)
        message = f"not readable as Python: {reason}"
        return Problem(code="E1312", severity="error", message=message, place=place)


def problem_at(
    code: str, message: str, folder: Path, path: Path, node: ast.stmt | ast.expr, hint: str = ""
) -> Problem:
    """Return an error at a node of the file `path`, named relative to `folder`, with its line."""
    lines = path.read_text("utf-8-sig", errors="replace").splitlines()
    line = node.lineno
    excerpt = ((line, lines[line - 1]),) if 0 < line <= len(lines) else ()
    name = relative(folder, path)
    place = Place(file=name, line=line, column=node.col_offset + 1, excerpt=excerpt)
    return Problem(code=code, severity="error", message=message, hint=hint, place=place)


def relative(folder: Path, path: Path) -> str:
    """Return a path relative to the project's folder, with `/`."""
    return path.relative_to(folder).as_posix()


def near(name: str, names: Collection[str], *, cutoff: float = 0.6) -> str:
    """Return ``did you mean `name`?`` with the most similar name; empty for none."""
    close = difflib.get_close_matches(name, sorted(names), n=1, cutoff=cutoff)
    if not close:
        return ""
    return f"did you mean `{close[0]}`?"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFunction:
    """A function with `@tool`. `name` is that of its tool."""

    name: str
    path: Path
    node: FunctionNode
    module: ast.Module


def functions(package: Path) -> list[UserFunction]:
    """Return the functions with `@tool` at the top of modules in a package's `custom/`. Files that
    are not Python have none.
    """
    found: list[UserFunction] = []
    for path in decorated(package):
        tree = parsed(path)
        if isinstance(tree, ast.Module):
            found += functions_in(path, tree)
    return found


def functions_in(path: Path, tree: ast.Module) -> Iterator[UserFunction]:
    """Yield the functions with `@tool` at the top of the module `tree`."""
    for node in tree.body:
        if isinstance(node, FunctionNode) and makes_a_tool(node):
            yield UserFunction(name=_tool_name(node), path=path, node=node, module=tree)


def functions_of(folder: Path) -> list[UserFunction]:
    """Return the functions with `@tool` in all packages of a project."""
    return [function for home in homes(folder) for function in functions(home)]


def parts_used(packages: Iterable[Path]) -> frozenset[str]:
    """Return the parts of the runtime that the user's code in packages needs, by the names it uses
    (`wire.file`) and the arguments `multipart`, `content`, `cookies` and `within` of its calls.
    """
    used: set[str] = set()
    for home in packages:
        for path in (home / "auth.py", home / "hooks.py", *home.glob("custom/**/*.py")):
            tree = parsed(path)
            for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
                match node:
                    case ast.Attribute(attr=name) | ast.alias(name=name) if name in FUNCTIONS:
                        used.add(FUNCTIONS[name])
                    case ast.keyword(arg="multipart" | "content"):
                        used.add("files")
                    case ast.keyword(arg="cookies" | "within") | ast.Constant(value="cookies"):
                        used.add("styles")
    return frozenset(used)


def makes_a_tool(node: FunctionNode) -> bool:
    """Return whether a function has `@tool`, with or without options."""
    return any(_is_tool(decorator) for decorator in node.decorator_list)


def function_problems(
    folder: Path, tools: Collection[str], found: list[UserFunction]
) -> Iterator[Problem]:
    """Yield the problems of functions whose tools the server would refuse: names taken by one of
    `tools` or by another function, and signatures that callers could not use.
    """
    first: dict[str, UserFunction] = {}
    for function in found:
        if function.name in tools:
            hint = "without `@tool`, in a file of its name, a function replaces a generated tool"
            yield _taken(folder, function, "there is a tool of that name already", hint)
        elif function.name in first:
            other = first[function.name]
            place = f"{relative(folder, other.path)}:{other.node.lineno}"
            yield _taken(folder, function, f"it is the name of the function at {place}")
        first.setdefault(function.name, function)
        for message in _refusals(function):
            yield problem_at("E1396", message, folder, function.path, function.node)


def _taken(folder: Path, function: UserFunction, reason: str, hint: str = "") -> Problem:
    message = f"a function makes the tool `{function.name}`, and {reason}"
    hint = hint or 'give it another name: `@tool(name="...")`'
    return problem_at("E1395", message, folder, function.path, function.node, hint)


def _refusals(function: UserFunction) -> Iterator[str]:
    if not _NAME.fullmatch(function.name):
        yield f"no tool can be called `{function.name}`: letters, digits, `_` and `-`, at most 64"
    given = function.node.args
    unnamed = [argument.arg for argument in given.posonlyargs]
    if given.vararg is not None:
        unnamed.append(given.vararg.arg)
    for name in unnamed:
        yield f"tool `{function.name}`: callers name every argument, and `{name}` has no name"
    yield from _without_schema(function)
    if _yields(function.node):
        yield f"tool `{function.name}` yields, and a tool has one result: return a list"
    if function.node.returns is not None and _misplaces_content(function.node.returns):
        yield (
            f"tool `{function.name}`: content is returned alone or in a list, for example"
            " `-> list[Image | Text]`"
        )


def _without_schema(function: UserFunction) -> Iterator[str]:
    """Yield a sentence for each class in a signature without a schema: a plain class of the module,
    and `typing.TypedDict`, which has none before Python 3.12.
    """
    given = function.node.args
    annotations = [argument.annotation for argument in (*given.args, *given.kwonlyargs)]
    typed = filter(None, [*annotations, function.node.returns])
    used = {node.id for each in typed for node in ast.walk(each) if isinstance(node, ast.Name)}
    imported = {
        alias.asname or alias.name
        for node in function.module.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) == ("typing", "TypedDict")
    }
    classes = [node for node in function.module.body if isinstance(node, ast.ClassDef)]
    for node in classes:
        if node.name not in used:
            continue
        what = f"tool `{function.name}`: the class `{node.name}` has no schema"
        bases = {ast.unparse(base) for base in node.bases}
        names = {each.name for each in node.body if isinstance(each, FunctionNode)}
        if bases & {*imported, "typing.TypedDict"}:
            yield f"{what} before Python 3.12: import `TypedDict` from `typing_extensions`"
        elif not any((bases, node.decorator_list, "__get_pydantic_core_schema__" in names)):
            yield f"{what}: make it a `@dataclass` or a pydantic `BaseModel`"


def _misplaces_content(returns: ast.expr, *, inside: bool = False) -> bool:
    """Return whether a return type has a content helper in a dictionary, or in a list within a
    list.
    """
    if isinstance(returns, ast.BinOp):
        return any(
            _misplaces_content(each, inside=inside) for each in (returns.left, returns.right)
        )
    if not isinstance(returns, ast.Subscript):
        return False
    names = {node.id for node in ast.walk(returns.slice) if isinstance(node, ast.Name)}
    container = ast.unparse(returns.value).rpartition(".")[2].lower()
    is_list = container in _LISTS
    if names.isdisjoint(_CONTENT):
        return False
    if container in _MAPPINGS or (inside and is_list):
        return True
    return any(
        _misplaces_content(node, inside=inside or is_list)
        for node in ast.walk(returns.slice)
        if isinstance(node, ast.Subscript)
    )


def _yields(function: FunctionNode) -> bool:
    """Return whether a function itself yields; inner functions do not count."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, FunctionNode | ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return False


def _is_tool(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=function):
            return _is_tool(function)
        case ast.Attribute(attr="tool") | ast.Name(id="tool"):
            return True
        case _:
            return False


def _tool_name(node: FunctionNode) -> str:
    """Return the text `name` of `@tool(name=…)`, else the function's name."""
    match tool_options(node).get("name"):
        case ast.Constant(value=str(name)) if name:
            return name
    return node.name


def tool_options(node: FunctionNode) -> dict[str, ast.expr]:
    """Return the keywords of `@tool` by name, as expressions; empty for none."""
    options: dict[str, ast.expr] = {}
    for decorator in filter(_is_tool, node.decorator_list):
        if isinstance(decorator, ast.Call):
            options |= {keyword.arg or "": keyword.value for keyword in decorator.keywords}
    return options

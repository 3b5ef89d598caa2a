"""The user's own code in a project, read and never run: hooks on tools that are gone, custom tools
that no longer fit.

`hooks.py` and `custom/` are written once and then the user's, so nothing regenerates them. What can
be known without importing them is said here: the same things the generated server would refuse or
leave out when it starts.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..lock import Lock
from ..problems import Place, Problem

HOOKS = ("before", "shape", "after")
INJECTED = ("api", "context")


@dataclass(frozen=True, slots=True)
class Package:
    """The generated package of a project: its folder, and its generated tools as on the wire, by
    name.
    """

    root: Path
    tools: Mapping[str, Mapping[str, Any]]
    toolset_of: Mapping[str, str]
    contracts: Mapping[str, Mapping[str, Any]]
    """What `contracts.json` says of every tool that the user implements."""


def package_of(folder: Path, lock: Lock) -> Package | None:
    """The package whose generated files the lock lists; None where it lists none."""
    anchor = next(
        (
            path
            for path in sorted(lock.files)
            if re.fullmatch(r"src/[^/]+/(__main__|server)\.py", path)
        ),
        None,
    )
    if anchor is None:
        return None
    root = (folder / anchor).parent
    tools: dict[str, Mapping[str, Any]] = {}
    for path in lock.files:
        if re.fullmatch(r"src/[^/]+/tools/[^/]+\.json", path):
            tools |= {tool["name"]: tool for tool in _tools(folder / path) if "name" in tool}
    exact = root / "contracts.json"
    contracts = json.loads(exact.read_bytes()) if exact.is_file() else {}
    return Package(root, tools, {tool.name: tool.toolset for tool in lock.tools}, contracts)


def findings(folder: Path, package: Package) -> Iterator[Problem]:
    """Everything that is wrong with the user's own code, file by file."""
    custom = _Custom(folder, package)
    yield from custom.check()
    yield from custom.implementations()
    yield from orphans(folder, package.root, package.tools)
    yield from _hooks(folder, package, set(package.tools) | custom.names)
    for path in _own_modules(package):
        yield from _uses(folder, path, package)


def _own_modules(package: Package) -> list[Path]:
    found = sorted((package.root / "custom").glob("**/*.py"))
    return [
        *found,
        *(path for name in ("hooks.py", "auth.py") if (path := package.root / name).is_file()),
    ]


# -- hooks
# ------------------------------------------------------------------------------------------------------------


def _hooks(folder: Path, package: Package, names: set[str]) -> Iterator[Problem]:
    """Hooks that are for one tool, where there is no such tool."""
    path = package.root / "hooks.py"
    tree = _parsed(path)
    if isinstance(tree, Problem):
        yield tree
        return
    for node in tree.body if tree else ():
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        kind, _, tool = node.name.partition("_")
        if kind in HOOKS and tool and tool not in names:
            yield _problem(
                "E1311",
                f"hook `{node.name}` is for a tool that is not there",
                folder,
                path,
                node,
                _near(tool, names),
            )


# -- custom tools
# -----------------------------------------------------------------------------------------------------


class _Custom:
    """The tools in `custom/`: a contract in a JSON file each, and a function in the module beside
    it.
    """

    def __init__(self, folder: Path, package: Package) -> None:
        self.folder, self.package = folder, package
        self.names: set[str] = set()

    def check(self) -> Iterator[Problem]:
        """Contracts that cannot be read, functions that are missing, and functions that do not fit
        their contract.
        """
        for path in sorted((self.package.root / "custom").glob("*.json")):
            try:
                data = json.loads(path.read_text("utf-8-sig"))
            except (OSError, ValueError) as error:
                place = Place(file=_shown(self.folder, path), line=getattr(error, "lineno", 0))
                yield Problem(
                    code="E1312",
                    severity="error",
                    message=f"not readable as JSON: {error}",
                    place=place,
                )
                continue
            tools = [
                tool
                for tool in (data if isinstance(data, list) else [data])
                if isinstance(tool, dict)
            ]
            self.names |= {str(tool.get("name")) for tool in tools}
            module = path.with_suffix(".py")
            tree = _parsed(module)
            if isinstance(tree, Problem):
                yield tree
                continue
            for tool in tools:
                yield from self.tool(tool, path, module, tree)

    def implementations(self) -> Iterator[Problem]:
        """Functions in `custom/<tool>.py` that are missing, or that do not fit the generated
        contract.
        """
        for name, wire in sorted(self.package.tools.items()):
            word = re.sub(r"\W", "_", name)
            module = self.package.root / "custom" / f"{word}.py"
            contract = self.package.contracts.get(name)
            if module.with_suffix(".json").is_file() or (contract is None and not module.is_file()):
                continue
            tree = _parsed(module)
            if isinstance(tree, Problem):
                yield tree
                continue
            function = _function(tree, word)
            if function is None:
                yield Problem(
                    code="E1313",
                    severity="error",
                    message=f"tool `{name}` has no function `{word}`",
                    place=Place(file=_shown(self.folder, module)),
                    hint=(
                        "`mcpgen generate` writes a stub where there is no file"
                        if tree is None
                        else ""
                    ),
                )
            elif not isinstance(function, ast.alias):
                for message in _misfits(function, _as_called(wire, contract)):
                    yield _problem(
                        "E1314", f"tool `{name}`: {message}", self.folder, module, function
                    )

    def tool(
        self, tool: dict[str, Any], path: Path, module: Path, tree: ast.Module | None
    ) -> Iterator[Problem]:
        """One contract and its function."""
        name = str(tool.get("name"))
        namesake = self.package.tools.get(name)
        function = _function(tree, re.sub(r"\W", "_", name))
        if function is None:
            yield Problem(
                code="E1313",
                severity="error",
                message=(
                    f"custom tool `{name}` has no function `{re.sub(r'[^A-Za-z0-9_]', '_', name)}`"
                ),
                place=Place(file=_shown(self.folder, module)),
                hint=f"the contract is in `{_shown(self.folder, path)}`",
            )
            return
        if isinstance(function, ast.alias):
            return  # imported from elsewhere: its arguments cannot be seen from here
        schema = {**(namesake or {}), **tool}.get("inputSchema")
        for message in _misfits(function, schema if isinstance(schema, dict) else {}):
            inherited = namesake is not None and "inputSchema" not in tool
            hint = (
                "its contract is the generated one: change the function, or write `inputSchema`"
                if inherited
                else ""
            )
            yield _problem(
                "E1314", f"custom tool `{name}`: {message}", self.folder, module, function, hint
            )


def _function(
    tree: ast.Module | None, name: str
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.alias | None:
    for node in reversed(tree.body if tree else []):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            return node
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name) in (name, "*"):
                    return alias
        if isinstance(node, ast.Assign) and any(
            isinstance(item, ast.Name) and item.id == name for item in node.targets
        ):
            return ast.alias(name=name)
    return None


def orphans(folder: Path, package: Path, names: Iterable[str]) -> Iterator[Problem]:
    """Functions in `custom/<tool>.py` whose tool is gone: they are the user's, so they are named
    and left alone.
    """
    known = {re.sub(r"\W", "_", name) for name in names}
    for path in sorted((package / "custom").glob("*.py")):
        if path.stem in known or path.stem == "__init__" or path.with_suffix(".json").is_file():
            continue
        tree = _parsed(path)
        function = _function(tree, path.stem) if isinstance(tree, ast.Module) else None
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            hint = "the file is yours: remove it when you no longer need it"
            yield replace(
                _problem(
                    "E1316",
                    f"there is no tool `{path.stem}`, so its function is never called",
                    folder,
                    path,
                    function,
                    hint,
                ),
                severity="warning",
            )


def _as_called(wire: Mapping[str, Any], contract: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of a tool as its function gets them: a schema of their names."""
    schema = wire.get("inputSchema")
    listed: Mapping[str, Any] = schema if isinstance(schema, dict) else {}
    if contract is None:
        return dict(listed)
    names = contract.get("arguments", {})
    return {
        "properties": {name: {} for name in names.values()},
        "required": [names.get(name, name) for name in listed.get("required") or ()],
        "more": contract.get("more", False),
    }


def _misfits(
    function: ast.FunctionDef | ast.AsyncFunctionDef, schema: Mapping[str, Any]
) -> Iterator[str]:
    """Where a function cannot take the arguments its contract lets through."""
    properties = schema.get("properties")
    offered = set(properties) if isinstance(properties, dict) else set()
    required = {name for name in schema.get("required") or () if isinstance(name, str)}
    given = function.args
    positional = [item.arg for item in (*given.posonlyargs, *given.args)]
    takes = {item.arg for item in given.kwonlyargs} | {
        name for name in positional if name not in INJECTED
    }
    defaults = {
        item.arg
        for item, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is not None
    }
    defaults |= set(positional[len(positional) - len(given.defaults) :] if given.defaults else [])
    if given.kwarg is None and schema.get("more"):
        yield "its function has to take further arguments: `**more: Any`"
    if given.kwarg is None:
        for name in sorted(offered - takes):
            yield f"its function has no argument `{name}`"
    for name in sorted(takes - offered):
        if name not in defaults:
            yield f"its function needs `{name}`, which its contract does not have"
    for name in sorted((takes & offered) - required - defaults):
        yield f"its function needs `{name}`, which its contract leaves optional"


# -- generated functions that the user's code calls
# -------------------------------------------------------------------


def _uses(folder: Path, path: Path, package: Package) -> Iterator[Problem]:
    """Generated tool functions that are imported or called and are not there."""
    tree = _parsed(path)
    if not isinstance(tree, ast.Module):
        return
    functions: dict[str, set[str]] = {}
    for name, toolset in package.toolset_of.items():
        functions.setdefault(toolset, set()).add(name)
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module or not node.level:
            continue
        if node.module == "tools":
            for alias in node.names:
                modules[alias.asname or alias.name] = alias.name
                if alias.name not in functions:
                    yield _gone(
                        folder,
                        path,
                        node,
                        f"the generated toolset `{alias.name}`",
                        alias.name,
                        set(functions),
                    )
        elif node.module.startswith("tools."):
            known = functions.get(node.module.removeprefix("tools."), set())
            for alias in node.names:
                if alias.name not in known:
                    yield _gone(
                        folder,
                        path,
                        node,
                        f"the generated function `{alias.name}`",
                        alias.name,
                        known,
                    )
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        ):
            names = functions.get(modules[node.value.id])
            if names is not None and node.attr not in names:
                yield _gone(
                    folder, path, node, f"the generated function `{node.attr}`", node.attr, names
                )


def _gone(
    folder: Path, path: Path, node: ast.stmt | ast.expr, what: str, name: str, known: set[str]
) -> Problem:
    return _problem("E1315", f"{what} is not there", folder, path, node, _near(name, known))


# -- reading
# ----------------------------------------------------------------------------------------------------------


def _tools(path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    return [tool for tool in data if isinstance(tool, dict)] if isinstance(data, list) else []


def _parsed(path: Path) -> ast.Module | Problem | None:
    """The syntax tree of a file, None where there is no file, a Problem where it is not Python."""
    try:
        return ast.parse(path.read_bytes())
    except FileNotFoundError:
        return None
    except (SyntaxError, ValueError) as error:
        place = Place(file=str(path), line=getattr(error, "lineno", 0) or 0)
        return Problem(
            code="E1312", severity="error", message=f"not readable as Python: {error}", place=place
        )


def _problem(
    code: str, message: str, folder: Path, path: Path, node: ast.stmt | ast.expr, hint: str = ""
) -> Problem:
    lines = path.read_text("utf-8-sig", errors="replace").splitlines()
    line = node.lineno
    excerpt = ((line, lines[line - 1]),) if 0 < line <= len(lines) else ()
    place = Place(file=_shown(folder, path), line=line, column=node.col_offset + 1, excerpt=excerpt)
    return Problem(code=code, severity="error", message=message, hint=hint, place=place)


def _shown(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _near(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else ""

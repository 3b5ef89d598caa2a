"""The user's own code in a project, read and never run: hooks on tools that are gone, custom tools
that no longer fit.

`hooks.py` and `custom/` are written once and then the user's, so nothing regenerates them. What can
be known without importing them is said here: the same things the generated server would refuse or
leave out when it starts.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..lock import Lock
from ..problems import Place, Problem
from .functions import FunctionNode, function_problems, functions, makes_a_tool
from .imports import Files, import_problems, toolsets_of
from .source import near, parsed, problem_at, relative

HOOKS = ("before", "shape", "after")
INJECTED = ("api", "context")


@dataclass(frozen=True, slots=True)
class Package:
    """The generated package of a project: its folder, and its generated tools as on the wire, by
    name.
    """

    root: Path
    tools: Mapping[str, Mapping[str, Any]]
    toolsets: Mapping[str, frozenset[str]]
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
    return Package(root, tools, toolsets_of(lock), contracts)


def findings(folder: Path, package: Package, lock: Lock) -> Iterator[Problem]:
    """Everything that is wrong with the user's own code, file by file."""
    files = Files(folder=folder, owned=lock.files)
    custom = _Custom(folder, package)
    yield from custom.check()
    yield from custom.implementations()
    yield from orphans(folder, package.root, package.tools)
    names = set(package.tools) | custom.names
    made = functions(package.root)
    yield from function_problems(folder, names, made)
    yield from _hooks(folder, package, names | {function.name for function in made})
    yield from import_problems(files, package.root.name, package.toolsets)


def _hooks(folder: Path, package: Package, names: set[str]) -> Iterator[Problem]:
    """Hooks that are for one tool, where there is no such tool."""
    path = package.root / "hooks.py"
    tree = parsed(path)
    if isinstance(tree, Problem):
        yield tree
        return
    for node in tree.body if tree else ():
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        kind, _, tool = node.name.partition("_")
        if kind in HOOKS and tool and tool not in names:
            yield problem_at(
                "E1311",
                f"hook `{node.name}` is for a tool that is not there",
                folder,
                path,
                node,
                near(tool, names),
            )


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
                place = Place(file=relative(self.folder, path), line=getattr(error, "lineno", 0))
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
            tree = parsed(module)
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
            tree = parsed(module)
            if isinstance(tree, Problem):
                yield tree
                continue
            function = _function(tree, word)
            if function is None:
                yield Problem(
                    code="E1313",
                    severity="error",
                    message=f"tool `{name}` has no function `{word}`",
                    place=Place(file=relative(self.folder, module)),
                    hint=(
                        "`mcpgen generate` writes a stub where there is no file"
                        if tree is None
                        else ""
                    ),
                )
            elif not isinstance(function, ast.alias):
                for message in _misfits(function, _as_called(wire, contract)):
                    yield problem_at(
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
                place=Place(file=relative(self.folder, module)),
                hint=f"the contract is in `{relative(self.folder, path)}`",
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
            yield problem_at(
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
        tree = parsed(path)
        function = _function(tree, path.stem) if isinstance(tree, ast.Module) else None
        if isinstance(function, FunctionNode) and not makes_a_tool(function):
            hint = "the file is yours: remove it when you no longer need it"
            yield replace(
                problem_at(
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


def _tools(path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    return [tool for tool in data if isinstance(tool, dict)] if isinstance(data, list) else []

"""The user's tools in `custom/`: a contract in a JSON file each, and a function in the module
beside it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..load.values import as_object, texts_in, without
from ..problems import Place, Problem
from .functions import (
    FunctionNode,
    function_problems,
    functions,
    makes_a_tool,
    parsed,
    problem_at,
    relative,
)
from .imports import bound_name
from .package import GeneratedPackage

INJECTED = ("api", "context")


def custom_problems(package: GeneratedPackage) -> Iterator[Problem]:
    """Yield the problems of custom tools: unreadable contracts, missing or misfitting functions,
    functions without a tool, and functions with `@tool` that a server refuses.
    """
    custom = _Custom(package)
    yield from custom.contracts()
    yield from custom.implementations()
    yield from custom.orphans()
    yield from function_problems(
        package.files.folder, {*package.tools, *_contract_names(package)}, functions(package.home)
    )


def custom_names(package: GeneratedPackage) -> set[str]:
    """Return the names of the user's tools: in readable contracts, and of functions with
    `@tool`.
    """
    return _contract_names(package).union(function.name for function in functions(package.home))


def _contract_names(package: GeneratedPackage) -> set[str]:
    names = set()
    for path in sorted((package.home / "custom").glob("*.json")):
        contract = _contract(path)
        if not isinstance(contract, ValueError):
            names |= {str(tool.get("name")) for tool in contract}
    return names


def _contract(path: Path) -> list[dict[str, Any]] | ValueError:
    """Return the objects of a contract file, a list or one of them; a ValueError with the reason if
    it is unreadable.
    """
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except (OSError, RecursionError) as error:
        return ValueError(str(error))
    except ValueError as error:
        return error
    if not isinstance(data, list):
        data = [data]
    return [tool for tool in data if isinstance(tool, dict)]


class _Custom:
    def __init__(self, package: GeneratedPackage) -> None:
        self.package = package
        self.folder = package.files.folder
        self.room = package.home / "custom"

    def contracts(self) -> Iterator[Problem]:
        """Yield the problems of contracts in `custom/`, and of functions beside them."""
        for path in sorted(self.room.glob("*.json")):
            contract = _contract(path)
            if isinstance(contract, ValueError):
                yield Problem(
                    code="E1312",
                    severity="error",
                    message=f"not readable as JSON: {contract}",
                    place=Place(file=self.name(path), line=getattr(contract, "lineno", 0)),
                )
                continue
            module = path.with_suffix(".py")
            tree = parsed(module)
            if isinstance(tree, Problem):
                continue
            for tool in contract:
                yield from self.tool(tool, path, module, tree)

    def tool(
        self, tool: dict[str, Any], path: Path, module: Path, tree: ast.Module | None
    ) -> Iterator[Problem]:
        """Yield the problems of a contract's function: E1313 if missing, E1314 for other
        arguments.
        """
        name = str(tool.get("name"))
        word = _word(name)
        function = _function(tree, word)
        if function is None:
            message = f"custom tool `{name}` has no function `{word}`"
            yield self.missing(message, module, f"the contract is in `{self.name(path)}`")
            return
        if isinstance(function, ast.alias):
            return  # imported from elsewhere: its arguments cannot be seen from here
        namesake = self.package.tools.get(name)
        schema = tool.get("inputSchema")
        hint = ""
        if namesake is not None and "inputSchema" not in tool:
            schema = self.without_choice(name, namesake.get("inputSchema"))
            hint = "its contract is the generated one: change the function, or write `inputSchema`"
        if not isinstance(schema, dict):
            schema = {}
        for fault in _misfits(function, schema):
            message = f"custom tool `{name}`: {fault}"
            yield problem_at("E1314", message, self.folder, module, function, hint)

    def without_choice(self, name: str, schema: Any) -> Any:
        """Return the input schema of a generated tool without the arguments that choose fields or a
        part of the answer: the server takes them itself.
        """
        listing = self.package.lists.get(name, {})
        properties = as_object(as_object(schema).get("properties"))
        chosen = str(listing.get("fields")), str(listing.get("part"))
        kept = without(properties, chosen)
        return {**schema, "properties": kept} if properties else schema

    def implementations(self) -> Iterator[Problem]:
        """Yield a problem for each function in `custom/<tool>.py` that is missing, or does not fit
        the generated contract. Tools with a contract of the user are left out.
        """
        for name, wire in sorted(self.package.tools.items()):
            module = self.room / f"{_word(name)}.py"
            contract = self.package.contracts.get(name)
            if module.with_suffix(".json").is_file():
                continue
            is_generated = contract is None or contract.get("workflow", False)
            if is_generated and not module.is_file():
                continue
            if contract is not None and self.is_planned(module):
                continue
            tree = parsed(module)
            if not isinstance(tree, Problem):
                yield from self.implementation(name, _as_called(wire, contract), module, tree)

    def implementation(
        self, name: str, schema: Mapping[str, Any], module: Path, tree: ast.Module | None
    ) -> Iterator[Problem]:
        """Yield the problems of a generated tool's function: missing (E1313), or not as `schema`
        (E1314).
        """
        function = _function(tree, _word(name))
        if function is None:
            hint = "`mcpgen generate` writes a stub where there is no file" if tree is None else ""
            yield self.missing(f"tool `{name}` has no function `{_word(name)}`", module, hint)
        elif not isinstance(function, ast.alias):
            for fault in _misfits(function, schema):
                message = f"tool `{name}`: {fault}"
                yield problem_at("E1314", message, self.folder, module, function)

    def is_planned(self, module: Path) -> bool:
        """Return whether a run is planned and would write the first stub of a tool to `module`."""
        return bool(self.package.files.planned) and not module.is_file()

    def orphans(self) -> Iterator[Problem]:
        """Yield a warning for each function `custom/<name>.py` of that name without a tool. The
        file stays.
        """
        words = {"__init__", *map(_word, self.package.tools)}
        for path in sorted(self.room.glob("*.py")):
            if path.stem in words or path.with_suffix(".json").is_file():
                continue
            tree = parsed(path)
            if not isinstance(tree, ast.Module):
                continue
            function = _function(tree, path.stem)
            if isinstance(function, FunctionNode) and not makes_a_tool(function):
                message = f"there is no tool `{path.stem}`, so its function is never called"
                hint = "the file is yours: remove it when you no longer need it"
                problem = problem_at("E1316", message, self.folder, path, function, hint)
                yield replace(problem, severity="warning")

    def missing(self, message: str, module: Path, hint: str) -> Problem:
        """Return the error (E1313) of a missing function; it points to the file `module`."""
        place = Place(file=self.name(module))
        return Problem(code="E1313", severity="error", message=message, hint=hint, place=place)

    def name(self, path: Path) -> str:
        """Return a path relative to the project's folder, with `/`."""
        return relative(self.folder, path)


def _word(tool: str) -> str:
    """Return the name of a tool's function: `find-book` → `find_book`."""
    return re.sub(r"\W", "_", tool)


def _function(tree: ast.Module | None, name: str) -> FunctionNode | ast.alias | None:
    """Return the last function of a name at the top of a module; an alias for an import, also of
    `*`, and for an assignment. None without any.
    """
    if tree is None:
        return None
    for node in reversed(tree.body):
        if isinstance(node, FunctionNode) and node.name == name:
            return node
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if bound_name(alias) in (name, "*"):
                    return alias
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if name in names:
                return ast.alias(name=name)
    return None


def _as_called(wire: Mapping[str, Any], contract: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the schema of a tool's arguments under the names its function gets; `more` tells of
    further ones.
    """
    schema = wire.get("inputSchema")
    if not isinstance(schema, dict):
        schema = {}
    if contract is None:
        return schema
    names = contract.get("arguments", {})
    return {
        "properties": {name: {} for name in names.values()},
        "required": [names.get(name, name) for name in schema.get("required", ())],
        "more": contract.get("more", False),
    }


def _misfits(function: FunctionNode, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each mismatch of a function and the arguments its contract lets
    through.
    """
    properties = schema.get("properties")
    offered = set(properties) if isinstance(properties, dict) else set()
    required = set(texts_in(schema.get("required")))
    parameters, defaults = _parameters(function)
    if function.args.kwarg is None:
        if schema.get("more"):
            yield "its function has to take further arguments: `**more: Any`"
        for name in sorted(offered - parameters):
            yield f"its function has no argument `{name}`"
    for name in sorted(parameters - offered - defaults):
        yield f"its function needs `{name}`, which its contract does not have"
    for name in sorted((parameters & offered) - required - defaults):
        yield f"its function needs `{name}`, which its contract leaves optional"


def _parameters(function: FunctionNode) -> tuple[set[str], set[str]]:
    """Return two sets of names: a function's parameters, without `api` and `context` by position,
    and those with a default.
    """
    arguments = function.args
    positional = [item.arg for item in (*arguments.posonlyargs, *arguments.args)]
    first_default = len(positional) - len(arguments.defaults)
    parameters = {name for name in positional if name not in INJECTED}
    defaults = set(positional[first_default:])
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.add(item.arg)
        if default is not None:
            defaults.add(item.arg)
    return parameters, defaults

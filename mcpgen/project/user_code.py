"""The user's own code in a project, read and never run: hooks on tools that are gone, custom tools
that no longer fit.

Nothing regenerates `hooks.py` and `custom/`. `mcpgen check` reports their faults in the package as
it is, `mcpgen generate` those in the package as a run would leave it, before it writes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..problems import Problem, RefusedError
from ..runtime.package import module_name
from .custom import custom_names, custom_problems
from .functions import near, parsed, problem_at
from .imports import import_problems
from .package import GeneratedPackage, package_of_run
from .run import Run

GUARD = "before"
HOOKS = (GUARD, "shape", "after")
MISSPELT = 0.8
"""Least similarity of a name suggested for another. It is high, because a guard moved to a tool
with a similar name guards the wrong tool.
"""


def findings(package: GeneratedPackage) -> Iterator[Problem]:
    """Yield the problems of the user's own code: of custom tools, then hooks, then imports."""
    yield from custom_problems(package)
    yield from _hooks(package)
    yield from import_problems(package)


def planned_problems(run: Run) -> list[Problem]:
    """Return the problems that the user's own code has after a run, all as warnings."""
    problems = list(findings(package_of_run(run)))
    return [replace(problem, severity="warning") for problem in problems]


def refuse_idle_guards(run: Run) -> None:
    """Raise RefusedError (E1360, exit code 3) if a run removes or renames the tool of a guard
    (`before_…`): the guard would silently stop guarding.
    """
    guards = [problem for problem in _hooks(package_of_run(run)) if problem.code == "E1360"]
    if guards:
        raise RefusedError(*guards)


def _hooks(package: GeneratedPackage) -> Iterator[Problem]:
    """Yield a problem for each hook of a missing tool: E1360 for a guard of a tool that is gone or
    renamed, else E1311.
    """
    path = package.home / "hooks.py"
    tree = parsed(path)
    if not isinstance(tree, ast.Module):
        return
    names = {*map(module_name, (*package.tools, *custom_names(package)))}
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        kind, _, tool = node.name.partition("_")
        if kind not in HOOKS or not tool or tool in names:
            continue
        code, message, hint = _orphaned_hook(package, kind, tool, names)
        yield problem_at(code, message, package.files.folder, path, node, hint)


def _by_function(tools: Mapping[str, str]) -> dict[str, str]:
    """Return function name → text, of tool → text."""
    return {module_name(tool): said for tool, said in tools.items()}


def _orphaned_hook(
    package: GeneratedPackage, kind: str, tool: str, names: set[str]
) -> tuple[str, str, str]:
    """Return (code, message, hint) of a hook without its tool. `names`: all functions."""
    hook = f"{kind}_{tool}"
    code = "E1311"
    renamed, gone = map(_by_function, (package.renamed, package.gone))
    if kind == GUARD and tool in (*gone, *renamed):
        code = "E1360"
    if tool in renamed:
        message = f"hook `{hook}` is for a tool that is called `{renamed[tool]}` now"
        return code, message, f"call it `{kind}_{module_name(renamed[tool])}`"
    if tool not in gone:
        message = f"hook `{hook}` is for a tool that is not there"
        return code, message, near(tool, names, cutoff=MISSPELT)
    message = f"hook `{hook}` is for a tool that is gone: {gone[tool]}"
    if kind == GUARD:
        hint = (
            "if another tool does the same now, guard that one; if the operation is really gone,"
            " remove the hook"
        )
        return code, message, hint
    return code, message, "it is never called: remove it when you no longer need it"

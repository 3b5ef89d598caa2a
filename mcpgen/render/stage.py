"""The stage `render`: every file of a generated project, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from .. import runtime
from ..ir import Server, Tool, Toolset
from ..paths import once_among, template_root
from . import code, stub, workflows
from .deployment import FOLDER as DEPLOYMENTS
from .facts import data_files
from .formatting import ModuleFormatter
from .literal import WIDTH, environment, py_ident, word
from .manifests import command
from .models import Types
from .parts import unused
from .project_view import project_context

TOOLS: Final = "src/package/tools/toolset.py.jinja"
"""The template that is rendered once for each toolset."""
CUSTOM: Final = "src/package/custom/tool.py.jinja"
"""The template that is rendered once for each tool the user implements."""
SIGNATURES: Final = "tests/signatures.py.jinja"
"""The template that is rendered once for each toolset with such tools."""
WORKFLOWS: Final = "src/package/tools/workflows.py.jinja"
"""The template that is rendered for the toolset of workflows."""
FROM_THE_DOCUMENT: Final = (TOOLS, CUSTOM, SIGNATURES, WORKFLOWS)
RUNTIME: Final = Path(runtime.__file__).parent
"""The package that every server runs on; it is copied byte for byte, or installed."""
RECORDER: Final = RUNTIME.parent / "evaluate" / "recorder.py"
"""The module that plays the API; the tests of a project get a copy."""
IGNORED: Final = frozenset(
    {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store"}
)


def render(server: Server, formatter: ModuleFormatter | None = None) -> dict[str, str]:
    """Return path → text of every file of the project, relative to its folder and sorted.

    The same server gives the same text. `formatter` knows the project's style and the modules of
    its last run. Raises `UnsafeValue` or `GateError` (bugs of mcpgen) rather than let document text
    become code, and `LibraryFailed`.
    """
    formatter = formatter or ModuleFormatter()
    for name in (server.package, *(toolset.name for toolset in server.toolsets)):
        py_ident(name)
    files = data_files(server)
    if server.is_searched:
        from .search import search_files  # late: few servers are searched

        files |= search_files(server)
    files |= dict(_tree(server))
    left_out = unused(server)
    files = _without(left_out, files)
    modules = _modules(server, formatter.style.line_length)
    modules = {kind: _without(left_out, texts) for kind, texts in modules.items()}
    copied = f"{server.home}runtime/"
    modules["project"] = {
        path: files[path]
        for path in sorted(files.keys() - once_among(files))
        if path.endswith(".py") and not path.startswith(copied)
    }
    files |= formatter.finish(modules)
    return dict(sorted(files.items()))


def _without(left_out: tuple[str, ...], files: Mapping[str, str]) -> dict[str, str]:
    """Return the files whose paths do not begin with any of `left_out`."""
    return {path: text for path, text in files.items() if not path.startswith(left_out)}


def function_text(server: Server, tool: Tool, name: str) -> str:
    """Return the module of a toolset of that name with this tool alone; empty for a tool without a
    request.
    """
    if tool.request is None:
        return ""
    toolset = Toolset(name=name, title="", description="", tools=(tool,))
    alone = replace(server, toolsets=(toolset,))
    types = Types(alone)
    text = _rendered(TOOLS, WIDTH, module=code.module(toolset, types))
    return ModuleFormatter().finish({"tools": {"tools.py": text}})["tools.py"]


def _modules(server: Server, width: int = WIDTH) -> dict[str, dict[str, str]]:
    """Return the Python that comes from the document: kind of module → {path: text}."""
    types = Types(server)
    kinds = ("tools", "workflows", "models", "custom", "tests")
    modules: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    if types.models:
        modules["models"][f"{server.home}models.py"] = types.source()
    for toolset in server.toolsets:
        for kind, path, text in _toolset_modules(server, toolset, types, width):
            modules[kind][path] = text
    return modules


def _toolset_modules(
    server: Server, toolset: Toolset, types: Types, width: int
) -> Iterator[tuple[str, str, str]]:
    """Yield the modules of one toolset as (kind, path, text)."""
    package = server.home
    tools_view = code.module(toolset, types)
    if tools_view.functions:
        path = f"{package}tools/{toolset.name}.py"
        yield "tools", path, _rendered(TOOLS, width, module=tools_view)
    if any(tool.workflow for tool in toolset.tools):
        path = f"{package}tools/{toolset.name}.py"
        workflows_view = workflows.module(toolset, types, server)
        yield "workflows", path, _rendered(WORKFLOWS, width, module=workflows_view)
    for name, stub_view in stub.stubs(toolset, types).items():
        yield "custom", f"{package}custom/{name}.py", _rendered(CUSTOM, width, stub=stub_view)
    calls_view = stub.calls(toolset, types, server)
    if calls_view is not None:
        path = f"tests/signatures_{toolset.name}.py"
        yield "tests", path, _rendered(SIGNATURES, width, module=calls_view)


def _rendered(template: str, width: int, **context: object) -> str:
    return environment(width).get_template(template).render(context)


def _tree(server: Server) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of the files that exist once: the runtime as it is, and the templates of
    the project's files.
    """
    skill = word(command(server))
    if server.runtime == "copied":
        for path in _files(RUNTIME):
            yield f"{server.home}runtime/{path}", _text(RUNTIME / path)
    yield "tests/recorder.py", _text(RECORDER)
    context = project_context(server)
    templates = template_root()
    for name in _files(templates):
        if name in FROM_THE_DOCUMENT or name.startswith(DEPLOYMENTS):
            continue
        placed = name.removesuffix(".jinja").replace("src/package/", server.home, 1)
        placed = placed.replace("skills/package/", f"skills/{skill}/", 1)
        if name.endswith(".jinja"):
            yield placed, environment().get_template(name).render(context)
        else:
            yield placed, _text(templates / name)


@cache
def _files(root: Path) -> tuple[str, ...]:
    """List the files below a folder by their relative paths, in order, without what tools leave
    there.
    """
    names = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file()]
    kept = [name for name in names if name.suffix != ".pyc" and IGNORED.isdisjoint(name.parts)]
    return tuple(name.as_posix() for name in kept)


@cache
def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")

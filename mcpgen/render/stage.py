"""The stage `render`: every file of a generated project, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from .. import runtime
from ..config import Config
from ..ir import Server
from . import code, models, stub
from .catalogue import Catalogue
from .environment import environment, template_root
from .facts import data_files
from .formatting import finish
from .literal import py_ident, word
from .project import project

PER_TOOLSET: Final = {
    "tools": "src/package/tools/toolset.py.jinja",
    "models": "src/package/models/toolset.py.jinja",
}
"""Folder of the package → the template that is rendered once for each toolset."""
PER_TOOL: Final = "src/package/custom/tool.py.jinja"
"""The template that is rendered once for each tool the user implements."""
SIGNATURES: Final = "tests/signatures.py.jinja"
"""The template that is rendered once for each toolset with such tools."""
RUNTIME: Final = Path(runtime.__file__).parent
"""The package that every server runs on; it is copied byte for byte."""
CLIENT: Final = "client/"
AUTH: Final = "src/package/auth.py"
"""What a server without an API does not have: the HTTP side, and the file that extends it."""
IGNORED: Final = frozenset(
    {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store"}
)


def render(server: Server, config: Config) -> dict[str, str]:
    """Every file of the project, by path relative to its folder, in the order of the paths.

    The same server gives the same text, always. Raises `UnsafeValue` or `GateError` (bugs of
    mcpgen) rather than let document text become code.
    """
    for toolset in server.toolsets:
        py_ident(toolset.name)
    plans, catalogue = models.plan_all(server)  # a worker is at it while the rest is rendered
    files = data_files(server) | dict(_tree(server))
    for finished in finish(_modules(server, plans, catalogue)).values():
        files |= finished
    return dict(sorted(files.items()))


def _modules(
    server: Server, plans: Mapping[str, models.Plan], catalogue: Catalogue
) -> dict[str, dict[str, str]]:
    """The Python that comes from the document: folder → {path: text}."""
    tools_template, models_template = (
        environment().get_template(name) for name in PER_TOOLSET.values()
    )
    stub_template, signatures_template = (
        environment().get_template(name) for name in (PER_TOOL, SIGNATURES)
    )
    package = f"src/{server.package}"
    found: dict[str, dict[str, str]] = {folder: {} for folder in (*PER_TOOLSET, "custom", "tests")}
    for toolset in server.toolsets:
        plan = plans[toolset.name]
        types = plan.types(catalogue)
        tools_view, own = code.module(toolset, types), stub.stubs(toolset, types)
        for file, view in own.items():
            found["custom"][f"{package}/custom/{file}.py"] = stub_template.render(stub=view)
        called = stub.calls(toolset, types, server)
        if called is not None:
            found["tests"][f"tests/signatures_{toolset.name}.py"] = signatures_template.render(
                module=called
            )
        if tools_view.functions:
            found["tools"][f"{package}/tools/{toolset.name}.py"] = tools_template.render(
                module=tools_view
            )
        models_view = plan.view(toolset.name, catalogue)
        if models_view and (tools_view.models or any(view.models for view in own.values())):
            found["models"][f"{package}/models/{toolset.name}.py"] = models_template.render(
                module=models_view
            )
    return found


def _tree(server: Server) -> Iterator[tuple[str, str]]:
    """The files that exist once: the runtime as it is, and the templates of the project's files."""
    for path in _files(RUNTIME):
        if server.calls_api or not path.startswith(CLIENT):
            yield f"src/{word(server.package)}/runtime/{path}", _text(RUNTIME / path)
    context = project(server).context()
    often = (*PER_TOOLSET.values(), PER_TOOL, SIGNATURES)
    for name in _files(template_root()):
        if name in often or (name == AUTH and not server.calls_api):
            continue
        if name.endswith(".jinja"):
            yield _placed(name, server), environment().get_template(name).render(context)
        else:
            yield _placed(name, server), _text(template_root() / name)


def _files(root: Path) -> Iterator[str]:
    """The files below a folder by their relative paths, in order, without what tools leave there."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and path.suffix != ".pyc" and IGNORED.isdisjoint(name.parts):
            yield name.as_posix()


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _placed(name: str, server: Server) -> str:
    """Where a template's file stands in the project: `src/package` becomes the package's own
    folder.
    """
    return name.removesuffix(".jinja").replace("src/package/", f"src/{word(server.package)}/", 1)

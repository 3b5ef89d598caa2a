"""The user code's imports from the generated package, read and never run.

User code imports from the package itself (`from .. import Api`), its tools and its models. Any
other import, or one of a missing name, is a problem with the right import as its hint.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..problems import Problem
from .functions import near, parsed, problem_at
from .package import GeneratedPackage

OWN = ("auth", "custom", "hooks")
"""The user's modules in the package; their content is not checked here."""
PAST_THE_FACE = "E1319"
NOT_THERE = "E1315"


@dataclass(frozen=True, slots=True)
class _Import:
    """One import from the package: `module` is the path inside it, `prefix` the package itself as
    it is written there (`..` or its name).
    """

    node: ast.stmt
    prefix: str
    module: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def written(self) -> str:
        """The module as its file writes it: `..tools.books`."""
        inside = ".".join(self.module)
        if self.prefix.startswith("."):
            return f"{self.prefix}{inside}"
        return f"{self.prefix}.{inside}"

    @property
    def variables(self) -> dict[str, str]:
        """Imported name → variable that the file binds; empty for an import of modules."""
        if not isinstance(self.node, ast.ImportFrom):
            return {}
        bound = {alias.name: bound_name(alias) for alias in self.node.names}
        return bound if set(bound) == set(self.names) else {}


def import_problems(package: GeneratedPackage) -> Iterator[Problem]:
    """Yield, file by file, an error for each import or use of a generated name that is missing
    (E1315), each import from `runtime/`, although it works (E1319), and each unreadable file of
    `custom/`, `auth.py` and `hooks.py` (E1312).
    """
    reader = _Reader(package)
    rooms = [package.home / name for name in ("custom", *(f"{name}.py" for name in OWN))]
    for path in package.own_modules():
        tree = parsed(path)
        if isinstance(tree, ast.Module):
            yield from reader.problems(path, tree)
        elif tree is not None and any(map(path.is_relative_to, rooms)):
            yield tree


class _Reader:
    """The imports of a project's user code against what its package offers."""

    def __init__(self, package: GeneratedPackage) -> None:
        self.files, self.package, self.toolsets = package.files, package.name, package.toolsets
        self.home, self.root = package.home, package.root
        self.face = _imported_names(self.files.tree(f"{self.root}__init__.py"))

    @cached_property
    def models(self) -> frozenset[str]:
        """The names that `models.py` defines, empty without the file. It may be long, so it is read
        only for an import from it.
        """
        return _class_names(self.files.tree(f"{self.root}models.py"))

    def problems(self, path: Path, tree: ast.Module) -> Iterator[Problem]:
        """Yield the problems of one file: of its imports, then of functions of toolsets."""
        for found in self._imports(path, tree):
            for code, message, hint in self._faults(found):
                if path == self.home / "auth.py" and "Outgoing" not in self.face:
                    hint = "this server calls no API: delete the file"
                yield problem_at(code, message, self.files.folder, path, found.node, hint)
        modules = _toolset_modules(tree)
        for node, variable in _attribute_nodes(tree):
            functions = self.toolsets.get(modules.get(variable, ""), {node.attr})
            if node.attr not in functions:
                message = f"the generated function `{node.attr}` is not there"
                hint = near(node.attr, functions)
                yield problem_at(NOT_THERE, message, self.files.folder, path, node, hint)

    def _imports(self, path: Path, tree: ast.Module) -> Iterator[_Import]:
        """Yield every import of a module or name of the package, those at the top of the file
        first.
        """
        room: tuple[str, ...] | None = None
        if path.is_relative_to(self.home):
            room = path.relative_to(self.home).parent.parts
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = self._module(node, room)
                if module is not None:
                    names = tuple(alias.name for alias in node.names)
                    prefix = "." * (len(room or ()) + 1) if node.level else self.package
                    yield from _each_module(_Import(node, prefix, module, names), node, tree)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    package, *module_parts = alias.name.split(".")
                    if package == self.package and module_parts:
                        names = _attributes(tree, alias.asname)
                        yield _Import(node, package, tuple(module_parts), names)

    def _module(self, node: ast.ImportFrom, room: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the module of a `from`, inside the package; None for one outside. `room` is the
        folder of the file in the package, None outside.
        """
        named = tuple(node.module.split(".")) if node.module else ()
        if not node.level:
            return named[1:] if named[:1] == (self.package,) else None
        if room is None or node.level > len(room) + 1:
            return None
        return room[: len(room) + 1 - node.level] + named

    def _faults(self, found: _Import) -> Iterator[tuple[str, str, str]]:
        """Yield (code, message, hint) of each problem of one import; none for a name that is
        offered.
        """
        if self._is_offered(*found.module):
            return
        if found.module[0] == "runtime":
            message = f"`{found.written}` is a module of `runtime/`, which any version may change"
            yield PAST_THE_FACE, message, self._instead(found)
        elif found.module[0] == "tools":
            yield from self._tool_faults(found)
        elif found.module == ("models",) and self.models:
            for name in sorted(set(found.names) - self.models - {"*"}):
                new = _renamed("models", found.variables.get(name, "models"))
                hint = near(name, self.models) or f"write `from {found.prefix} import {new}`"
                yield NOT_THERE, f"the generated type `{name}` is not there", hint
        elif not self._is_module(found.module):
            message = f"the package has no `{'.'.join(found.module)}`"
            yield NOT_THERE, message, self._instead(found)

    def _tool_faults(self, found: _Import) -> Iterator[tuple[str, str, str]]:
        if len(found.module) == 1:
            for name in found.names:
                if name not in (*self.toolsets, "*"):
                    message = f"the generated toolset `{name}` is not there"
                    yield NOT_THERE, message, near(name, self.toolsets)
            return
        functions = self.toolsets.get(found.module[1])
        if functions is None:
            message = f"the generated toolset `{found.module[1]}` is not there"
            yield NOT_THERE, message, near(found.module[1], self.toolsets)
            return
        if isinstance(found.node, ast.Import):
            return
        for name in found.names:
            if name not in (*functions, "*"):
                message = f"the generated function `{name}` is not there"
                yield NOT_THERE, message, near(name, functions)

    def _is_offered(self, name: str, *inner: str) -> bool:
        """Return whether a module is the user's own or offered by `__init__.py`; True if that is
        missing.
        """
        if name in OWN:
            return True
        if inner:
            return False
        if not self.face:  # it is missing or damaged, which `check` says
            return True
        return name.startswith("__") or name in (*self.face, "*")

    def _is_module(self, module: tuple[str, ...]) -> bool:
        return self.files.has_module(self.root + "/".join(module))

    def _instead(self, found: _Import) -> str:
        """Return a hint: an import that leaves the rest of the file as it is, else a near name."""
        if found.module == ("models",):
            return "no type is generated for this server: write `Any`"
        names = found.names or found.module[-1:]
        offered = sorted(self.face.intersection(names))
        if not offered:
            return near(found.module[-1], self.face) or self._offer()
        written = ", ".join(_renamed(name, found.variables.get(name, name)) for name in offered)
        missing = [f"the package offers no `{name}`" for name in names if name not in self.face]
        return "; ".join([f"write `from {found.prefix} import {written}`", *missing])

    def _offer(self) -> str:
        return f"the package offers {', '.join(f'`{name}`' for name in sorted(self.face))}"


def _each_module(found: _Import, node: ast.ImportFrom, tree: ast.Module) -> Iterator[_Import]:
    """Yield the import itself if it names a module; for `from .. import a, b` an import of each
    name, with the attributes that the file uses of `a`.
    """
    if found.module:
        yield found
        return
    for alias in node.names:
        names = _attributes(tree, bound_name(alias))
        yield _Import(node, found.prefix, (alias.name,), names)


def _attributes(tree: ast.Module, variable: str | None) -> tuple[str, ...]:
    """Return the attributes of a variable in a file, sorted: `shelf.find` → `find`."""
    names = {node.attr for node, name in _attribute_nodes(tree) if name == variable}
    return tuple(sorted(names))


def _attribute_nodes(tree: ast.Module) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield each attribute of a plain variable (`books.find`) as (node, variable)."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=variable)):
                yield node, variable


def _relative_imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """Return each `from .module import …` of a file, at any depth."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return [node for node in imports if node.level]


def _toolset_modules(tree: ast.Module) -> dict[str, str]:
    """Return variable → toolset of `from ..tools import books as shelf`."""
    modules: dict[str, str] = {}
    for node in _relative_imports(tree):
        if node.module == "tools":
            for alias in node.names:
                modules[bound_name(alias)] = alias.name
    return modules


def _imported_names(tree: ast.Module | None) -> frozenset[str]:
    """Return the names that `__init__.py` imports from its own package: all it offers. Empty for
    None.
    """
    if tree is None:
        return frozenset()
    imports = _relative_imports(tree)
    return frozenset(bound_name(alias) for node in imports for alias in node.names)


def _renamed(name: str, variable: str) -> str:
    """Return `name`, or `name as variable` if they differ."""
    return name if name == variable else f"{name} as {variable}"


def bound_name(alias: ast.alias) -> str:
    """Return the variable that an import binds."""
    return alias.asname or alias.name


def _class_names(tree: ast.Module | None) -> frozenset[str]:
    """Return the classes and assigned names at the top of a module; empty for None."""
    names: set[str] = set()
    for node in tree.body if tree else ():
        match node:
            case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
    return frozenset(names)

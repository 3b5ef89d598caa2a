"""The Python that a project's server runs with.

`$MCPGEN_PYTHON` if set; inside an app the app's own; else the project's `.venv` (which `make test`
makes), or an environment in the user's cache, which all projects with the same dependencies share.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

from ..paths import FACTS, homes, import_root
from ..problems import Problem, UsageError

OVERRIDE = "MCPGEN_PYTHON"
READY = "ready"
"""The file that marks a finished environment, here and in a generated Makefile."""
INSIDE = Path(__file__).parent / "inside"
INSTALLED = Path(__file__).parent / "installed"
"""A folder to import `mcpgen_runtime` from: mcpgen's own copy of the runtime."""


def python_of(project: Path, announce: Callable[[str], None]) -> str:
    """Return the path of the interpreter for a project; makes its environment if needed, and tells
    `announce` before. Raises UsageError if that fails.
    """
    override = os.environ.get(OVERRIDE)
    if override:
        return override
    if (project / FACTS).is_file():  # inside an app, whose environment has what it imports
        from ..config import read_config  # late: most projects are not
        from ..load.app import python_of_app

        return python_of_app(project.resolve(), read_config(project).python)
    own = project / ".venv"
    if (own / READY).is_file():
        return str(interpreter(own))
    dependencies = _dependencies(project)
    shared = _cache() / _key(dependencies)
    if not (shared / READY).is_file():
        announce("installing what the server needs (once)")
        _make(shared, dependencies)
    return str(interpreter(shared))


def variables(project: Path) -> dict[str, str]:
    """Return the environment variables of a process that imports the project's package.
    `PYTHONPATH` ends with mcpgen's own runtime, for a package without a copy.
    """
    paths = [
        import_path(home_of(project)),
        *filter(None, [os.environ.get("PYTHONPATH")]),
        str(INSTALLED),
    ]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def import_path(home: Path) -> str:
    """Return the folder from which a package is imported, for `PYTHONPATH`. Raises UsageError
    (E1177) if its path has the character that separates folders there.
    """
    path = str(import_root(home))
    if os.pathsep in path:
        message = f"Python cannot import from `{path}`: `{os.pathsep}` separates two folders"
        raise UsageError.of("E1177", message, "give the folder a name without it")
    return path


def package_of(project: Path) -> str:
    """Return the import name of a project's package: `bookshop_mcp`, or `shop.mcp` inside an app.
    Raises UsageError unless there is exactly one package.
    """
    home = home_of(project)
    return ".".join(home.relative_to(import_root(home)).parts)


def home_of(project: Path) -> Path:
    """Return the folder of a project's package. Raises UsageError unless there is exactly one."""
    found = [home for home in homes(project.absolute()) if (home / FACTS).is_file()]
    if len(found) == 1:
        return found[0]
    raise _problem(
        f"`{project / 'src'}` does not hold the package of a server",
        "generate it: `mcpgen generate`, in the project's folder",
    )


def _dependencies(project: Path) -> list[str]:
    """Return the requirements of the project's server, of its login, if any, and of
    `mcpgen-runtime` itself. Raises UsageError.
    """
    from ..render.parts import DISTRIBUTION, runtime_requirements  # late: completion needs none

    try:
        data = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
        extra = data.get("optional-dependencies", {}).get("login", [])
        listed = [str(item) for item in [*data["dependencies"], *extra]]
    except (OSError, KeyError, TypeError, ValueError) as error:
        hint = "`pyproject.toml` must list the server's dependencies under `[project]`"
        raise _problem(f"the dependencies of `{project}` cannot be read: {error}", hint) from None
    own = [item for item in listed if not item.startswith(DISTRIBUTION)]
    if own != listed:
        own += runtime_requirements()
    return own


def _cache() -> Path:
    """Return the folder of environments in the user's cache folder."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home())
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "mcpgen" / "servers"


def _key(dependencies: list[str]) -> str:
    facts = json.dumps([sorted(dependencies), sys.version_info[:2], sys.prefix])
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def interpreter(environment: Path) -> Path:
    """Return the Python of an environment, beside which its commands are."""
    if os.name == "nt":
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def _make(folder: Path, dependencies: list[str]) -> None:
    """Make an environment beside its place and move it there when it is complete. Raises
    UsageError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix="new-"))
    try:
        done = _install(draft, dependencies)
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise _problem(
                "what the server needs could not be installed",
                f"make an environment yourself and name its Python in `{OVERRIDE}`",
                tuple(lines[-5:]),
            )
        (draft / READY).touch()
        draft.rename(folder)
    except OSError:
        if not (folder / READY).is_file():  # another process was first
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _install(folder: Path, dependencies: list[str]) -> subprocess.CompletedProcess[str]:
    """Install packages into a new environment with uv, at a tenth of pip's time; without uv, or if
    uv fails, with pip: a company's index may be only in pip's settings. Return the last process.
    """
    python = str(interpreter(folder))
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    tools = [[uv, "pip", "install", "--python", python]] if uv else []
    for tool in [*tools, [python, "-m", "pip", "install"]]:
        venv.create(folder, with_pip=tool[0] == python, symlinks=os.name != "nt")
        command = [*tool, "-qq", *dependencies]
        done = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if not done.returncode:
            break
    return done


def _problem(message: str, hint: str, notes: tuple[str, ...] = ()) -> UsageError:
    return UsageError(
        Problem(code="E1177", severity="error", message=message, hint=hint, notes=notes)
    )

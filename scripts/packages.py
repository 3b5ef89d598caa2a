"""Build the packages of this checkout into `dist/`: mcpgen, and the runtime of the servers that do
not have a copy of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mcpgen.render.parts import DISTRIBUTION, runtime_requirements
from mcpgen.render.stage import IGNORED, RUNTIME
from mcpgen.version import __version__

CHECKOUT = Path(__file__).parents[1]
MANIFEST = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = "The runtime of the MCP servers that mcpgen generates"
requires-python = ">=3.11"
license = "MIT"
dependencies = {dependencies}
"""


def main(outdir: Path) -> None:
    """Build every package into a folder."""
    build = [sys.executable, "-m", "build", "--outdir", str(outdir)]
    subprocess.run([*build, str(CHECKOUT)], check=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        name = DISTRIBUTION.replace("-", "_")
        shutil.copytree(RUNTIME, folder / name, ignore=shutil.ignore_patterns(*IGNORED))
        (folder / name / "py.typed").touch()
        shutil.copy(CHECKOUT / "LICENSE", folder)
        text = MANIFEST.format(
            name=DISTRIBUTION,
            version=__version__,
            dependencies=json.dumps(runtime_requirements(), indent=4),
        )
        (folder / "pyproject.toml").write_text(text, "utf-8")
        subprocess.run([*build, "--wheel", place], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else CHECKOUT / "dist"))

"""A generated server as the referee starts it: `referee_server.py DOCUMENT BASE_URL`, then MCP on
stdio.

The package is generated into a temporary folder and run from there, with the referee's credentials
in the variables that the package itself asks for.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from tests.generated import written

CREDENTIALS = {
    "api_key": ("refkey",), "basic": ("refuser", "refpass"), "bearer": ("reftoken",),
    "client_credentials": ("", "", "reftoken"), "unsupported": (),
}  # fmt: skip
"""The values of a credential's variables, in the order the package lists them."""


def generate(document: str, folder: Path, *parts: str) -> Path:
    """Generate a package from a document; its folder of facts (`api.json`) comes back."""
    _, server, files = pipeline.generate(
        Config(sources=(document,), parts=("http", *parts)), Problems()
    )
    return written(files, folder) / "src" / server.package


def environment(package: Path, base_url: str) -> dict[str, str]:
    """The variables a package needs to call the API at `base_url`, which is on this machine."""
    facts = json.loads((package / "api.json").read_text())
    prefix = facts["env_prefix"]
    out = {
        **os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1",
        f"{prefix}_BASE_URL": base_url, f"{prefix}_ALLOW_PRIVATE": "true", f"{prefix}_RETRIES": "0",
    }  # fmt: skip
    for credential in facts["auth"].values():
        values = CREDENTIALS[credential["kind"]]
        out |= {
            name: value
            for name, value in zip(credential["variables"], values, strict=False)
            if value
        }
    return out


def main() -> int:
    """Generate, serve until the client leaves, clean up."""
    document, base_url = sys.argv[1:3]
    folder = Path(tempfile.mkdtemp(prefix="mcpgen-referee-"))
    try:
        package = generate(document, folder)
        command = [sys.executable, "-m", package.name]
        return subprocess.run(command, env=environment(package, base_url), check=False).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

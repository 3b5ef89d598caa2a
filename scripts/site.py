"""Build the pages as a site: `.site/html`, by Zensical in an environment of its own (`make docs`).

The pages are copied with the folders around them, so that links between them lead to the same
places as in a checkout.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".site"
PAGES = FOLDER / "pages"
REQUIREMENT = "zensical>=0.0.73"
LINKED = ("docs", "samples", "mcpgen/data")
"""Folders that pages lie in or link to."""


def stage() -> None:
    """Lay the pages out below `.site/pages`."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    for folder in LINKED:
        shutil.copytree(ROOT / folder, PAGES / folder)
    for path in [*ROOT.glob("*.md"), ROOT / "LICENSE"]:
        shutil.copy(path, PAGES)
    shutil.copy(ROOT / "docs" / "site.yml", FOLDER / "mkdocs.yml")


def program() -> Path:
    """Zensical, installed once."""
    environment = FOLDER / "venv"
    installed = environment / "bin" / "zensical"
    if not installed.is_file():
        print("installing what builds the site (once)")
        venv.create(environment, with_pip=True)
        pip = [environment / "bin" / "python", "-m", "pip", "install", "-q"]
        subprocess.run([*pip, REQUIREMENT], check=True)
    return installed


def main() -> int:
    """Build the site; the exit code of the builder."""
    stage()
    command = [program(), "build", "--clean", "--strict", "-f", "mkdocs.yml"]
    return subprocess.run(command, cwd=FOLDER).returncode


if __name__ == "__main__":
    sys.exit(main())

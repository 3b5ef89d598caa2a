"""What `mcpgen add` brings leaves a project as clean as it was, alone and with everything else."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.cli.add import Thing
from mcpgen.render.deployment import TARGETS
from mcpgen.render.parts import on_request
from tests.commands import Command, mcpgen

__all__ = ["mcpgen"]

ROOT = Path(__file__).parents[2]
BOOKSHOP = ROOT / "samples/specs/bookshop.yaml"
WORDS = {"tool": ["count_words --argument text:string!", "count_pages --python"]}
WORDS["api"] = [shlex.quote(f"{ROOT}/samples/specs/logins.yaml")]
"""What else is typed after a thing; a tool can be a function too."""
THINGS = [thing for thing in Thing if thing != Thing.github_workflow]
"""Those that a project of its own lacks: it has a workflow from the first run on."""
ADDITIONS = [[thing, *shlex.split(words)] for thing in THINGS for words in WORDS.get(thing, [""])]
ALONE = [words for words in ADDITIONS if words[0] not in {*on_request(), *TARGETS}]
"""Those that bring code."""


@pytest.fixture
def shop(mcpgen: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project of the bookshop."""
    assert mcpgen("generate", BOOKSHOP, "-o", tmp_path / "shop", "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


def said(*commands: list[str]) -> str:
    """What the judges of a project's own `make lint` say in the current folder."""
    lines = [[sys.executable, "-m", *command] for command in commands]
    runs = [subprocess.run(line, capture_output=True, text=True, timeout=300) for line in lines]
    return "".join(done.stdout + done.stderr for done in runs if done.returncode)


@pytest.mark.parametrize("words", ALONE, ids=lambda words: words[0])
def test_code_that_is_added_is_in_style(mcpgen: Command, shop: Path, words: list[str]) -> None:
    assert mcpgen("add", *words, "--quiet").code == 0
    assert said(["ruff", "check", "src", "tests"]) == "" and mcpgen("check").code == 0


def test_all_that_can_be_added_together_is_in_style_and_typed(
    mcpgen: Command, shop: Path, monkeypatch: pytest.MonkeyPatch, mypy_cache: Path
) -> None:
    monkeypatch.setenv("MYPY_CACHE_DIR", str(mypy_cache))
    for words in ADDITIONS:
        assert mcpgen("add", *words, "--quiet").code == 0, words
    style = ["black", "--check", "--quiet", "src", "tests"], ["ruff", "check", "src", "tests"]
    types = ["mypy", "--python-version", "3.11"], ["mypy", "--python-version", "3.13"]
    assert said(*style, *types) == "" and mcpgen("check").code == 0

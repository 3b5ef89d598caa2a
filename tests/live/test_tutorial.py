"""The tutorial and the cookbook of hooks, as they are printed."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Ended
from .test_readme import shop  # noqa: F401

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page as (language, text)."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, flags=re.S | re.M)


def commands(block: str) -> list[list[str]]:
    """The words of the commands of a block."""
    return [shlex.split(line[2:]) for line in block.splitlines() if line.startswith("$ ")]


def test_the_tutorial_works_as_it_is_printed(
    mcpgen: Callable[..., Ended],
    here: Path,
    shop: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("samples", "pyproject.toml"):
        (here / name).symlink_to(ROOT / name)
    count = 0
    for language, text in blocks("tutorial.md"):
        if language == "toml":
            config = Path("mcpgen.toml")
            config.write_text(merged(config.read_text("utf-8"), text), "utf-8")
            continue
        for name, *words in commands(text):
            if name == "cd":
                monkeypatch.chdir(words[0])
            elif name == "export":
                variable, _, value = words[0].partition("=")
                monkeypatch.setitem(os.environ, variable, value)
                monkeypatch.setenv("MCPGEN_BOOKSHOP_BASE_URL", shop)
            elif name == "pipx":
                assert Path(words[-1], "pyproject.toml").is_file(), words
            elif name == "mcpgen":
                ended = mcpgen(*words)
                assert ended.code == 0, f"{words}: {ended.err}"
                count += 1
    assert count >= 8
    assert "Pessoa" in mcpgen("call", "who_wrote", "authorId=au_2").out


def merged(config: str, text: str) -> str:
    """A configuration with the tables of another in place of its own of the same names."""
    for head in re.findall(r"^\[[^\]]+\]", text, flags=re.M):
        config = re.sub(rf"^{re.escape(head)}\n(?:(?!^\[).*\n)*", "", config, flags=re.M)
    return f"{config}\n{text}"


RECIPES = [text for language, text in blocks("hooks.md") if language == "python"]
EXPECTED = {
    "before_cancel_order": (["cancel_order", "orderId=or_1"], "ask the shop", 1),
    "before_list_books": (["list_books", "--dry-run"], "page-size=5", 0),
    "shape_get_author": (["get_author", "authorId=au_2"], '{"id":"au_2","name":"Fernando', 0),
    "after": (["get_author", "authorId=au_2"], "get_author: 1", 0),
    "after_get_author": (["get_author", "authorId=au_2"], "years only", 0),
}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda text: re.findall(r"def (\w+)", text)[0])
def test_every_recipe_for_hooks_works_as_it_stands(
    mcpgen: Callable[..., Ended],
    here: Path,
    shop: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    recipe: str,
) -> None:
    document = ROOT / "samples" / "specs" / "bookshop.yaml"
    assert mcpgen("generate", document, "-o", "project", "--quiet").code == 0
    monkeypatch.setenv("MCPGEN_BOOKSHOP_BASE_URL", shop)
    monkeypatch.setenv("MCPGEN_BOOKSHOP_API_KEY", "demo-key")
    Path("project/src/bookshop_mcp/hooks.py").write_text(recipe, "utf-8")
    [name] = re.findall(r"def (\w+)", recipe)
    words, text, code = EXPECTED[name]
    command = [sys.executable, "-m", "mcpgen", "call", *words, "--project", "project"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert text in f"{ended.stdout}{ended.stderr}"
    assert ended.returncode == code
    if name == "shape_get_author":
        assert "books" not in ended.stdout


def test_no_recipe_for_hooks_is_left_out() -> None:
    names = [re.findall(r"def (\w+)", recipe)[0] for recipe in RECIPES]
    assert names == list(EXPECTED)


def test_the_example_for_auth_signs_a_request(
    mcpgen: Callable[..., Ended],
    here: Path,
    shop: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = ROOT / "samples" / "specs" / "bookshop.yaml"
    assert mcpgen("generate", document, "-o", "project", "--quiet").code == 0
    variables = {"BASE_URL": shop, "API_KEY": "demo-key"}
    for name, value in variables.items():
        monkeypatch.setenv(f"MCPGEN_BOOKSHOP_{name}", value)
    monkeypatch.setenv("SIGNING_KEY", "0123456789")
    [example] = [text for language, text in blocks("credentials.md") if language == "python"]
    Path("project/src/bookshop_mcp/auth.py").write_text(example, "utf-8")
    ended = mcpgen("call", "get_author", "authorId=au_2", "--project", "project", "--json")
    assert ended.code == 0, ended.err
    [request] = json.loads(ended.out)["requests"]
    assert request["headers"]["X-Signature"] == "****"

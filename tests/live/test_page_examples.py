"""The examples of hooks and credentials, as they are printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import Ended

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The base URL of the sample API."""
    monkeypatch.syspath_prepend(str(ROOT / "samples"))
    import bookshop_api

    with bookshop_api.serving() as server:
        yield server.base_url
    sys.modules.pop("bookshop_api")


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page as (language, text)."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, flags=re.S | re.M)


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
    mcpgen: Callable[..., Ended], here: Path, shop: str, monkeypatch: pytest.MonkeyPatch,
    recipe: str,
) -> None:  # fmt: skip
    document = ROOT / "samples" / "specs" / "bookshop.yaml"
    assert mcpgen("generate", document, "-o", "project", "--quiet").code == 0
    monkeypatch.setenv("BOOKSHOP_MCP_BASE_URL", shop)
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "demo-key")
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
    mcpgen: Callable[..., Ended], here: Path, shop: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    document = ROOT / "samples" / "specs" / "bookshop.yaml"
    assert mcpgen("generate", document, "-o", "project", "--quiet").code == 0
    variables = {"BASE_URL": shop, "API_KEY": "demo-key"}
    for name, value in variables.items():
        monkeypatch.setenv(f"BOOKSHOP_MCP_{name}", value)
    monkeypatch.setenv("SIGNING_KEY", "0123456789")
    [example] = [text for language, text in blocks("credentials.md") if language == "python"]
    Path("project/src/bookshop_mcp/auth.py").write_text(example, "utf-8")
    ended = mcpgen("call", "get_author", "authorId=au_2", "--project", "project", "--json")
    assert ended.code == 0, ended.err
    [request] = json.loads(ended.out)["requests"]
    assert request["headers"]["X-Signature"] == "****"

"""The files that are data: what a model sees, and what the runtime knows of the API."""

import json
from dataclasses import replace

import pytest

from mcpgen.customise import with_tool_names
from mcpgen.ir import Auth, Response, Toolset
from mcpgen.paths import is_once
from mcpgen.runtime.client.settings import Shaping

from .servers import argument, files_of, server, tool


def test_a_contract_has_one_line_for_each_tool() -> None:
    text = files_of(tool("a", output_schema={"type": "object"}), tool("b", title="\u00e9"))[
        "src/bookshop_mcp/tools/books.json"
    ]
    opening, first, second, closing, end = text.split("\n")
    assert (opening, closing, end) == ("[", "]", "") and text.isascii()
    assert json.loads(first.removesuffix(",")) == {
        "name": "a", "title": "List books", "description": "List the books in the catalogue.",
        "inputSchema": {"type": "object", "properties": {}}, "outputSchema": {"type": "object"},
        "annotations": {
            "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True,
            "openWorldHint": True,
        },
    }  # fmt: skip
    assert "outputSchema" not in json.loads(second) and json.loads(second)["title"] == "\u00e9"


def test_a_toolset_without_tools_is_an_empty_list_beside_another() -> None:
    both = tuple(
        Toolset(name=name, title=name, description="", tools=tools)
        for name, tools in (("books", ()), ("orders", (tool("a"),)))
    )
    assert files_of(toolsets=both)["src/bookshop_mcp/tools/books.json"] == "[]\n"
    assert not [path for path in files_of() if "/tools/" in path]


def test_the_runtime_is_told_what_it_needs() -> None:
    wrapped = tool("b", response=Response(json=True, wrapped=True))
    found = json.loads(
        files_of(
            tool("a"), wrapped, aliases=(("old", "a"),), base_url=None,
            answers=(("a", Shaping(keep=("x",), strip_nulls=True)),),
            auth=(Auth(name="k", kind="basic", variables=("U", "P")),), security=(("k",), ()),
            base_url_note="the document names no server",
            allowed_origins=("https://other.example.com",),
        )["src/bookshop_mcp/api.json"]
    )  # fmt: skip
    assert (
        found["wrapped"] == ["b"]
        and found["aliases"] == {"old": "a"}
        and found["security"] == [["k"], []]
    )
    assert found["base_url"] is None and found["base_url_note"] == "the document names no server"
    assert found["answers"]["a"] == {"keep": ["x"], "strip_nulls": True}
    assert found["allowed_origins"] == ["https://other.example.com"]
    assert found["env_prefix"] == "BOOKSHOP_MCP" and found["toolsets"] == {
        "books": {"title": "Books", "description": ""}
    }
    assert found["auth"]["k"] == {
        "kind": "basic", "place": "header", "wire_name": "Authorization", "scheme": "Bearer",
        "variables": ["U", "P"], "token_url": None, "scopes": [],
        "about": "sent as `Authorization: Basic …`",
    }  # fmt: skip


def test_every_json_file_is_ascii_and_ends_with_a_newline() -> None:
    for path, text in files_of(tool(docstring="é", description="💥")).items():
        if path.endswith(".json"):
            json.loads(text)
            assert text.isascii() and text.endswith("\n") and not text.endswith("\n\n")


def test_a_float_that_is_not_finite_never_becomes_json() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        files_of(tool("a", argument("x"), properties={"x": {"maximum": float("inf")}}))


@pytest.mark.parametrize(("path", "once"), [
    ("pyproject.toml", True), ("README.md", True), (".github/workflows/mcpgen.yml", True),
    ("src/bookshop_mcp/hooks.py", True), ("src/bookshop_mcp/auth.py", True),
    ("src/bookshop_mcp/custom/__init__.py", True), ("server.json", False),
    ("src/bookshop_mcp/runtime/app.py", False), ("src/bookshop_mcp/__init__.py", False),
    ("src/bookshop_mcp/tools/hooks.py", False), ("src/hooks.py", False),
    ("tests/conftest.py", False), ("src/a/b/custom/__init__.py", False),
])  # fmt: skip
def test_what_is_written_once(path: str, once: bool) -> None:
    assert is_once(path) is once


def test_a_project_has_the_files_it_promises() -> None:
    paths = set(files_of(tool()))
    package = {path.removeprefix("src/bookshop_mcp/") for path in paths if path.startswith("src/")}
    assert {"__init__.py", "__main__.py", "runtime/app.py", "py.typed", "api.json"} <= package
    assert {"runtime/client/api.py", "runtime/client/wire.py"} <= package
    assert {"tools/__init__.py", "tools/books.json", "tools/books.py"} <= package
    assert {"custom/__init__.py", "hooks.py", "auth.py"} <= package
    assert {"pyproject.toml", "README.md", ".env.example", ".gitignore", "Makefile"} <= paths
    assert {path.split("/")[0] for path in paths} == {
        *("src", "tests", "document", ".github", ".gitignore", ".env.example"),
        *("Makefile", "README.md", "pyproject.toml"),
    }
    assert not any(
        "jinja" in path or "src/package" in path or "__pycache__" in path for path in paths
    )


def test_a_tool_is_not_compared_with_the_names_of_all_others() -> None:
    class Counted(str):
        looked_up = 0

        def __hash__(self) -> int:
            Counted.looked_up += 1
            return super().__hash__()

    tools = [
        replace(made, origin=replace(made.origin, operation_id=Counted(f"getBook{at}")))
        for at in range(100)
        for made in [tool(f"get_book_{at}", argument("author"))]
    ]
    with_tool_names(server(*tools))
    assert Counted.looked_up < 10 * 100

"""Names outlive what they are for: a tool that returns, and an argument that returns, has the name
it had.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from mcpgen.config import Config
from mcpgen.live.watch import generated
from mcpgen.lock.model import same
from mcpgen.problems import Problems, RefusedError
from mcpgen.project.check import check

from .shop import (
    BOOK,
    DOCUMENT,
    Document,
    add,
    changed,
    contents,
    cut,
    generate,
    get,
    lock_of,
    package,
    project,
    save,
    set_in,
    tools,
)

LESS = changed(cut("paths", "/orders"))


def test_a_type_keeps_its_name_beside_others_that_would_have_it(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = package(folder) / "models.py"
    news = {
        name: {"type": "object", "properties": {"a": {}}} for name in ("ListBooksAnswer", "book")
    }
    answers = {name: {"$ref": f"#/components/schemas/{name}"} for name in news}
    schema = {"type": "object", "properties": answers}
    response = {"description": "ok", "content": {"application/json": {"schema": schema}}}
    document = copy.deepcopy(DOCUMENT)
    document["components"]["schemas"].update(news)
    document["paths"] = {"/a": get("getAll", responses={"200": response}), **DOCUMENT["paths"]}
    save(document, tmp_path / "shop.json")
    _, *classes = before.read_text().strip().split("\n\n\n")
    generate(folder)
    assert len(classes) == 2 and set(classes) < {*before.read_text().split("\n\n\n")}
    assert lock_of(folder).models["#/components/schemas/book"] == "Book2"


def test_a_name_of_a_tool_that_went_may_be_given_to_another_meanwhile(tmp_path: Path) -> None:
    folder, document = project(tmp_path), copy.deepcopy(DOCUMENT)
    moved = document["paths"].pop("/orders")["get"]
    document["paths"]["/purchases"] = {"get": {**moved, "operationId": "purchases"}}
    for more in ({}, {"/list": get("listOrders")}, {"/orders": get("orders")}):
        document["paths"] |= more
        save(document, tmp_path / "shop.json")
        generate(folder)
    names = {tool.operation: tool.name for tool in lock_of(folder).tools}
    assert names["GET /list"] == "list_orders"
    assert names["GET /orders"] != "list_orders"


@pytest.mark.parametrize(("before", "now", "found"), [
    ([("GET /a", "x")], [("GET /b", "x")], {"GET /a": "GET /b"}),
    ([("GET /a", "x")], [("GET /b", "x"), ("GET /c", "x")], {}),
    ([("GET /a", "x"), ("GET /b", "x")], [("GET /c", "x")], {}),
    ([("GET /a", None)], [("GET /b", None)], {}),
    ([("GET /a/{x}", "x")], [("GET /a/{y}", "y")], {"GET /a/{x}": "GET /a/{y}"}),
    ([("GET /a/{x}", "x")], [("GET /a/{y}", "y"), ("GET /a/{z}", "z")], {}),
    ([("GET /a", "x"), ("GET /b", "y")], [("GET /a", "y")], {"GET /a": "GET /a"}),
])  # fmt: skip
def test_what_occurs_twice_identifies_nothing(
    before: list[Any], now: list[Any], found: dict[str, str]
) -> None:
    assert {pair[0]: name for pair, name in same(before, now).items()} == found


def test_an_argument_that_was_away_for_a_release_has_its_name_again(tmp_path: Path) -> None:
    def with_sort(*names: str) -> Document:
        text = {"in": "query", "schema": {"type": "string"}}
        to = [{"name": name, **text} for name in names]
        return changed(set_in("paths", "/books", "get", "parameters", to=to))

    folder = project(tmp_path, with_sort("sort-by"))
    for parameters in (("other",), ("sort-by", "sort_by")):
        save(with_sort(*parameters), tmp_path / "shop.json")
        generate(folder)
    (tool,) = [tool for tool in lock_of(folder).tools if tool.name == "list_books"]
    assert tool.arguments["sort_by"] == ("query", "sort-by")
    assert tool.arguments["sort_by_query"] == ("query", "sort_by")


def with_body(schema: Any, *, required: bool, media_type: str = "application/json") -> Document:
    """The document whose books are added with such a body."""
    body = {"required": required, "content": {media_type: {"schema": schema}}}
    return changed(set_in("paths", "/books", "post", "requestBody", to=body))


def taken(folder: Path) -> list[str]:
    """The names of the arguments that a book is added with."""
    return list(tools(folder)["add_book"]["inputSchema"]["properties"])


@pytest.mark.parametrize("media_type", ["application/json", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("first", [True, False])
def test_no_argument_has_another_name_where_only_the_need_of_the_body_changes(
    tmp_path: Path, media_type: str, first: bool
) -> None:
    folder = project(tmp_path, with_body(BOOK, required=first, media_type=media_type))
    before = taken(folder)
    save(with_body(BOOK, required=not first, media_type=media_type), tmp_path / "shop.json")
    generate(folder)
    assert taken(folder) == before


def test_a_body_stays_one_argument_and_the_fields_of_another_stay_fields(tmp_path: Path) -> None:
    comment = {"type": "object", "required": ["body"], "properties": {"body": {"type": "string"}}}
    union = {"oneOf": [BOOK, comment]}
    for before, now, names in (
        (union, BOOK, ["request_body"]),
        (comment, {**comment, "properties": {"to": {}, **comment["properties"]}}, ["body", "to"]),
    ):
        folder = project(tmp_path / names[-1], with_body(before, required=True))
        save(with_body(now, required=True), folder.parent / "shop.json")
        generate(folder)
        assert taken(folder) == names


def test_a_name_that_the_configuration_gave_an_argument_is_not_kept(tmp_path: Path) -> None:
    folder = project(tmp_path)
    text = (folder / "mcpgen.toml").read_text()
    add(folder, '[tools.listBooks.arguments.limit]\nname = "most"')
    generate(folder)
    assert "most" in tools(folder)["list_books"]["inputSchema"]["properties"]
    (folder / "mcpgen.toml").write_text(text)
    generate(folder)
    assert "limit" in tools(folder)["list_books"]["inputSchema"]["properties"]


def test_what_breaks_is_said_of_the_new_document_before_anything_is_written(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (package(folder) / "hooks.py").write_text("def shape_list_orders(call, data): ...\n")
    assert check(folder, Problems()).passed
    save(LESS, tmp_path / "shop.json")
    (problem,) = check(folder, Problems()).problems
    assert "`GET /orders` is no longer in the document" in problem.message


def test_a_credential_keeps_the_name_that_its_variables_have(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    schemes = document["components"]["securitySchemes"]
    schemes["OAuth2PasswordBearer"] = {"type": "http", "scheme": "bearer"}
    document["security"] = [{"OAuth2PasswordBearer": []}]
    folder = project(tmp_path, document)
    [_, credential] = lock_of(folder).auth.values()
    assert credential["variables"] == ["CORNER_SHOP_MCP_OAUTH2_PASSWORD_BEARER_TOKEN"]
    lock = folder / "mcpgen.lock"
    for word, before in (("oauth2", "o_auth2"), ("OAUTH2", "O_AUTH2")):
        lock.write_text(
            lock.read_text().replace(f"{word}_", f"{before}_").replace(f"_{word}", f"_{before}")
        )
    generate(folder, accept=True, force=True)
    [_, credential] = lock_of(folder).auth.values()
    assert credential["variables"] == ["CORNER_SHOP_MCP_O_AUTH2_PASSWORD_BEARER_TOKEN"]


def test_no_generation_takes_the_tool_of_a_guard_away(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (package(folder) / "hooks.py").write_text("def before_list_orders(call): ...\n")
    save(LESS, tmp_path / "shop.json")
    before = contents(folder)
    with pytest.raises(RefusedError, match="hook `before_list_orders` is for a tool that is gone"):
        generated(Config(), folder)
    assert contents(folder) == before

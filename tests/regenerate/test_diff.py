"""What a change of the document means for callers: its class, its words, the exit code."""

from __future__ import annotations

import copy
import json
import subprocess
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcpgen import pipeline
from mcpgen.compare import reports, servers
from mcpgen.compare.answers import compare_outputs
from mcpgen.compare.reports import as_changelog, as_data, as_markdown, as_text, next_version
from mcpgen.compare.schemas import compare_inputs
from mcpgen.compare.servers import READ_ANEW, Diff, diff
from mcpgen.compare.sides import side_of_project, side_of_server
from mcpgen.config import Config, ToolConfig
from mcpgen.lock.model import successors
from mcpgen.problems import Problems
from mcpgen.project.revision import side_of_revision
from tests.commands import Command

from .shop import DOCUMENT, Change, Document, add, changed, cut, generate, project, save, set_in


def compared(tmp_path: Path, new: Document, config: Config | None = None) -> Diff:
    """The diff from the document to another one."""
    config = config or Config()
    sides = []
    lock = None
    for name, document in (("old", DOCUMENT), ("new", new)):
        source = save(document, tmp_path / f"{name}.json")
        given = Config(sources=(str(source),), tools=config.tools if name == "new" else {})
        _, server = pipeline.understand(given, Problems(), lock=lock)
        sides.append(side_of_server(server))
        lock = sides[0].lock
    found = diff(*sides)
    events = {change.event for change in found.changes}
    assert events <= {"added", "removed", "renamed", "changed", "server"}
    return found


def parameters(document: Document) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document["paths"]["/books"]["get"]["parameters"]
    return found


LIST = ("paths", "/books", "get")
GET = ("paths", "/books/{bookId}", "get")
GENRE = (*LIST, "parameters", 0)
LIMIT = (*LIST, "parameters", 1, "schema")

TABLE: list[tuple[str, Change, str, str, str]] = [
    # what happens                  the change                                          class
    # tool         phrase
    ("an operation is gone", cut(*LIST), "breaking", "list_books", "`GET /books` is gone"),
    ("an operation is new", set_in("paths", "/x", to={"get": {"operationId": "x", "responses": {}}}),
     "additive", "x", "is new: `GET /x`"),
    ("a deleting operation is new", set_in("paths", "/x", to={"delete": {"operationId": "x", "responses": {}}}),
     "additive", "x", "is new and destructive"),
    ("the operationId is another", set_in(*LIST, "operationId", to="all"), "text", "list_books", "operationId is `all`"),
    ("the path is another", lambda document: document["paths"].update({"/v2": document["paths"].pop("/orders")}),
     "breaking", "list_orders", "it now calls `GET /v2` instead of `GET /orders`"),
    ("an argument is gone", cut(*LIST, "parameters", 2), "breaking", "list_books", "`tenant` is gone"),
    ("an argument is new", set_in(*LIST, "parameters", 2, "name", to="shop"), "breaking", "list_books", "`tenant` is gone"),
    ("an optional argument is new", lambda document: parameters(document).append(
        {"name": "page", "in": "query", "schema": {"type": "integer"}}), "additive", "list_books", "`page` is new"),
    ("a required argument is new", lambda document: parameters(document).append(
        {"name": "page", "in": "query", "required": True, "schema": {"type": "integer"}}),
     "breaking", "list_books", "`page` is new and required"),
    ("an argument is required now", set_in(*GENRE, "required", to=True), "breaking", "list_books", "`genre` is required now"),
    ("a type narrows", set_in(*LIST, "parameters", 2, "schema", to={"type": "integer"}), "breaking", "list_books",
     "`tenant` must be integer instead of string"),
    ("a type widens", set_in(*LIMIT, to={"type": "number", "minimum": 1, "maximum": 100}), "additive", "list_books",
     "`limit` may be number instead of integer"),
    ("an enum value is gone", set_in(*GENRE, "schema", "enum", to=["poetry"]), "breaking", "list_books", "`genre` no longer allows `science`"),
    ("an enum value is new", set_in(*GENRE, "schema", "enum", to=["poetry", "science", "art"]), "additive",
     "list_books", "`genre` allows `art` as well"),
    ("a maximum falls", set_in(*LIMIT, "maximum", to=50), "breaking", "list_books", "`limit` must be at most 50"),
    ("a maximum rises", set_in(*LIMIT, "maximum", to=500), "additive", "list_books", "`limit` must be at most 500"),
    ("a maximum goes", cut(*LIMIT, "maximum"), "additive", "list_books", "`limit` is no longer limited"),
    ("a field of an answer is gone", cut("components", "schemas", "Book", "properties", "price"), "breaking",
     "get_book", "answers no longer have `price`"),
    ("a field of an answer is new", set_in("components", "schemas", "Book", "properties", "pages", to={}), "additive",
     "get_book", "answers have `pages` as well"),
    ("a description is another", set_in(*LIST, "description", to="Sorted."), "text", "list_books",
     "its description is “List books. Sorted. Returns items, an array of objects: title, price, id.” instead of"),
    ("an argument is described", set_in(*GENRE, "description", to="Which kind."), "text", "list_books",
     "the description of `genre` is new: “Which kind”"),
    ("an argument is described at length", set_in(*GENRE, "description", to="Which kind " * 60), "text",
     "list_books", "the description of `genre` is new: “Which kind Which"),
    ("an operation is deprecated", set_in(*LIST, "deprecated", to=True), "text", "list_books", "it is deprecated"),
    ("the toolset is another", set_in(*LIST, "tags", to=["shelf"]), "breaking", "list_books", "to the toolset `shelf`"),
    ("the origin is another", set_in("servers", 0, "url", to="https://evil.example/v1"), "security", "list_books",
     "requests go to `https://evil.example`"),
    ("the base path is another", set_in("servers", 0, "url", to="https://api.shop.example/v2"), "security", "list_books",
     "requests go below `/v2` instead of `/v1`"),
    ("a placeholder has another name", lambda document: document["paths"].update({"/books/{id}": {
        **document["paths"].pop("/books/{bookId}"), "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]}}),
     "text", "get_book", "its path is `/books/{id}` instead of `/books/{bookId}`"),
    ("a field of a body is only read", set_in("components", "schemas", "Book", "properties", "price", "readOnly",
     to=True), "breaking", "add_book", "`price` is gone"),
    ("a default is new", set_in(*LIMIT, "default", to=20), "additive", "list_books", "the default of `limit` is `20`"),
    ("a credential is another", set_in("components", "securitySchemes", "key", "name", to="X-New"), "security",
     "list_books", "credential `key` changes its name on the wire: `X-Key` is now `X-New`"),
    ("an operation goes without credentials", set_in(*GET, "security", to=[]), "security", "get_book", "no credential"),
    ("a read becomes a deletion", lambda document: document["paths"]["/books/{bookId}"].update(
        {"delete": document["paths"]["/books/{bookId}"].pop("get")}), "security", "get_book", "requests are sent with DELETE instead of GET"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "kind", "tool", "text"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_every_change_has_its_class(
    tmp_path: Path, change: Change, kind: str, tool: str, text: str
) -> None:
    found = compared(tmp_path, changed(change))
    matching = [item for item in found.changes if item.tool == tool and text in item.text]
    assert [item.kind for item in matching] == [kind], as_text(found)
    assert found.kind == kind, as_text(found)


def test_a_new_order_and_the_body_of_an_error_change_nothing(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["paths"] = dict(reversed(document["paths"].items()))
    problem = {"description": "no", "content": {"application/json": {"schema": {"type": "object"}}}}
    document["paths"]["/orders"]["get"]["responses"]["default"] = problem
    found = compared(tmp_path, document)
    assert found.changes == ()
    assert found.exit_code == 0
    assert as_text(found) == "nothing changes for callers"


def test_a_new_name_breaks_callers_unless_the_old_one_still_works(tmp_path: Path) -> None:
    renamed = Config(tools={"listBooks": ToolConfig(name="find_books")})
    assert [item.kind for item in compared(tmp_path, DOCUMENT, renamed).changes] == ["breaking"]
    kept = Config(tools={"listBooks": ToolConfig(name="find_books", aliases=("list_books",))})
    (change,) = compared(tmp_path, DOCUMENT, kept).changes
    assert (change.kind, change.event, change.text) == (
        "additive", "renamed", "was called `list_books`, which still works",
    )  # fmt: skip


@pytest.mark.parametrize(("change", "code"), [
    (set_in(*LIST, "summary", to="Books"), 10),
    (set_in(*LIMIT, "maximum", to=500), 11),
    (cut(*LIST), 12),
    (set_in("servers", 0, "url", to="https://evil.example"), 13),
])  # fmt: skip
def test_the_exit_code_is_the_gravest_class(tmp_path: Path, change: Change, code: int) -> None:
    found = compared(tmp_path, changed(change))
    assert found.exit_code == code
    assert as_data(found)["exit_code"] == code
    assert json.loads(json.dumps(as_data(found)))["changes"] == [
        {"class": each.kind, "event": each.event, "tool": each.tool, "text": each.text}
        for each in found.changes
    ]


def test_the_comment_for_a_pull_request_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def much(document: Document) -> None:
        document["servers"][0]["url"] = "https://evil.example"
        for number in range(400):
            document["paths"][f"/x{number}"] = {
                "get": {"operationId": f"x{number}", "responses": {}}
            }
        del document["paths"]["/orders"]

    monkeypatch.setattr(reports, "LONGEST", 5000)
    text = as_markdown(compared(tmp_path, changed(much)))
    assert text.startswith("### MCP tools: 1 security, 1 breaking, 400 additive")
    assert text.index("evil.example") < text.index("`list_orders`") < text.index("`x0`")
    assert len(text) < 5200
    assert text.count("<details>") == text.count("</details>\n\n") == 1
    assert text.endswith("\n\n… cut here: `mcpgen diff --format changelog` lists every change\n")


def test_one_cause_is_one_line(tmp_path: Path) -> None:
    def change(document: Document) -> None:
        del document["components"]["schemas"]["Book"]["properties"]["price"]
        for path in ("/books", "/orders"):
            document["paths"][path]["get"]["summary"] = "List"

    lines = as_text(compared(tmp_path, changed(change))).splitlines()
    cause = "answers no longer have `Book.price`"
    assert f"  in 2 tools: {cause} (`get_book`, `list_books`)" in lines
    assert "Breaking (2)" in lines


def test_a_diff_fits_a_screen_and_the_gravest_changes_are_the_last_to_be_folded(
    tmp_path: Path,
) -> None:
    def change(document: Document) -> None:
        cut(*LIST)(document)
        for number in range(200):
            document["paths"][f"/x{number}"] = {"get": {"operationId": f"x{number}"}}
            fields = document["components"]["schemas"]["Book"]["properties"]
            fields[f"field{number}"] = {"type": "string"}

    found = compared(tmp_path, changed(change))
    lines = as_text(found).splitlines()
    assert len(lines) < 40
    assert lines[:2] == ["Breaking (1)", "  - `list_books` `GET /books` is gone"]
    assert "  + `x0` is new: `GET /x0` (and 199 more like it)" in lines
    assert "  `get_book` answers have `field0` as well (and 199 more like it)" in lines
    assert lines[-1].endswith(" changes; `mcpgen diff --format changelog` lists each")
    assert as_changelog(found, "1.0.0").count("* ") == len(found.changes)


def test_what_another_mcpgen_reads_in_the_same_document_breaks_nothing(tmp_path: Path) -> None:
    _, server = pipeline.understand(
        Config(sources=(str(save(DOCUMENT, tmp_path / "shop.json")),)), Problems()
    )
    now = side_of_server(server, "the same")
    hints = {"read_only": True, "destructive": False, "idempotent": True, "open_world": True}
    tools = [replace(tool, hints=hints) for tool in now.lock.tools]
    listed = {"genre": {}, "former": {}, "limit": {"type": "integer", "default": 5}}
    wider = {"type": "object", "properties": listed}
    was = replace(
        now,
        lock=replace(now.lock, generator="0.1.9", tools=tuple(tools)),
        tools={**now.tools, "list_books": {**now.tools["list_books"], "inputSchema": wider}},
    )
    found = diff(was, now)
    assert [change.text for change in found.of("breaking")] == ["`former` is gone"]
    assert found.of("security") == []
    texts = {(change.tool, change.text) for change in found.of("text")}
    assert ("add_book", "it is no longer read-only, as mcpgen judges it") in texts
    assert ("list_books", READ_ANEW) in texts


@pytest.mark.parametrize(("generator", "document", "config", "kind"), [
    ("the same", "the same", "the same", "text"),
    ("the same", "the same", "another", "security"),
    ("the same", "another", "the same", "security"),
    ("the same", "", "the same", "security"),
    ("another", "the same", "another", "text"),
    ("another", "another", "the same", "security"),
])  # fmt: skip
def test_a_hint_of_an_unchanged_document_changes_by_mcpgen_alone(
    tmp_path: Path, generator: str, document: str, config: str, kind: str
) -> None:
    _, server = pipeline.understand(
        Config(sources=(str(save(DOCUMENT, tmp_path / "shop.json")),)), Problems()
    )
    now = side_of_server(server, "the same", "the same")
    reading = [replace(tool, hints={**tool.hints, "read_only": True}) for tool in now.lock.tools]
    lock = replace(now.lock, document=document, config=config, tools=tuple(reading))
    if generator == "another":
        lock = replace(lock, generator="0.1.9")
    changed = {change.kind for change in diff(replace(now, lock=lock), now).changes}
    assert changed == {kind}


def test_a_project_is_compared_as_it_stands(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = side_of_project(folder)
    assert diff(before, before).changes == ()
    add(folder, '[tools.listBooks]\nname = "find_books"\naliases = ["list_books"]')
    generate(folder)
    assert [change.event for change in diff(before, side_of_project(folder)).changes] == ["renamed"]


def test_what_is_true_of_all_changes_is_said_before_them() -> None:
    found = Diff((servers.Change(kind="text", event="changed", tool="a", text="t"),), "A note.")
    assert as_text(found) == "A note.\n\nText only (1)\n  `a` t\n\n1 text change"
    folded = "<details><summary>Text only (1)</summary>\n\n- `a` t\n\n</details>\n"
    assert as_markdown(found) == f"### MCP tools: 1 text change\n\nA note.\n\n{folded}"


# -- schemas


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


NODE = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/Node"}, "size": {"type": "integer"}},
}
NODE_NARROWER = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/Node"}, "size": {"const": 1}},
}


ANEW = "its arguments are described differently"


@pytest.mark.parametrize(
    ("old", "new", "kind", "text"),
    [
        (of(a={"type": ["string", "null"]}), of(a={"type": "string"}), "breaking", "`a` must be string instead of null or string"),
        (of(a={}), of(a={"type": "string"}), "breaking", "`a` must be string"),
        (of(a={"type": "string"}), of(a={}), "additive", "`a` may be anything instead of string"),
        (of(a={"enum": [1, 2]}), of(a={}), "additive", "`a` may have any value"),
        (of(a={}), of(a={"const": 1}), "breaking", "`a` must be one of `1`"),
        (of(a={"pattern": "x"}), of(a={"pattern": "y"}), "breaking", "`a` must have the pattern `y` instead of `x`"),
        (of(a={}), of(a={"pattern": "x"}), "breaking", "`a` must have the pattern `x`"),
        (of(a={}), of(a={"format": "int64"}), "text", "`a` must have the format `int64`"),
        (of(a={}), of(a={"format": "int32"}), "breaking", "`a` must have the format `int32`"),
        (of(a={"format": "int32"}), of(a={"format": "int64"}), "additive", "`a` must have the format `int64` instead of `int32`"),
        (of(a={"format": "date"}), of(a={}), "additive", "`a` need not have the format `date`"),
        (of(a={"default": 1}), of(a={"default": 2}), "breaking", "the default of `a` is `2` instead of `1`"),
        (of(a={}), of(a={"default": 2}), "additive", "the default of `a` is `2`"),
        *((of(a={}), of(a={bound: 1}), "breaking", f"`a` must be {words} 1") for bound, words in [
            ("maximum", "at most"), ("minimum", "at least"), ("minLength", "a length of at least"),
            ("maxItems", "at most this many items:"), ("maxProperties", "at most this many fields:"),
            ("minProperties", "at least this many fields:")]),
        (of(a={"items": {"type": "integer"}}), of(a={"items": {"type": "string"}}), "breaking", "`a[]` must be string instead of integer"),
        (of(a=of(b={})), of(a=of()), "breaking", "`a.b` is gone"),
        (of(a={"anyOf": [{"type": "string"}]}), of(a={"anyOf": [{"type": "string"}, {"type": "null"}]}), "additive", "`a` may have more forms"),
        (of(a={"anyOf": [{"type": "string"}, {"type": "null"}]}), of(a={"anyOf": [{"type": "string"}]}), "breaking", "`a` may have other forms"),
        (of(a={"allOf": [{"minLength": 1}]}), of(a={"allOf": [{"minLength": 1}, {"pattern": "x"}]}), "breaking", "`a` may have other forms"),
        (of(a={"allOf": [{"minLength": 1}, {"pattern": "x"}]}), of(a={"allOf": [{"minLength": 1}]}), "additive", "`a` may have more forms"),
        (of(a={"additionalProperties": False}), of(a={"additionalProperties": {"type": "string"}}), "additive", "`a` takes further fields"),
        (of(a={"additionalProperties": True}), of(a={"additionalProperties": {"type": "string"}}), "breaking", "`a` takes fewer further fields"),
        (of(a={"not": {"const": 1}}), of(a={"not": {"const": 2}}), "breaking", "`a` may have other forms"),
        (of(a={"not": {"const": 1}}), of(a={}), "additive", "`a` may have more forms"),
        (of(a={}), of(a={"oneOf": [{"const": 1}]}), "breaking", "`a` may have other forms"),
        (of(a={"oneOf": [{"enum": [1, 2]}]}), of(a={"oneOf": [{"enum": [1]}]}), "breaking", "`a` may have other forms"),
        (of(a={"oneOf": [{"const": 1}]}), of(a={}), "additive", "`a` may have more forms"),
        (of(a={"type": "object", "additionalProperties": True}),
         of(a={"type": "object", "additionalProperties": False}),
         "breaking", "`a` takes no further fields"),
        ({**of(a={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}},
         {**of(a={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE_NARROWER}}, "breaking",
         "`a.size` must be one of `1`"),
        (of(a={"properties": {"b": {}}}), of(a={"properties": {}}), "breaking", "`a.b` is gone"),
        (of(a={"maxLength": 9}), of(a={"maxLength": 8}), "breaking", "`a` must be a length of at most 8 instead of 9"),
        (of(a={"enum": ["x", None]}), of(a={"enum": ["x"]}), "breaking", "`a` no longer allows `null`"),
        (of(a={"description": "x"}), of(a={"description": "y"}), "text", "the description of `a` is “y” instead of “x”"),
        (of(a={"anyOf": [{"title": "x", "minLength": 1, "maxLength": 2}]}),
         of(a={"anyOf": [{"maxLength": 2, "minLength": 1, "title": "y"}]}), "text", ANEW),
        (of(a={"minLength": 0}), of(a={}), "text", ANEW), ({"type": "object"}, of(), "text", ANEW),
        (of(a={"additionalProperties": True}), of(a={"additionalProperties": {"type": "null"}}), "breaking", "`a` takes fewer further fields"),
        (of(a={"additionalProperties": {"type": "null"}}), of(a={}), "additive", "`a` takes further fields"),
        (of(a={"additionalProperties": {"type": "null"}}), of(a={"additionalProperties": {"type": "string"}}),
         "breaking", "`a.*` must be string instead of null"),
        (of(a={}), of(a={"enum": [*"abcdefghijkl", None]}), "breaking", "`a` must be one of `a`, `b`, `c`, `d`, `e`, `f` and 7 more"),
        (of(a={"exclusiveMinimum": 1}), of(a={"exclusiveMinimum": 2}), "breaking", "`a` must be above 2 instead of 1"),
        (of(a={"exclusiveMaximum": 2}), of(a={"exclusiveMaximum": 1}), "breaking", "`a` must be below 1 instead of 2"),
        (of(a={"minItems": 1}), of(a={"minItems": 0}), "additive", "`a` must be at least this many items: 0 instead of 1"),
        (of(a={"multipleOf": 2}), of(a={"multipleOf": 3}), "breaking", "`a` must have the multipleOf `3` instead of `2`"),
        (of(a={"uniqueItems": True}), of(a={}), "additive", "`a` need not have the uniqueItems `true`"),
        (of(a={"default": 1}), of(a={}), "breaking", "the default of `a` is nothing instead of `1`"),
        (of(a={"default": None}), of(a={"default": 1}), "breaking", "the default of `a` is `1` instead of `null`"),
        ({**of(a={}), "required": ["a"]}, of(a={}), "additive", "`a` is optional now"),
        (of(), {**of(b={}), "required": ["b"]}, "breaking", "`b` is new and required"),
        (of(a={"title": "x"}), of(a={}), "text", "the title of `a` is gone: “x”"),
        (of(a={"description": "x y"}), of(a={"description": "x\ny"}), "text", "the description of `a` has other spaces or line ends"),
        (of(a={"description": "x" * 300}), of(a={"description": f"{'x' * 200}y{'x' * 99}"}), "text",
         f"the description of `a` is “…{'x' * 40}y{'x' * 99}” instead of “…{'x' * 140}”"),
    ],
)  # fmt: skip
def test_every_change_of_a_schema_has_its_class(
    old: dict[str, Any], new: dict[str, Any], kind: str, text: str
) -> None:
    assert compare_inputs(old, new) == [(kind, text)]


@pytest.mark.parametrize(("old", "new"), [(1, "LOW"), ("LOW", 1), ("LOW", "HIGH"), (None, "LOW")])
@pytest.mark.parametrize("keyword", ["minimum", "maxLength"])
def test_a_bound_of_unknown_size_may_refuse_more(keyword: str, old: Any, new: Any) -> None:
    before, after = of(a={keyword: old} if old else {}), of(a={keyword: new})
    [(kind, text)] = compare_inputs(before, after)
    assert kind == "breaking" and f" {new}" in text


def test_what_no_type_shares_has_no_cause_in_one() -> None:
    causes: dict[str, str] = {}
    assert (
        compare_outputs(of(a={"type": "string"}), of(a={"type": "integer"}), causes)
        and causes == {}
    )


@pytest.mark.parametrize(
    "schema",
    [of(a=NODE), {"$ref": "#"}, {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}],
)
def test_equal_and_endless_schemas_are_compared_in_the_end(schema: dict[str, Any]) -> None:
    assert compare_inputs(schema, copy.deepcopy(schema)) == []
    compare_inputs(schema, {**schema, "title": "x"})


ITEM = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "note": {}}}
LIST_OF_ITEMS = of(items={"type": "array", "items": ITEM})


def item(**changes: Any) -> dict[str, Any]:
    """A list of items that differ in some keywords."""
    return of(items={"type": "array", "items": {**ITEM, **changes}})


@pytest.mark.parametrize(
    ("old", "new", "kind", "text"),
    [
        (LIST_OF_ITEMS, item(properties={"id": {"type": "string"}, "note": {}}), "breaking",
         "`items[].id` of the answer is string instead of integer"),
        (LIST_OF_ITEMS, item(properties={"id": {"type": "number"}, "note": {}}), "breaking",
         "`items[].id` of the answer is number instead of integer"),
        (item(properties={"id": {"type": "number"}}), item(properties={"id": {"type": "integer"}}), "additive",
         "`items[].id` of the answer is integer instead of number"),
        (LIST_OF_ITEMS, item(properties={"id": {"type": "integer"}}), "breaking", "answers no longer have `items[].note`"),
        (LIST_OF_ITEMS, item(properties={**ITEM["properties"], "x": {}}), "additive", "answers have `items[].x` as well"),
        (LIST_OF_ITEMS, item(required=[]), "breaking", "`items[].id` of the answer may be missing"),
        ({**of(a={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE_NARROWER}},
         {**of(a={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}}, "breaking",
         "`a.size` of the answer may have any value"),
        (of(a={"enum": [1]}), of(a={"enum": [1, 2]}), "additive", "`a` of the answer may be `2` as well"),
        (of(a={"anyOf": [{"type": "string"}]}), of(a={"anyOf": [{"type": "null"}]}), "breaking", "`a` of the answer may have other forms"),
        (of(a={"anyOf": [{"type": "string"}, {"type": "null"}]}), of(a={"anyOf": [{"type": "null"}]}), "additive",
         "`a` of the answer has fewer forms"),
        (of(a={"anyOf": [{"type": "null"}]}), of(a={"anyOf": [{"type": "string"}, {"type": "null"}]}), "breaking",
         "`a` of the answer may have other forms"),
        (of(a=of(b={})), of(a={"anyOf": [of(b={}), of(c={})]}), "breaking", "`a` of the answer may have other forms"),
        (of(a={"description": "x"}), of(a={"description": "y"}), "text", "the description of `a` of the answer is “y” instead of “x”"),
        (of(a={"type": "string"}), of(a={}), "breaking", "`a` of the answer may be anything instead of string"),
        (of(a={"enum": [1, 2]}), of(a={"enum": [1]}), "additive", "`a` of the answer is never `2`"),
        (of(a={"additionalProperties": {"type": "null"}}), of(a={"additionalProperties": {"type": "string"}}),
         "breaking", "`a.*` of the answer is string instead of null"),
        ({**of(a={"anyOf": [{"$ref": "#/$defs/Slim"}, {}]}), "$defs": {"Slim": NODE_NARROWER}},
         {**of(a={"anyOf": [{"$ref": "#/$defs/Node"}, {}]}), "$defs": {"Node": NODE}},
         "breaking", "`a.size` of the answer may have any value"),
    ],
)  # fmt: skip
def test_answers_are_compared_to_their_full_depth(
    old: dict[str, Any], new: dict[str, Any], kind: str, text: str
) -> None:
    assert (kind, text) in compare_outputs(old, new)


@pytest.mark.parametrize(("text", "noted"), [("", "may be null"), ("Why.", "Why; may be null")])
def test_null_is_a_value_that_calls_may_lose(text: str, noted: str) -> None:
    plain, null = of(a={"type": "string", "description": text}), of(a={"description": noted})
    assert ("breaking", "`a` may no longer be null") in compare_inputs(null, plain)
    assert ("additive", "`a` may be null") in compare_inputs(plain, null)
    other = of(a={"description": "Other"})
    assert "null" not in f"{compare_inputs(other, plain)}{compare_inputs(null, null)}"


def test_forms_beside_types_that_refer_to_each_other_are_compared_once() -> None:
    names = [f"T{number}" for number in range(8)]
    links = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    wider = {name: {"anyOf": [{"type": "string"}, link]} for name, link in links.items()}
    before, after = (
        {**of(**each), "$defs": {name: of(**each) for name in names}} for each in (links, wider)
    )
    assert len(compare_inputs(before, after)) < 2 * len(names) ** 2
    assert len(compare_outputs(after, before)) < 2 * len(names) ** 2


def test_a_form_beside_the_former_one_breaks_no_call_and_one_form_of_several_no_answer() -> None:
    cat = {**of(name={"type": "string"}), "required": ["name"]}
    one = {**of(a={"$ref": "#/$defs/Cat"}), "$defs": {"Cat": cat}}
    both = {**of(a={"oneOf": [of(x={}), {"$ref": "#/$defs/Cat"}]}), "$defs": {"Cat": cat}}
    assert compare_inputs(one, both) == [("additive", "`a` may have more forms")]
    assert compare_outputs(both, one) == [("additive", "`a` of the answer has fewer forms")]
    assert ("breaking", "`a.name` is new and required") in compare_inputs(both, one)
    assert compare_outputs(one, both) == [("breaking", "`a` of the answer may have other forms")]


def test_an_answer_that_gets_several_forms_is_said_in_one_sentence() -> None:
    before, after = of(a=of(b={}, c={})), of(a={"anyOf": [of(b={}, c={}), of(d={})]})
    assert compare_outputs(before, after) == [
        ("breaking", "`a` of the answer may have other forms")
    ]


def next_version_of(document: Document) -> None:
    operation = document["paths"].pop("/orders")
    operation["get"]["operationId"] = "browse"
    document["paths"]["/v2/orders"] = operation


def test_an_operation_of_the_next_version_is_proposed_for_the_name(tmp_path: Path) -> None:
    (change,) = compared(tmp_path, changed(next_version_of)).of("breaking")
    assert change.text == (
        "`GET /orders` is gone; `GET /v2/orders` (`browse`) has its shape: to keep the name,"
        ' add `name = "list_orders"` to `mcpgen.toml` under `[tools."browse"]`'
    )


def test_operations_that_move_below_a_prefix_are_proposed_for_names_and_tables(
    tmp_path: Path,
) -> None:
    def moved(document: Document) -> None:
        document["paths"] = {f"/admin{path}": item for path, item in document["paths"].items()}
        for item in document["paths"].values():
            for method in {"get", "post"} & item.keys():
                item[method]["operationId"] = f"admin_{item[method]['operationId']}"

    folder = project(tmp_path, config='[tools.listOrders]\ntitle = "Mine"')
    before = side_of_project(folder)
    save(changed(moved), tmp_path / "shop.json")
    for _ in range(2):
        _, problems = generate(folder, accept=True)
        (gone,) = [each for each in problems if each.code == "E1114"]
        assert 'call the table `[tools."GET /admin/orders"]`' in gone.hint
    broken = diff(before, side_of_project(folder)).of("breaking")
    texts = {change.tool: change.text for change in broken if "has its shape" in change.text}
    assert texts.keys() == before.tools.keys()
    assert '`[tools."admin_getBook"]`' in texts["get_book"]


@pytest.mark.parametrize(("gone", "added", "found"), [
    (["GET /a"], ["GET /x/a", "GET /y/a"], {}),
    (["GET /a", "GET /b/a"], ["GET /x/b/a"], {}),
    (["GET /a/{id}"], ["GET /x/a/{key}"], {"GET /a/{id}": "GET /x/a/{key}"}),
    (["GET /x/v1/a"], ["GET /a"], {"GET /x/v1/a": "GET /a"}),
    (["GET /{id}"], ["GET /a/{id}"], {}),
    (["GET /a"], ["POST /x/a", "GET /xa", "GET shop:/a"], {}),
    (["GET /v1/a", "GET /v2/a"], ["GET /v3/a"], {}),
])  # fmt: skip
def test_only_what_is_unmistakable_is_a_successor(
    gone: list[str], added: list[str], found: dict[str, str]
) -> None:
    assert successors(gone, added) == found


def test_a_new_prefix_of_all_paths_needs_no_memory_for_each_pair() -> None:
    paths = [f"/a{number}/{{id}}" for number in range(500)]
    tracemalloc.start()
    found = successors([f"GET {path}" for path in paths], [f"GET /x{path}" for path in paths])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {f"GET {path}": f"GET /x{path}" for path in paths}
    assert peak < 2 * 1024 * 1024


def test_a_tool_with_the_name_of_one_of_its_shape_is_the_same_for_callers(tmp_path: Path) -> None:
    config = Config(tools={"browse": ToolConfig(name="list_orders")})
    difference = compared(tmp_path, changed(next_version_of), config)
    assert [(change.kind, change.text) for change in difference.changes] == [
        ("text", "its operationId is `browse` instead of `listOrders`"),
        ("text", "its path is `/v2/orders` instead of `/orders`"),
    ]


def test_a_name_that_stands_for_something_else_breaks_callers(tmp_path: Path) -> None:
    def replaced(document: Document) -> None:
        operation = document["paths"].pop("/orders")
        operation["get"]["operationId"] = "list.invoices"
        document["paths"]["/invoices"] = operation

    config = Config(tools={"list.invoices": ToolConfig(name="list_orders")})
    (change,) = compared(tmp_path, changed(replaced), config).of("breaking")
    assert change.text == "it now calls `GET /invoices` instead of `GET /orders`"


@pytest.mark.parametrize(("version", "kind", "number"), [
    ("1.2.3", "security", "2.0.0"), ("1.2.3", "breaking", "2.0.0"),
    ("1.2.3", "additive", "1.3.0"), ("1.2.3", "text", "1.2.4"), ("0.2.3", "breaking", "0.3.0"),
    ("0.2.3", "additive", "0.2.4"), ("1.2", "text", "1.2.1"), ("1.2.3", None, "1.2.3"),
])  # fmt: skip
def test_the_gravest_class_decides_the_next_version(version: str, kind: Any, number: str) -> None:
    assert next_version(version, kind) == number


def test_markdown_has_no_signs_that_would_be_lists_within_the_list(tmp_path: Path) -> None:
    def replaced(document: Document) -> None:
        document["paths"]["/new"] = document["paths"].pop("/orders")
        document["paths"]["/new"]["get"]["operationId"] = "other"

    difference = compared(tmp_path, changed(replaced))
    assert "  + `other` is new" in as_text(difference)
    assert "\n- `other` is new" in as_markdown(difference)


def test_texts_are_folded_away_in_markdown(tmp_path: Path) -> None:
    text = as_markdown(compared(tmp_path, changed(set_in(*LIST, "deprecated", to=True))))
    assert text == (
        "### MCP tools: 1 text change\n\n<details><summary>Text only (1)</summary>\n\n"
        "- `list_books` it is deprecated\n\n</details>\n"
    )


def test_a_changelog_has_the_next_version_and_every_class(tmp_path: Path) -> None:
    entry = as_changelog(compared(tmp_path, changed(cut("paths", "/orders"))), "1.0.0")
    assert entry.splitlines()[:5] == [
        "## 2.0.0", "", "### Breaking", "", "* `list_orders` `GET /orders` is gone",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def revised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project in a repository that has two commits: one without it, and one before
    a tool was removed.
    """
    home = tmp_path_factory.mktemp("revised")
    folder = project(home)

    def git(*arguments: str) -> None:
        settings = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", "-C", str(folder), *settings, *arguments], check=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "before")
    git("add", "--all")
    git("commit", "-q", "-m", "first")
    answers = side_of_project(folder).answers
    assert answers["get_book"]
    assert side_of_revision(folder, "HEAD").answers == answers
    save(changed(cut("paths", "/orders")), home / "shop.json")
    generate(folder)
    return home


GONE = "Breaking (1) - `list_orders` `GET /orders` is gone 1 breaking change"


@pytest.mark.parametrize(("folder", "words", "code", "text"), [
    ("project", "--against HEAD", 12, GONE),
    ("project/src", "--against HEAD", 12, GONE),
    (".", "project --against HEAD", 12, GONE),
    (".", "project --against HEAD --exit-zero", 0, GONE),
    ("project/src", "--against HEAD~1", 13, "+ `list_books` is new"),
    (".", "--against HEAD", 2, "this folder is in no project"),
    (".", "project project --against HEAD", 2, "one side can be compared with a revision, not 2"),
    (".", "project --against nowhere", 2, "cannot read `project` at `nowhere`"),
    (".", "project --against=--output=x", 2, "cannot read `project` at `--output=x`"),
    (".", "nowhere --against HEAD", 2, "cannot read `nowhere` at `HEAD`"),
])  # fmt: skip
def test_a_project_is_compared_with_a_revision_of_its_repository(
    folder: str, words: str, code: int, text: str,
    revised: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command,
) -> None:  # fmt: skip
    monkeypatch.chdir(revised / folder)
    ended = mcpgen("diff", *words.split())
    assert (ended.code, text in ended.said) == (code, True), ended


def test_answers_that_become_structured_or_cease_to_be() -> None:
    assert compare_outputs(None, of(a={}))[0][0] == "additive"
    assert compare_outputs(of(a={}), None)[0][0] == "breaking"
    assert compare_outputs(of(a={"description": "x"}), of(a={"description": "y"}))[0][0] == "text"


# -- fields that the list has no room for

WORDS = "Words about a shop, and all that can be said of what it sells. " * 4
ZONES = [f"Region/City_{number}" for number in range(120)]
SIZE = {"type": "object", "properties": {"width": {"type": "integer"}, "unit": {"type": "string"}}}


def wide(words: str = WORDS, **unlisted: Any) -> Document:
    """A document with a tool of so many fields that those `unlisted` are left out."""
    text = {"type": "string", "description": words, "enum": [f"value_{n}" for n in range(20)]}
    fields = {f"field_{number}": text for number in range(60)}
    place = {"type": "object", "properties": {**fields, **unlisted}}
    body = {"type": "object", "required": ["place"], "properties": {"place": place}}
    content = {"application/json": {"schema": body}}
    return changed(set_in("paths", "/orders", to={"post": {
        "operationId": "open_shop", "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "ok"}}}}))  # fmt: skip


FIELDS: Document = {"zone": {"type": "string", "enum": ZONES}, "size": SIZE}


@pytest.mark.parametrize(
    ("new", "kind", "text"),
    [
        ({"zone": {"type": "string", "enum": ZONES[:-1]}}, "breaking", "`place.zone` no longer allows `Region/City_119`"),
        ({"zone": {"type": "string", "enum": [*ZONES, "x"]}}, "additive", "`place.zone` allows `x` as well"),
        ({"size": {**SIZE, "properties": {"width": {"type": "string"}, "unit": {"type": "string"}}}},
         "breaking", "`place.size.width` must be string instead of integer"),
        ({"size": {**SIZE, "properties": {"unit": {"type": "string"}}}}, "breaking", "`place.size.width` is gone"),
    ],
)  # fmt: skip
def test_what_a_call_is_checked_against_is_compared_and_not_what_is_listed(
    tmp_path: Path, new: Document, kind: str, text: str
) -> None:
    folder = project(tmp_path, wide(**FIELDS))
    assert "zone" not in json.dumps(listed_by(folder))
    before = side_of_project(folder)
    source = save(wide(**{**FIELDS, **new}), tmp_path / "shop.json")
    _, server = pipeline.understand(Config(sources=(str(source),)), Problems(), lock=before.lock)
    assert (kind, text) == told(diff(before, side_of_server(server)))[0]
    generate(folder)
    assert (kind, text) == told(diff(before, side_of_project(folder)))[0]


def test_a_field_that_gets_room_in_the_list_is_not_new(tmp_path: Path) -> None:
    folder = project(tmp_path, wide(**FIELDS))
    before = side_of_project(folder)
    save(wide("Words.", **FIELDS), tmp_path / "shop.json")
    generate(folder)
    after = side_of_project(folder)
    assert {kind for kind, _ in told(diff(before, after))} == {"text"}
    assert {kind for kind, _ in told(diff(after, before))} == {"text"}


def listed_by(folder: Path) -> Any:
    """The schema of the tool as a project lists it."""
    return side_of_project(folder).tools["open_shop"]["inputSchema"]


def told(difference: Diff) -> list[tuple[str, str]]:
    """The class and the phrase of each change."""
    return [(change.kind, change.text) for change in difference.changes]


def test_an_argument_called_like_a_keyword_is_compared() -> None:
    old, new = of(enum={"type": "string"}), of(enum={"type": "integer"})
    assert compare_inputs(old, new, old) == [
        ("breaking", "`enum` must be integer instead of string")
    ]


def test_each_argument_that_becomes_a_reference_is_compared() -> None:
    def holder(kind: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"x": {"type": kind}}}

    reference = {"$ref": "#/$defs/R"}
    old, new = of(a=holder("string"), b=holder("integer")), of(a=reference, b=reference)
    assert compare_inputs(old, {**new, "$defs": {"R": holder("string")}}) == [
        ("breaking", "`b.x` must be string instead of integer")
    ]


def test_a_list_that_holds_itself_is_told_once() -> None:
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    old = {**of(a={"$ref": "#/$defs/Tree"}), "$defs": {"Tree": tree}}
    assert len(compare_inputs(old, of(a={}))) < 3
    assert len(compare_inputs(of(a={}), old)) < 4


def test_a_union_is_the_same_under_other_names() -> None:
    """One of its forms has no name of its own: it is called after its place."""
    fields = {"type": "object", "properties": {"error": {"type": "string"}}}
    names = ("CreateRuleAnswer", "Answer")
    old, new = (
        {
            "oneOf": [{"$ref": "#/$defs/Rule"}, {"type": "array", "items": {"anyOf": [
                {"$ref": "#/$defs/Rule"}, {"$ref": f"#/$defs/{name}Item"}]}}],
            "$defs": {"Rule": NODE_OF_RULES, f"{name}Item": fields},
        }
        for name in names
    )  # fmt: skip
    assert compare_outputs(old, new) == [("text", "its answers are described differently")]
    assert compare_inputs(old, new) == [("text", ANEW)]
    new["$defs"]["Rule"] = {"properties": {"next": {"$ref": "#/$defs/Rule"}, "y": {}}}
    assert ("breaking", "answers no longer have `x`") in compare_outputs(old, new)


NODE_OF_RULES: Document = {"properties": {"next": {"$ref": "#/$defs/Rule"}, "x": {}}}

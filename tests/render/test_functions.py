"""A tool's function: what its signature asks for, and the one request it makes of that."""

from typing import Any

import black
import pytest

from mcpgen.ir import Annotation, Schema

from .servers import argument, body, files_of, function_of, module_of, tool

INTEGER = Annotation(kind="int")


def text_of(*lines: str) -> str:
    return "\n".join(lines)


def test_no_argument_makes_two_lines() -> None:
    assert module_of(tool()) == text_of(
        '"""The toolset `books`: one function for each tool, one request in each function."""', "",
        "from __future__ import annotations", "", "from typing import Any", "",
        "from .. import Answer, Api", "", "", "async def list_books(api: Api) -> Answer[Any]:",
        '    """List the books in the catalogue."""',
        '    return await api.request("GET", "/books")', "",
    )  # fmt: skip


def test_one_argument_fits_on_one_line() -> None:
    book_id = argument("book_id", "path", wire_name="bookId", required=True)
    assert function_of(tool("get_book", book_id, path="/b/{bookId}")) == text_of(
        "async def get_book(api: Api, *, book_id: str) -> Answer[Any]:",
        '    """List the books in the catalogue."""',
        '    return await api.request("GET", "/b/{bookId}", path_args={"bookId": book_id})',
    )


def test_several_arguments_stand_one_under_the_other() -> None:
    found = function_of(
        tool(
            "list_books",
            argument("genre", annotation=Annotation(kind="literal", members=("fiction", "poetry"))),
            argument("page_size", annotation=INTEGER, wire_name="page-size"),
            argument("ids", annotation=Annotation(kind="list", members=(INTEGER,)), encode="csv"),
            argument("trace", "header", wire_name="X-Trace", required=True),
            argument("session", "cookie"),
        )
    )
    assert found == text_of(
        "async def list_books(", "    api: Api,", "    *,",
        '    genre: Literal["fiction", "poetry"] | Omit = OMIT,',
        "    page_size: int | Omit = OMIT,", "    ids: list[int] | Omit = OMIT,", "    trace: str,",
        "    session: str | Omit = OMIT,", ") -> Answer[Any]:",
        '    """List the books in the catalogue."""', "    return await api.request(",
        '        "GET",', '        "/books",', "        query={", '            "genre": genre,',
        '            "page-size": page_size,', '            "ids": wire.csv(ids),', "        },",
        '        headers={"X-Trace": trace},', '        cookies={"session": session},', "    )",
    )  # fmt: skip


def test_only_what_is_used_is_imported() -> None:
    found = module_of(tool("a", argument("x")))
    assert "import wire" not in found and "Literal" not in found and "OMIT" in found
    assert "OMIT" not in module_of(tool("a", argument("x", required=True)))
    text = Annotation(kind="literal", members=("models.x", "wire.", "Any", "OMIT", "Literal["))
    found = module_of(tool("a", argument("x", annotation=text, required=True)))
    assert "TYPE_CHECKING" not in found and "import wire" not in found
    assert "from .. import Answer, Api\n" in found


@pytest.mark.parametrize(("annotation", "said"), [
    (Annotation(kind="str", nullable=True), "str | None | Omit"),
    (Annotation(kind="any", nullable=True), "Any | Omit"),
    (Annotation(kind="bytes"), "Any | Omit"), (Annotation(kind="float"), "float | Omit"),
    (Annotation(kind="dict"), "dict[str, Any] | Omit"),
    (Annotation(kind="list"), "list[Any] | Omit"),
    (Annotation(kind="list", members=(Annotation(kind="str", nullable=True),)),
     "list[str | None] | Omit"),
    (Annotation(kind="union", members=(Annotation(kind="str"), INTEGER, INTEGER)),
     "str | int | Omit"),
    (Annotation(kind="literal", members=(True, -1, "a'b")), 'Literal[True, -1, "a\'b"] | Omit'),
    (Annotation(kind="literal", members=tuple(range(17))), "int | Omit"),
    (Annotation(kind="literal", members=(*"abcdefghijklmnop", 1)), "str | int | Omit"),
])  # fmt: skip
def test_an_annotation_is_said(annotation: Annotation, said: str) -> None:
    assert f"x: {said} = OMIT" in function_of(tool("a", argument("x", annotation=annotation)))


FIXED = {
    "fixed_query": (("beta", "true"), ("tag", "a"), ("tag", "b")),
    "fixed_headers": (("X-Api-Version", "3"),),
}
OWN = {"security": (("a", "b"), ()), "base_url": "https://up.example.com", "accept": "text/csv"}
WIRE_NAMES = (("/properties/y/properties/eq", "[eq]"),)


@pytest.mark.parametrize(("given", "said"), [
    (tool("a", argument("size", annotation=INTEGER, default=(30,)), argument("x")),
     ["    size: int = 30,\n", '"size": size,']),
    (tool("a", argument("ids", annotation=Annotation(kind="list"), default=(["x"],)), argument("x")),
     ["    ids: list[Any] | Omit = OMIT,\n", '"ids": ["x"] if ids is OMIT else ids,']),
    (tool("a", argument("version", fixed=(2,), encode="csv"), argument("x")),
     ["a(api: Api, *, x: str | Omit = OMIT)", '"version": wire.csv(2),']),
    (tool("a", argument("x"), request=FIXED),
     ['            "beta": "true",\n            "tag": ["a", "b"],\n            "x": x,\n',
      'headers={"X-Api-Version": "3"},']),
    (tool("a", request=OWN),
     ['        accept="text/csv",\n', '        security=(("a", "b"), ()),\n',
      '        base_url="https://up.example.com",\n']),
    (tool("a", argument("x"), request={"security": ()}), ["security=(),"]),
    (tool("a", nullable=("/properties/x",), wire_names=WIRE_NAMES),
     ['@wire.sends(nullable=("/properties/x",), names={"/properties/y/properties/eq": "[eq]"})\na']),
    (tool("a", argument("x", encode="form",
      options=(("explode", False), ("headers", {"A": "b"})))),
     ['"x": wire.form(x, explode=False, headers={"A": "b"})']),
    (tool("a", argument("csv", encode="csv")), ['query={"csv": wire.csv(csv)}']),
], ids="default list fixed constants own nothing decorator options encoder".split())  # fmt: skip
def test_what_a_tool_says_is_in_its_function(given: Any, said: list[str]) -> None:
    found = function_of(given)
    assert [part for part in said if part not in found] == []


@pytest.mark.parametrize(("given", "said"), [
    (body("json"), "json={X}"),
    (body("json", required=False), "json={X} optional_body=True"),
    (body("json", "application/vnd.api+json"), 'json={X} media_type="application/vnd.api+json"'),
    (body("json", whole=True, required=False), "json=x"),
    (body("form"), "form={X}"), (body("multipart"), "multipart={X}"),
    (body("text", whole=True), 'content=x media_type="text/plain"'),
    (body("binary", "image/png", whole=True), 'content=x media_type="image/png"'),
], ids=lambda item: item if isinstance(item, str) else "")  # fmt: skip
def test_a_body_is_said(given: Any, said: str) -> None:
    found = function_of(tool("a", argument("x", "body"), method="POST", body=given))
    for part in said.replace("{X}", '{"x":\0x}').split():
        assert part.replace("\0", " ") in found
    assert found.count("=") == len(said.split()) + 1


def test_a_body_without_fields_is_sent_only_where_it_is_required() -> None:
    assert "json={}" in function_of(tool("a", method="POST", body=body()))
    assert "json" not in function_of(tool("a", method="POST", body=body(required=False)))


def test_a_tool_the_user_writes_has_no_function() -> None:
    from dataclasses import replace

    files = files_of(replace(tool("mine"), request=None))
    assert "src/bookshop_mcp/tools/books.py" not in files
    assert '"name":"mine"' in files["src/bookshop_mcp/tools/books.json"]


LONG = "a_rather_long_name_of_an_argument_as_they_occur_in_documents"
WIDE: Schema = {
    "type": "object",
    "properties": {LONG: {"type": "string"}, f"{LONG} and more": {"type": "string"}},
}


@pytest.mark.parametrize("given", [
    tool(
        "a",
        argument(
            LONG,
            annotation=Annotation(
                kind="literal", members=tuple(f"value {n}" for n in range(16))
            ),
        ),
    ),
    tool("a",
     argument(LONG, encode="form", options=(("explode", True), (LONG, True)), wire_name=LONG * 2)),
    tool("a",
     argument(LONG, default=(["x" * 90],), annotation=Annotation(kind="list"), wire_name=LONG)),
    tool("a", argument(LONG, "path", required=True), path=f"/{LONG}/{LONG}/{LONG}"),
    tool(LONG[:50], argument(LONG, "body"), properties={LONG: WIDE}, body=body(), method="PUT"),
    tool(
        "a",
        docstring=(
            "Says so much that one line is not enough for all of it and a second one is"
            " needed. "
        )
        * 3,
    ),
    tool("a", docstring="x" * 111), tool("a", docstring=("word " * 22)[:109] + "."),
    tool("a", docstring=("word " * 22)[:110] + "."),
    tool("a", docstring="w" * 54 + " " + "w" * 56 + "."),
    tool("a", docstring='"Quoted" \\ and """more"""'),
    tool("a", nullable=tuple(f"/properties/{LONG}/{n}" for n in range(4))),
], ids=range(12))  # fmt: skip
def test_black_has_nothing_to_do_where_names_are_long(given: Any) -> None:
    for path, text in files_of(given).items():
        if path.endswith("/books.py"):
            assert black.format_str(text, mode=black.Mode(line_length=100)) == text

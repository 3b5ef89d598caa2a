"""Names of tools, toolsets, arguments and servers."""

from __future__ import annotations

import keyword
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.parse.naming import argument_names, server_name, tool_names, toolset_names

TOOL = re.compile(r"[a-z][a-z0-9_]{0,49}")


@pytest.mark.parametrize(
    ("operation_id", "name"),
    [
        ("listBooks", "list_books"),
        ("list-books", "list_books"),
        ("repos/list-for-org", "repos_list_for_org"),
        ("ListBooks.V2", "list_books_v2"),
        ("getHTTPStatus", "get_http_status"),
        ("1a", "call_1a"),
        ("class", "shop_class"),
        ("match", "shop_match"),
        ("print", "shop_print"),
        ("bash", "shop_bash"),
        ("read_file", "shop_read_file"),
        ("\uff45\uff56\uff41\uff4c", "shop_eval"),
        ("\U0001f4a5", "get_x"),
        ("\u0434\u0430\u043d\u043d\u044b\u0435", "get_x"),
        ("", "get_x"),
        ("-", "get_x"),
    ],
)
def test_an_operation_id_becomes_a_snake_case_name(operation_id: str, name: str) -> None:
    assert tool_names([("GET", "/x", operation_id or None)], "shop") == {"GET /x": name}


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/pets", "get_pets"),
        ("DELETE", "/pets/{petId}", "delete_pets_by_pet_id"),
        ("GET", "/", "get_root"),
        ("POST", "/v1/pets/{id}:cancel", "post_v1_pets_by_id_cancel"),
    ],
)
def test_without_an_operation_id_the_name_says_method_and_path(
    method: str, path: str, name: str
) -> None:
    assert tool_names([(method, path, None)], "shop") == {f"{method} {path}": name}


def test_a_long_name_ends_at_a_word_and_carries_a_hash_of_its_own_operation() -> None:
    long = "listAllOfTheVeryManyThingsThatAnEnterpriseCouldEverWantToSee"
    (name,) = tool_names([("GET", "/x", long)], "shop").values()
    assert re.fullmatch(r"list_all_of_the_very_many_things_that_an_[0-9a-f]{6}", name)


def test_names_that_clash_all_carry_a_hash() -> None:
    names = tool_names(
        [("GET", "/a", "foo/list"), ("GET", "/b", "foo.list"), ("GET", "/c", "other")], "shop"
    )
    assert names["GET /c"] == "other"
    assert all(re.fullmatch(r"foo_list_[0-9a-f]{6}", names[key]) for key in ("GET /a", "GET /b"))
    assert names["GET /a"] != names["GET /b"]


def test_a_pinned_name_is_kept_and_nothing_else_may_take_it() -> None:
    names = tool_names(
        [("GET", "/a", "renamed"), ("GET", "/b", "old_name")], "shop", {"GET /a": "old_name"}
    )
    assert names["GET /a"] == "old_name"
    assert re.fullmatch(r"old_name_[0-9a-f]{6}", names["GET /b"])


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    ids=st.lists(st.one_of(st.none(), st.text(max_size=80)), min_size=1, max_size=12),
    server=st.from_regex(r"[a-z][a-z0-9_]{0,15}", fullmatch=True),
    seed=st.integers(0, 1000),
)
def test_names_are_legal_unique_and_independent_of_order(
    ids: list[str | None], server: str, seed: int
) -> None:
    operations = [("GET", f"/p{index}", operation_id) for index, operation_id in enumerate(ids)]
    names = tool_names(operations, server)
    assert len(set(names.values())) == len(operations)
    assert all(TOOL.fullmatch(name) and not keyword.iskeyword(name) for name in names.values())
    assert all(len(f"mcp__{server}__{name}") <= 64 for name in names.values())
    random.Random(seed).shuffle(operations)
    assert tool_names(operations, server) == names


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Bookshop API", "bookshop"),
        ("GitHub v3 REST API", "github"),
        ("GitHub's official OpenAPI spec", "github"),
        ("Adyen Checkout API", "adyen_checkout"),
        ('../../x & calc " $(id) \r\n', "x_calc_id"),
        ("API", "api"),
        ("\U0001f4a5", "api"),
        ("4chan", "api_4chan"),
        ("a" * 300, "a" * 16),
    ],
)
def test_a_title_becomes_a_short_server_name(title: str, name: str) -> None:
    assert server_name(title) == name


def test_toolsets_are_module_names() -> None:
    names = toolset_names(["Pet store", "con", "class", "../x", "\U0001f4a5", "a" * 90])
    assert names["Pet store"] == "pet_store"
    assert names["con"] == "con_tools"
    assert names["class"] == "class_tools"
    assert names["../x"] == "x"
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,46}", name) for name in names.values())


def test_toolsets_that_clash_carry_a_hash() -> None:
    names = toolset_names(["Pet Store", "pet-store"])
    assert len(set(names.values())) == 2


@pytest.mark.parametrize(
    ("wire_name", "name"),
    [
        ("petId", "petId"),
        ("page-size", "page_size"),
        ("X-Request-ID", "x_request_id"),
        ("filter[eq]", "filter_eq"),
        ("$select", "select"),
        ("@type", "type"),
        ("uids[]", "uids"),
        ("from", "from_"),
        ("class", "class_"),
        ("api", "api_"),
        ("1st", "_1st"),
        ("_id", "_id"),
        ("__v", "v"),
        ("_", "argument_d2e2ad"),
    ],
)
def test_an_argument_keeps_its_wire_name_where_that_is_an_identifier(
    wire_name: str, name: str
) -> None:
    assert argument_names([("query", wire_name)]) == {("query", wire_name): name}


def test_only_arguments_that_clash_are_renamed_and_both_are() -> None:
    names = argument_names([("path", "id"), ("query", "id"), ("body", "id"), ("body", "name")])
    assert set(names.values()) == {"id_path", "id_query", "id_body", "name"}


def test_names_that_differ_in_case_are_two() -> None:
    names = argument_names(
        [("query", "maxItems"), ("query", "MaxItems"), ("header", "Etag"), ("query", "etag")]
    )
    assert list(names.values()) == ["maxItems", "MaxItems", "Etag", "etag"]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["path", "query", "header", "cookie", "body"]),
            st.text(min_size=1, max_size=90),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_argument_names_are_unique_identifiers(wanted: list[tuple[str, str]]) -> None:
    names = argument_names(wanted)
    assert len(set(names.values())) == len(set(wanted))
    assert all(
        name.isidentifier() and name.isascii() and not keyword.iskeyword(name)
        for name in names.values()
    )
    assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,72}", name) for name in names.values())


def test_a_name_that_is_its_wire_name_keeps_it_where_others_were_changed_to_be_alike() -> None:
    names = argument_names(
        [("body", "_id"), ("body", "id"), ("query", "on"), ("query", "on<"), ("query", "on>")]
    )
    assert names["body", "id"] == "id" and names["query", "on"] == "on"
    assert (names["query", "on<"], names["query", "on>"]) == ("on_lt", "on_gt")
    assert names["body", "_id"] == "_id"
    names = argument_names([("body", "@id"), ("body", "id")])
    assert (names["body", "id"], names["body", "@id"]) == ("id", "id_body")
    names = argument_names([("path", "id"), ("body", "id"), ("body", "_id")])
    assert (names["path", "id"], names["body", "id"], names["body", "_id"]) == (
        "id_path",
        "id_body",
        "_id",
    )

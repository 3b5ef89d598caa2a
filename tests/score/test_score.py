"""The score of a list: it ranks, it names what to change, and it takes any list."""

import json
import random
import shlex
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mcpgen import generate, score
from mcpgen.cli import run
from mcpgen.config import Config, parse_config
from mcpgen.score.changes import changes
from mcpgen.score.lists import ToolList, tools_of_config
from mcpgen.score.rules import JUDGES, rules
from tests.judges import node
from tests.judges.grades import EMPTY, padded

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "samples" / "specs"
LISTS = [
    SPECS / "bookshop.yaml",
    *sorted(path for path in (SPECS / "tools").glob("*.json") if path.stem != "empty"),
    *sorted((node.SHARED / "corpus" / "tool_lists").glob("*.json")),
    *sorted((node.SHARED / "corpus" / "restbench").glob("*_oas.json")),
]
"""Those of the corpus are not part of this project: they are tried where they are there."""

Tools = list[dict[str, Any]]


@cache
def listed(path: Path) -> score.ToolList:
    return score.tools_of_source(path)


def spoiling(change: Callable[[list[str]], list[str]]) -> Callable[[Tools], Tools]:
    """Change the descriptions of a list."""

    def spoil(tools: Tools) -> Tools:
        texts = change([tool.get("description", "") for tool in tools])
        return [{**tool, "description": text} for tool, text in zip(tools, texts, strict=True)]

    return spoil


SPOILT: dict[str, Callable[[list[str]], list[str]]] = {
    "blanked": lambda texts: [""] * len(texts),
    "that of the next tool": lambda texts: texts[1:] + texts[:1],
    "that of some tool": lambda texts: dealt(texts, len(texts)),
    "said twice": lambda texts: [f"{text} " * 2 for text in texts],
    "words in another order": lambda texts: [in_disorder(text, n) for n, text in enumerate(texts)],
    "words of each line in another order": lambda texts: [
        "\n".join(in_disorder(line, n) for line in text.split("\n")) for n, text in enumerate(texts)
    ],
}


def dealt(texts: list[str], seed: int) -> list[str]:
    random.Random(seed).shuffle(texts)
    return texts


def in_disorder(text: str, seed: int) -> str:
    return " ".join(dealt(text.split(), seed))


@pytest.mark.parametrize("spoil", [*map(spoiling, SPOILT.values())], ids=SPOILT)
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_a_list_whose_descriptions_are_spoilt_scores_lower(path: Path, spoil: Any) -> None:
    tools = [dict(tool) for tool in listed(path).tools]
    spoilt = spoil(tools)
    if [tool["description"].strip() for tool in spoilt] == [tool.get("description", "").strip() for tool in tools]:  # fmt: skip
        pytest.skip("nothing to spoil: one tool, or no descriptions")
    assert score.score_tools(spoilt).score < score.score_tools(tools).score


def test_the_order_of_the_tools_changes_nothing() -> None:
    tools = listed(SPECS / "bookshop.yaml").tools
    assert score.score_tools(tools).score == pytest.approx(score.score_tools(tools[::-1]).score)


TOOL: dict[str, Any] = {
    "name": "list_books",
    "description": "List the books in the catalogue, newest first. Use search_books to find one.",
    "inputSchema": {
        "type": "object",
        "properties": {"genre": {"type": "string", "description": "Only books of this genre"}},
    },
    "outputSchema": {"type": "object", "properties": {"books": {"type": "array"}}},
    "annotations": {"readOnlyHint": True},
}


@pytest.mark.parametrize(
    ("rule", "worse"),
    [
        ("agrees", {"description": "Cancel the order of a customer."}),
        ("verb", {"description": "The books in the catalogue, newest first."}),
        ("reads", {"description": "The of a books the catalogue in."}),
        ("reads", {"description": "books in the catalogue. newest first List."}),
        ("more", {"description": "List books."}),
        ("when", {"description": "List the books in the catalogue, newest first."}),
        ("name", {"name": "list_books_8ec394"}), ("name", {"name": "post_books"}),
        ("name", {"name": "list_shelves_id_books"}), ("name", {"name": "doThing"}),
        ("name", {"name": "api_v1_post_3"}), ("name", {"name": "get_data"}),
        ("name", {"name": "search"}), ("name", {"name": "new"}),
        ("single", {"description": "Create, read, update or delete a book."}),
        ("single", {"description": "Add a book and send an email."}),
        ("single", {"inputSchema": {"properties": {"do": {"enum": ["list", "add", "ping", "remove"]}}}}),
        ("continues", {"outputSchema": {"properties": {"next_cursor": {"type": "string"}}}}),
        ("continues", {"description": "List books.\nReturns title, total_pages."}),
        ("continues", {"inputSchema": {"properties": {"page_token": {"type": "string"}}}}),
        ("verb", {"description": "Get Newest Books Catalogue. Use search_books to find one."}),
        ("explained", {"inputSchema": {"properties": {"genre": {"type": "string"}}}}),
        ("typed", {"inputSchema": {"properties": {"genre": {"description": "Only this genre"}}}}),
        ("explained", {"inputSchema": {"properties": {
            "genre": {"type": "string", "description": "The genre id to use, as text"}}}}),
        ("sound", {"inputSchema": {"properties": {"genre": {"enum": [0, 2]}}}}),
        ("sound", {"inputSchema": {"properties": {"client_secret": {"description": "Of the app"}}}}),
        ("sound", {"inputSchema": {"properties": {"body": {"type": "object", "required": ["a"]}}}}),
        ("hints", {"name": "delete_books"}), ("hints", {"name": "update_books"}),
        ("fields", {"outputSchema": {"type": "object"}}),
        ("hints", {"annotations": {}}), ("honest", {"name": "delete_books"}),
        ("concise", {"description": "List the books. " * 200}),
        ("small", {"inputSchema": {"properties": {f"a{n}": {"type": "string"} for n in range(400)}}}),
    ],
)  # fmt: skip
def test_each_rule_sees_what_it_is_about(rule: str, worse: dict[str, Any]) -> None:
    before = score.score_tools([TOOL]).tools[0].rules[rule]
    spoilt = {**TOOL, **worse}
    after = score.score_tools([spoilt])
    assert after.tools[0].rules[rule] < before
    for change in changes(after, ToolList(name="books", tools=(spoilt,)), most=99):
        parse_config(change.lines)


@pytest.mark.parametrize(("text", "worth"), [
    ("List books.", 0.0), ("List books.\nReturns books, next_page.", 0.2),
    ("List books.\nReturns the books.", 0.2), ("List books.\nReturns isbn, title, author.", 1.0),
    ("List books.\nReturns a page of books (isbn, title, author).", 1.0),
    ("List books.\nReturns moon, cheese, colour.", 0.5),
])  # fmt: skip
def test_an_answer_is_told_by_the_fields_of_its_content(text: str, worth: float) -> None:
    """Fields that nothing else in the list speaks of may be invented."""
    tool = {"name": "list_books", "description": text, "inputSchema": {"type": "object"}}
    add = {**TOOL, "name": "add_book", "inputSchema": {"properties": {"title": {}}}}
    assert score.score_tools([tool, add]).tools[0].rules["answers"] == worth


def test_the_values_of_a_boolean_are_no_numbers() -> None:
    about = {"type": "boolean", "enum": [True, False], "description": "Only new books"}
    tool = {**TOOL, "inputSchema": {"properties": {"fresh": about}}}
    assert score.score_tools([tool]).tools[0].rules["sound"] == 1.0


def test_fields_that_an_output_schema_does_not_have_are_worth_nothing() -> None:
    output = {"properties": {"id": {}, "isbn": {}, "pages": {}}}
    worth = [
        score.score_tools(
            [{**TOOL, "description": f"List books.\nReturns {told}.", "outputSchema": schema}]
        )
        .tools[0]
        .rules["answers"]
        for told, schema in (
            ("isbn, pages, id", output),
            ("moon, cheese, price", TOOL["outputSchema"]),
        )
    ]
    assert worth == [1.0, 0.2]


@pytest.mark.parametrize("add", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_a_sentence_that_helps_nobody_never_raises_a_score(path: Path, add: Any) -> None:
    tools = [dict(tool) for tool in listed(path).tools if tool.get("description")]
    if len(tools) < 3:
        pytest.skip("too few tools to know that all say the same")
    assert score.score_tools(padded(tools, add)).score <= score.score_tools(tools).score


def test_a_long_list_of_good_tools_can_be_good() -> None:
    """More than 300 tools cost, but a list of them still holds together."""
    animals = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}ling" for n in range(320)]
    text = "List the {0}s in the zoo; use it before feeding a {0} with {0}grain."
    text += "\nReturns name, age, weight."
    described = [(f"list_{animal}s", text.format(animal)) for animal in animals]
    tools = [{**TOOL, "name": name, "description": said} for name, said in described]
    assert score.score_tools(tools).score >= 3.9


def test_tools_that_say_the_same_are_told() -> None:
    both = score.score_tools([TOOL, {**TOOL, "name": "get_books"}]).tools
    assert all(one.rules["unique"] == 0.5 for one in both)
    assert all(one.rules["alone"] < 1 for one in both)


def test_a_tool_that_names_another_is_worth_more() -> None:
    needs = {**TOOL, "inputSchema": {"properties": {"id": {"type": "string"}}, "required": ["id"]}}
    alone = score.score_tools([needs]).tools[0]
    together = score.score_tools([needs, {**TOOL, "name": "search_books"}]).tools[0]
    assert alone.rules["siblings"] == 0 and together.rules["siblings"] == 1


def test_names_that_differ_in_a_number_alone_are_worth_nothing() -> None:
    tools = [{**TOOL, "name": name} for name in ("get_book", "get_book_2", "get_author")]
    assert [one.rules["name"] for one in score.score_tools(tools).tools] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("answer", [["books", "next_cursor"], ["books", "has_more"], ["books"]])
def test_a_list_whose_argument_takes_the_value_of_its_answer_has_a_way_on(
    answer: list[str],
) -> None:
    arguments = {"cursor": {"type": "string"}} if answer[1:] else {}
    tool = {**TOOL, "inputSchema": {"properties": arguments}}
    tool["outputSchema"] = {"properties": {key: {} for key in answer}}
    worth = {"next_cursor": 1.0, "has_more": 0.5, "books": 1.0}[answer[-1]]
    assert score.score_tools([tool]).tools[0].rules["continues"] == worth


def test_the_id_of_a_tools_own_thing_needs_no_text() -> None:
    ids = {"book_id": {"type": "string"}, "shop_id": {"type": "string"}}
    tool = {**TOOL, "name": "get_book", "inputSchema": {"properties": ids}}
    found = changes(score.score_tools([tool]), ToolList(name="shop", tools=(tool,)), most=99)
    assert [one.advice[:9] for one in found if one.rule == "explained"] == ["`shop_id`"]


def test_a_version_in_a_name_is_not_missed_in_the_text() -> None:
    tools = [{**TOOL, "name": name} for name in ("list_books", "list_books_v3")]
    first, second = score.score_tools(tools).tools
    assert first.rules["agrees"] == second.rules["agrees"]


def test_every_rule_has_a_judge_a_source_and_advice() -> None:
    assert {rule.name for rule in rules()} == JUDGES.keys()
    assert all(rule.source and rule.advice and rule.dimension in score.DIMENSIONS for rule in rules())  # fmt: skip


def test_a_change_is_a_line_of_the_configuration_that_raises_the_score() -> None:
    tools = [dict(tool) for tool in listed(SPECS / "bookshop.yaml").tools]
    source = listed(SPECS / "bookshop.yaml")
    first = changes(score.score_tools(tools), source)
    assert 0 < len(first) <= 10
    gains = [change.gain for change in first if change.rule != "fields"]
    assert gains == sorted(gains, reverse=True) and first[0].rule != "fields"
    for change in first:
        if not change.lines.startswith("actions:"):
            assert list(tomllib.loads(change.lines)) in (["tools"], ["profile"])


def test_an_argument_that_many_tools_have_is_explained_by_one_overlay() -> None:
    bare = {"properties": {"owner": {"type": "string"}}, "required": ["owner"]}
    tools = {name: {**TOOL, "name": name, "inputSchema": bare} for name in ("list_books", "list_authors")}  # fmt: skip
    source = ToolList(
        name="books",
        tools=tuple(tools.values()),
        keys={name: name for name in tools},
        parameters={"owner": "Owner"},
    )
    found = changes(score.score_tools(tools.values()), source)
    explained = next(change for change in found if change.rule == "explained")
    assert explained.tools == ("list_authors", "list_books") or len(explained.tools) == 2
    assert "@.name == 'Owner'" in explained.lines
    in_a_body = replace(source, parameters={})
    [other] = [
        change
        for change in changes(score.score_tools(tools.values()), in_a_body)
        if change.rule == "explained"
    ]
    assert list(tomllib.loads(other.lines)) == ["tools"]


def test_an_argument_is_told_to_be_explained_once_and_only_where_it_is_not() -> None:
    arguments = {"shelf": {"description": "The floor it is on"}, "owner": {}, "room": {"description": "room"}}  # fmt: skip
    tool = {**TOOL, "inputSchema": {"type": "object", "properties": arguments}}
    source = ToolList(name="books", tools=(tool,), keys={}, parameters={})
    found = changes(score.score_tools([tool]), source, most=99)
    told = [(change.rule, change.advice.split("`")[1]) for change in found if "`" in change.advice]
    explained = {argument for rule, argument in told if rule == "explained"}
    assert explained == {"owner", "room"}


@pytest.mark.parametrize("path", sorted(SPECS.glob("*[!y].yaml")), ids=lambda path: path.stem)
def test_every_proposal_is_one_that_the_configuration_takes(path: Path) -> None:
    source = listed(path)
    for change in changes(score.score_tools(source.tools), source, most=99):
        if not change.lines.startswith("actions:"):  # those are an overlay
            parse_config(change.lines)


def test_fields_that_the_document_tells_are_listed_by_the_profile() -> None:
    source = listed(SPECS / "bookshop.yaml")
    found = changes(score.score_tools(source.tools), source, most=99)
    lines = [change.lines for change in found if change.rule == "fields"]
    assert [tomllib.loads(text) for text in lines] == [{"profile": "rich"}]
    rich = tools_of_config(Config(sources=(str(SPECS / "bookshop.yaml"),), profile="rich"))
    before, after = (score.score_tools(one.tools).dimensions["output"] for one in (source, rich))
    assert after > before
    told = {change.tools: change.advice for change in found if change.rule == "fields"}
    assert not any("schema" in advice for advice in told.values())
    untyped = replace(source, typed=source.typed - {"list_books"})
    found = changes(score.score_tools(source.tools), untyped, most=99)
    [change] = [
        change for change in found if change.tools == ("list_books",) and change.rule == "fields"
    ]
    assert "give the answer a schema in the document" in change.advice and change.lines == ""


def test_a_proposal_says_where_the_file_has_its_table_and_its_key(tmp_path: Path) -> None:
    folder = generate(SPECS / "bookshop.yaml", tmp_path / "shop").folder
    with (folder / "mcpgen.toml").open("a") as file:
        file.write('\n[tools.addBook]\ndescription = "Add it"\n')
    line = len((folder / "mcpgen.toml").read_text().splitlines())
    source = listed(folder)
    found = changes(score.score_tools(source.tools), source, most=99)
    lines = {change.lines for change in found if '[tools."addBook"]' in change.lines}
    assert lines == {
        f'[tools."addBook"]  # is in line {line - 1}: add the key there\n'
        f'description = "Add it. …"  # replaces line {line}'
    }


def test_a_file_of_tools_is_scored_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"result": {"tools": [TOOL]}}))
    assert score.score_source(path) == score.score_tools([TOOL])


def test_odd_names_and_texts_are_scored() -> None:
    fields = {"type": "object", "properties": {"_": {"type": "string"}}}
    tool = {"name": "get_\U0001f4da", "description": 'A\r "b', "inputSchema": fields}
    listed = ToolList(name="odd", tools=(tool,))
    lines = [change.lines for change in changes(score.score_tools(listed.tools), listed)]
    assert {"description": 'A\r "b. …'} in [
        tomllib.loads(text).get("tools", {}).get(tool["name"]) for text in lines
    ]


def test_the_command_ends_with_one_below_the_minimum(capsys: pytest.CaptureFixture[str]) -> None:
    source = str(SPECS / "bookshop.yaml")
    assert run(["score", source, "--min", "1"]) == 0 and run(["score", source, "--min", "5"]) == 1
    captured = capsys.readouterr()
    assert "is below 5" in captured.err and "changes worth most" in captured.out


def test_the_command_prints_data_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", str(SPECS / "bookshop.yaml"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["dimensions"].keys() == score.DIMENSIONS.keys()
    assert data["tools"][0]["rules"].keys() == {rule.name for rule in rules()}
    assert data["changes"][0]["source"]


SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
import mcp.types as types

TOOL = types.Tool(name="list_books", description="List the books.", input_schema={"type": "object"})


async def listing(context, params):
    return types.ListToolsResult(tools=[TOOL])


async def main():
    server = Server("books", on_list_tools=listing)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
"""


def test_a_running_server_is_scored(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "books.py"
    path.write_text(SERVER)
    assert run(["score", "--command", shlex.join([sys.executable, str(path)]), "--json"]) == 0
    assert [tool["name"] for tool in json.loads(capfd.readouterr().out)["tools"]] == ["list_books"]


@pytest.mark.parametrize(
    ("cursor", "code"), [("f'{page + 1}' if page < 120 else None", 0), ("'1'", 2)]
)
def test_every_page_of_a_list_is_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], cursor: str, code: int
) -> None:
    paged = f"""page = int(params.cursor or 0)
    return types.ListToolsResult(
        tools=[TOOL.model_copy(update={{"name": f"tool_{{page}}"}})], next_cursor={cursor})"""
    path = tmp_path / "pages.py"
    path.write_text(SERVER.replace("return types.ListToolsResult(tools=[TOOL])", paged))
    assert run(["score", "--command", shlex.join([sys.executable, str(path)]), "--json"]) == code
    said = capfd.readouterr()
    assert len(json.loads(said.out)["tools"]) == 121 if code == 0 else "does not end" in said.err


def test_a_server_without_tools_is_told(tmp_path: Path, capfd: Any) -> None:
    path = tmp_path / "none.py"
    path.write_text(SERVER.replace("tools=[TOOL]", "tools=[]"))
    assert run(["score", "--command", shlex.join([sys.executable, str(path)])]) == 2
    assert "E1470" in capfd.readouterr().err


def test_a_server_that_does_not_answer_is_told(capfd: Any) -> None:
    assert run(["score", "--command", shlex.join([sys.executable, "-c", "pass"])]) == 2
    assert "E1471" in capfd.readouterr().err


def test_an_empty_list_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.json"
    path.write_text('{"tools": []}')
    assert run(["score", str(path)]) == 2 and "E1470" in capsys.readouterr().err

"""What `[tools."…"]` says of an operation, in the generated project."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcpgen.config import ToolConfig
from mcpgen.customise.bindings import merged
from mcpgen.problems import Problem, Problems, UsageError
from mcpgen.project.run import CommandInput, run
from tests.generated import written

from .shop import (
    Change,
    add,
    changed,
    contents,
    cut,
    generate,
    package,
    prepared,
    project,
    save,
    set_in,
    tools,
)


def said(tmp_path: Path, config: str) -> Path:
    """A project with a configuration."""
    return project(tmp_path, config=config)


def told(tmp_path: Path, config: str) -> list[Problem]:
    """What is wrong with a configuration: nothing is generated."""
    folder = project(tmp_path)
    add(folder, config)
    before = contents(folder)
    try:
        generate(folder)
    except UsageError as error:
        assert error.exit_code == 2
        assert contents(folder) == before
        return list(error.problems)
    return []


def facts(folder: Path) -> dict[str, Any]:
    """What the server knows of its API."""
    found: dict[str, Any] = json.loads((package(folder) / "api.json").read_text())
    return found


def function(folder: Path, toolset: str, name: str) -> str:
    """The text of one generated function."""
    text = (package(folder) / "tools" / f"{toolset}.py").read_text()
    return text[text.index(f"async def {name}(") :].split("\n\n\n")[0]


def test_names_titles_descriptions_and_aliases(tmp_path: Path) -> None:
    config = 'name = "find_books"\naliases = ["list_books", "old-name"]\ntitle = "Find"'
    other = '[tools."GET /books/{bookId}"]\nname = "read_book"'
    folder = said(tmp_path, f'[tools.listBooks]\n{config}\ndescription = "Search."\n{other}')
    assert "list_books" not in tools(folder) and "read_book" in tools(folder)
    assert tools(folder)["find_books"]["title"] == "Find"
    assert tools(folder)["find_books"]["description"] == "Search."
    assert function(folder, "books", "find_books")
    assert facts(folder)["aliases"] == {"list_books": "find_books", "old-name": "find_books"}


def test_two_tools_may_swap_their_names(tmp_path: Path) -> None:
    folder = said(
        tmp_path, '[tools.listBooks]\nname = "list_orders"\n[tools.listOrders]\nname = "list_books"'
    )
    assert "genre" in tools(folder)["list_orders"]["inputSchema"]["properties"]
    assert "genre" not in tools(folder)["list_books"]["inputSchema"]["properties"]


def test_a_disabled_operation_is_counted_as_filtered(tmp_path: Path) -> None:
    folder = said(tmp_path, "[tools.listBooks]\nenabled = false")
    assert "list_books" not in tools(folder)
    made, _ = prepared(folder)
    filtered = [skip.origin.operation_id for skip in made.server.skips if skip.filtered]
    assert filtered == ["listBooks"]


def test_hints_are_said_by_the_user(tmp_path: Path) -> None:
    config = "[tools.addBook.hints]\nread_only = true\n[tools.listBooks.hints]\nopen_world = false"
    folder = said(tmp_path, config)
    assert tools(folder)["add_book"]["annotations"]["readOnlyHint"] is True
    assert tools(folder)["add_book"]["annotations"]["destructiveHint"] is False
    assert tools(folder)["list_books"]["annotations"]["openWorldHint"] is False


def test_a_tool_has_a_rate_of_calls(tmp_path: Path) -> None:
    folder = said(tmp_path, '[tools."list*"]\nrate = "10/m"\n[tools.listOrders]\nrate = "2/h"')
    assert facts(folder)["rates"] == {"list_books": [10, 60], "list_orders": [2, 3600]}


def test_a_tool_moves_to_another_toolset_or_to_one_of_its_own(tmp_path: Path) -> None:
    config = '[tools.listBooks]\ntoolset = "orders"\n[tools.getBook]\ntoolset = "front_desk"'
    found = {path.stem: json.loads(path.read_text()) for path in lists(said(tmp_path, config))}
    names = {stem: [tool["name"] for tool in listed] for stem, listed in found.items()}
    moved = {"front_desk": ["get_book"], "orders": ["list_books", "list_orders"]}
    assert names == {"books": ["add_book"], **moved}


def lists(folder: Path) -> list[Path]:
    return sorted((package(folder) / "tools").glob("*.json"))


def test_a_hidden_argument_leaves_the_schema_and_is_sent_all_the_same(tmp_path: Path) -> None:
    folder = said(tmp_path, '[tools.listBooks.arguments.tenant]\nhidden = true\nvalue = "acme"')
    properties = tools(folder)["list_books"]["inputSchema"]["properties"]
    assert list(properties) == ["genre", "limit", "fields", "answer_part"]
    assert '"tenant": "acme"' in function(folder, "books", "list_books")
    assert "tenant:" not in function(folder, "books", "list_books")


def test_a_tool_that_is_said_to_change_something_gives_no_part_of_its_answer(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path)
    add(folder, "[tools.listBooks.hints]\nread_only = false")
    generate(folder, accept=True)
    assert "answer_part" not in tools(folder)["list_books"]["inputSchema"]["properties"]


def test_a_hidden_argument_without_a_value_is_not_sent(tmp_path: Path) -> None:
    folder = said(tmp_path, "[tools.listBooks.arguments.tenant]\nhidden = true")
    assert "tenant" not in function(folder, "books", "list_books")


def test_a_hidden_path_argument_and_a_hidden_field_of_the_body_are_sent(tmp_path: Path) -> None:
    path = '[tools.getBook.arguments.bookId]\nhidden = true\nvalue = "b1"\n'
    field = "[tools.addBook.arguments.price]\nhidden = true\nvalue = 9.5"
    folder = said(tmp_path, path + field)
    assert tools(folder)["get_book"]["inputSchema"].get("required", []) == []
    assert '"bookId": "b1"' in function(folder, "books", "get_book")
    assert '"price": 9.5' in function(folder, "books", "add_book")


def test_an_argument_gets_another_name_and_the_api_still_sees_its_own(tmp_path: Path) -> None:
    config = '[tools.getBook.arguments.bookId]\nname = "book"\ndescription = "Which one."'
    folder = said(tmp_path, config)
    schema = tools(folder)["get_book"]["inputSchema"]
    assert schema["required"] == ["book"]
    assert schema["properties"]["book"]["description"] == "Which one."
    assert '"bookId": book' in function(folder, "books", "get_book")


@pytest.mark.parametrize("table", ["listBooks", "list_*"])
def test_the_argument_that_chooses_fields_gets_another_name(tmp_path: Path, table: str) -> None:
    config = f'[tools."{table}".arguments.fields]\nname = "show"\ndescription = "Which."'
    folder = said(tmp_path, config)
    properties = tools(folder)["list_books"]["inputSchema"]["properties"]
    assert "fields" not in properties
    assert properties["show"]["description"] == "Which."
    assert facts(folder)["lists"]["list_books"]["fields"] == "show"
    assert generate(folder)[0].empty


def test_a_default_is_advertised_and_sent(tmp_path: Path) -> None:
    limit = "[tools.listBooks.arguments.limit]\ndefault = 20"
    folder = said(tmp_path, f'[tools.addBook.arguments.title]\ndefault = "Untitled"\n{limit}')
    schema = tools(folder)["add_book"]["inputSchema"]
    assert schema["properties"]["title"]["default"] == "Untitled"
    assert schema["required"] == ["id"]
    assert re.search(r'title: str( \| Omit)? = "Untitled"', function(folder, "books", "add_book"))
    assert tools(folder)["list_books"]["inputSchema"]["properties"]["limit"]["default"] == 20


def test_the_shape_of_an_answer_reaches_the_server(tmp_path: Path) -> None:
    folder = said(tmp_path, '[tools.listBooks.answer]\nkeep = ["items.id"]\nstrip_nulls = true')
    assert facts(folder)["answers"]["list_books"] == {"keep": ["items.id"], "strip_nulls": True}


@pytest.mark.parametrize("config", ["[answers]", "[tools.listBooks.answer]"])
def test_full_lists_need_no_argument_that_chooses_fields(tmp_path: Path, config: str) -> None:
    folder = said(tmp_path, f"{config}\nfull = true")
    assert "fields" not in tools(folder)["list_books"]["inputSchema"]["properties"]
    assert "fields" not in facts(folder)["lists"]["list_books"]


def test_withheld_fields_reach_the_server_and_leave_the_output_schema(tmp_path: Path) -> None:
    folder = said(tmp_path, '[answers]\nredact = ["Title"]\n[tools.getBook.answer]\nredact = ["x"]')
    assert facts(folder)["redact"] == ["Title"]
    assert facts(folder)["answers"]["get_book"] == {"redact": ["x"]}
    assert "title" not in json.dumps(tools(folder)["get_book"]["outputSchema"])


def test_xml_brings_its_module_and_its_library(tmp_path: Path) -> None:
    folder = said(tmp_path / "with", "[tools.getBook.answer]\nxml = true")
    assert (package(folder) / "runtime" / "results" / "xml_data.py").is_file()
    folder = said(tmp_path / "without", "")
    assert not (package(folder) / "runtime" / "results" / "xml_data.py").is_file()
    assert "xmltodict" not in (folder / "pyproject.toml").read_text()


@pytest.mark.parametrize(("config", "code", "message", "hint"), [
    ("[tools.listBook]", "E1110", "names no operation", "did you mean `listBooks`"),
    ('[tools."GET /book"]', "E1110", "names no operation", "`GET /books`"),
    ('[tools.listBooks]\n[tools."GET /books"]', "E1112", "are about the same operation",
     "one table"),
    ('[tools.listBooks]\nname = "List Books"', "E1115", "cannot be called `List Books`",
     "`list_books`"),
    ('[tools.listBooks]\nname = "class"', "E1115", "generated code has that word", "`class_tool`"),
    ('[tools.listBooks]\nname = "wire"', "E1115", "generated code has that word", "`wire_tool`"),
    ('[tools.listBooks.arguments.genre]\nname = "OMIT"', "E1115", "cannot be called `OMIT`", ""),
    ('[tools.listBooks]\nname = "get_book"', "E1116", "another tool is", "rename or disable"),
    ('[tools.listBooks]\naliases = ["get_book"]', "E1117", "cannot have the alias `get_book`", ""),
    ('[tools.getBook]\naliases = ["all"]\n[tools.listBooks]\nname = "all"', "E1117", "the alias `all`", ""),
    ("[tools.listBooks.arguments.genere]", "E1118", "has no argument `genere`",
     "did you mean `genre`"),
    ("[tools.getBook.arguments.bookId]\nhidden = true", "E1119", "the API requires it", "value"),
    ("[tools.listBooks.arguments.limit]\ndefault = 500", "E1120",
     "`limit` of `list_books` does not allow this default: 500 is greater than the maximum", ""),
    ('[tools.listBooks.arguments.genre]\nhidden = true\nvalue = "poetrie"', "E1120",
     "`genre` of `list_books` does not allow this value", "did you mean `poetry`?"),
    ('[tools.getBook.answer]\nkeep = ["titel"]', "E1122",
     "no answer of `get_book` has the field `titel`", "did you mean `title`?"),
    ("[tools.listBooks.arguments.fields]\nhidden = true", "E1118",
     "`list_books` has no argument `fields`", "`full = true` in the table `answer` removes it"),
    ('[tools.listBooks.arguments.genre]\nname = "limit"', "E1116", "another argument is", ""),
    ('[tools.listBooks.arguments.genre]\nname = "a-b"', "E1115", "cannot be called `a-b`", ""),
    ('[tools.listBooks]\ntoolset = "../x"', "E1115", "cannot be in a toolset", ""),
])  # fmt: skip
def test_what_cannot_be_applied_is_told_with_its_line_and_what_was_meant(
    tmp_path: Path, config: str, code: str, message: str, hint: str
) -> None:
    (problem,) = told(tmp_path, config)
    assert (problem.code, problem.severity) == (code, "error")
    assert message in problem.message
    assert hint in problem.hint
    assert problem.place is not None
    assert problem.place.file.endswith("mcpgen.toml")
    assert problem.place.line > 10


def test_a_field_to_keep_that_the_document_no_longer_has_is_told(tmp_path: Path) -> None:
    folder = said(tmp_path, '[tools.getBook.answer]\nkeep = ["title"]')
    save(changed(cut(*BOOK, "properties", "title")), tmp_path / "shop.json")
    with pytest.raises(UsageError, match="no answer of `get_book` has the field `title`") as told:
        generate(folder)
    (problem,) = told.value.problems
    assert "an overlay adds" in problem.hint
    assert problem.place is not None


BOOK = ("components", "schemas", "Book")


@pytest.mark.parametrize("open_up", [
    set_in(*BOOK, "additionalProperties", to=True), set_in(*BOOK, to={"anyOf": [{}, {}]}),
    set_in(*BOOK, "properties", to={key: {} for key in ("other.name", "more", "secret")}),
])  # fmt: skip
def test_an_answer_that_may_have_other_fields_keeps_any(tmp_path: Path, open_up: Change) -> None:
    save(changed(open_up), tmp_path / "shop.json")
    config = (
        '[source]\npath = "../shop.json"\n'
        '[tools.getBook.answer]\nkeep = ["other.name"]\ndrop = ["more"]\nredact = ["secret"]\n'
    )
    problems = Problems()
    run(CommandInput(folder=written({"mcpgen.toml": config}, tmp_path / "project")), problems)
    assert not [problem for problem in problems if problem.code == "E1122"]


@pytest.mark.parametrize("config", [
    '[tools.getBook.answer]\ndrop = ["titel"]', '[tools.getBook.answer]\nredact = ["titel", "ID"]',
    '[answers]\nredact = ["titel", "ID"]\n[tools."GET /orders"]\nenabled = false',
])  # fmt: skip
def test_a_field_to_leave_out_that_no_answer_has_is_a_warning(tmp_path: Path, config: str) -> None:
    problems = Problems()
    folder = said(tmp_path, config)
    run(CommandInput(folder=folder), problems)
    (problem,) = [problem for problem in problems if problem.code == "E1122"]
    assert problem.severity == "warning"
    assert problem.hint.startswith("did you mean `title`")
    assert problem.place is not None and problem.place.file.endswith("mcpgen.toml")


def test_everything_that_cannot_be_applied_is_told_at_once(tmp_path: Path) -> None:
    config = "[tools.listBook]\n[tools.getBook]\nname = 'no good'\n[tools.getBook.arguments.x]"
    found = told(tmp_path, f"{config}\nhidden = true\n")
    assert [problem.code for problem in found] == ["E1110", "E1115", "E1118"]
    lines = [problem.place.line for problem in found if problem.place]
    assert [line - lines[0] for line in lines] == [0, 2, 3]


def test_the_name_of_a_tool_that_is_left_out_is_free_for_an_alias(tmp_path: Path) -> None:
    config = '[select]\nexclude_operations = ["GET /orders"]\n[tools."GET /orders"]\nname = "all"'
    assert told(tmp_path, f'{config}\n[tools.listBooks]\naliases = ["all"]') == []


def test_a_configuration_in_another_case_of_the_method_is_understood(tmp_path: Path) -> None:
    assert told(tmp_path, '[tools."get /books"]\ntitle = "Books"') == []


def test_a_customised_project_is_the_same_when_it_is_generated_again(tmp_path: Path) -> None:
    config = '[tools.listBooks]\nname = "find_books"\n[tools.getBook.arguments.bookId]\nname = "b"'
    assert generate(said(tmp_path, config))[0].empty


def test_one_table_is_for_every_tool_of_a_glob(tmp_path: Path) -> None:
    folder = said(
        tmp_path,
        '[tools."*_book*".hints]\nopen_world = false\n[tools."list*".hints]\nidempotent = false\n'
        '[tools."GET /orders*"]\ntoolset = "desk"',
    )
    hints = {name: tool["annotations"] for name, tool in tools(folder).items()}
    closed = [name for name in sorted(hints) if not hints[name]["openWorldHint"]]
    assert closed == ["add_book", "get_book", "list_books"]
    assert not hints["list_orders"]["idempotentHint"] and hints["get_book"]["idempotentHint"]
    assert [path.stem for path in lists(folder)] == ["books", "desk"]


def test_the_table_of_the_tour_closes_the_world_of_every_endpoint(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "generated.md").read_text("utf-8")
    listed = tools(said(tmp_path, page.partition("```toml\n")[2].partition("```")[0])).values()
    assert {tool["annotations"]["openWorldHint"] for tool in listed} == {False}


def test_one_table_is_for_every_tool_with_a_tag(tmp_path: Path) -> None:
    folder = said(tmp_path, '[tools.tag.books]\ntitle = "Of books"')
    titled = [name for name, tool in tools(folder).items() if tool["title"] == "Of books"]
    assert sorted(titled) == ["add_book", "get_book", "list_books"]


def test_the_most_special_table_counts(tmp_path: Path) -> None:
    folder = said(
        tmp_path,
        '[tools.tag.books]\ntitle = "A tag"\nenabled = false\n'
        '[tools."*"]\ntitle = "All"\n[tools."*book"]\ntitle = "A book"\nenabled = true',
    )
    titles = {name: tool["title"] for name, tool in tools(folder).items()}
    assert titles == {"add_book": "A book", "get_book": "A book", "list_orders": "All"}
    general, special = ToolConfig(read_only=True, destructive=False), ToolConfig(destructive=True)
    assert merged(general, special, says_enabled=False) == special


def test_an_argument_is_filled_and_hidden_wherever_a_tool_has_it(tmp_path: Path) -> None:
    folder = said(tmp_path, '[tools."*".arguments.bookId]\nhidden = true\nvalue = "b1"')
    assert "bookId" not in json.dumps(tools(folder))
    assert '"b1"' in function(folder, "books", "get_book")


@pytest.mark.parametrize(("config", "code", "words"), [
    ('[tools."lits_*"]\ntitle = "x"', "E1110", "function with `@tool` has no table"),
    ('[tools.tag.boks]\ntitle = "x"', "E1110", "did you mean `books`?"),
    ('[tools."*".arguments.none]\nhidden = true', "E1118", "has an argument `none`"),
    ('[tools."*"]\nname = "x"', "E1102", "`name` belongs to one tool"),
    ("[tools.tag.books]\nbudget = 100", "E1102", "`budget` belongs to one tool"),
    ('[tools."*"]\nnaem = "x"', "E1102", "unknown key `naem`"),
])  # fmt: skip
def test_a_table_for_many_is_checked_too(
    tmp_path: Path, config: str, code: str, words: str
) -> None:
    [problem] = told(tmp_path, config)
    assert problem.code == code
    assert words in f"{problem.message} {problem.hint}"
    assert problem.place is not None

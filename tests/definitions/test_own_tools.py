"""A tool of one's own: its stub, its function, what is found when the two no longer fit, and what a
client gets.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from own_project import Project, tool

from mcpgen.problems import Problems
from mcpgen.project.check import check

Make = Callable[..., Project]
OUTPUT = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 0}},
    "required": ["count"],
}


def found(project: Project) -> list[tuple[str, str, int]]:
    """The problems `check` names: code, file, line."""
    report = check(project.folder, Problems())
    return [
        (one.code, one.place.file if one.place else "", one.place.line if one.place else 0)
        for one in report.problems
    ]


def test_a_stub_is_typed_and_says_that_it_is_one(project: Make) -> None:
    made = project(
        [tool("find_book", {"title": {"type": "string"}, "kind": {"enum": ["a", "b"]}}, "title")]
    )
    stub = (made.package / "custom" / "find_book.py").read_text()
    assert "title: str,\n" in stub and 'kind: Literal["a", "b"] | None = None,\n' in stub
    result = made.call("find_book", {"title": "x"})
    assert result.is_error and "not implemented yet" in result.content[0].text


def test_a_function_is_never_touched_again_and_a_new_tool_gets_a_stub_beside_it(
    project: Make,
) -> None:
    made = project([tool("find_book")])
    path = made.function(
        "find_book", "async def find_book(*, title=None, limit=None):\n    return 'mine'\n"
    )
    made.say([tool("find_book"), tool("add_book")])
    made.generate()
    assert path.read_text().endswith("'mine'\n")
    assert (made.package / "custom" / "add_book.py").is_file()
    assert made.call("find_book", {}).content[0].text == "mine"


def test_a_function_whose_tool_is_gone_is_named_and_stays(project: Make) -> None:
    made = project([tool("find_book"), tool("add_book")])
    made.say([tool("add_book")])
    made.generate()
    assert (made.package / "custom" / "find_book.py").is_file()
    assert [problem.code for problem in made.problems] == ["E1316"]
    assert [(code, Path(file).name) for code, file, _ in found(made)] == [("E1316", "find_book.py")]


@pytest.mark.parametrize(("code", "line"), [
    ("\nasync def find_book(*, title=None):\n    return 'x'\n", 2),
    ("\n\nasync def find_book(*, title=None, limit):\n    return 'x'\n", 3),
    ("def find_book(*, title=None, limit=None, more):\n    return 'x'\n", 1),
])  # fmt: skip
def test_check_and_the_generated_tests_name_the_place_of_a_function_that_does_not_fit(
    project: Make, code: str, line: int
) -> None:
    made = project([tool("find_book")])
    made.function("find_book", code)
    [(problem, file, at)] = found(made)
    assert (problem, Path(file).name, at) == ("E1314", "find_book.py", line)
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", "-k",
        "takes_the_arguments",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=made.folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and f"find_book.py:{line}" in done.stdout


def test_mypy_names_a_call_that_does_not_fit(project: Make, mypy_cache: Path) -> None:
    made = project([tool("find_book", None, "title")])
    made.function(
        "find_book",
        "from __future__ import annotations\n\nfrom .. import Context\n\n\nasync def"
        " find_book(context: Context, *, title: int, limit: int | None = None) -> str:\n    return"
        " 'x'\n",
    )
    command = [
        sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(mypy_cache),
        "--no-error-summary",
    ]  # fmt: skip
    wanted = ["tests/signatures_general.py", f"src/{made.made.server.package}/custom/find_book.py"]
    environment = {"MYPYPATH": "src", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*command, *wanted], cwd=made.folder, capture_output=True, text=True, timeout=120,
        env=environment,
    )  # fmt: skip
    assert "signatures_general.py" in done.stdout and 'Argument "title"' in done.stdout


def test_a_missing_function_and_a_broken_module_are_named(project: Make) -> None:
    made = project([tool("find_book"), tool("add_book")])
    (made.package / "custom" / "find_book.py").unlink()
    made.function("add_book", "def add_book(:\n")
    assert [code for code, _, _ in found(made)] == ["E1312"]
    stale = check(made.folder, Problems()).stale
    assert any("would create" in each and "custom/find_book.py" in each for each in stale)


def test_a_result_is_checked_against_the_exact_output_schema(project: Make) -> None:
    made = project([tool("count", {}, outputSchema=OUTPUT)])
    for value, fits in (
        ("{'count': 3}", True),
        ("{'count': -1}", False),
        ("{}", False),
        ("'three'", False),
    ):
        made.function("count", f"def count():\n    return {value}\n")
        result = made.call("count", {})
        assert result.is_error is not fits and fits is (result.structured_content == {"count": 3})


@pytest.mark.parametrize("rule", [
    {"required": ["name", "password"]},
    {"dependentRequired": {"name": ["pass_word"]}},
    {"not": {"required": ["password"], "properties": {"password": {"const": ""}}}},
    {"oneOf": [{"required": ["password"]}, {"required": ["name"]}]},
    {"if": {"required": ["password"]}, "then": {"properties": {"name": False}}},
    {"minProperties": 2},
    {"oneOf": [{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/all"}], "$defs": {
        "one": {"required": ["name"], "maxProperties": 1}, "all": {"required": ["password"]}}},
    {"not": {"$ref": "#/$defs/all"},
     "$defs": {"all": {"required": ["password"], "properties": {"password": {"const": ""}}}}},
])  # fmt: skip
def test_a_withheld_field_is_not_missed(project: Make, rule: Any) -> None:
    fields = {"name": {"type": "string"}, "password": {"type": "string"}}
    output = {"type": "object", "properties": fields, **rule}
    made = project([tool("read", {}, outputSchema=output)], redact=("Password",))
    made.function("read", "def read():\n    return {'name': 'Ada', 'password': 's'}\n")
    result = made.call("read", {})
    assert (result.is_error, result.structured_content) == (False, {"name": "Ada"})


def test_what_a_withheld_field_changes_leaves_the_rules_beside_it(project: Make) -> None:
    one = [{"required": ["password"]}, {"properties": {"name": {"maxLength": 3}}}]
    output = {"type": "object", "oneOf": one, "anyOf": [{"required": ["name"]}]}
    made = project([tool("read", {}, outputSchema=output)], redact=("password",))
    made.function("read", "def read():\n    return {'nom': 'Ada', 'password': 's'}\n")
    assert made.call("read", {}).is_error


def test_a_field_called_as_a_keyword_stays_beside_a_withheld_one(project: Make) -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}, "password": {}}}
    output = {
        "type": "object", "properties": {"not": inner, "oneOf": inner}, "additionalProperties": False,
    }  # fmt: skip
    made = project([tool("read", {}, outputSchema=output)], redact=("password",))
    made.function("read", "def read():\n    return {'not': {'a': 'b'}, 'oneOf': {'a': 'b'}}\n")
    result = made.call("read", {})
    assert result.structured_content == {"not": {"a": "b"}, "oneOf": {"a": "b"}}


@pytest.mark.parametrize(("form", "good", "bad", "told"), [
    ("email", "ada@example.com", "not-an-email", "an e-mail address such as `ada@example.com`"),
    ("uri", "https://example.com/a", "nope", "a URI such as `https://example.com/a`"),
    ("date-time", "2026-01-31T09:00:00Z", "tomorrow", "a date and time such as"),
    ("ipv4", "192.0.2.1", "192.0.2.256", "a text of the format `ipv4`"),
    ("made-up", "any", "", ""),
])  # fmt: skip
def test_a_format_is_a_rule_at_every_depth(
    project: Make, form: str, good: str, bad: str, told: str
) -> None:
    text = {"type": "string", "format": form}
    made = project([tool("send", {"to": text, "copies": {"type": "array", "items": text}})])
    made.function("send", "def send(*, to, copies=()):\n    return 'sent'\n")
    assert made.call("send", {"to": good, "copies": [good]}).content[0].text == "sent"
    for place, arguments in (
        ("to", {"to": bad}),
        ("copies[1]", {"to": good, "copies": [good, bad]}),
    ):
        result = made.call("send", arguments)
        assert result.is_error is bool(told)
        assert not told or f"`{place}` must be {told}" in result.content[0].text


def test_every_kind_of_content_arrives(project: Make) -> None:
    made = project([tool("show", {})])
    made.function(
        "show",
        "from .. import Audio, Image, Resource, ResourceLink, Text\n\n\nasync def show():\n "
        "   return [Text('a'), Image(b'b'), Audio(b'c'), ResourceLink('https://example.com/d',"
        " 'd'),\n            Resource('file:///e', b'e'), Resource('file:///f', 'f')]\n",
    )
    kinds = [block.type for block in made.call("show", {}).content]
    assert kinds == ["text", "image", "audio", "resource_link", "resource", "resource"]


def test_a_function_may_take_the_place_of_a_generated_one(project: Make) -> None:
    api = yaml.safe_load("""
        openapi: '3.1.0'
        info: {title: Shop, version: '1'}
        servers: [{url: https://api.example.com}]
        paths:
          '/books/{id}':
            get:
              operationId: getBook
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              responses: {'200': {description: ok}}
    """)
    made = project(api)
    made.function("get_book", "async def get_book(*, id: int) -> str:\n    return f'mine {id}'\n")
    assert made.call("get_book", {"id": 3}).content[0].text == "mine 3"
    assert "`book` is not an argument" in made.call("get_book", {"book": 3}).content[0].text
    made.function("get_book", "async def get_book(*, other: int) -> str:\n    return 'x'\n")
    assert {code for code, _, _ in found(made)} == {"E1314"}


def test_a_server_without_an_api_speaks_of_none(project: Make) -> None:
    made = project([tool("find_book")])
    made.generate(add=("registry", "bundle"))
    for name in "README.md .env.example Makefile server.json manifest.json pyproject.toml".split():
        text = (made.folder / name).read_text()
        assert "BASE_URL" not in text, name
        assert " API" not in text, name
    assert json.loads((made.package / "api.json").read_text())["calls_api"] is False


def test_regenerating_changes_nothing_and_order_does_not_matter(project: Make) -> None:
    made = project([tool("find_book"), tool("add_book")])
    made.generate()
    assert made.changes.empty
    made.say([tool("add_book"), tool("find_book")])
    made.generate()
    assert made.changes.updated == ("document/source.json",) and not made.changes.created
    assert not made.changes.removed


def test_a_new_tool_of_ones_own_needs_no_acceptance(project: Make) -> None:
    made = project([tool("get_book", annotations={"readOnlyHint": True})])
    made.say(
        [
            tool("drop_book", annotations={"destructiveHint": True}),
            tool("get_book", annotations={"readOnlyHint": True}),
        ]
    )
    made.generate()
    assert len(made.made.server.tools) == 1 and (made.package / "custom" / "drop_book.py").is_file()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_list_is_whole_in_both_eras(project: Make, mode: str) -> None:
    made = project([tool("find_book", outputSchema=OUTPUT), tool("add-book")])
    listed: Any = made.talk(lambda client: client.list_tools(), mode)
    assert sorted(one.name for one in listed.tools) == ["add-book", "find_book"]


def test_an_argument_that_the_configuration_hides_or_fills_reaches_the_function(
    project: Make,
) -> None:
    made = project([tool("find_book", None, "title", "limit")])
    said = '\n[tools.find_book.arguments.title]\nhidden = true\nvalue = "mine"\n'
    said += "\n[tools.find_book.arguments.limit]\ndefault = 7\n"
    with (made.folder / "mcpgen.toml").open("a") as file:
        file.write(said)
    made.generate()
    made.function("find_book", "def find_book(*, title, limit):\n    return f'{title} {limit}'\n")
    assert made.call("find_book", {}).content[0].text == "mine 7"
    assert made.call("find_book", {"limit": 1}).content[0].text == "mine 1"
    assert "`title` is not an argument" in made.call("find_book", {"title": "x"}).content[0].text


@pytest.mark.parametrize("required", [("title", "limit"), ("limit", "title")])
def test_an_argument_that_the_configuration_renames_reaches_the_function(
    required: tuple[str, ...], project: Make
) -> None:
    made = project([tool("find_book", None, *required)])
    with (made.folder / "mcpgen.toml").open("a") as file:
        file.write('\n[tools.find_book.arguments.title]\nname = "book"\n')
    made.generate()
    made.function("find_book", "def find_book(*, book, limit):\n    return f'{book} {limit}'\n")
    assert made.call("find_book", {"book": "a", "limit": 1}).content[0].text == "a 1"
    assert "is required" in made.call("find_book", {"limit": 1}).content[0].text


NAMES_THAT_SOUND_HARMLESS = (
    "query", "find_and_replace", "get_or_create_user", "read_and_delete_messages",
    "fetch_and_merge", "show_and_close_dialog",
)  # fmt: skip


def test_no_name_makes_a_tool_read_only(project: Make) -> None:
    made = project([tool(name) for name in NAMES_THAT_SOUND_HARMLESS])
    listed: Any = made.talk(lambda client: client.list_tools())
    hints = {one.name: one.annotations for one in listed.tools}
    assert sorted(hints) == sorted(NAMES_THAT_SOUND_HARMLESS)
    for hint in hints.values():
        assert (hint.read_only_hint, hint.destructive_hint) == (False, True)
        assert (hint.idempotent_hint, hint.open_world_hint) == (False, True)


def test_a_read_only_server_leaves_out_what_does_not_say_that_it_only_reads(project: Make) -> None:
    made = project(
        [
            tool("query"),
            tool("get_page", annotations={"readOnlyHint": "true"}),
            tool("list_pages", annotations={"title": "Pages"}),
            tool("drop_cache", annotations={"readOnlyHint": True}),
        ]
    )
    written_by_hand = made.package / "custom" / "get_note.json"
    written_by_hand.write_text(json.dumps([{"name": "get_note", "description": "Get a note."}]))
    made.function("get_note", "async def get_note():\n    return 'note'\n")
    listed: Any = made.talk(lambda client: client.list_tools(), read_only=True)
    assert [one.name for one in listed.tools] == ["drop_cache"]
    result: Any = made.talk(lambda client: client.call_tool("get_note", {}), read_only=True)
    assert result.is_error and "read-only" in result.content[0].text
    assert made.call("get_note", {}).content[0].text == "note"

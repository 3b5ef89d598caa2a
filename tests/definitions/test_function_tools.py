"""Typed functions with `@tool`: listed, checked, called and refused like every other tool."""

import ast
import asyncio
import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import docstring_parser
import jsonschema_rs
import mcp.types as types
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, Image, MCPServer

from mcpgen.live.tools import listed_functions
from mcpgen.problems import Problems
from mcpgen.project.annotations import literal
from mcpgen.project.check import check
from mcpgen.runtime.app import seen_version
from mcpgen.runtime.arguments import explain
from mcpgen.runtime.parts.functions.tools import Documentation, documentation

from ..judges.portable import complaints
from .own_project import Project, tool

TUTORIAL = (Path(__file__).parent / "tutorial_tools.py").read_text()
FACE = "from .. import Context, Image, ResourceLink, ToolError, tool\n"
NAMES = [
    "add", "get_weather", "get_location", "get_statistics", "list_cities", "get_user",
    "process_image", "create_user", "create_thumbnail", "find_documents", "long_running_task",
    "wait_for_approval", "divide",
]  # fmt: skip
SAMPLES: dict[str, list[Any]] = {
    "add": [{"a": 1, "b": 2}, {"a": 1}, {"a": "1", "b": 2}, {"a": 1.5, "b": 2}, {}],
    "get_weather": [{"city": "Rome"}, {"city": 3}, {"city": None}, {}],
    "process_image": [{"image_url": "x"}, {"image_url": "x", "width": 1},
        {"image_url": "x", "width": 0}, {"image_url": "x", "width": 2001},
        {"image_url": "x", "format": "gif"}, {"image_url": "x", "format": "webp", "resize": True},
        {"resize": True}],
    "create_user": [{"user": {"username": "ann", "email": "ann@example.com"}},
        {"user": {"username": "ann", "email": "ann"}},
        {"user": {"username": "ann", "email": "a@b", "age": None}},
        {"user": {"username": "ann", "email": "a@b", "age": -1}}, {"user": {"email": "a@b"}},
        {"user": {"username": "ann", "email": "a@b"}, "notify": "yes"}],
    "create_thumbnail": [{}, {"size": 3}, {"size": "big"}],
    "long_running_task": [{"task_name": "x"}, {"task_name": "x", "steps": 2}, {"steps": 2}],
    "divide": [{"a": 1.5, "b": 2}, {"a": "x", "b": 2}, {"b": 2}],
}  # fmt: skip
"""Arguments that both servers must judge alike."""
SAME_RESULTS = [
    ("add", {"a": 1, "b": 2}), ("get_weather", {"city": "Rome"}),
    ("get_location", {"address": "10 Downing Street"}), ("get_statistics", {"data_type": "ages"}),
    ("list_cities", {}), ("get_user", {"user_id": "1"}),
    ("process_image", {"image_url": "x", "resize": True}),
    ("create_user", {"user": {"username": "ann", "email": "a@b"}}), ("divide", {"a": 1, "b": 2}),
]  # fmt: skip


def sdk_server() -> MCPServer:
    """The same functions, registered with the SDK's own server."""
    server = MCPServer("tutorial")

    def register(function: Any = None, /, *, name: str | None = None, **_: Any) -> Any:
        if function is not None:
            return server.tool()(function)
        return lambda function: server.tool(name=name)(function)

    names: dict[str, Any] = {
        "__name__": __name__, "tool": register, "Context": Context, "Image": Image,
        "ResourceLink": types.ResourceLink, "ToolError": ValueError,
    }  # fmt: skip
    assert FACE in TUTORIAL
    text = TUTORIAL.replace(FACE, "")
    # The SDK looks annotations up in the namespace that a function was defined in
    exec(compile(text, "tutorial_tools.py", "exec"), names)
    return server


@pytest.fixture(scope="module")
def sdk() -> MCPServer:
    """The functions on the SDK's server."""
    return sdk_server()


def made_of(name: str, text: str, **config: Any) -> Any:
    """A fixture of one project for all tests, with these functions."""

    @pytest.fixture(scope="module", name=name)
    def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
        return with_functions(tmp_path_factory.mktemp(name), text, **config)

    return made


a_project = made_of("project", TUTORIAL, lazy=True)
"""A project with a JSON contract, and the functions of the tutorials beside it."""
an_exact_project = made_of("exact", TUTORIAL, profile="rich")
"""The same project, whose list has the exact schemas."""


def with_functions(folder: Path, text: str, **config: Any) -> Project:
    """A project with the tool `find_book`, and with functions in `custom/functions.py`."""
    project = Project({"tools": [tool()]}, folder, **config)
    project.function("functions", text)
    project.generate(renew=True)  # `pyproject.toml` names what functions need
    return project


def listed(project: Project, **options: Any) -> dict[str, dict[str, Any]]:
    """The tools of a project as clients see them, by name."""
    return by_name(project.talk(lambda client: client.list_tools(), **options).tools)


def by_name(tools: list[types.Tool]) -> dict[str, dict[str, Any]]:
    """Tools as JSON, by name."""
    return {one.name: one.model_dump(by_alias=True, exclude_none=True) for one in tools}


def on_sdk(server: MCPServer, conversation: Callable[[Client], Any]) -> Any:
    """What a conversation with the SDK's server returns."""

    async def begin() -> Any:
        async with Client(server) as client:
            return await conversation(client)

    return asyncio.run(begin())


def text_of(result: Any) -> str:
    """The first text of a result."""
    return str(result.content[0].text)


def test_functions_are_listed_beside_tools_with_a_contract(project: Project) -> None:
    assert list(listed(project)) == ["find_book", *NAMES]


@pytest.mark.parametrize("name", SAMPLES)
def test_their_schemas_judge_arguments_as_those_of_the_sdk(
    exact: Project, sdk: MCPServer, name: str
) -> None:
    theirs = by_name(on_sdk(sdk, lambda client: client.list_tools()).tools)[name]
    ours = listed(exact)[name]
    verdicts = []
    for schema in (ours["inputSchema"], theirs["inputSchema"]):
        validator = jsonschema_rs.validator_for(schema)
        verdicts.append([validator.is_valid(sample) for sample in SAMPLES[name]])
    assert verdicts[0] == verdicts[1] and True in verdicts[0] and False in verdicts[0]
    assert ours["description"] == theirs["description"].partition("\n")[0]


@pytest.mark.parametrize(("name", "arguments"), SAME_RESULTS)
def test_their_results_are_those_of_the_sdk(
    project: Project, sdk: MCPServer, name: str, arguments: dict[str, Any]
) -> None:
    theirs = on_sdk(sdk, lambda client: client.call_tool(name, arguments))
    ours = project.call(name, arguments)
    assert not ours.is_error, text_of(ours)
    assert ours.structured_content == theirs.structured_content
    schema = listed(project)[name]["outputSchema"]
    jsonschema_rs.validator_for(schema).validate(ours.structured_content)
    their_schema = by_name(on_sdk(sdk, lambda client: client.list_tools()).tools)[name]
    jsonschema_rs.validator_for(their_schema["outputSchema"]).validate(ours.structured_content)


def test_docstrings_of_every_style_describe_arguments(project: Project) -> None:
    tools = listed(project)
    described = {
        ("create_user", "notify"): "Whether to send a message",
        ("create_user", "user"): "Who it is",
        ("find_documents", "query"): "Words to look for",
        ("long_running_task", "steps"): "How many steps it has",
        ("process_image", "width"): "Target width in pixels",
    }
    for (name, argument), text in described.items():
        assert tools[name]["inputSchema"]["properties"][argument]["description"] == text
    assert tools["create_user"]["description"] == "Create a user."


def test_clients_see_the_version_of_the_installed_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = {"name": "small_weather", "version": "0.1.0", "calls_api": False}
    assert seen_version(facts) == "0.1.0"
    home = tmp_path / "mcp_small_weather-0.2.0.dist-info"
    home.mkdir()
    (home / "METADATA").write_text("Name: mcp-small-weather\nVersion: 0.2.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert seen_version(facts) == "0.2.0"
    assert seen_version({**facts, "calls_api": True}) == "0.1.0"


def test_hints_are_cautious_unless_the_decorator_says_more(project: Project) -> None:
    tools = listed(project)
    assert tools["create_user"]["annotations"]["destructiveHint"] is True
    assert tools["process_image"]["annotations"]["idempotentHint"] is True
    assert tools["add"]["annotations"] == {
        "title": "Add", "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True,
        "openWorldHint": True,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "refusal"), [
    ("add", {"a": "x", "b": 1}, '`a` must be an integer, got "x"'),
    ("add", {"a": 1}, "`b` is required"),
    ("add", {"a": 1, "b": 2, "c": 3}, "`c` is not an argument"),
    ("process_image", {"image_url": "x", "width": 0}, "`width` must be at least 1, got 0"),
    ("process_image", {"image_url": "x", "format": "gif"}, "`format` must be one of"),
    ("create_user", {"user": {"username": "ann", "email": "ann"}}, "`user.email` must match"),
    ("create_user", {"user": {"email": "a@b"}}, "`user.username` is required"),
    ("divide", {"a": 1, "b": 0}, "Division by zero is not allowed."),
])  # fmt: skip
def test_wrong_calls_are_refused_in_the_words_of_every_tool(
    project: Project, name: str, arguments: dict[str, Any], refusal: str
) -> None:
    result = project.call(name, arguments)
    assert result.is_error and refusal in text_of(result)


def test_an_image_is_an_image_block(project: Project) -> None:
    [block] = project.call("create_thumbnail", {"size": 3}).content
    assert (block.type, block.mime_type) == ("image", "image/png")
    assert base64.b64decode(block.data) == b"\x89PNG\0\0\0"


def test_resource_links_are_blocks(project: Project) -> None:
    content = project.call("find_documents", {"query": "tea"}).content
    assert [(block.type, str(block.uri)) for block in content] == [
        ("resource_link", "docs://tea/1"),
        ("resource_link", "docs://tea/2"),
    ]


def test_progress_reaches_the_caller(project: Project) -> None:
    steps: list[tuple[float, float | None, str | None]] = []

    async def watch(done: float, total: float | None, message: str | None) -> None:
        steps.append((done, total, message))

    arguments = {"task_name": "tea", "steps": 2}
    result = project.call("long_running_task", arguments, progress_callback=watch)
    assert text_of(result) == "Task 'tea' completed"
    assert steps == [(1, 2, "Step 1/2"), (2, 2, "Step 2/2")]


def test_a_cancelled_call_cancels_the_function(project: Project) -> None:
    async def leave(client: Client) -> None:
        call = asyncio.ensure_future(client.call_tool("wait_for_approval", {"topic": "tea"}))
        await asyncio.sleep(0.5)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    project.talk(leave)
    import sys

    assert sys.modules[f"{project.made.server.package}.custom.functions"].CANCELLED == ["tea"]


def test_read_only_mode_keeps_functions_that_may_change_data_out(project: Project) -> None:
    assert "create_user" not in listed(project, read_only=True)
    assert "add" in listed(project, read_only=True)


def test_a_file_of_functions_is_a_toolset(project: Project) -> None:
    assert list(listed(project, toolsets=["functions"])) == NAMES


def test_a_package_of_functions_is_a_toolset_too(tmp_path: Path) -> None:
    project = with_functions(tmp_path, TUTORIAL)
    code = "from ... import tool\n\n\n@tool\ndef sales() -> str:\n    return 'none'\n"
    (project.package / "custom/reports").mkdir()
    (project.package / "custom/reports/__init__.py").write_text(code)
    assert list(listed(project, toolsets=["reports"])) == ["sales"]
    assert "reports" in {each.toolset for each in listed_functions(project.package)}


def test_a_function_is_found_by_searching(project: Project) -> None:
    def find(client: Client) -> Any:
        return client.call_tool("search_tools", {"query": "thumbnail"})

    assert "create_thumbnail" in text_of(project.talk(find, mode="--lazy"))


def test_a_program_calls_functions(tmp_path: Path) -> None:
    """A project without an API has no types of answers beside those of its functions."""
    project = with_functions(tmp_path, TUTORIAL, code=True)

    async def talk(client: Client) -> list[str]:
        found = await client.call_tool("search_tools", {"query": "add numbers"})
        result = await client.call_tool("run_code", {"code": "(await add(a=1, b=2))"})
        return [text_of(found), text_of(result)]

    found, result = project.talk(talk, mode="--code")
    assert "async def add(*, a: int, b: int) -> int:" in found and result == "3"


HOOKS = """
from . import ToolError

def before_add(call):
    if call.arguments["a"] == 13:
        raise ToolError("not with 13")

def shape_get_weather(call, data):
    return {**data, "condition": "unknown"}
"""


def test_hooks_run_around_functions(tmp_path: Path) -> None:
    project = with_functions(tmp_path, TUTORIAL)
    (project.package / "hooks.py").write_text(HOOKS)
    assert text_of(project.call("add", {"a": 13, "b": 1})) == "not with 13"
    weather = project.call("get_weather", {"city": "Rome"}).structured_content
    assert weather["condition"] == "unknown" and check(project.folder, Problems()).problems == ()


def test_an_edit_is_served_at_once_and_noticed_until_the_lock_has_it(tmp_path: Path) -> None:
    project = with_functions(tmp_path, TUTORIAL)
    project.function(
        "more", "from .. import tool\n\n@tool\ndef twice(n: int) -> int:\n    return 2 * n\n"
    )
    assert project.call("twice", {"n": 2}).structured_content == {"result": 4}
    assert listed(project)["twice"]["description"] == "Twice"
    assert check(project.folder, Problems()).stale == ("the tool `twice` of `custom/` changed",)
    project.generate()
    assert check(project.folder, Problems()).passed


VALUES = '''
from __future__ import annotations
import enum, uuid
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from pydantic import AfterValidator, BaseModel, Field
from .. import Context, Image, Structured, tool

class Size(enum.Enum):
    small = "s"
    large = "l"

class Node(BaseModel):
    name: str
    children: list[Node] = []

def even(number: int) -> int:
    if number % 2:
        raise ValueError("must be even")
    return number

@tool
def kinds(day: date, size: Size, id: uuid.UUID, path: Path, tags: set[str], pair: tuple[int, str]) -> list[str]:
    return [type(value).__name__ for value in (day, size, id, path, tags, pair)]

@tool
def odd_names(json: int, schema: str = "s", model_config: bool = False, copy: int = Field(default=7, ge=1)) -> str:
    return f"{json} {schema} {model_config} {copy}"

@tool
def evens(number: Annotated[int, AfterValidator(even)], price: Decimal = Decimal("1.5")) -> Decimal:
    return price * number

@tool
def aliased(page_size: Annotated[int, Field(alias="page-size")]) -> int:
    return page_size

@tool
def grow(node: Node) -> Node:
    return Node(name="root", children=[node])

@tool
def anything(**more: int) -> dict[str, int]:
    return more

@tool
def wrong() -> int:
    return "three"

@tool
def optional(text: str | None = None) -> str | None:
    return text

@tool
def defaults(
    names: Annotated[list[str], Field(default_factory=list)],
    count: Annotated[int, Field(default=3)],
) -> str:
    return f"{names} {count}"

@tool
def found(api: str) -> Node | None: return Node(name=api)

@tool
def with_context(a: int, context: Context | None = None) -> str:
    return f"{a} {type(context).__name__}"

@tool
def by_name(context, a: int) -> str:
    return f"{a} {type(context).__name__}"

@tool
def unsaid() -> list[str]:
    return ["text", Image(b"")]

@tool
def hidden() -> dict[str, object]:
    return {"n": 1, "images": [Image(b"")]}

@tool
def hidden_untyped():
    return [{"n": 1}, Image(b"")]

@tool
def any_list() -> list:
    return ["text", Image(b"")]

@tool
def pair() -> tuple[str, Image]:
    return "text", Image(b"")

@tool
def both() -> Structured:
    """Both.

    Examples:
        both()
    """
    return Structured({"n": 1}, "one")
'''
KINDS: dict[str, Any] = {"day": "2026-01-02", "id": "12345678-1234-5678-1234-567812345678"}
KINDS |= {"size": "s", "path": "a/b", "tags": ["x", "y"], "pair": [1, "b"]}
CALLS = [
    ("kinds", KINDS, {"result": ["date", "Size", "UUID", "PosixPath", "set", "tuple"]}),
    ("odd_names", {"json": 1}, {"result": "1 s False 7"}),
    ("odd_names", {"json": 1, "copy": 2, "model_config": True}, {"result": "1 s True 2"}),
    ("evens", {"number": 2}, {"result": "3.0"}), ("aliased", {"page-size": 3}, {"result": 3}),
    (
        "grow", {"node": {"name": "leaf"}},
        {"name": "root", "children": [{"name": "leaf", "children": []}]},
    ),
    ("anything", {"a": 1}, {"a": 1}), ("optional", {}, {"result": None}),
    ("optional", {"text": None}, {"result": None}),
    ("found", {"api": "a"}, {"result": {"name": "a", "children": []}}), ("both", {}, {"n": 1}),
    ("defaults", {}, {"result": "[] 3"}),
    ("defaults", {"names": ["a"], "count": 4}, {"result": "['a'] 4"}),
    ("with_context", {"a": 1}, {"result": "1 Context"}),
    ("by_name", {"a": 1}, {"result": "1 Context"}),
]  # fmt: skip


def test_the_examples_of_a_docstring_are_for_the_model() -> None:
    def both() -> None:
        """Both.

        Examples:
            both()
        """

    assert documentation(both) == Documentation("Both.\n\nExample:\n\nboth()", {}, "")


def test_a_docstring_that_no_style_can_read_is_the_description(monkeypatch: Any) -> None:
    def odd() -> None:
        """Odd. :param"""

    odd_style = Mock(side_effect=docstring_parser.ParseError)
    monkeypatch.setattr(docstring_parser, "parse", odd_style)
    assert documentation(odd) == Documentation("Odd. :param", {}, "")


a_project_of_many_types = made_of("values", VALUES)


@pytest.mark.parametrize(("name", "arguments", "structured"), CALLS)
def test_a_function_gets_and_returns_values_of_its_types(
    values: Project, name: str, arguments: dict[str, Any], structured: dict[str, Any]
) -> None:
    result = values.call(name, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content == structured


@pytest.mark.parametrize("text", ["{(1, 2): 3}", "{[]: 3}", "size"])
def test_a_default_that_json_does_not_have_is_told_as_it_is_written(text: str) -> None:
    assert literal(ast.parse(text, mode="eval").body) == text


def test_a_result_that_lacks_a_field_is_told_without_a_word_on_arguments() -> None:
    errors = jsonschema_rs.validator_for({"required": ["age"]}).iter_errors({})
    assert explain("it does not fit", {}, errors) == "it does not fit:\n- `age` is required"


@pytest.mark.parametrize(("name", "arguments", "refusal"), [
    ("evens", {"number": 3}, "`number` must be even, got 3"),
    ("odd_names", {"json": 1, "copy": 0}, "`copy` must be at least 1, got 0"),
    ("aliased", {"page_size": 3}, "did you mean `page-size`?"),
    ("anything", {"a": "one"}, "`a` must be an integer"),
    ("wrong", {}, "does not fit its output schema:\n- `result` must be an integer"),
    ("grow", {"node": {"name": "a", "children": [{}]}}, "`node.children[0].name` is required"),
    *((name, {}, "for example `-> list[Image | Text]`")
      for name in ("unsaid", "hidden", "hidden_untyped")),
])  # fmt: skip
def test_what_does_not_fit_is_refused(
    values: Project, name: str, arguments: dict[str, Any], refusal: str
) -> None:
    result = values.call(name, arguments)
    assert result.is_error and refusal in text_of(result)


@pytest.mark.parametrize("name", ["any_list", "pair"])
def test_a_list_of_anything_and_a_tuple_may_hold_content(values: Project, name: str) -> None:
    result = values.call(name, {})
    assert not result.is_error and [block.type for block in result.content] == ["text", "image"]


@pytest.mark.parametrize(("text", "reason"), [
    ("@tool\ndef f():\n    yield 1", "it yields, and a tool has one result: return a list"),
    ("@tool\nasync def f():\n    yield 1", "it yields, and a tool has one result"),
    ("@tool\ndef f(*names: str) -> str: ...", "callers name every argument"),
    ("@tool\ndef f(a: int, /) -> str: ...", "callers name every argument"),
    ("@tool\ndef f(a: 'Missing') -> str: ...", "`Missing` is not there when the server runs"),
    ("class Own: ...\n@tool\ndef f(a: Own) -> str: ...", "Own"),
    ("@tool\ndef f(a): ...\nraise OSError('gone')", "OSError: gone"),
    ("from .. import Image\n@tool\ndef f() -> dict[str, Image]: ...",
     "content is returned alone or in a list"),
    ("from .. import Image\n@tool\ndef f() -> list[list[Image]]: ...",
     "content is returned alone or in a list"),
    ("@tool(readonly=True)\ndef f(a): ...", "readonly"),
    ("@tool\nclass f: ...", "belongs on a function"),
    ('@tool(name="a b")\ndef f(a): ...', "a tool needs a `name`"),
])  # fmt: skip
def test_a_function_that_cannot_be_a_tool_is_left_out_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, reason: str
) -> None:
    project = with_functions(tmp_path, f"from .. import tool\n{text}\n")
    assert list(listed(project)) == ["find_book"]
    [record] = caplog.records
    assert reason in record.fields["reason"] and record.fields["file"].endswith("functions.py")
    assert record.getMessage() != "tool_left_out" or record.fields["tool"] in ("f", "a b")


@pytest.mark.parametrize("name", ["find_book", "twin"])
def test_a_name_that_is_taken_stops_the_server_and_the_check(tmp_path: Path, name: str) -> None:
    text = f'from .. import tool\n\n@tool\ndef twin() -> str: ...\n\n@tool(name="{name}")\ndef other() -> str: ...\n'
    project = with_functions(tmp_path, text)
    with pytest.raises(Exception, match=rf"functions\.py:6: there is another tool `{name}`"):
        listed(project)
    report = check(project.folder, Problems())
    [problem] = report.problems
    assert (problem.code, problem.place.line) == ("E1395", 7) and not report.passed


@pytest.mark.parametrize("function", [
    "def f(*a: int) -> str: ...", "def f():\n    while True:\n        yield 1",
    "async def f():\n    yield 1", "def f() -> dict[str, Image]: ...",
    "def f() -> None | dict[str, list[Image | Text]]: ...", "def f() -> list[list[Image]]: ...",
])  # fmt: skip
def test_the_check_names_functions_that_cannot_be_called(tmp_path: Path, function: str) -> None:
    inner = (
        "\n\n@tool\ndef g() -> list[int]:\n    def h():\n        yield 1\n    return list(h())\n"
    )
    project = with_functions(tmp_path, f"from .. import tool\n\n@tool\n{function}{inner}")
    [problem] = check(project.folder, Problems()).problems
    assert (problem.code, problem.place.line) == ("E1396", 4)


TYPES = """from dataclasses import dataclass
import typing
from typing import TypedDict
from typing_extensions import TypedDict as Table
from .. import tool

class Bare: ...
class Old(TypedDict):
    n: int
class Older(typing.TypedDict):
    n: int
class Row(Table):
    n: int
@dataclass
class Point:
    n: int
class Known:
    def __get_pydantic_core_schema__(source, handler): ...

@tool
"""


@pytest.mark.parametrize(("function", "found"), [
    ("def f(a: list[Bare]) -> str: ...", "`Bare` has no schema: make it"),
    ("def f(*, a: Old | None = None) -> str: ...", "`Old` has no schema before Python 3.12"),
    ("def f() -> dict[str, Older]: ...", "`Older` has no schema before Python 3.12"),
    ("def f(a: Row, b: Point, c: Known) -> Row: ...", ""),
])  # fmt: skip
def test_the_check_names_types_that_have_no_schema(
    tmp_path: Path, function: str, found: str
) -> None:
    project = with_functions(tmp_path, f"{TYPES}{function}\n")
    said = [
        (problem.code, problem.message) for problem in check(project.folder, Problems()).problems
    ]
    assert [code for code, _ in said] == ["E1396"] * bool(found)
    assert all(found in message for _, message in said)


def test_content_alone_or_in_a_list_passes_the_check(tmp_path: Path) -> None:
    text = """from typing import Any
from .. import Audio, Image, Structured, Text, tool

@tool
def a() -> list[Image | Text] | None: ...

@tool
def b() -> tuple[str, Image]: ...

@tool
def c() -> Structured: ...

@tool
def d() -> dict[str, list[Any]]: ...
"""
    project = with_functions(tmp_path, text)
    assert not check(project.folder, Problems()).problems
    assert {"a", "b", "c", "d"} <= set(listed(project))


def test_the_function_in_the_docs_is_a_tool(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "kinds.md").read_text()
    project = with_functions(tmp_path, page.split("```python\n")[1].split("```")[0])
    schema = listed(project)["estimate_delivery"]["inputSchema"]
    assert schema["properties"]["weight"] == {
        "type": "number", "exclusiveMinimum": 0, "maximum": 30, "description": "In kilograms",
    }  # fmt: skip
    assert schema["properties"]["express"]["description"] == "Whether it goes by air"
    result = project.call("estimate_delivery", {"weight": 2, "country": "de"})
    assert result.structured_content == {"cents": 580, "days": 4}


CALLS_THE_API = """
from .. import Api, Context, tool
from ..tools import books

@tool(read_only=True)
async def count_books(genre: str, api: Api, ctx: Context) -> int:
    return len([api.request, ctx.progress, books.list_books])
"""


def test_a_function_gets_the_http_side_by_the_type_of_a_parameter(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"
    project = Project(sample, tmp_path, base_url="https://example.com")
    project.function("functions", CALLS_THE_API)
    project.generate()
    assert list(listed(project)["count_books"]["inputSchema"]["properties"]) == ["genre"]
    result = project.call("count_books", {"genre": "fiction"})
    assert result.structured_content == {"result": 3}, text_of(result)


def test_the_first_function_needs_one_run_of_generate(tmp_path: Path) -> None:
    project = Project({"tools": [tool()]}, tmp_path)
    assert not (project.package / "runtime" / "functions").exists()
    assert "docstring-parser" not in (project.folder / "pyproject.toml").read_text()
    project.function("functions", TUTORIAL)
    with pytest.raises(Exception, match="run `mcpgen generate`"):
        listed(project)
    report = check(project.folder, Problems())
    assert report.stale[0].startswith("`custom/` has its first function with `@tool`")
    news, dependency = report.problems
    assert news.code == "E1365"
    assert "`README.md`, `pyproject.toml` differently today; nobody edited it" in news.message
    assert dependency.code == "E1320"
    project.generate()
    assert "add" in listed(project)
    project.function("functions", "")
    project.generate()
    assert not (project.package / "runtime" / "functions").exists()


MORE_OF_THE_DOCS = '''
import datetime
import decimal
import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from .. import tool


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


@dataclass
class Person:
    name: str
    born: datetime.date


@tool
def process_event(
    when: datetime.datetime, wait: datetime.timedelta = datetime.timedelta(0)
) -> str:
    """Process an event."""
    return f"{when:%d.%m.%Y} {wait.total_seconds()}"


@tool
def paint(
    color: Color,
    size: Annotated[float, "Size in centimetres"] = 1.0,
    layers: Annotated[list[str] | None, Field(examples=[["base", "gloss"]])] = None,
    hall: Annotated[str, "Where", Field(examples=["Paris, FR", "Metz"])] = "",
    coats: Annotated[int, "Not this text", Field(description="How many coats")] = 1,
) -> str:
    """Paint something.

    Args:
        size: Not this text either.
    """
    return f"{color.name} {size}"


@tool
def tally(numbers: set[int], pair: tuple[float, str]) -> dict[str, int]:
    """Count."""
    return {"numbers": len(numbers), "pair": len(pair[1])}


@tool
def short(word: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2)]) -> str:
    """Say it."""
    return f"{word}!"


@tool
def process_file(data: bytes, path: Path, ident: UUID, money: decimal.Decimal) -> str:
    """Process a file."""
    return f"{len(data)} {path.name} {ident.version} {money + 1}"


@tool
def oldest(people: list[Person]) -> Person:
    """Find the oldest."""
    return min(people, key=lambda person: person.born)
'''


a_project_of_pythons_own_types = made_of("more", MORE_OF_THE_DOCS)




@pytest.mark.parametrize(("name", "arguments", "text"), [
    ("process_event", {"when": "2024-01-02T03:04:05Z", "wait": "PT5S"}, "02.01.2024 5.0"),
    ("paint", {"color": "red", "size": 2}, "RED 2.0"),
    ("paint", {"color": "blue"}, '`color` must be one of "red", "green"; got "blue"'),
    ("tally", {"numbers": [1, 2], "pair": [1, "abc"]}, '{"numbers":2,"pair":3}'),
    ("tally", {"numbers": [1, 1], "pair": [1, "a"]}, '{"numbers":1,"pair":1}'),
    ("tally", {"numbers": "[1, 1]", "pair": [1, "a"]}, '{"numbers":1,"pair":1}'),
    ("short", {"word": " aa "}, "aa!"),
    ("short", {"word": " aaa "}, "`word` must have at most 2 characters"),
    ("tally", {"numbers": [1], "pair": [1]}, "`pair` must have at least 2 items"),
    ("process_file",
     {"data": "hello", "path": "/a/b.txt", "ident": "12345678-1234-4234-8234-123456789abc",
      "money": "1.5"}, "5 b.txt 4 2.5"),
    ("oldest",
     {"people": [{"name": "a", "born": "2001-01-01"}, {"name": "b", "born": "2000-01-01"}]},
     '{"name":"b","born":"2000-01-01"}'),
])  # fmt: skip
def test_arguments_are_values_of_their_types(
    more: Project, name: str, arguments: dict[str, Any], text: str
) -> None:
    assert text in text_of(more.talk(lambda client: client.call_tool(name, arguments)))


def test_a_text_beside_a_type_describes_the_argument(more: Project) -> None:
    properties = listed(more)["paint"]["inputSchema"]["properties"]
    assert properties["size"]["description"] == "Size in centimetres"
    assert properties["coats"]["description"] == "How many coats"


def test_an_example_beside_a_type_is_listed(more: Project) -> None:
    properties = listed(more)["paint"]["inputSchema"]["properties"]
    assert properties["layers"]["description"] == 'e.g. ["base", "gloss"]; may be null'
    assert properties["hall"]["description"] == "Where; e.g. Paris, FR"


MODELS = '''
from __future__ import annotations
from typing import Annotated, Any, Literal
from pydantic import BaseModel, Field
from .. import tool

class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float

class Square(BaseModel):
    kind: Literal["square"]
    side: float

class Tree(BaseModel):
    """A tree."""
    value: int | None = None
    children: list[Tree] = []

class Person(BaseModel):
    name: str
    teams: list[Team] = []
    offices: list[Office] = []

class Team(BaseModel):
    members: list[Person] = []
    offices: list[Office] = []

class Office(BaseModel):
    """An office."""
    people: list[Person] = []
    teams: list[Team] = []

@tool
def draw(shape: Annotated[Circle | Square, Field(discriminator="kind")], at: tuple[int, int, str]) -> Circle | Square:
    """Draw a shape."""
    return shape

@tool
def plant(tree: Tree, notes: list[Any], size: int | None = None) -> Tree:
    """Plant a tree."""
    return tree

@tool
def hire(person: Person) -> int:
    """Hire a person."""
    return len(person.teams)
'''
NOT_PORTABLE = ("$ref", "$defs", "prefixItems", "oneOf", "const", "discriminator")


a_project_of_models = made_of("models", MODELS)
"""A project with functions whose schemas say more than every client understands."""


def test_functions_are_listed_in_the_portable_profile(models: Project) -> None:
    tools = listed(models)
    text = json.dumps(list(tools.values()))
    assert [word for word in NOT_PORTABLE if f'"{word}"' in text] == []
    assert complaints(list(tools.values()), "own") == []
    draw, plant = tools["draw"], tools["plant"]["inputSchema"]["properties"]
    assert [
        branch["properties"]["kind"]["enum"]
        for branch in draw["inputSchema"]["properties"]["shape"]["anyOf"]
    ] == [["circle"], ["square"]]
    assert draw["inputSchema"]["properties"]["at"] == {
        "type": "array",
        "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "minItems": 3,
        "maxItems": 3,
    }
    assert plant["size"] == {"type": "integer", "description": "may be null"}
    assert plant["tree"]["properties"]["children"]["items"] == {
        "type": "object",
        "description": "A tree; fields: value, children",
    }


@pytest.mark.parametrize(("name", "arguments", "text"), [
    ("draw", {"shape": {"kind": "circle", "radius": 1}, "at": [1, 2, "cm"]}, '"radius":1'),
    ("draw", {"shape": {"kind": "circle", "radius": 1}, "at": ["cm", 1, 2]}, "`at[0]` must be"),
    ("plant", {"tree": {"children": [{"children": [{"value": "x"}]}]}, "notes": []},
     "`tree.children[0].children[0].value` must be"),
    ("plant", {"tree": {"children": [{"value": None}]}, "notes": [None], "size": None}, "null"),
])  # fmt: skip
def test_calls_are_checked_against_the_exact_schema(
    models: Project, name: str, arguments: dict[str, Any], text: str
) -> None:
    result = models.call(name, arguments)
    assert text in text_of(result) and result.is_error == ("must be" in text)
    if not result.is_error:
        output = listed(models)[name]["outputSchema"]
        jsonschema_rs.validator_for(output).validate(result.structured_content)


def test_the_rich_profile_lists_the_exact_schemas_of_functions(tmp_path: Path) -> None:
    tools = listed(with_functions(tmp_path, MODELS, profile="rich"))
    draw, plant = (tools[name]["inputSchema"]["properties"] for name in ("draw", "plant"))
    assert "discriminator" in draw["shape"] and plant["tree"] == {"$ref": "#/$defs/Tree"}


NOT_SERVED = f'''{FACE}
class Shelf:
    """Nothing says what is on it."""

@tool(read_only=True)
def count(shelf: Shelf) -> int:
    """Count what is on a shelf."""
    return 0

@tool(read_only=True)
def find(room: str, width: int = 1) -> Shelf:
    """Find the shelf of a room."""
    raise ToolError("it was run")
'''


MANY = """

@tool
def many(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> str:
    return "it was run"
"""
CLOSED = {"type": "object", "additionalProperties": False}


def test_a_function_that_is_not_served_as_it_is_written_fails_the_projects_tests(
    tmp_path: Path,
) -> None:
    made = with_functions(tmp_path, NOT_SERVED)
    words = "-m pytest -q -p no:cacheprovider tests -k".split()
    command = [sys.executable, *words, "only_you or written"]
    ended = subprocess.run(command, cwd=made.folder, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in ended.stdout, ended.stdout
    for line in (
        "functions.py:6: `count` is not served: ",
        "functions.py:11: `find` has no output schema: ",
    ):
        assert line in ended.stdout
    served = NOT_SERVED.replace("shelf: Shelf", "shelf: str").replace("-> Shelf", "-> str")
    made.function("functions", served + MANY)
    bare = {"name": "bare", "description": "Do it.", "inputSchema": CLOSED}
    made.function("bare", "async def bare() -> str:\n    return 'it was run'\n")
    (made.package / "custom" / "bare.json").write_text(json.dumps([bare]))
    ended = subprocess.run(command, cwd=made.folder, capture_output=True, text=True, check=False)
    assert "2 passed" in ended.stdout and "it was run" not in ended.stdout, ended.stdout

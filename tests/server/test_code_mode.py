"""Code mode: two tools, stubs of the others, and programs whose calls are calls like any other."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from mcp import Client
from shop import PACKAGE, ended
from test_server_calls import ask, custom, limited, list_tools

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from mcpgen.runtime.parts.code import calls, front, sandbox
from tests.generated import written

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"


def outcome(tools: Any, program: str, **options: Any) -> tuple[bool, str]:
    """Whether a program failed, and the text of its result."""
    [result] = ask(tools, "auto", ("run_code", {"code": program}), **options)
    assert [block["type"] for block in result["content"]] == ["text"]
    return result["isError"], result["content"][0]["text"]


def value(tools: Any, program: str) -> Any:
    """What a program that ends well returns."""
    failed, text = outcome(tools, program)
    assert not failed, text
    return json.loads(text)


@pytest.fixture
def coded(in_process: Any) -> Any:
    """The server with code mode."""
    return in_process(mode="--code")


def generated(**config: Any) -> dict[str, str]:
    """The files of the bookshop's server."""
    return pipeline.generate(Config(sources=(str(BOOKSHOP),), **config), Problems())[2]


def test_the_list_is_two_tools_of_at_most_six_hundred_tokens(coded: Any) -> None:
    tools = list_tools(coded).tools
    assert [tool.name for tool in tools] == ["search_tools", "run_code"]
    assert [tool.title for tool in tools] == ["Search tools", "Run a program"]
    assert all(len(tool.description) > 100 for tool in tools)
    assert sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools) / 4 <= 600


@pytest.mark.parametrize("program, expected", [
    ("x = [n * n for n in range(4)]\n{'squares': x}", {"squares": [0, 1, 4, 9]}),
    ("'two words'", "two words"),
    ("1, 2", [1, 2]),
    ("[\n  n\n  for n in (1, 3)\n]  # the last ) one", [1, 3]),
    ("x = 1; 'ä' + 'ö' + str(x)", "äö1"),
    ("(n for n in [1])", [1]),
    ("for n in range(5):\n    if n == 3:\n        return (n, 'ü')\n0", [3, "ü"]),
    ("def f():\n    return {1, 2}\nf()", [1, 2]),
    ("import datetime\r\n{'on': datetime.date(2026, 1, 2), 2: None}",
     {"on": "2026-01-02", "2": None}),
    ("from decimal import Decimal\n[range(2), Decimal('1.5')]", [[0, 1], "1.5"]),
    ("import asyncio\nawait asyncio.gather(add(a=1, b=2), add(a=3, b=4))", [{"sum": 3}, {"sum": 7}]),
    ("try:\n    await crash(how='tool')\nexcept RuntimeError as error:\n    text = str(error)\ntext",
     "Ask for something else"),
    ("print('looking')\n1 + 1", "Printed:\nlooking\n2"),
])  # fmt: skip
def test_a_value_is_returned_as_json(coded: Any, program: str, expected: Any) -> None:
    failed, text = outcome(coded, program)
    assert not failed, text
    assert text == expected if isinstance(expected, str) else json.loads(text) == expected


def test_the_value_of_a_program_that_only_the_sandbox_can_read_is_not_known(
    coded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = importlib.import_module(f"{PACKAGE}.runtime.parts.code.sandbox")
    monkeypatch.setattr(sandbox, "_statements", lambda program: [])
    failed, text = outcome(coded, "print('seen')\n1")
    assert failed
    assert "its syntax is newer than that of Python" in text
    assert text.endswith("seen")


def test_an_answer_that_is_nested_too_deep_reaches_a_program_as_text() -> None:
    deep = "[" * 100_000
    assert calls._data_of_blocks([{"type": "text", "text": deep}]) == deep
    assert calls._data_of_blocks([{"type": "text", "text": "[1]"}]) == [1]
    assert calls._data_of_blocks([]) == ""


def test_a_program_that_returns_nothing_is_told_how(coded: Any) -> None:
    assert "end it with the expression" in outcome(coded, "x = 1")[1]


def test_an_answer_of_the_api_reaches_the_program_whole(coded: Any, api: Any) -> None:
    books = [{"id": n, "self_url": f"https://x/{n}", "blurb": "x" * 2_000} for n in range(100)]
    api.answer = (200, json.dumps(books).encode())
    program = (
        "books = await list_books()\nlen(books), len(books[99]['blurb']), books[0]['self_url']"
    )
    assert value(coded, program) == [100, 2_000, "https://x/0"]


@pytest.mark.parametrize("program", ["print(get_book(book_id='1'))\n1", "f'sum: {add(a=1, b=2)}'"])
def test_what_shows_a_call_that_was_not_awaited_says_so(coded: Any, program: str) -> None:
    failed, text = outcome(coded, program)
    assert not failed
    assert text.endswith("[a call was not awaited: `await` the functions of tools]")


@pytest.mark.parametrize(("program", "message"), [
    ("x = 1\nx.y", "line 2: AttributeError: 'int' object has no attribute 'y'"),
    ("def f():\n    return 1 / 0\n\nf()", "line 2 (called on line 4): ZeroDivisionError"),
    ("x =", "line 1: SyntaxError"),
    ("await add(a=1)", "line 1: RuntimeError: Invalid arguments for `add`:\n- `b` is required"),
    ("await crash(how='tool')", "line 1: RuntimeError: Ask for something else"),
    ("await crash(how='exit')", "`crash` ended with exit code 3"),
    ("await add(1, 2)", "add takes keyword arguments only"),
    ("book = get_book(book_id='1')\nbook['title']", "`await` the functions of tools"),
    ("book = {'title': 1}\nbook.title", "line 2: AttributeError: 'dict' object has no attribute"),
    ("book = {'title': 1}\nbook.title", 'write `answer["name"]`'),
    ("def books():\n    yield 1\nlist(books())", "append to a list instead"),
    ("import asyncio\nawait asyncio.gather(add(a=1, b=2), return_exceptions=True)",
     "catch RuntimeError around the call"),
    ("import statistics", "No module named 'statistics'; a program has the functions of tools, and"
     f" of Python's library {sandbox.LIBRARY}"),
    ("await removeBook(book_id='1')", "did you mean `delete_book`"),
    ("{(1, 2): 3}", "its value holds a tuple as a key"),
])  # fmt: skip
def test_an_error_names_its_line_and_what_to_do(coded: Any, program: str, message: str) -> None:
    failed, text = outcome(coded, program)
    assert failed
    assert text.startswith("The program failed: ")
    assert message in text
    assert (sandbox.LIBRARY in text) == ("import stat" in program)


def test_a_program_has_the_library_that_is_named_and_sleeps_as_long_as_it_may(
    coded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert value(coded, f"import {sandbox.LIBRARY}\n1") == 1
    slept = []
    monkeypatch.setattr("anyio.sleep", AsyncMock(side_effect=slept.append))
    assert value(coded, "import asyncio, time\nawait asyncio.sleep(12)\ntime.sleep(17)\n1") == 1
    assert slept == [12, 17]
    assert "sleep limit exceeded: 31s" in outcome(coded, "import time\ntime.sleep(31)")[1]


def test_a_program_that_fails_says_what_it_had_changed(coded: Any) -> None:
    program = "await delete_book(book_id='1')\nawait delete_book(book_id='2')\n1 / 0"
    failed, text = outcome(coded, program)
    assert failed
    assert "Done before that, and not undone: `delete_book` (2 times)" in text


def test_a_read_only_server_gives_programs_nothing_that_changes(in_process: Any, api: Any) -> None:
    tools = in_process(mode="--code", read_only=True)
    failed, text = outcome(tools, "await delete_book(book_id='1')")
    assert failed
    assert "name 'delete_book' is not defined" in text
    assert not api.requests


@pytest.mark.parametrize("read_only", [False, True])
def test_programs_are_read_only_where_every_tool_is(in_process: Any, read_only: bool) -> None:
    tools = list_tools(in_process(mode="--code", read_only=read_only)).tools
    hints = [tool.annotations.read_only_hint for tool in tools]
    assert hints == [True, read_only]


def test_only_chosen_tools_are_there(in_process: Any) -> None:
    tools = in_process(mode="--code", tools=["echo"])
    assert value(tools, "await echo(text='[1]')") == [1]
    assert outcome(tools, "await add(a=1, b=2)")[0]
    assert list_tools(tools).tools[1].annotations.read_only_hint is True


def test_hooks_hold_inside_a_program(package: Path, in_process: Any) -> None:
    hooks = (
        "from . import ToolError\n\n\n"
        "def before_delete_book(call):\n    raise ToolError('books are kept')\n\n\n"
        "def shape_list_books(call, data):\n    return [{'hidden': len(data)}]\n"
    )
    custom(package.parent, {"hooks.py": hooks})
    tools = in_process(mode="--code")
    assert "books are kept" in outcome(tools, "await delete_book(book_id='1')")[1]
    assert value(tools, "await list_books()") == [{"hidden": 1}]


def test_the_scopes_of_a_caller_hold_inside_a_program(coded: Any, api: Any) -> None:
    def refusal(entry: Any, request: Any, inside: bool) -> str:
        return "" if entry.read_only else f"`{entry.name}` needs a token with the scopes `write`"

    coded.refusal = refusal
    failed, text = outcome(coded, "await list_books()\nawait delete_book(book_id='1')")
    assert failed
    assert "line 2: RuntimeError: `delete_book` needs a token with the scopes `write`" in text
    assert [request[0] for request in api.requests] == ["GET"]


def test_calls_are_limited_inside_a_program(in_process: Any, environment: dict[str, str]) -> None:
    tools = limited(in_process, environment, mode="--code", CALL_RATE="12/m")
    failed, text = outcome(tools, "await echo(text='a')\nawait echo(text='b')")
    assert failed
    assert "line 2: RuntimeError: Too many calls. Wait" in text


def test_calls_at_once_are_limited_inside_a_program(
    in_process: Any, environment: dict[str, str]
) -> None:
    tools = limited(in_process, environment, mode="--code", MAX_CALLS="1")
    assert outcome(tools, "await slow(steps=2)") == (False, "done")
    program = "import asyncio\nawait asyncio.gather(slow(steps=9), echo(text='a'))"
    assert "already runs 1 calls" in outcome(tools, program)[1]


def test_each_call_that_fails_inside_a_program_is_logged(
    coded: Any, caplog: pytest.LogCaptureFixture
) -> None:
    outcome(
        coded, "try:\n    await crash(how='tool')\nexcept RuntimeError:\n    pass\nawait add(a=1)"
    )
    tools = [record.fields["tool"] for record in caplog.records]
    assert tools == ["crash", "add", "run_code"]


def test_progress_says_which_tool_answered(coded: Any) -> None:
    steps: list[str | None] = []

    async def watch(done: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    outcome(coded, "await slow(steps=1)\nawait add(a=1, b=2)", progress_callback=watch)
    assert steps == ["working", "slow: 2", "slow answered", "add answered"]


def test_a_cancelled_program_is_stopped_with_its_calls(
    in_process: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    monkeypatch.setenv("SLOW_MARKER", str(marker))
    tools = in_process(mode="--code")

    async def run() -> str:
        async with Client(tools.server) as client:
            program = {"code": "await slow(steps=100_000)"}
            call = asyncio.create_task(client.call_tool("run_code", program))
            while not tools.quota._running:
                await asyncio.sleep(0.005)
            call.cancel()
            while not marker.exists():
                await asyncio.sleep(0.005)
            assert not tools.quota._running
            after = await client.call_tool("run_code", {"code": "1 + 1"})
            return str(after.content[0].text)

    assert asyncio.run(asyncio.wait_for(run(), 30)) == "2"


def test_a_tool_called_like_a_builtin_has_another_name(package: Path, in_process: Any) -> None:
    taken = {"type": "object", "properties": {"size": True}}
    contract = {"name": "filter", "description": "Filter water.", "inputSchema": taken}
    custom(package.parent, {
        "custom/filter.json": json.dumps(contract),
        "custom/filter.py": "def filter(size: int = 0) -> str:\n    return 'clear'\n",
    })  # fmt: skip
    tools = in_process(mode="--code")
    assert outcome(tools, "list(filter(None, [0, 1])), await filter_()") == (False, '[[1],"clear"]')
    assert "filter_(*, size: Any" in tools.front.search("filter water", 5)


@pytest.fixture(scope="module")
def bookshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bookshop's server with code mode: where its package is."""
    return written(generated(code=True), tmp_path_factory.mktemp("bookshop")) / "src"


def search(source: Path, query: str, limit: int = 5) -> str:
    """What `search_tools` answers in a process of the generated server."""
    program = (
        "import sys; from bookshop_mcp.runtime.app import App;"
        "front = App('bookshop_mcp', mode='--code').front;"
        f"print(front.search({query!r}, {limit}))"
    )
    return ended(source / "bookshop_mcp", {}, "-c", program).stdout


def test_tools_are_found_as_stubs_with_the_types_of_their_answers(bookshop: Path) -> None:
    text = search(bookshop, "change a book")
    assert text.startswith(
        "async def update_book(*, bookId: str, body: UpdateBookBody) -> Book:\n"
        '    """Change some fields of a book. (changes data)\n'
    )
    assert 'async def get_book(*, bookId: str) -> Book:\n    """Get one book.\n' in text
    assert "class Book(TypedDict):" in text
    assert "price: Price" in text
    assert "class Price(TypedDict):\n    amount: float; currency: Literal['EUR'" in text
    compile(text, "stubs.py", "exec")
    few = "Few tools fit these words"
    assert few in search(bookshop, "weld the submarine") and few not in text


def test_the_name_of_a_tool_and_limit_one_show_all_of_it(bookshop: Path) -> None:
    text = search(bookshop, "list_books", 1)
    assert text.count("async def") == 1
    assert "Newest first, one page at a time." in text
    assert "page_size: Entries per page" in text
    assert "\n    page_size: at least 1, at most 50, default 10" in search(bookshop, "list books")


def test_without_code_neither_the_room_nor_its_dependency_is_generated() -> None:
    files = generated()
    assert not [path for path in files if "/runtime/parts/code/" in path]
    assert "pydantic-monty" not in files["pyproject.toml"]
    assert "--code" not in files["README.md"]
    files = generated(code=True)
    assert 'code = ["pydantic-monty' in files["pyproject.toml"]
    assert "--code" in files["README.md"]


def test_with_code_and_without_lazy_the_search_stays() -> None:
    paths = generated(code=True, lazy=False)
    rooms = {path.partition("/runtime/")[2] for path in paths}
    assert "parts/search/index.py" in rooms


def test_a_server_says_how_to_get_code_mode(package: Path, environment: dict[str, str]) -> None:
    facts = json.loads((package / "api.json").read_text())
    facts["parts"].remove("code")
    (package / "api.json").write_text(json.dumps(facts))
    shutil.rmtree(package / "runtime" / "parts" / "code")
    done = ended(package, environment, "--code")
    assert done.returncode == 2
    assert "put `code = true` at the top of mcpgen.toml and run `mcpgen generate`" in done.stderr


def test_a_server_without_the_sandbox_says_what_to_install(
    in_process: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process()
    front = importlib.import_module(f"{PACKAGE}.runtime.parts.code.front")
    monkeypatch.setattr(front, "find_spec", lambda name: None)
    with pytest.raises(Exception, match=r"pip install '\.\[code\]'"):
        in_process(mode="--code")


def test_lazy_and_code_together_are_refused(package: Path, environment: dict[str, str]) -> None:
    done = ended(package, environment, "--lazy", "--code")
    assert done.returncode == 2 and "choose one" in done.stderr


def test_code_mode_is_not_imported_unasked(package: Path, environment: dict[str, str]) -> None:
    program = (
        f"import sys; from {PACKAGE}.runtime.app import App; App({PACKAGE!r});"
        f"print([name for name in sys.modules if 'monty' in name or '{PACKAGE}.runtime.parts.code.' in name])"
    )
    done = ended(package, environment, "-c", program)
    assert done.stdout.strip() == "[]", done.stderr


def docs() -> str:
    """What `docs/kinds.md` says of code mode."""
    page = (BOOKSHOP.parents[2] / "docs" / "kinds.md").read_text("utf-8")
    return page.partition("\n## Code\n")[2].partition("\n## ")[0]


def test_the_program_in_the_docs_runs_on_the_bookshop(bookshop: Path) -> None:
    program = docs().partition("```python\n")[2].partition("```")[0]
    code = (
        "import asyncio, os, sys, bookshop_api\n"
        "from mcp import Client\n"
        "from bookshop_mcp.runtime.app import App\n"
        "async def main(url):\n"
        "    os.environ['BOOKSHOP_MCP_BASE_URL'] = url\n"
        "    async with Client(App('bookshop_mcp', mode='--code').server) as client:\n"
        "        result = await client.call_tool('run_code', {'code': sys.argv[1]})\n"
        "    print(result.content[0].text)\n"
        "with bookshop_api.serving() as server:\n"
        "    asyncio.run(main(server.base_url))\n"
        "    print(server.seen[0])\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(bookshop), str(BOOKSHOP.parents[1])]),
        "BOOKSHOP_MCP_API_KEY": "demo-key",
        "BOOKSHOP_MCP_ALLOW_PRIVATE": "1",
    }
    command = [sys.executable, "-c", code, program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    value, request = done.stdout.splitlines()
    assert isinstance(json.loads(value), list)
    assert "page-size=50" in request and request.endswith("200")


def test_the_limits_in_the_docs_are_those_of_the_sandbox() -> None:
    text = docs()
    assert (
        f"| computing (waiting for tools does not count) | {sandbox.COMPUTING_SECONDS:g} seconds |"
        in text
    )
    assert f"| the whole run | {front.LONGEST_RUN / 60:g} minutes" in text
    assert f"| memory | {sandbox.MEMORY // sandbox.MIB} MB |" in text
    assert f"| calls of tools | {sandbox.MOST_CALLS:,}, of which {calls.AT_ONCE} run" in text
    assert f"| depth of nested function calls | {sandbox.DEPTH} |" in text
    assert f"| programs at the same time | {sandbox.PROGRAMS} |" in text
    assert f"up to {sandbox.PRINTED:,} characters" in text

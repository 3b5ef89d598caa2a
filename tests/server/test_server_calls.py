"""Calls in process, in both protocol eras."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import importlib
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from shop import DESK, FACTS, PACKAGE, PREFIX

from mcpgen.runtime.arguments import suggest, suggest_tool
from mcpgen.runtime.calls import Hooks, Runner
from tests.generated import written

ERAS = ["auto", "legacy"]


Did = Callable[[Client], Awaitable[Any]]


def through(tools: Any, act: Did, mode: str = "auto") -> Any:
    """Do something through the official client."""

    async def run() -> Any:
        async with Client(tools.server, mode=mode) as client:
            try:
                return await act(client)
            except MCPError as error:  # raised here it would be wrapped in an exception group
                return error

    result = asyncio.run(run())
    if isinstance(result, MCPError):
        raise result
    return result


def ask(tools: Any, mode: str, *calls: tuple[str, Any], **options: Any) -> list[Any]:
    """Make calls one after the other; the results as on the wire."""

    async def act(client: Client) -> list[Any]:
        results = [await client.call_tool(name, given, **options) for name, given in calls]
        return [result.model_dump(by_alias=True, exclude_none=True) for result in results]

    return list(through(tools, act, mode))


def list_tools(tools: Any, mode: str = "auto") -> Any:
    """The answer to `tools/list`."""
    return through(tools, lambda client: client.list_tools(), mode)


@pytest.mark.parametrize("mode", ERAS)
def test_a_function_without_an_api_returns_text(in_process: Any, mode: str) -> None:
    [result] = ask(in_process(), mode, ("echo", {"text": "hello"}))
    assert result["content"] == [{"type": "text", "text": "hello"}]
    assert result["isError"] is False


@pytest.mark.parametrize("mode", ERAS)
def test_the_list_is_what_the_files_say(in_process: Any, mode: str) -> None:
    answer = list_tools(in_process(), mode)
    listed = {tool.name: tool.model_dump(by_alias=True, exclude_none=True) for tool in answer.tools}
    assert list(listed)[-len(DESK) :] == [tool["name"] for tool in DESK]
    for tool in DESK:
        assert listed[tool["name"]] == tool
    assert answer.next_cursor is None


def test_structured_content_and_output_schemas_can_be_left_out(
    in_process: Any, environment: dict[str, str]
) -> None:
    for value, has_data in (("1", True), ("0", False)):
        tools = limited(in_process, environment, STRUCTURED_CONTENT=value)
        [result] = ask(tools, "auto", ("list_books", {}))
        assert ("structuredContent" in result) == has_data and result["content"]
        schemas = [tool.output_schema for tool in list_tools(tools).tools]
        assert any(schemas) == has_data


def test_the_modern_list_says_how_long_it_may_be_kept(in_process: Any) -> None:
    answer = list_tools(in_process())
    assert answer.ttl_ms > 0
    assert answer.cache_scope == "public"
    assert answer.result_type == "complete"


@pytest.mark.parametrize("mode", ERAS)
def test_the_server_says_who_it_is(in_process: Any, mode: str) -> None:
    async def act(client: Client) -> Any:
        return client.server_info, client.instructions

    info, instructions = through(in_process(), act, mode)
    assert (info.name, info.version, info.title) == ("shop", "1.2.3", "Shop API")
    assert instructions == "Tools of a shop."


@pytest.mark.parametrize("mode", ERAS)
def test_an_unknown_tool_is_a_protocol_error_with_a_suggestion(in_process: Any, mode: str) -> None:
    with pytest.raises(MCPError, match="did you mean `echo`") as caught:
        ask(in_process(), mode, ("ecko", {}))
    assert caught.value.error.code == -32602


def test_a_name_that_is_like_no_other_has_no_suggestion() -> None:
    assert suggest("nothing_like_it", ["list_things", "create_thing"]) == ""
    assert suggest("list_thing", ["list_things", "create_thing"]) == "; did you mean `list_things`?"


@pytest.mark.parametrize(("name", "tool", "is_meant"), [
    ("delete_thing", "get_thing", False), ("get_thing", "delete_thing", False),
    ("thing", "delete_thing", False), ("lock_door", "unlock_door", False),
    ("thing_delete", "thing_get", False), ("delete_tihng", "delete_thing", True),
    ("shop__get_thing", "get_thing", True), ("get_thing", "get_thing_by_id", True),
    ("get_things", "list_things", True), ("weather_today", "get_weather_today", True),
    ("fetch_things", "delete_things", False), ("delete_things", "list_things", False),
    ("thing_delete", "get_thing", False), ("delete_thing", "get", False), ("create_thing", "search_thing", False),
])  # fmt: skip
def test_no_tool_that_does_something_else_is_proposed(name: str, tool: str, is_meant: bool) -> None:
    assert bool(suggest_tool(name, [tool])) is is_meant


@pytest.mark.parametrize("mode", ERAS)
def test_every_kind_of_content_arrives(in_process: Any, mode: str) -> None:
    [result] = ask(in_process(), mode, ("picture", {}))
    text, image, audio, link, binary, embedded = result["content"]
    assert text == {"type": "text", "text": "a text"}
    assert base64.b64decode(image["data"]) == b"\x89PNG"
    assert audio["mimeType"] == "audio/wav"
    assert link["type"] == "resource_link"
    assert (link["uri"], link["mimeType"]) == ("https://example.com/a.csv", "text/csv")
    assert base64.b64decode(binary["resource"]["blob"]) == b"bytes"
    assert embedded["resource"]["text"] == "text"


@pytest.mark.parametrize("mode", ERAS)
def test_a_dataclass_becomes_structured_content(in_process: Any, mode: str) -> None:
    [result] = ask(in_process(), mode, ("add", {"a": 1, "b": 2}))
    assert result["structuredContent"] == {"sum": 3}
    assert json.loads(result["content"][0]["text"]) == {"sum": 3}


PEEK_PY = """
from .. import Image, Resource, ResourceLink, Structured, Text

LINK = ResourceLink("https://x/?pin=canary", "pin: canary", "pin=canary", '"pin": "canary"', size=1)
BOTH = {"a": 1, "pin": "canary"}
KINDS = {
    "data": BOTH, "list": [BOTH], "text": 'a=1 pin="canary"',
    "structured": Structured(BOTH, "pin: canary"), "blocks": (Image(b"x"), Text("a")),
    "told": Text("pin: canary"), "file": [Resource("x:?pin=canary", "pin=canary"), LINK, Text("b")],
}

async def peek(*, kind: str) -> object:
    return KINDS[kind]
"""
WITHHELD = "[not shown: it names a field that this server withholds]"


def test_a_withheld_field_is_in_no_value_of_a_function(in_process: Any, package: Path) -> None:
    schema = {"type": "object", "properties": {"kind": {"type": "string"}}}
    contract = {"name": "peek", "description": "Peek.", "inputSchema": schema}
    facts = {**FACTS, "redact": ["pin"]}
    written({"api.json": json.dumps(facts), "custom/peek.py": PEEK_PY}, package)
    written({"custom/peek.json": json.dumps(contract)}, package)
    kinds = ("data", "list", "text", "structured", "blocks", "told", "file")
    results = ask(in_process(), "auto", *(("peek", {"kind": kind}) for kind in kinds))
    assert [result["content"][-1]["text"] for result in results] == [
        '{"a":1}', '[{"a":1}]', WITHHELD, WITHHELD, "a", WITHHELD, "b",
    ]  # fmt: skip
    assert "canary" not in json.dumps(results)
    assert results[3]["structuredContent"] == {"a": 1}


def test_a_result_that_breaks_its_output_schema_is_an_error_with_a_place(in_process: Any) -> None:
    [result] = ask(in_process(), "auto", ("add", {"a": 13, "b": 2}))
    assert result["isError"] is True
    assert "`sum` must be a number" in result["content"][0]["text"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_tool_says_what_went_wrong_and_nothing_else_leaks(in_process: Any, mode: str) -> None:
    ways = ("tool", "crash", "exit", "answer", "inside", "panic", "group")
    crashes = [("crash", {"how": how}) for how in ways]
    results = ask(in_process(), mode, *crashes, ("later", None))
    told, crashed, left, odd, of_task, panic, of_group, unwritten = results
    assert told["content"] == of_group["content"]
    assert told["content"][0]["text"] == "Ask for something else"
    assert "inside this server (CancelledError)" in of_task["content"][0]["text"]
    assert "inside this server (PanicException)" in panic["content"][0]["text"]
    assert "RuntimeError" in crashed["content"][0]["text"]
    assert "opensesame" not in json.dumps(crashed)
    assert "exit code 3" in left["content"][0]["text"]
    assert "`crash` failed inside this server" in odd["content"][0]["text"]
    assert "not implemented yet" in unwritten["content"][0]["text"]
    assert all(result["isError"] for result in results)


@pytest.mark.parametrize("mode", ERAS)
def test_progress_grows_and_reaches_a_caller_who_asked(in_process: Any, mode: str) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    ask(in_process(), mode, ("slow", {"steps": 3}), progress_callback=note)
    assert seen == [(1, 3), (2, 3), (3, 3), (4, None)]


def test_a_caller_who_did_not_ask_gets_no_progress(in_process: Any) -> None:
    [result] = ask(in_process(), "legacy", ("slow", {"steps": 2}))
    assert result["content"][0]["text"] == "done"


@pytest.mark.parametrize("mode", ERAS)
def test_cancelling_a_call_reaches_the_function(
    in_process: Any, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    monkeypatch.setenv("SLOW_MARKER", str(marker))

    async def act(client: Client) -> None:
        call = asyncio.create_task(client.call_tool("slow", {"steps": 500}))
        await asyncio.sleep(0.1)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        until = asyncio.get_running_loop().time() + 2
        while not marker.exists() and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.02)

    through(in_process(), act, mode)
    assert marker.read_text() == "cancelled"


def test_toolsets_limit_the_list(in_process: Any) -> None:
    tools = in_process(toolsets=["desk"])
    assert [tool.name for tool in list_tools(tools).tools] == [tool["name"] for tool in DESK]
    with pytest.raises(MCPError, match="Unknown tool"):
        ask(tools, "auto", ("delete_book", {"book_id": "1"}))


@pytest.mark.parametrize(("options", "told"), [
    ({"toolsets": ["bocks"]}, "did you mean `books`"),
    ({"tools": ["get_bock"]}, "no tool `get_bock`; did you mean `get_book`"),
])  # fmt: skip
def test_what_does_not_exist_is_an_error_with_a_suggestion(
    in_process: Any, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(Exception, match=told):
        in_process(**options)


@pytest.mark.parametrize(("options", "names"), [
    ({"tools": ["get_book"]}, ["get_book"]),
    ({"tools": ["get_book", "add"]}, ["get_book", "add"]), ({"tools": ["find_books"]}, ["list_books"]),
    ({"tools": ["get_book", "delete_book"], "read_only": True}, ["get_book"]),
    ({"tools": ["get_book"], "toolsets": ["desk"]}, ["get_book", *(tool["name"] for tool in DESK)]),
])  # fmt: skip
def test_single_tools_are_offered_besides_the_toolsets(
    in_process: Any, options: dict[str, Any], names: list[str]
) -> None:
    assert [tool.name for tool in list_tools(in_process(**options)).tools] == names


def test_read_only_hides_what_changes_data_and_refuses_it_when_called(in_process: Any) -> None:
    tools = in_process(read_only=True)
    names = [tool.name for tool in list_tools(tools).tools]
    assert "delete_book" not in names
    assert "get_book" in names
    [result] = ask(tools, "auto", ("delete_book", {"book_id": "1"}))
    assert result["isError"] is True
    assert "read-only" in result["content"][0]["text"]


def test_the_lazy_list_is_three_tools_that_never_change(in_process: Any) -> None:
    tools = in_process(mode="--lazy")
    before = list_tools(tools)
    found, described, called = ask(
        tools, "auto", ("search_tools", {"query": "say again"}), ("describe_tool", {"name": "echo"}),
        ("call_tool", {"name": "echo", "arguments": {"text": "hi"}}),
    )  # fmt: skip
    assert found["content"][0]["text"].startswith("echo: Say it again. (reads)\n  text (string)")
    echo = next(tool for tool in DESK if tool["name"] == "echo")
    assert json.loads(described["content"][0]["text"]) == {
        key: echo[key] for key in ("name", "description", "inputSchema")
    }
    assert called["content"][0]["text"] == "hi"
    assert list_tools(tools) == before
    assert [tool.name for tool in before.tools] == ["search_tools", "describe_tool", "call_tool"]


def test_a_lazy_call_is_checked_like_a_direct_one(in_process: Any) -> None:
    tools = in_process(mode="--lazy", read_only=True)
    for arguments, told in (
        ({"name": "echo", "arguments": {"text": [1]}}, "`text` must be a string, got [1]"),
        ({"name": "delete_book", "arguments": {"book_id": "1"}}, "read-only"),
        ({"name": "ecko"}, "did you mean `echo`"),
        ({"nam": "echo"}, "did you mean `name`"),
    ):
        [result] = ask(tools, "auto", ("call_tool", arguments))
        assert told in result["content"][0]["text"]


@pytest.mark.parametrize(("query", "best"), [
    ("list_books", "list_books"),
    ("Get Book", "get_book"),
    ("remove a book", "delete_book"),
    ("catalogue", "list_books"),
    ("change a book's title", "update_book"),
])  # fmt: skip
def test_search_finds_the_tool_that_was_meant(in_process: Any, query: str, best: str) -> None:
    [result] = ask(
        in_process(mode="--lazy"), "auto", ("search_tools", {"query": query, "limit": 3})
    )
    assert result["content"][0]["text"].split(":")[0] == best


def custom(tmp_path: Path, files: dict[str, str]) -> None:
    """Put further files into the package of the test."""
    written(files, tmp_path / "shop_mcp")


def test_a_custom_tool_replaces_its_generated_namesake(package: Path, in_process: Any) -> None:
    hints = {"idempotentHint": False}
    mine = [{"name": "get_book", "description": "Mine.", "annotations": hints}]
    code = "async def get_book(*, book_id: str) -> str:\n    return 'mine ' + book_id\n"
    custom(package.parent, {"custom/mine.json": json.dumps(mine), "custom/mine.py": code})
    tools = in_process()
    listed = {tool.name: tool for tool in list_tools(tools).tools}
    assert listed["get_book"].description == "Mine."
    assert listed["get_book"].input_schema["required"] == ["book_id"]
    hints = listed["get_book"].annotations
    assert (hints.read_only_hint, hints.idempotent_hint) == (True, False)  # its namesake's, its own
    right, wrong = ask(tools, "auto", ("get_book", {"book_id": "7"}), ("get_book", {}))
    assert right["content"][0]["text"] == "mine 7"
    assert "`book_id` is required" in wrong["content"][0]["text"]


@pytest.mark.parametrize(("files", "told"), [
    ({"custom/bad.json": '[{"name": "x",\n]'}, ["bad.json", '"line": 2']),
    ({"custom/bad.json": '[{"name": "x"}]', "custom/bad.py": "def x(:\n"},
     ["bad.py", '"line": 1', "SyntaxError"]),
    ({"custom/bad.json": '[{"name": "x"}]', "custom/bad.py": "\n1/0\n"},
     ["bad.py", '"line": 2', "ZeroDivision"]),
    ({"custom/bad.json": '[{"name": "x"}]', "custom/bad.py": ""}, ["no function in custom.bad"]),
    ({"custom/bad.json": '[{"name": "x", "inputSchema": {"type": "array"}}]', "custom/bad.py": ""},
     ["inputSchema"]),
    ({"custom/bad.json": ('[{"name": "x", "inputSchema": {"type": "object", "required": 3}}]'),
      "custom/bad.py": ""},
     ["not a valid schema"]),
    ({"custom/bad.json": '[{"name": "no way"}]', "custom/bad.py": ""}, ["`name`"]),
])  # fmt: skip
def test_a_broken_custom_file_is_told_with_its_place_and_costs_no_other_tool(
    package: Path, in_process: Any, caplog: Any, files: dict[str, str], told: list[str]
) -> None:
    custom(package.parent, files)
    names = [tool.name for tool in list_tools(in_process()).tools]
    assert "echo" in names
    assert "x" not in names
    said = " ".join(json.dumps(getattr(record, "fields", {})) for record in caplog.records)
    assert all(text in said for text in told)


HOOKS = """
import functools

from . import Call, ToolError

async def before(call: Call) -> None:
    if call.arguments.get("text") == "forbidden":
        raise ToolError("Not that word")

def made_louder(change, call: Call) -> None:
    call.arguments["text"] = change(call.arguments["text"])

before_echo = functools.partial(made_louder, str.upper)

def shape_add(call: Call, data):
    return data

def after_echo(call: Call, result):
    result["content"].append({"type": "text", "text": "and more"})
"""


def test_hooks_change_arguments_refuse_calls_and_shape_results(
    package: Path, in_process: Any
) -> None:
    custom(package.parent, {"hooks.py": HOOKS})
    words = [("echo", {"text": word}) for word in ("hello", "forbidden")]
    louder, refused = ask(in_process(), "auto", *words)
    assert [block["text"] for block in louder["content"]] == ["HELLO", "and more"]
    assert refused["isError"] is True
    assert refused["content"][0]["text"] == "Not that word"


@pytest.mark.parametrize("chosen", [(), ("desk",)])
@pytest.mark.parametrize(("hooks", "told"), [
    ("def before_delete_bok(call): ...\n", "did you mean `delete_book`"),
    # A guard is never proposed to be moved to another tool
    ("def before_remove_book(call): ...\n", "^(?!.*did you mean).*guard the tool that does the same now"),
    ("\n\nimport nothing_of_that_name\n", r"hooks\.py:3.*nothing_of_that_name"),
])  # fmt: skip
def test_wrong_hooks_stop_the_start(
    package: Path, in_process: Any, hooks: str, told: str, chosen: tuple[str, ...]
) -> None:
    custom(package.parent, {"hooks.py": hooks})
    with pytest.raises(Exception, match=f"(?s){told}"):
        in_process(toolsets=chosen)


def test_a_guard_of_a_tool_that_was_not_chosen_stays(package: Path, in_process: Any) -> None:
    custom(package.parent, {"hooks.py": "def before_delete_book(call): ...\n"})
    assert "delete_book" not in in_process(toolsets=["desk"]).catalog.toolset_of


def test_a_tool_whose_name_no_function_can_have_has_its_hooks(
    package: Path, in_process: Any
) -> None:
    path = package / "tools" / "desk.json"
    path.write_text(json.dumps([{**DESK[0], "name": "echo-it"}]))
    custom(package.parent, {
        "custom/desk.py": "async def echo_it(*, text: str) -> str: return text\n",
        "hooks.py": "def before_echo_it(call): call.arguments['text'] = 'other'\n",
    })  # fmt: skip
    [said] = ask(in_process(), "auto", ("echo-it", {"text": "one"}))
    assert [block["text"] for block in said["content"]] == ["other"]


def test_a_hook_whose_tool_is_gone_is_reported_and_the_server_starts(
    package: Path, in_process: Any, caplog: pytest.LogCaptureFixture
) -> None:
    custom(package.parent, {"hooks.py": "def after_remove_book(call, result): ...\n"})
    in_process()
    (record,) = [record for record in caplog.records if record.message == "idle_hook"]
    assert record.fields["hook"] == "after_remove_book"  # type: ignore[attr-defined]


def limited(in_process: Any, environment: dict[str, str], **more: Any) -> Any:
    """The server with further settings (in capitals) and options."""
    names = [name for name in more if name.isupper()]
    given = {f"{PREFIX}_{name}": more.pop(name) for name in names}
    in_process()
    settings = importlib.import_module(f"{PACKAGE}.runtime.settings")
    package = importlib.import_module(f"{PACKAGE}.runtime.package")
    facts = package.Package.named(PACKAGE).facts()
    return in_process(settings=settings.read(facts, {**environment, **given}), **more)


def test_a_tool_with_a_rate_of_its_own_is_refused_beyond_it(in_process: Any, package: Path) -> None:
    path = package / "api.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "rates": {"echo": [2, 60]}}))
    calls = [("echo", {"text": "x"})] * 3
    *done, refused, other = ask(in_process(), "auto", *calls, ("add", {"a": 1, "b": 2}))
    assert not any(result["isError"] for result in (*done, other))
    assert refused["content"][0]["text"].startswith("Too many calls of `echo`. Wait 30 seconds")


@pytest.mark.parametrize("lazy", [False, True])
def test_calls_beyond_the_rate_are_told_to_wait(
    in_process: Any, environment: dict[str, str], lazy: bool
) -> None:
    tools = limited(in_process, environment, mode="--lazy" if lazy else "", CALL_RATE="6/m")
    arguments = {"name": "echo", "arguments": {"text": "a"}} if lazy else {"text": "a"}
    name = "call_tool" if lazy else "echo"
    first, second = ask(tools, "auto", *[(name, arguments)] * 2)
    assert not first["isError"] and first["content"][0]["text"] == "a"
    assert second["isError"]
    assert re.search(r"Too many calls\. Wait (9|10) seconds", second["content"][0]["text"])


def test_calls_beyond_those_that_may_run_are_told_to_wait_and_places_come_back(
    in_process: Any, environment: dict[str, str]
) -> None:
    tools = limited(in_process, environment, MAX_CALLS="2")

    async def act(client: Client) -> None:
        slow = functools.partial(client.call_tool, "slow", {"steps": 100_000})
        working = [asyncio.create_task(slow()) for _ in range(2)]
        while tools.quota._running.total() < 2:
            await asyncio.sleep(0.005)
        refused = await client.call_tool("echo", {"text": "a"})
        assert refused.is_error
        assert "already runs 2 calls" in refused.content[0].text
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        while tools.quota._running:
            await asyncio.sleep(0.005)
        assert not (await client.call_tool("echo", {"text": "a"})).is_error

    through(tools, act)


def test_a_caller_whose_calls_run_in_other_replicas_is_told_to_wait(
    in_process: Any, environment: dict[str, str]
) -> None:
    tools = limited(in_process, environment, MAX_CALLS_PER_CALLER="1")
    quota = importlib.import_module(f"{PACKAGE}.runtime.transports.http")
    tools.quota = quota.SharedQuota(tools._limits)
    rate, _ = tools.quota._own(None)
    tools.quota._own = lambda key: (rate, lambda longest: contextlib.nullcontext(False))
    [result] = ask(tools, "auto", ("echo", {"text": "a"}))
    assert result["isError"]
    assert result["content"][0]["text"].endswith(
        "each caller. Wait a few seconds, then call `echo` again"
    )


def test_a_function_of_ones_own_has_the_time_of_a_call(
    in_process: Any, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW_MARKER", str(tmp_path / "marker"))
    tools = limited(in_process, environment, TOTAL_TIMEOUT="0.2")

    [result] = ask(tools, "auto", ("slow", {"steps": 100_000}))
    assert result["isError"]
    assert "`slow` gave no result in 0.2 seconds" in result["content"][0]["text"]
    assert f"`{PREFIX}_TOTAL_TIMEOUT`" in result["content"][0]["text"]
    assert (tmp_path / "marker").read_text() == "cancelled"


def test_calls_are_limited_without_a_word_from_the_operator(in_process: Any) -> None:
    async def act(client: Client) -> Any:
        call = functools.partial(client.call_tool, "slow", {"steps": 100_000})
        calls = [asyncio.create_task(call()) for _ in range(257)]
        (refused,), working = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        return refused.result()

    result = through(in_process(), act)
    assert result.is_error
    assert "already runs 256 calls" in result.content[0].text


@pytest.mark.parametrize("mode", ERAS)
def test_a_page_in_place_of_json_is_an_error_with_its_text(
    in_process: Any, api: Any, mode: str
) -> None:
    page = b"<!doctype html><html><body><h1>Sign &amp; log in</h1><script>x</script></body></html>"
    api.answer = (200, page)
    [result] = ask(in_process(), mode, ("list_books", {}))
    text = result["content"][0]["text"]
    assert result["isError"] is True and "structuredContent" not in result
    assert "200 OK with an HTML page in place of JSON" in text and "Sign & log in" in text
    assert "<" not in text and "login page" in text.splitlines()[-1]


def test_the_bytes_of_a_result_are_not_masked() -> None:
    def mask(data: Any) -> Any:
        return json.loads(json.dumps(data).replace("john", "****"))

    runner = Runner(Hooks(None, list), list, mask, {}, ())
    file = {"type": "resource", "resource": {"uri": "urn:x", "blob": "john"}}
    picture = {"type": "image", "data": "john", "mimeType": "image/png"}
    given = {"content": [picture, {"type": "text", "text": "john"}, file], "isError": False}
    told = {"type": "text", "text": "****"}
    assert runner._masked(given) == {"content": [picture, told, file], "isError": False}

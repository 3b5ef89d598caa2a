"""The sample server of one's own tools: it works, hostile calls get nowhere, and slow services are
given up on.
"""

import asyncio
import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from own_project import Project

from mcpgen.problems import Problems
from mcpgen.project.check import check
from tests.loopback import Asked, Loopback

SAMPLES = Path(__file__).parents[2] / "samples"


class Service(Loopback):
    """A stand-in for GitHub, a search engine and a weather service; it answers with what it is
    told, after a while.
    """

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.answer: Any = {}
        self.status, self.seconds = 200, 0.0
        super().__init__(self.answered)

    def answered(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(asked)
        time.sleep(self.seconds)
        fields = {"location": "http://127.0.0.1:1/elsewhere"}
        return self.status, fields, json.dumps(self.answer).encode()


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sample, generated and with its functions."""
    made = Project(SAMPLES / "specs" / "tools", tmp_path_factory.mktemp("toolbox"))
    for path in (SAMPLES / "toolbox" / "custom").glob("*.py"):
        shutil.copy(path, made.package / "custom")
    return made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder, and beside it a secret that no call may reach."""
    (tmp_path / "secret.txt").write_text("canary-secret\n")
    data = tmp_path / "data"
    (data / "inner").mkdir(parents=True)
    (data / "sales.csv").write_text("day,amount,note\n1,10,a\n2,20.5,b\n3,,c\n")
    (data / "inner" / "lines.txt").write_text("b\na\nc\n")
    (data / "out").symlink_to(tmp_path / "secret.txt")
    monkeypatch.setenv("TOOLBOX_FOLDER", str(data))
    return data


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The services the tools ask."""
    made = Service()
    for name in ("GITHUB", "SEARCH", "WEATHER"):
        monkeypatch.setenv(f"TOOLBOX_{name}_URL", made.url)
    monkeypatch.setenv("TOOLBOX_GITHUB_TOKEN", "canary-token")
    monkeypatch.setenv("TOOLBOX_REPOSITORY", "me/mine")
    monkeypatch.setenv("TOOLBOX_SECONDS", "0.5")
    yield made
    made.close()


def data(result: Any) -> Any:
    """What a call that worked returned."""
    assert not result.is_error, result.content[0].text
    return result.structured_content


def done(toolbox: Project, tool: str, arguments: dict[str, Any], **options: Any) -> Any:
    """What a call returns, which works."""
    return data(toolbox.call(tool, arguments, **options))


def refused(toolbox: Project, tool: str, arguments: dict[str, Any]) -> str:
    """The text of a call that is refused."""
    result = toolbox.call(tool, arguments)
    assert result.is_error, result.structured_content
    return str(result.content[0].text)


def test_every_tool_has_the_documented_hints(toolbox: Project) -> None:
    listed: Any = toolbox.talk(lambda client: client.list_tools())
    hints = {one.name: one.annotations for one in listed.tools}
    destroys = {name for name, hint in hints.items() if hint.destructive_hint}
    writes = {name for name, hint in hints.items() if not hint.read_only_hint}
    leaves = {name for name, hint in hints.items() if hint.open_world_hint}
    assert len(hints) == 10 and destroys == {"delete_file", "execute_command"}
    assert writes == destroys | {"create_record", "github_create_issue"}
    assert leaves >= {"web_search", "get_weather"}


def test_sums_and_expressions(toolbox: Project) -> None:
    assert done(toolbox, "calculate_sum", {"a": 2, "b": 0.5}) == {"sum": 2.5}
    assert done(toolbox, "calculate", {"expression": "(2 + 3) * 4 ** 2 // 3"}) == {"value": 26}
    assert "too large" in refused(toolbox, "calculate_sum", {"a": 1e308, "b": 1e308})
    assert "zero" in refused(toolbox, "calculate", {"expression": "1/0"})


@pytest.mark.parametrize("expression", [
    "__import__('os').system('true')", "().__class__", "9**9**9**9", "10**1000", "(-8)**0.5",
    "'a'*1000000000", "[x for x in range(9)]", "lambda: 1", "1 if True else 2",
    "(" * 99 + "1" + ")" * 99, "1 +",
])  # fmt: skip
def test_nothing_but_arithmetic_is_calculated(toolbox: Project, expression: str) -> None:
    started = time.monotonic()
    result = toolbox.call("calculate", {"expression": expression})
    assert result.is_error or result.structured_content == {"value": 1}
    assert time.monotonic() - started < 5


def test_a_command_runs_without_a_shell(toolbox: Project, folder: Path) -> None:
    ran = done(toolbox, "execute_command", {"command": "sort", "args": ["-r", "inner/lines.txt"]})
    assert ran == {"exit_code": 0, "stdout": "c\nb\na\n", "stderr": "", "cut": False}
    text = "$HOME; cat /etc/passwd | `id` > x *"
    echoed = done(toolbox, "execute_command", {"command": "echo", "args": [text]})
    assert echoed["stdout"] == f"{text}\n" and not (folder / "x").exists()


@pytest.mark.parametrize("line", [
    "rm -rf .", "sort --compress-program=id sales.csv", "sort -o new.txt sales.csv",
    "wc --files0-from=/etc/passwd", "head /etc/passwd", "head ../secret.txt",
    "head inner/../../secret.txt", "head out", "head", "ls /", "date 2000-01-01", "echo a\0b",
    "ls" + " -l" * 21,
])  # fmt: skip
def test_a_command_that_is_not_allowed_does_nothing(
    toolbox: Project, folder: Path, line: str
) -> None:
    command, *args = line.split()
    text = refused(toolbox, "execute_command", {"command": command, "args": args})
    assert "canary" not in text
    assert sorted(path.name for path in folder.iterdir()) == ["inner", "out", "sales.csv"]


def test_a_command_that_takes_too_long_is_ended(toolbox: Project, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    started = time.monotonic()
    text = refused(
        toolbox, "execute_command", {"command": "head", "args": ["pipe"], "timeout": 0.3}
    )
    assert "longer than 0.3 seconds" in text and time.monotonic() - started < 5


def test_long_output_is_cut(toolbox: Project, folder: Path) -> None:
    (folder / "long.txt").write_text("line\n" * 50_000)
    ran = done(toolbox, "execute_command", {"command": "sort", "args": ["long.txt"]})
    assert (ran["cut"], len(ran["stdout"])) == (True, 64_000)


def test_a_table_is_analysed(toolbox: Project, folder: Path) -> None:
    operations = ["sum", "average", "count"]
    found = done(toolbox, "analyze_csv", {"filepath": "sales.csv", "operations": operations})
    day = {"sum": 6.0, "average": 2.0, "count": 3}
    amount = {"sum": 30.5, "average": 15.25, "count": 2}
    assert found == {"rows": 3, "columns": {"day": day, "amount": amount}}


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "/etc/passwd", "out", "inner", "missing", "a\0b", "~/x", "inner/../.."],
)
@pytest.mark.parametrize("tool", ["analyze_csv", "process_dataset", "delete_file"])
def test_no_path_leads_out_of_the_folder(
    toolbox: Project, folder: Path, tool: str, path: str
) -> None:
    more = {"analyze_csv": {"operations": ["sum"]}}.get(tool, {})
    text = refused(toolbox, tool, {"path" if tool == "delete_file" else "filepath": path, **more})
    assert "canary" not in text and "internal" not in text
    assert (folder.parent / "secret.txt").read_text() == "canary-secret\n"


def test_a_file_is_deleted_once(toolbox: Project, folder: Path) -> None:
    arguments = {"path": "inner/lines.txt"}
    assert done(toolbox, "delete_file", arguments) == {"deleted": "inner/lines.txt", "bytes": 6}
    text = refused(toolbox, "delete_file", arguments)
    assert "there is no" in text and text.endswith("its folder is empty")
    text = refused(toolbox, "delete_file", {"path": "sale.csv"})
    assert text.endswith("its folder has inner, out, sales.csv")


def test_a_record_is_created_and_words_stay_words(toolbox: Project, folder: Path) -> None:
    hostile = {"name": "'); drop table records; --", "age": 3, "gone": None}
    made = done(toolbox, "create_record", {"table": "customers", "data": hostile})
    again = done(toolbox, "create_record", {"table": "notes", "data": {"text": "x"}})
    assert (made["id"], again["id"]) == (1, 2)
    with sqlite3.connect(folder / "toolbox.sqlite") as database:
        rows = database.execute("select kind, data from records order by id").fetchall()
    assert [(kind, json.loads(text)) for kind, text in rows] == [
        ("customers", hostile),
        ("notes", {"text": "x"}),
    ]
    for bad in ({}, {"a b": 1}, {"a": [1]}, {"a": "x" * 3000}):
        refused(toolbox, "create_record", {"table": "notes", "data": bad})
    refused(toolbox, "create_record", {"table": "records; --", "data": {"a": 1}})


def test_an_issue_is_created_with_the_token_and_nowhere_else(
    toolbox: Project, service: Service
) -> None:
    url = "https://github.com/me/mine/issues/7"
    service.answer, service.status = {"number": 7, "html_url": url}, 201
    issue = {"title": "Broken", "labels": ["bug"]}
    assert done(toolbox, "github_create_issue", issue) == {"number": 7, "url": url}
    [(method, path, headers, body)] = service.requests
    assert (method, path, json.loads(body)) == ("POST", "/repos/me/mine/issues", issue)
    assert headers["authorization"] == "Bearer canary-token"
    for repository in ("me/..", "../x", "me/a/b", "me", "me/a?x=1"):
        refused(toolbox, "github_create_issue", {"title": "x", "repository": repository})
    assert len(service.requests) == 1


def test_a_search_returns_links_alone(toolbox: Project, service: Service) -> None:
    good = {"title": "A", "url": "https://example.com/a", "snippet": "x" * 900}
    service.answer = {"results": [good, {"title": "B", "url": "javascript:alert(1)"}, 7]}
    [found] = done(toolbox, "web_search", {"query": "a & b=c"})["results"]
    assert (found["url"], len(found["snippet"])) == ("https://example.com/a", 500)
    assert service.requests[0][1] == "/?q=a+%26+b%3Dc&limit=5"


def test_the_weather_comes_in_the_wanted_degrees(toolbox: Project, service: Service) -> None:
    day = {"day": "2026-11-21", "low": 0, "high": 10}
    said = {"location": "Bonn", "conditions": "dry", "humidity": 40}
    service.answer = {**said, "temperature": 20, "forecast": [day] * 3}
    wanted = {"location": "Bonn", "units": "fahrenheit", "days": 1}
    found = done(toolbox, "get_weather", wanted)
    assert found["temperature"] == 68.0
    assert found["forecast"] == [{"day": "2026-11-21", "low": 32.0, "high": 50.0}]
    service.answer = {"location": "Bonn", "temperature": "warm"}
    assert "does not know" in refused(toolbox, "get_weather", {"location": "Bonn"})


@pytest.mark.parametrize(
    ("status", "seconds", "said"),
    [
        (200, 2.0, "did not answer within 0.5"),
        (302, 0, "302"),
        (500, 0, "500"),
        (404, 0, "check the spelling"),
    ],
)
def test_a_service_that_fails_is_told_without_its_words(
    toolbox: Project, service: Service, status: int, seconds: float, said: str
) -> None:
    service.status, service.seconds, service.answer = status, seconds, {"error": "canary-detail"}
    text = refused(toolbox, "web_search", {"query": "a"})
    assert said in text and "canary" not in text


def test_the_sample_is_up_to_date_for_check(tmp_path: Path, monkeypatch: Any) -> None:
    made = Project(SAMPLES / "specs" / "tools", tmp_path)
    for path in (SAMPLES / "toolbox" / "custom").glob("*.py"):
        shutil.copy(path, made.package / "custom")
    report = check(made.folder, Problems())
    assert report.passed, [*report.stale, *report.problems]


def test_what_is_not_set_up_says_which_variable(
    toolbox: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TOOLBOX_SEARCH_URL", "TOOLBOX_GITHUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    assert "TOOLBOX_SEARCH_URL" in refused(toolbox, "web_search", {"query": "a"})
    assert "TOOLBOX_GITHUB_TOKEN" in refused(toolbox, "github_create_issue", {"title": "a"})


def test_a_dataset_reports_growing_progress(toolbox: Project, folder: Path) -> None:
    content = b"line\n" * 1000
    (folder / "big.txt").write_bytes(content)
    seen: list[tuple[float, float | None]] = []

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    arguments = {"filepath": "big.txt", "chunk_lines": 250}
    result = done(toolbox, "process_dataset", arguments, progress_callback=watch)
    assert result == {"lines": 1000, "chunks": 4, "sha256": hashlib.sha256(content).hexdigest()}
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (5000, 5000)


def test_long_work_ends_when_the_caller_cancels(toolbox: Project, folder: Path) -> None:
    (folder / "big.txt").write_text("line\n" * 1000)

    async def begin(client: Any) -> float:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await client.call_tool(
                    "process_dataset", {"filepath": "big.txt", "chunk_lines": 1, "pause": 1}
                )
        assert data(await client.call_tool("calculate_sum", {"a": 1, "b": 1})) == {"sum": 2}
        return time.monotonic() - started

    assert toolbox.talk(begin) < 5


def test_many_calls_at_once_all_get_their_own_answer(toolbox: Project, folder: Path) -> None:
    async def begin(client: Any) -> list[Any]:
        sums = [client.call_tool("calculate_sum", {"a": number, "b": 1}) for number in range(150)]
        records = [
            client.call_tool("create_record", {"table": "notes", "data": {"n": number}})
            for number in range(30)
        ]
        words = [
            client.call_tool("execute_command", {"command": "echo", "args": [str(number)]})
            for number in range(10)
        ]
        return list(await asyncio.gather(*sums, *records, *words))

    started = time.monotonic()
    results = [data(result) for result in toolbox.talk(begin)]
    assert [result["sum"] for result in results[:150]] == [number + 1 for number in range(150)]
    assert sorted(result["id"] for result in results[150:180]) == list(range(1, 31))
    assert [result["stdout"] for result in results[180:]] == [f"{number}\n" for number in range(10)]
    assert time.monotonic() - started < 30

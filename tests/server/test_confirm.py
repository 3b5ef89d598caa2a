"""A person is asked before a call: through the official client in both eras, and in a shell."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import io
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from mcp.types import ElicitRequestFormParams, ElicitResult
from served import Start
from shop import FACTS, PACKAGE, PREFIX, Recorder, command, write_package

from mcpgen.runtime.parts.confirm import ask

ERAS = ["auto", "legacy"]
DELETE = ("delete_book", {"book_id": "b/1"})
ASKS = {"delete_book": "DELETE /books/{book_id}"}
TIDY = {
    "name": "tidy", "description": "Delete two books.",
    "inputSchema": {"type": "object", "properties": {
        "note": {"type": "string"}, "pin": {"type": "string", "format": "password"},
        "code": {"type": "string", "description": "Four digits; format password"}}},
    "annotations": {"destructiveHint": False},
}  # fmt: skip
TIDY_PY = """
from ..runtime.parts.workflows.inside import Context, call

async def tidy(context: Context, *, note: str = "", pin: str = "") -> str:
    if note:
        await context.sent_by.session.elicit_form(note, {}, context.sent_by.request_id)
    for book in ("b1", "b2"):
        await call(context.server, "delete_book", {"book_id": book}, context)
    return "tidied"
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package, which asks before what may delete or overwrite."""
    folder = write_package(
        tmp_path, {"custom/tidy.json": json.dumps(TIDY), "custom/tidy.py": TIDY_PY}
    )
    return asking(folder, ASKS)


def asking(package: Path, tools: Any, **more: Any) -> Path:
    """Write down the tools that a person is asked for, and more facts."""
    facts = {**FACTS, "confirm": {"destructive": True, "tools": tools}, **more}
    (package / "api.json").write_text(json.dumps(facts))
    return package


class Person:
    """The person at a client: the answers that are given one after the other, and the questions."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []

    async def __call__(self, _: Any, question: Any) -> ElicitResult:
        assert isinstance(question, ElicitRequestFormParams)
        assert question.requested_schema == {"type": "object", "properties": {}}
        self.questions.append(question.message)
        return ElicitResult(action=self.answers.pop(0))


def calls(
    server: Any, mode: str, person: Person | None, *wanted: tuple[str, Any]
) -> list[tuple[bool, str]]:
    """Make calls one after the other; whether each failed, and its first text."""

    async def run() -> list[tuple[bool, str]]:
        found = []
        async with Client(server, mode=mode, elicitation_callback=person) as client:
            for name, arguments in wanted:
                result = await client.call_tool(name, arguments)
                found.append((bool(result.is_error), getattr(result.content[0], "text", "")))
        return found

    return asyncio.run(run())


@pytest.mark.parametrize(("over", "mode"), [
    ("stdio", "auto"), ("stdio", "legacy"), ("http", "auto"), ("http", "2026-07-28"),
])  # fmt: skip
def test_a_call_is_sent_only_if_a_person_agrees(
    package: Path, environment: dict[str, str], start: Start, api: Recorder, over: str, mode: str
) -> None:
    server: Any = stdio_client(command(package, environment))
    if over == "http":
        server = start().url
    person = Person("decline", "cancel", "accept")
    declined, dismissed, agreed = calls(server, mode, person, DELETE, DELETE, DELETE)
    assert declined[0] and "A person declined this call of `delete_book`" in declined[1]
    assert dismissed[0] and "the question was dismissed" in dismissed[1]
    assert not agreed[0]
    assert person.questions[0] == (
        'Call `delete_book`?\nIt sends DELETE /books/b%2F1\n\n"book_id": "b/1"'
    )
    assert [request.method for request in api.requests] == ["DELETE"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_that_cannot_ask_is_refused_unless_the_operator_allows_it(
    in_process: Any, api: Recorder, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    [(failed, text)] = calls(in_process().server, mode, None, DELETE)
    assert failed and "cannot ask one" in text and f"`{PREFIX}_CONFIRM_OPTIONAL`" in text
    [(failed, text)] = calls(in_process().server, "legacy", Person(), DELETE)
    assert failed and "the client could not ask a person" in text
    assert api.requests == []
    monkeypatch.setenv(f"{PREFIX}_CONFIRM_OPTIONAL", "1")
    person = Person("decline")
    refused, sent = (
        calls(in_process().server, mode, each, DELETE)[0][0] for each in (person, None)
    )
    assert (refused, sent, len(api.requests)) == (True, False, 1)


def test_a_session_over_http_before_2026_cannot_be_asked(start: Start, api: Recorder) -> None:
    tidy = ("tidy", {"note": "Tidy?"})
    refused, unasked = calls(start().url, "legacy", Person("accept"), DELETE, tidy)
    assert refused[0] and "cannot ask one" in refused[1] and api.requests == []
    assert unasked[0] and "(NoBackChannelError)" in unasked[1]


@pytest.mark.parametrize("mode", ERAS)
def test_what_only_reads_or_is_exempt_needs_nobody(
    package: Path, in_process: Any, api: Recorder, mode: str
) -> None:
    asking(package, {"delete_book": None, "get_book": "GET /books"})
    (package / "custom" / "tidy.json").write_text(json.dumps({**TIDY, "annotations": {}}))
    person = Person("decline", "decline")
    wanted = [("list_books", {}), DELETE, ("add", {"a": 1, "b": 2}), ("get_book", {"book_id": "1"})]
    results = calls(in_process().server, mode, person, *wanted, ("tidy", {}))
    assert [failed for failed, _ in results] == [False, False, False, True, True]
    assert len(person.questions) == 2  # a tool that says nothing may destroy


@pytest.mark.parametrize("mode", ERAS)
def test_a_question_holds_no_secret_and_nothing_that_is_hidden(
    package: Path, in_process: Any, mode: str
) -> None:
    asking(package, {"tidy": ""}, redact=["title"])
    person = Person("decline", "decline")
    book = {"book_id": "canary-key-0123456789", "title": "canary", "blurb": "x" * 2_000}
    tidy = {"pin": "canary-pin", "code": "canary-code", "note": 'a\u202eb"\n"book_id": "b9'}
    calls(in_process().server, mode, person, ("update_book", book), ("tidy", tidy))
    first, second = person.questions
    assert "canary" not in first + second and "\u202e" not in second
    assert first.splitlines()[2:] == [
        '"book_id": "****"',
        f'"blurb": "{"x" * 1490}… (511 more characters)',
        "(Secrets are not shown.)",
    ]
    assert second.splitlines()[2:] == [
        '"note": "a\ufffdb\\"\\n\\"book_id\\": \\"b9"', "(Secrets are not shown.)"
    ]  # fmt: skip


def test_an_answer_counts_for_what_was_asked_alone(in_process: Any, api: Recorder) -> None:
    async def run() -> Any:
        async with Client(in_process().server, elicitation_callback=Person()) as client:
            call = client.session.call_tool
            asked = await call(*DELETE, allow_input_required=True)
            answers = dict.fromkeys(asked.input_requests, ElicitResult(action="accept"))
            other = await call(
                "delete_book", {"book_id": "2"}, input_responses=answers, allow_input_required=True
            )
            same = await call(*DELETE, input_responses=answers, allow_input_required=True)
        return other, same

    other, same = asyncio.run(run())
    assert other.result_type == "input_required"
    assert same.result_type == "complete"
    assert [request.target for request in api.requests] == ["/v1/books/b%2F1"]


def answered(server: Any, name: str, arguments: Any, *ids: str) -> str:
    """Call with the answers `accept` to these questions; say what came of it."""

    async def run() -> str:
        async with Client(server, elicitation_callback=Person()) as client:
            answers = dict.fromkeys(ids, ElicitResult(action="accept"))
            result = await client.session.call_tool(
                name, arguments, input_responses=answers, allow_input_required=True
            )
        if result.result_type == "input_required":
            return str(next(iter(result.input_requests)))
        return "failed" if result.is_error else "done"

    return asyncio.run(run())


def test_an_answer_counts_whatever_the_order_of_the_arguments(
    in_process: Any, api: Recorder
) -> None:
    server = in_process().server
    book = {"book_id": "7", "title": "New", "blurb": "Short"}
    question = answered(server, "update_book", book)
    assert answered(server, "update_book", dict(sorted(book.items())), question) == "done"
    assert len(api.requests) == 1


def test_consent_is_to_a_question_that_was_asked_and_holds_once(
    in_process: Any, api: Recorder
) -> None:
    server = in_process().server
    made_up = f"confirm-{int(time.time()) + 99}-00-{'0' * 64}"
    digest = hashlib.sha256(json.dumps(["delete_book", ASKS["delete_book"], DELETE[1]]).encode())
    question = answered(server, *DELETE, made_up, f"confirm-{digest.hexdigest()}", "confirm-\ud800")
    assert question.startswith("confirm-") and api.requests == []
    # Not to a program that makes the same call
    program = ("run_code", {"code": "await delete_book(book_id='b/1')"})
    assert answered(in_process(mode="--code").server, *program, question) == "failed"
    assert api.requests == []
    assert answered(server, *DELETE, question) == "done"
    assert answered(server, *DELETE, question).startswith("confirm-")
    assert len(api.requests) == 1


def test_consent_ends_and_holds_for_the_same_caller(
    in_process: Any, api: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = in_process().server
    questions = importlib.import_module(f"{PACKAGE}.runtime.parts.confirm.ask")
    monkeypatch.setattr(questions, "QUESTION_SECONDS", -1)
    late = answered(server, *DELETE)
    assert answered(server, *DELETE, late) not in ("done", late) and api.requests == []

    def caller(name: str) -> Any:
        return SimpleNamespace(issuer="https://a.example", subject=name)

    monkeypatch.setattr(questions, "QUESTION_SECONDS", 60)
    module = importlib.import_module(f"{PACKAGE}.runtime.results.content")
    monkeypatch.setattr(module.Context, "caller", property(lambda _: caller("ann")))
    question = answered(server, *DELETE)
    monkeypatch.setattr(module.Context, "caller", property(lambda _: caller("bob")))
    assert answered(server, *DELETE, question).startswith("confirm-") and api.requests == []


@pytest.mark.parametrize(("secret", "outcome"), [("s3cret-of-all", "done"), ("", "confirm")])
def test_a_question_of_one_replica_is_answered_at_another_that_has_the_same_secrets(
    in_process: Any, api: Recorder, monkeypatch: pytest.MonkeyPatch, secret: str, outcome: str
) -> None:
    monkeypatch.setenv(f"{PREFIX}_CONFIRM_KEY", secret)
    question = answered(in_process().server, *DELETE)
    monkeypatch.setattr("multiprocessing.current_process", lambda: SimpleNamespace(authkey=b"2"))
    if not secret:
        monkeypatch.setenv(f"{PREFIX}_API_KEY", "that-of-another-one")
    assert answered(in_process().server, *DELETE, question).startswith(outcome)
    assert len(api.requests) == (outcome == "done")


@pytest.mark.parametrize("mode", ERAS)
def test_consent_to_a_function_includes_the_calls_that_it_makes(
    package: Path, in_process: Any, api: Recorder, mode: str
) -> None:
    asking(package, {**ASKS, "tidy": ""})
    person = Person("accept")
    assert calls(in_process().server, mode, person, ("tidy", {})) == [(False, "tidied")]
    assert (len(person.questions), len(api.requests)) == (1, 2)


def test_a_call_in_the_middle_of_another_is_asked_for_or_refused(
    in_process: Any, api: Recorder
) -> None:
    person = Person("accept", "decline")
    [(failed, text)] = calls(in_process().server, "legacy", person, ("tidy", {}))
    assert failed and "declined" in text
    assert len(api.requests) == 1
    [(failed, text)] = calls(in_process().server, "auto", person, ("tidy", {}))
    assert failed and "cannot ask one in the middle of another call" in text
    assert len(api.requests) == 1


def test_a_program_cannot_agree_to_its_own_calls(
    in_process: Any, api: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ("run_code", {"code": "await delete_book(book_id='1')"})
    app = in_process(mode="--code")
    [(failed, text)] = calls(app.server, "legacy", Person("decline"), program)
    assert failed and "declined" in text
    monkeypatch.setenv(f"{PREFIX}_CONFIRM_OPTIONAL", "1")
    [(failed, text)] = calls(app.server, "auto", Person("accept"), program)
    assert failed and "in the middle of another call" in text
    assert api.requests == []
    assert calls(app.server, "auto", Person("accept"), DELETE)[0][0] is False


@pytest.mark.parametrize("mode", ERAS)
def test_a_tool_that_was_searched_for_is_asked_for_too(
    in_process: Any, api: Recorder, mode: str
) -> None:
    call = ("call_tool", {"name": "delete_book", "arguments": {"book_id": "1"}})
    person = Person("decline", "accept")
    results = calls(in_process(mode="--lazy").server, mode, person, call, call)
    assert [failed for failed, _ in results] == [True, False]
    assert len(api.requests) == 1


def test_a_person_may_take_longer_than_a_call(
    in_process: Any, api: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Person):
        async def __call__(self, _: Any, question: Any) -> ElicitResult:
            await asyncio.sleep(1.6)
            return await super().__call__(_, question)

    monkeypatch.setenv(f"{PREFIX}_TOTAL_TIMEOUT", "0.4")
    assert calls(in_process().server, "legacy", Slow("accept"), DELETE)[0][0] is False


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("no\n", 1), ("", 1), (None, 1)])
def test_a_shell_asks_on_its_terminal_or_refuses(
    in_process: Any, api: Recorder, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], typed: str | None, code: int,
) -> None:  # fmt: skip
    main = importlib.import_module(f"{PACKAGE}.runtime.command").main
    terminal = io.StringIO(typed or "")
    monkeypatch.setattr("sys.stdin", terminal)
    if typed is not None:
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(PACKAGE, ["call", "delete_book", "book_id=b1"]) == code
    said = capsys.readouterr().err
    assert ("[y/N]" in said, "cannot ask one" in said) == (typed is not None, typed is None)
    assert len(api.requests) == (code == 0)


@pytest.mark.parametrize(("form", "url", "can"), [
    (None, None, True), ({}, None, True), ({}, {}, True), (None, {}, False),
])  # fmt: skip
def test_a_client_that_opens_pages_alone_is_shown_no_form(form: Any, url: Any, can: bool) -> None:
    session = SimpleNamespace(client_capabilities=SimpleNamespace(elicitation=None))
    asked: Any = SimpleNamespace(session=session, protocol_version="2026-07-28")
    context: Any = SimpleNamespace(sent_by=asked)
    assert not ask._can_ask(context)
    session.client_capabilities.elicitation = SimpleNamespace(form=form, url=url)
    assert ask._can_ask(context) is can

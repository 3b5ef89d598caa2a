"""What an operator sees of calls: lines of the log, traces, metrics and the audit."""

from __future__ import annotations

import json
import os
import re
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from served import Server, Start, call, opened
from shop import PACKAGE, Recorder
from shop import ended as run

from mcpgen.runtime.parts.audit import lines as audit
from mcpgen.runtime.parts.telemetry import instruments
from mcpgen.runtime.parts.telemetry.instruments import END_SECONDS
from mcpgen.runtime.record import Record, recorded
from mcpgen.runtime.secrets import MASK, Caller, Redactor, Secret
from tests.loopback import Asked, Loopback, free_port

DEPLOY = Path(__file__).parents[2] / "templates" / "deploy"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


class Collector(Loopback):
    """What a collector of OpenTelemetry received."""

    def __init__(self) -> None:
        self.traces: list[Any] = []
        self.metrics: list[Any] = []
        super().__init__(self.received)

    def received(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Note what was sent."""
        if asked.target == "/v1/traces":
            self.traces.append(ExportTraceServiceRequest.FromString(asked.body))
        else:
            self.metrics.append(ExportMetricsServiceRequest.FromString(asked.body))
        return 200, {}, b""

    def spans(self) -> dict[str, Any]:
        """Every span by its name."""
        return {
            span.name: span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        }


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on this machine."""
    collector = Collector()
    yield collector
    collector.close()


GET = call("get_book", {"book_id": "7"})
UPDATE = call("update_book", {"book_id": "8", "title": "T", "blurb": "canary-key-0123456789"})


def attributes(span: Any) -> dict[str, Any]:
    """The attributes of a span, texts and numbers."""
    return {item.key: item.value.string_value or item.value.int_value for item in span.attributes}


def ended(server: Server) -> list[dict[str, Any]]:
    """The lines of the log of a server that was asked to end."""
    server.ask_to_end()
    assert server.exit_code() == 0
    return [json.loads(line) for line in server.stop().splitlines() if line.startswith("{")]


@pytest.mark.parametrize("place", ["_meta", "header"])
def test_a_call_is_one_trace_from_the_caller_to_the_api(
    start: Start, api: Recorder, collector: Collector, monkeypatch: Any, place: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.version=9")
    server = start(TELEMETRY="1", HTTP_GRACE="0")
    if place == "_meta":
        server.send(call("get_book", {"book_id": "7"}, traceparent=PARENT))
    else:
        server.send(GET, traceparent=PARENT)
    [line] = [line for line in ended(server) if line["event"] == "call"]
    spans = collector.spans()
    served, requested = spans["tools/call get_book"], spans["GET"]
    assert {span.trace_id.hex() for span in (served, requested)} == {TRACE}
    assert served.parent_span_id.hex() == "00f067aa0ba902b7"
    assert requested.parent_span_id == served.span_id
    assert line["trace"] == TRACE
    carried = api.requests[-1][2]["traceparent"]
    assert carried == f"00-{TRACE}-{requested.span_id.hex()}-01"
    said = attributes(served)
    assert said["mcp.method.name"] == "tools/call"
    assert said["gen_ai.tool.name"] == "get_book"
    assert (said["network.transport"], said["network.protocol.name"]) == ("tcp", "http")
    assert instruments._transport(SimpleNamespace(request=None)) == {"network.transport": "pipe"}
    assert attributes(requested)["http.response.status_code"] == 200
    of_server = attributes(collector.traces[0].resource_spans[0].resource)
    assert (of_server["service.name"], of_server["service.version"]) == ("shop-mcp", "9")
    assert collector.metrics


LIMITS = {
    "api_queue": 128, "api_requests": 64, "calls": 256, "connections": 1024, "open_breakers": 1,
}  # fmt: skip
"""What is in use of which limit."""


def test_prometheus_finds_metrics_on_a_port_of_their_own(start: Start, api: Recorder) -> None:
    port = free_port()
    server = start(METRICS_PORT=str(port))
    server.send(GET)
    api.answer = (404, b"{}")
    server.send(GET)
    server.send(call("made_up_by_a_caller", {}))
    idle = opened(server, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert idle.recv(9) == b"HTTP/1.1 "
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]

    def value(name: str, *labels: str) -> float:
        """The sum of the series with these labels."""
        series = [each for each in lines if each.startswith(f"{name}{{")]
        chosen = [each for each in series if all(label in each for label in labels)]
        return sum(float(each.rpartition(" ")[2]) for each in chosen)

    book = 'gen_ai_tool_name="get_book"'
    assert value("mcp_server_calls_total", book, 'status="ok"') == 1
    assert value("mcp_server_calls_total", book, 'status="404"') == 1
    assert value("mcp_server_calls_total", '"_OTHER"', 'status="unknown_tool"') == 1
    assert value("mcp_server_operation_duration_seconds_count", 'error_type="tool_error"') == 1
    assert value("http_client_request_duration_seconds_count", '"404"') == 1
    assert value("mcp_server_api_queue_duration_seconds_count", book) == 2
    assert value("mcp_server_result_size_bytes_total", book) > 100
    assert "made_up" not in text
    idle.close()
    used = {name: value("mcp_server_usage", f'resource="{name}"') for name in LIMITS}
    assert used.pop("connections") >= 1 and set(used.values()) == {0}
    assert {name: value("mcp_server_limit", f'resource="{name}"') for name in LIMITS} == LIMITS
    assert value("mcp_server_events_total", 'event="call_failed"') == 2
    # Whatever alerts, dashboard and autoscalers ask for is there
    asked = "".join(path.read_text() for path in DEPLOY.rglob("*.jinja"))
    names = set(re.findall(r"\b(?:mcp_server|http_client|process)_[a-z_]+", asked))
    assert len(names) > 8 and names <= {re.split("[ {]", line)[0] for line in lines}
    assert server.send(method="GET", path="/metrics", content_length="0")[0] in (404, 405)


def test_every_call_is_one_line_without_arguments_and_values(start: Start, api: Recorder) -> None:
    server = start(HTTP_GRACE="0")
    server.send(call("get_book", {"book_id": "canary-argument"}))
    server.send(call("get_book", {"book_id": 7, "x": "canary-argument"}))
    server.send(call("nothing", {}))
    lines = ended(server)
    calls = [line for line in lines if line["event"] in ("call", "call_failed")]
    assert [(line["tool"], line["status"]) for line in calls] == [
        ("get_book", "ok"), ("get_book", "invalid_arguments"), ("nothing", "unknown_tool"),
    ]  # fmt: skip
    assert calls[0]["requests"] == 1
    assert calls[0]["bytes"] > 50
    assert "canary-argument" not in json.dumps(calls[0])


def test_the_trace_of_a_caller_is_in_the_line_without_telemetry(start: Start) -> None:
    server = start(HTTP_GRACE="0")
    for meta in (
        {"traceparent": PARENT},
        {},
        *({"traceparent": odd} for odd in ({"a": 1}, 5, ["x"], None)),
    ):
        status, _, body = server.send(call("get_book", {"book_id": "7"}, **meta))
        assert status == 200
        assert "isError" in json.loads(body)["result"]
    lines = ended(server)
    traces = [line.get("trace") for line in lines if line["event"] == "call"]
    assert traces == [TRACE, None, None, None, None, None]
    assert "traceback" not in json.dumps(lines)


def test_arguments_are_logged_and_writes_audited_without_secrets(
    start: Start, api: Recorder, tmp_path: Path
) -> None:
    path = tmp_path / "audit.jsonl"
    path.write_text("an earlier line\n")
    path.chmod(0o600)
    server = start(AUDIT=str(path), LOG_ARGUMENTS="1", HTTP_GRACE="0")
    server.send(GET)
    server.send(UPDATE)
    api.answer = (409, b"{}")
    server.send(call("delete_book", {"book_id": "1"}))
    calls = [line for line in ended(server) if line["event"] in ("call", "call_failed")]
    assert calls[0]["arguments"] == {"book_id": "7"}
    assert calls[1]["arguments"]["book_id"] == "8"
    first, *lines = path.read_text().splitlines()
    assert first == "an earlier line"
    records = [json.loads(line) for line in lines]
    entries = [(record["tool"], record["status"]) for record in records]
    assert entries == [("update_book", "ok"), ("delete_book", 409)]
    assert records[0]["arguments"]["book_id"] == "8"
    assert "canary" not in json.dumps([calls, records])


def test_what_is_no_message_is_logged_without_its_content(start: Start) -> None:
    server = start()
    assert server.send(b"canary")[0] == 400
    [line] = [line for line in ended(server) if line["event"] == "message_refused"]
    assert (line["transport"], line["code"], line["level"]) == ("http", -32700, "warning")
    assert "canary" not in json.dumps(line)


def test_the_audit_goes_to_syslog_as_security_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(str(tmp_path / "log"))
        journal.settimeout(10)
        monkeypatch.setattr(audit, "SOCKET", str(tmp_path / "log"))
        hidden = audit.Arguments(Redactor(["secret-of-mine"]), ["ssn"])
        note = audit.audit("syslog", "shop", hidden)
        note(Record("list_books", writes=False))
        arguments = {"id": 1, "ssn": "078-05-1120", "note": "my secret-of-mine"}
        note(Record("remove_book", writes=True, arguments=arguments))
        message = journal.recv(65_536).decode()
    # RFC 5424, section 6.2.1: facility 10 (authpriv), severity 6 (informational)
    # A message that begins with its text loses the first word of it, which is taken for the tag
    start, _, text = message.partition(" ")
    assert start == f"<86>shop-mcp[{os.getpid()}]:"
    line = json.loads(text)
    assert (line["tool"], len(line), line["trace"]) == ("remove_book", 7, "")
    assert line["arguments"] == {"id": 1, "note": f"my {MASK}"}


def test_arguments_that_are_nested_too_deeply_keep_no_call_from_the_audit(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(101):  # what writes the line walks again, and deeper in the stack
        deep = [deep]
    path = tmp_path / "audit.jsonl"
    note = audit.audit(str(path), "shop", audit.Arguments(Redactor(), []))
    note(Record("remove_book", writes=True, arguments={"id": deep}))
    line = json.loads(path.read_text())
    assert line["tool"] == "remove_book" and "nested too deeply" in line["arguments"]


def test_long_arguments_are_in_the_audit_and_those_of_a_file_are_cut() -> None:
    fields = audit.Arguments(Redactor(), [])
    for length, expected in ((60_000, dict), (70_000, str)):
        arguments = {"note": "x" * length}
        [told] = fields(Record("remove_book", writes=True, arguments=arguments)).values()
        assert isinstance(told, expected)
        assert json.dumps(arguments)[:65_536] == (told if expected is str else json.dumps(told))


def audited(place: str, caplog: pytest.LogCaptureFixture) -> Callable[[str], str]:
    """Notes the call of a tool of some name; the reason in the log where that failed."""
    note = audit.audit(place, "shop", audit.Arguments(Redactor(), []))

    def call_of(tool: str) -> str:
        caplog.clear()
        note(Record(tool, writes=True))
        return "".join(record.fields["reason"] for record in caplog.records)  # type: ignore[attr-defined]

    return call_of


def test_after_an_audit_is_moved_away_there_is_a_new_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "audit.jsonl"
    note = audited(str(path), caplog)
    note("first")
    path.rename(tmp_path / "audit.1")
    note("second")
    assert json.loads((tmp_path / "audit.1").read_text())["tool"] == "first"
    assert json.loads(path.read_text())["tool"] == "second"
    assert path.stat().st_mode & 0o777 == 0o600


def test_half_a_line_on_a_full_disk_is_a_failure_and_spoils_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.jsonl"
    note = audited(str(path), caplog)
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: write(file, data[:20]))
        assert note("first") == "No space left on device"
    assert note("second") == ""
    half, line = path.read_text().splitlines()
    assert len(half) == 20
    assert json.loads(line)["tool"] == "second"


def test_a_system_log_that_is_down_or_hangs_fails_the_audit_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    monkeypatch.setattr(audit, "SOCKET", str(path))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(str(path))
        note = audited("syslog", caplog)
        reasons = [note("a_tool") for _ in range(2_000)]  # more than a socket has room for
        assert reasons[0] == "" and reasons.count("timed out") == 1
        assert audited("syslog", caplog)("a_tool") == "timed out"  # the first line of a server
        assert reasons[-1] == "Resource temporarily unavailable"
    assert note("a_tool") == "Connection refused"
    path.unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(str(path))
        assert note("a_tool") == ""


def test_an_audit_that_cannot_be_written_keeps_the_server_from_starting(
    package: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    done = run(package, environment | {"SHOP_MCP_AUDIT": str(tmp_path / "no" / "audit")})
    assert done.returncode == 2
    assert f"the audit cannot be written to `{tmp_path}/no/audit`: No such file" in done.stderr


@pytest.mark.parametrize("name", ["/dev/stdout", "link", "/dev/stderr"])
def test_an_audit_does_not_go_where_the_answers_go(
    package: Path, environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    (tmp_path / "link").symlink_to("/proc/self/fd/1")
    both = (
        f"import os; os.dup2(1, 2); from {PACKAGE}.__main__ import main; raise SystemExit(main())"
    )
    done = run(package, environment | {"SHOP_MCP_AUDIT": str(tmp_path / name)}, "-c", both)
    assert done.returncode == 2
    assert f"{name}`: over stdio that is where the client reads the answers" in done.stdout


def test_a_collector_that_hangs_does_not_keep_the_server_from_ending(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hangs:
        url = f"http://127.0.0.1:{hangs.getsockname()[1]}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        server = start(TELEMETRY="1", HTTP_GRACE="0")
        server.send(GET)
        began = time.monotonic()
        lines = ended(server)
    assert "telemetry_not_sent" in [line["event"] for line in lines]
    assert time.monotonic() - began < END_SECONDS + 25


def test_telemetry_says_what_to_install(package: Path, environment: dict[str, str]) -> None:

    blocker = (
        "import sys; sys.modules['opentelemetry.sdk.resources'] = None\n"
        f"from {PACKAGE}.__main__ import main; sys.exit(main())"
    )
    done = run(package, environment | {"SHOP_MCP_TELEMETRY": "1"}, "-c", blocker)
    assert done.returncode == 2
    assert "need the package `opentelemetry-sdk`: add it to `dependencies`" in done.stderr


def test_telemetry_that_is_off_imports_nothing(package: Path, environment: dict[str, str]) -> None:
    script = (
        "import sys\n"
        f"from {PACKAGE}.runtime.app import App\n"
        f"App({PACKAGE!r})\n"
        "print([name for name in sys.modules"
        " if name.startswith(('opentelemetry.sdk', 'prometheus_client', 'opentelemetry.exporter'))"
        " or name.endswith(('runtime.parts.telemetry.instruments', 'runtime.parts.audit.lines'))])"
    )
    assert run(package, environment, "-c", script).stdout.strip() == "[]"


def test_the_line_of_a_call_names_its_caller(caplog: pytest.LogCaptureFixture) -> None:
    caller = Caller("https://issuer.example", "user-17", "desk", Secret("t0ken"), 0.0, "")
    with caplog.at_level("INFO", logger="mcpgen.runtime"), recorded("get_book", caller.fields()):
        pass
    [line] = caplog.records
    assert line.getMessage() == "call"
    assert vars(line)["fields"]["subject"] == "user-17"
    assert "t0ken" not in str(vars(line))

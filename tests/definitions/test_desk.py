"""The sample server of functions: each tool does its work, and nothing else."""

import json
import shutil
import socketserver
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
from own_project import Project, tool

SAMPLE = Path(__file__).parents[2] / "samples" / "desk" / "custom"


class Mail(socketserver.StreamRequestHandler):
    """An SMTP server (RFC 5321) that keeps what it gets and refuses one address."""

    got: ClassVar[list[str]] = []

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.got.append(b"".join(lines).decode())
            refused = word == b"RCPT" and b"unknown" in line
            answers = {b"QUIT": b"221 bye", b"RCPT": b"550 unknown" if refused else b"250 fine"}
            self.wfile.write(answers.get(word, b"250 fine") + b"\r\n")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project({"tools": [tool()]}, tmp_path_factory.mktemp("desk"))
    for path in SAMPLE.glob("*.py"):
        shutil.copy(path, made.package / "custom")
    made.generate(renew=True)
    return made


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, a database, settings and a mail server."""
    folder = tmp_path / "data"
    (folder / "reports").mkdir(parents=True)
    (tmp_path / "secret.csv").write_text("canary")
    for name in ("a.csv", "b.csv", "reports/may.csv", "reports/may.pdf", ".hidden.csv"):
        (folder / name).write_text("x")
    (folder / "out.csv").symlink_to(tmp_path / "secret.csv")
    with closing(sqlite3.connect(tmp_path / "desk.sqlite")) as database, database:
        database.execute("create table customers (id integer primary key, name text)")
        names = [(f"name {number}",) for number in range(5)]
        database.executemany("insert into customers (name) values (?)", names)
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = {
        "FOLDER": folder, "DATABASE": tmp_path / "desk.sqlite", "CONFIG": tmp_path / "desk.json",
        "SENDER": "desk@example.com", "SMTP": f"127.0.0.1:{server.server_address[1]}",
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(f"DESK_{name}", str(value))
    Mail.got.clear()
    yield tmp_path
    server.shutdown()
    server.server_close()


def done(desk: Project, name: str, **arguments: Any) -> Any:
    result = desk.call(name, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def refused(desk: Project, name: str, **arguments: Any) -> str:
    result = desk.call(name, arguments)
    assert result.is_error, result.structured_content
    text = str(result.content[0].text)
    assert "failed inside" not in text and "canary" not in text
    return text


def test_every_tool_has_its_hints_and_describes_each_argument(desk: Project) -> None:
    listed: Any = desk.talk(lambda client: client.list_tools()).tools
    hints = {each.name: each.annotations for each in listed if each.name != "find_book"}
    reads = {name for name, each in hints.items() if each.read_only_hint}
    assert reads == {"search_files", "read_database"}
    assert {name for name, each in hints.items() if each.open_world_hint} == {"send_email"}
    assert {name for name, each in hints.items() if each.destructive_hint} == hints.keys() - reads
    for each in listed:
        if each.name != "find_book":
            assert each.output_schema, each.name
            for name, schema in each.input_schema["properties"].items():
                assert schema["description"], (each.name, name)


def test_files_are_found_by_name_and_by_path(desk: Project) -> None:
    found = done(desk, "search_files", pattern="*.csv")
    assert found == {"files": ["a.csv", "b.csv", "reports/may.csv"], "more": False}
    assert done(desk, "search_files", pattern="reports/*")["files"] == [
        "reports/may.csv", "reports/may.pdf",
    ]  # fmt: skip
    assert done(desk, "search_files", pattern="*", limit=1) == {"files": ["a.csv"], "more": True}


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "reports/../../*"])
def test_no_pattern_leads_out_of_the_folder(desk: Project, pattern: str) -> None:
    assert "below the data folder" in refused(desk, "search_files", pattern=pattern)


def test_a_query_is_answered_up_to_its_limit(desk: Project) -> None:
    query = "select id, name from customers order by id"
    rows = done(desk, "read_database", query=query, limit=2)
    assert rows == {"columns": ["id", "name"], "rows": [[1, "name 0"], [2, "name 1"]], "more": True}
    counted = done(desk, "read_database", query="select count(*) as n from customers")
    assert counted == {"columns": ["n"], "rows": [[5]], "more": False}


@pytest.mark.parametrize("query", [
    "delete from customers", "drop table customers", "select 1; drop table customers",
    "attach 'x.sqlite' as x", "pragma writable_schema = 1", "insert into customers values (9, 'x')",
    "select load_extension('x')", "vacuum into 'x.sqlite'", "create table x (a)", "nonsense",
])  # fmt: skip
def test_a_query_cannot_change_anything(desk: Project, surroundings: Path, query: str) -> None:
    before = (surroundings / "desk.sqlite").read_bytes()
    refused(desk, "read_database", query=query)
    assert (surroundings / "desk.sqlite").read_bytes() == before


def test_a_query_without_an_end_is_stopped(desk: Project) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    began = time.monotonic()
    assert "longer than 5 seconds" in refused(desk, "read_database", query=endless)
    assert time.monotonic() - began < 15


def test_a_record_is_deleted_once(desk: Project) -> None:
    assert done(desk, "delete_record", table="customers", id=2) == {"id": 2, "deleted": True}
    assert done(desk, "delete_record", table="customers", id=2) == {"id": 2, "deleted": False}
    refused(desk, "delete_record", table="customers; drop table customers", id=1)
    counted = done(desk, "read_database", query="select count(*) from customers")
    assert counted["rows"] == [[4]]


def test_settings_are_changed_together_or_not_at_all(desk: Project, surroundings: Path) -> None:
    done(desk, "update_config", changes={"page_size": 20})
    assert done(desk, "update_config", changes={"dark": True}) == {
        "greeting": "Hello", "page_size": 20, "dark": True,
    }  # fmt: skip
    text = refused(desk, "update_config", changes={"page_size": 0, "colour": "red", "dark": False})
    assert "`page_size`" in text and "`colour`" in text
    kept = json.loads((surroundings / "desk.json").read_text())
    assert kept == {"greeting": "Hello", "page_size": 20, "dark": True}


def test_an_e_mail_arrives(desk: Project) -> None:
    done(desk, "send_email", to="ada@example.com", subject="Hello", body="A text\n.\nwith a dot")
    [message] = Mail.got
    assert "To: ada@example.com" in message and "From: desk@example.com" in message
    assert message.endswith("A text\r\n..\r\nwith a dot\r\n")


@pytest.mark.parametrize(("to", "subject", "told"), [
    ("not-an-email", "x", "`to`"), ("a@example.com, b@example.com", "x", "`to`"),
    ("a@example.com\nBcc: b@example.com", "x", "`to`"), ("a@example.com", "x\nBcc: b@e.org", "one line"),
    ("unknown@example.com", "x", "refused the recipient"),
])  # fmt: skip
def test_an_e_mail_that_cannot_be_sent_is_refused(
    desk: Project, to: str, subject: str, told: str
) -> None:
    assert told in refused(desk, "send_email", to=to, subject=subject, body="x")
    assert Mail.got == []


def test_what_is_not_set_up_names_its_variable(
    desk: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABASE", "CONFIG", "SENDER"):
        monkeypatch.delenv(f"DESK_{name}")
    assert "DESK_DATABASE" in refused(desk, "read_database", query="select 1")
    assert "DESK_CONFIG" in refused(desk, "update_config", changes={"dark": True})
    assert "DESK_SENDER" in refused(desk, "send_email", to="a@example.com", subject="x", body="x")

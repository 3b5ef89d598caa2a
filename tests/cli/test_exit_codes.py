"""Every way a command can end: a message a person understands, and the exit code scripts rely
on.
"""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcpgen import problems
from mcpgen.cli import failure
from mcpgen.problems import Problem

from .conftest import SPECS

MCPGEN = [sys.executable, "-m", "mcpgen"]
ROOT = Path(__file__).parents[2]






@pytest.mark.parametrize("words", [
    ("generate", "missing.yaml"), ("generate", "."), ("generate",), ("generate", "--nonsense"),
    ("generate", "x.yaml", "--profile", "other"), ("generate", "x.yaml", "--output"), ("nonsense",),
    ("explain", "E9999"), ("check", "nowhere"),
], ids=" ".join)  # fmt: skip
def test_wrong_usage(mcpgen, here, words):
    ended = mcpgen(*words)
    assert ended.code == 2 and ended.err.startswith("error") and "Traceback" not in ended.err


def test_a_misspelt_command_gets_a_suggestion(mcpgen):
    assert "generate" in mcpgen("genrate").err


def test_a_reference_to_another_host_is_refused(mcpgen, here):
    (here / "openapi.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths:\n  /a:\n    $ref:"
        " ftp://127.0.0.1:9/paths.yaml#/a\n"
    )
    ended = mcpgen("generate", "openapi.yaml")
    assert ended.code == 3 and "127.0.0.1" in ended.err


@pytest.mark.parametrize(("error", "code", "said"), [
    (problems.DocumentError(Problem(code="E0101", severity="error", message="m")), 1,
     "error[E0101]: m"),
    (problems.UsageError(), 2, "error"),
    (problems.RefusedError(Problem(code="E1301", severity="error", message="m")), 3,
     "error[E1301]"),
    (problems.OutputConflictError(Problem(code="E1201", severity="error", message="m")), 4,
     "error[E1201]"),
    (KeyboardInterrupt(), 130, "interrupted"), (MemoryError(), 1, "memory"),
    (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out/x"), 1, "out/x"),
    (ValueError("what is this\x1b[31m"), 70, "a bug in mcpgen"),
], ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value))  # fmt: skip
def test_every_exception_becomes_a_message_and_a_code(capsys, error, code, said):
    assert failure.report(error, debug=False) == code
    captured = capsys.readouterr()
    assert said in captured.err and "Traceback" not in captured.err and "\x1b" not in captured.err
    assert captured.out == ""


def test_a_bug_asks_for_a_report_and_debug_shows_the_traceback(mcpgen, here, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("surprise")

    monkeypatch.setattr("mcpgen.report.codes.table", broken)
    plain = mcpgen("explain")
    assert plain.code == 70
    assert "report" in plain.err and "--debug" in plain.err and "surprise" in plain.err
    assert "Traceback" not in plain.err
    monkeypatch.setattr("mcpgen.lint.hidden_text.findings", broken)
    shown = mcpgen("inspect", SPECS / "bookshop.yaml", "--debug")
    assert shown.code == 70 and "Traceback" in shown.err and "surprise" in shown.err


def test_a_reader_that_has_gone_is_no_error():
    with subprocess.Popen(
        [*MCPGEN, "inspect", str(SPECS / "bookshop.yaml"), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def wait_until_read(pipe: int) -> None:
    """Wait until the other side has read all that was written: the run is under way then."""
    import fcntl
    import termios

    waiting = b"1"
    while any(waiting):
        time.sleep(0.05)
        waiting = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_quickly_and_quietly(tmp_path):
    fifo_like = [*MCPGEN, "generate", "-", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        fifo_like,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(b"openapi: 3.1.0")
        process.stdin.flush()
        wait_until_read(process.stdin.fileno())
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()

"""Colour, width and movement: only where somebody looks."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import SPECS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")


def on_a_terminal(*words: str, **environment: str) -> str:
    """What a command shows on a terminal of 80 columns."""
    leader, follower = pty.openpty()
    env = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "CI", "FORCE_COLOR")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", *words],
        stdout=follower,
        stderr=follower,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        env={**env, "TERM": "xterm-256color", "COLUMNS": "80", **environment},
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    assert process.wait(timeout=30) == 0
    return shown.decode()


def test_a_terminal_gets_colour():
    assert "\x1b[" in on_a_terminal("inspect", str(SPECS / "bookshop.yaml"))


def test_no_color_is_respected():
    shown = on_a_terminal("explain", "E0203", NO_COLOR="1")
    assert "\x1b[3" not in shown and "\x1b[9" not in shown


def test_a_pipe_gets_neither_colour_nor_movement(mcpgen):
    ended = mcpgen("inspect", SPECS / "faulty.yaml")
    assert "\x1b" not in ended.out + ended.err
    assert "reading" not in ended.err


def test_the_output_fits_eighty_columns():
    shown = on_a_terminal("inspect", str(SPECS / "bookshop.yaml"), NO_COLOR="1", TERM="dumb")
    assert max(len(line.rstrip("\r")) for line in shown.split("\n")) <= 80


@pytest.mark.parametrize(
    ("words", "offer"), [("explain E020", "E0203"), ("lint --client curs", "cursor")]
)
def test_a_shell_completes_codes_and_clients(words, offer):
    environment = {
        **os.environ,
        "_MCPGEN_COMPLETE": "complete_bash",
        "COMP_WORDS": f"mcpgen {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    code = "from typer.main import get_command; from mcpgen.cli import app;"
    code += "get_command(app)(prog_name='mcpgen')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert offer in done.stdout.split(), done.stderr

"""A command as a process: quick, ended at any moment, with streams that are closed or know ASCII."""

import os
import shlex
import signal
import subprocess
import sys

import pytest

from mcpgen.cli import PANELS

from .conftest import SPECS

PROGRAM = (sys.executable, "-m", "mcpgen")


LARGE = frozenset(
    "black datamodel_code_generator httpx jinja2 jsonschema mcp openapi_spec_validator"
    " ruamel starlette uvicorn yaml yarl".split()
)
"""Packages that only commands with a document need; the start of each takes longer than typer's."""


def imported(*words: str, **variables: str) -> set[str]:
    """The modules that a command imports, by their full names."""
    command = [sys.executable, "-X", "importtime", *PROGRAM[1:], *words]
    ended = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    lines = [line for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize(("words", "own"), [
    ("--help", 15), ("mcpgen gen", 15), ("mcpgen check --u", 30), ("mcpgen generate --inc", 30), ("mcpgen call get_", 34),
    ("check", 46), ("list", 45), ("verify", 46),
])  # fmt: skip
def test_what_needs_no_document_imports_little(here, words, own):
    variables = {}
    if words.startswith("mcpgen "):
        count = str(len(words.split()) - 1)
        variables = {"_MCPGEN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": count}
        words = ""
    modules = imported(*words.split(), **variables)
    assert {name.partition(".")[0] for name in modules}.isdisjoint(LARGE)
    assert 1 <= sum(name.startswith("mcpgen") for name in modules) <= own


def test_the_list_of_commands_says_what_each_says_first_of_itself(mcpgen):
    for panel in PANELS.values():
        for name, sentence in panel.items():
            assert sentence in " ".join(mcpgen(name, "--help").out.split())


STARTED = ("-c", "import sys; from mcpgen.__main__ import main; sys.exit(main())")
"""What the console script does."""


@pytest.mark.parametrize("module", ["enum", "signal", "typer._click", "typer.main", "mcpgen.cli.screen",
    "rich.console", "mcpgen.problems", "mcpgen.config.keys", "mcpgen.load.source", "jinja2"])  # fmt: skip
def test_an_interrupt_while_modules_are_imported_is_no_traceback(here, module):
    words = [sys.executable, "-X", "importtime", *STARTED, "inspect", SPECS / "bookshop.yaml"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, stdout=-3) as process:
        for line in process.stderr:
            if line.rstrip().endswith(f" {module}"):
                process.send_signal(signal.SIGINT)
                break
        said = "".join(line for line in process.stderr if not line.startswith("import time"))
    assert process.returncode == 130 and "Traceback" not in said and "bug" not in said


def test_an_interrupt_that_python_drops_comes_again(here):
    """A callback of a weak reference cannot raise."""
    program = """
import signal, sys, time, weakref
from mcpgen.cli import interrupts
class Thing: pass
interrupts.begin()
thing = Thing()
there = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
try:
    del thing
    time.sleep(50)
except KeyboardInterrupt:
    sys.exit(130)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=40)
    assert (done.returncode, done.stderr) == (130, b"")


def test_an_interrupted_call_ends_the_server_in_silence(mcpgen, bookshop, here):
    assert mcpgen("generate", "bookshop.yaml", "-o", "shop").code == 0
    hooks = here / "shop" / "src" / "bookshop_mcp" / "hooks.py"
    hooks.write_text(
        'import sys, time\nprint("here", file=sys.stderr, flush=True)\ntime.sleep(50)\n'
    )
    words = [*PROGRAM, "call", "get_status", "--project", "shop"]
    variables = {**os.environ, "MCPGEN_PYTHON": sys.executable}
    with subprocess.Popen(
        words, env=variables, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        said = ""
        while "here" not in said:
            said += process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_server_that_is_ended_leaves_nothing_behind(here, tmp_path, name):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = {**os.environ, "TMPDIR": str(temporary), "MCPGEN_PYTHON": sys.executable}
    words = [*PROGRAM, "serve", SPECS / "bookshop.yaml", "--http", "--port", "0"]
    with subprocess.Popen(words, env=variables, stderr=subprocess.PIPE, text=True) as process:
        said = ""
        while "Serving" not in said:
            said += process.stderr.readline()
        assert list(temporary.iterdir())
        process.send_signal(getattr(signal, name))
        said = process.stderr.read()
    assert process.returncode == {"SIGINT": 0, "SIGTERM": 143, "SIGHUP": 129}[name]
    assert list(temporary.iterdir()) == [] and "Traceback" not in said and "error" not in said


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-", "<&- >&-", "> /dev/full"])
def test_closed_and_full_streams_are_no_traceback(here, streams):
    command = f"{shlex.join([*PROGRAM, 'inspect', str(SPECS / 'bookshop.yaml')])} {streams}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr and "bug" not in done.stderr
    assert done.returncode == (1 if "full" in streams else 0)


def test_characters_that_a_terminal_does_not_know_are_replaced(here):
    (here / "a.yaml").write_text((SPECS / "bookshop.yaml").read_text().replace("Bookshop", "本屋"))
    variables = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [*PROGRAM, "generate", "a.yaml", "-o", "x", "--name", "shop"]
    done = subprocess.run(words, capture_output=True, env=variables, check=True)
    assert b"~ 2," in done.stdout and b"\\u672c\\u5c4b" in done.stdout


def test_a_current_folder_that_is_gone_is_told(tmp_path):
    command = f"mkdir gone && cd gone && rmdir ../gone && {shlex.join([*PROGRAM, 'check'])}"
    words = ["bash", "-c", command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: the current folder is gone: change to one that is there\n"

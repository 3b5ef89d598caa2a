"""What the tests of `write` share: small projects, what is on the disk, and children that die on
the way.
"""

import functools
import importlib.resources.readers  # noqa: F401  (Python 3.13 loads it late, where a call may fail)
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcpgen.write import Changes, Lock, write

OLD = {
    "README.md": "read me\n", "server.json": "{}\n", "src/shop_mcp/server.py": "print('old')\n",
    "src/shop_mcp/tools/books.py": "old = 1\n", "src/shop_mcp/tools/authors.py": "authors = 1\n",
    "src/shop_mcp/hooks.py": "",
}  # fmt: skip
NEW = {
    "README.md": "read me, new\n", "server.json": "{}\n",
    "src/shop_mcp/server.py": "print('new')\n", "src/shop_mcp/tools/books.py": "new = 2\n",
    "src/shop_mcp/models/orders.py": "orders = 1\n", "src/shop_mcp/hooks.py": "",
    "clients/cursor.json": "{}\n",
}  # fmt: skip
MINE = {
    "notes.txt": "mine\n",
    "src/shop_mcp/custom/reports.py": "mine = 1\n",
    ".git/HEAD": "ref: main\n",
}
MOVED = {path.replace("src/shop_mcp/", "src/store_mcp/"): text for path, text in NEW.items()}
NEWER = {**NEW, "src/shop_mcp/server.py": "print('newer')\n", "tests/test_tools.py": "newer\n"}

EVENTS = {
    "open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.scandir", "os.listdir",
    "shutil.rmtree", "ctypes.dlsym", "os.utime", "shutil.copystat",
}  # fmt: skip
"""Audit events of the standard library that come right before something is done to the disk."""


def facts(document: str = "1") -> Lock:
    """The facts of a run that knows no tools."""
    return Lock(
        generator="1.0", document=document, openapi="3.1.0", config="c",
        base_url="https://api.example.com", allowed_origins=(), auth={}, security=(), tools=(),
    )  # fmt: skip


def put(folder: Path, files: dict[str, str], encoding: str = "utf-8") -> None:
    """Files of the user."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding)


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder, links as their targets; empty folders end in a slash."""
    found: dict[str, str] = {}
    for here, folders, names in os.walk(folder):
        for name in names:
            path = Path(here) / name
            shown = path.relative_to(folder).as_posix()
            found[shown] = (
                f"-> {path.readlink()}"
                if path.is_symlink()
                else path.read_bytes().decode("latin-1")
            )
        if not folders and not names and Path(here) != folder:
            found[f"{Path(here).relative_to(folder).as_posix()}/"] = ""
    return found


def project(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A project that was generated once, with files of its user in it."""
    write(files or OLD, folder, lock_facts=facts())
    put(folder, MINE)
    return folder


def first(folder: Path) -> Changes:
    return write(OLD, folder, lock_facts=facts())


def update(folder: Path) -> Changes:
    return write(NEW, folder, lock_facts=facts("2"))


def newer(folder: Path) -> Changes:
    return write(NEWER, folder, lock_facts=facts("3"))


def removal(folder: Path) -> Changes:
    return write({"server.json": "{}\n"}, folder, lock_facts=facts("2"))


def move(folder: Path) -> Changes:
    return write(MOVED, folder, lock_facts=replace(facts("2"), name="store"), accept=True)


def shop(folder: Path) -> None:
    write(OLD, folder, lock_facts=replace(facts(), name="shop"))
    put(folder, MINE)
    put(folder, {"src/shop_mcp/hooks.py": "def before(): ...\n", "src/shop_mcp/mine.py": "mine\n"})


RUNS: dict[str, tuple[Callable[[Path], object], Callable[[Path], Changes]]] = {
    "first run": (str, first),  # no project yet
    "update": (project, update),
    "removal": (project, removal),
    "move of the package": (shop, move),
}


def child(work: Callable[[Path], object], folder: Path, *, at: int, do: str) -> int:
    """Do the work of a function of this module in a child that dies, or meets a full disk, right
    before its `at`-th change of the disk.

    Returns the child's exit code: -9 when it was killed, 0 at the end, 4 when it refused, else 1.
    """
    small = parent()
    small.stdin.write(json.dumps([work.__name__, str(folder), at, do]) + "\n")
    small.stdin.flush()
    return int(small.stdout.readline())


@functools.cache
def parent() -> Any:
    """The process whose copies the children are: one of the tests' takes far longer to copy."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, __file__], **pipes)


def copy_of_this(work: Callable[[Path], object], folder: Path, at: int, do: str) -> int:
    """Do the work in a copy of this process."""
    pid = os.fork()
    if pid:
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)
    count = 0

    def hook(event: str, given: object) -> None:
        nonlocal count
        if event not in EVENTS or f"{Path('mcpgen', 'data')}" in str(given):
            return  # a table of mcpgen's own
        count += 1
        if count == at:
            if do == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(28, "No space left on device")

    code = 1
    try:
        sys.addaudithook(hook)
        work(folder)
        code = 0
    except BaseException as error:
        code = getattr(error, "exit_code", 1)
        if code == 1:
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(code)


if __name__ == "__main__":
    os.fsync = lambda descriptor: None  # as in the tests: the machine does not fail
    for line in sys.stdin:
        name, place, *when = json.loads(line)
        print(copy_of_this(globals()[name], Path(place), *when), flush=True)

"""Servers that start as copies of a process which has imported what they import.

A copy is the child of the process that asked for it: it is waited for and ended as any other. Only
Linux has the means, and what is more than `python -m PACKAGE` starts as ever.
"""

import ctypes
import gc
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

IMPORTED = ("mcp", "uvicorn.protocols.http.h11_impl", "httpcore2", "aiohttp", "logging.config")
LEFT_ALONE = (None, None, None, -1, None)
"""No other group, groups and user, no umask, and nothing to run before."""
SUBREAPER = 36
"""The option of prctl(2) by which a process becomes the parent of orphans below it."""


class Nursery:
    """The process that is copied."""

    def __init__(self) -> None:
        self.fork: Any = subprocess._fork_exec  # type: ignore[attr-defined]
        self.lock = threading.Lock()
        self.environment = read_at_start(os.environ)
        self.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            )  # fmt: skip

    def close(self) -> None:
        """End it; its copies live on."""
        self.line.close()
        self.process.communicate()

    def start(
        self, words: Any, programs: Any, close: Any, kept: Any, folder: Any, *more: Any
    ) -> int:
        """Take the place of `subprocess._fork_exec`: return the number of a new child."""
        variables, ends, session = more[0], (more[1], more[4], more[6]), more[10]
        given = dict(os.environ)
        if variables is not None:
            pairs = [os.fsdecode(each).partition("=") for each in variables]
            given = {name: value for name, _, value in pairs}
        words = [os.fsdecode(word) for word in words]
        is_server = words[:2] == [sys.executable, "-m"] and words[2].endswith("_mcp")
        is_plain = more[11] == -1 and more[12:17] == LEFT_ALONE
        if not is_server or not is_plain or read_at_start(given) != self.environment:
            return int(self.fork(words, programs, close, kept, folder, *more))
        os.umask(mask := os.umask(0))
        wanted = [words[1:], given, os.fsdecode(folder or Path.cwd()), mask, bool(session)]
        streams = [own if end == -1 else end for own, end in enumerate(ends)]
        adopt = ctypes.CDLL(None).prctl
        with self.lock:
            adopt(SUBREAPER, 1, 0, 0, 0)
            socket.send_fds(self.line, [json.dumps(wanted).encode()], streams)
            number = int(self.line.recv(100))
            self.line.recv(100)
            adopt(SUBREAPER, 0, 0, 0, 0)
        return number


def read_at_start(environment: Any) -> dict[str, str]:
    """The variables that Python reads when it starts."""
    names = ("PYTHON", "LANG", "LC_", "COVERAGE")
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(names) and name != "PYTHONPATH"
    }


def copy(line: socket.socket) -> None:
    """Return in each copy, when it is to begin."""
    while True:
        wanted, streams, _, _ = socket.recv_fds(line, 1 << 20, 3)
        if not wanted:
            os._exit(0)
        if not (between := os.fork()):
            if number := os.fork():
                line.send(str(number).encode())
                os._exit(0)
            break
        os.waitpid(between, 0)  # now the copy has its new parent
        line.send(b".")
        for stream in streams:
            os.close(stream)
    line.close()
    words, variables, folder, mask, session = json.loads(wanted)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    os.umask(mask)
    if session:
        os.setsid()
    places = [place for place in variables.get("PYTHONPATH", "").split(os.pathsep) if place]
    sys.path[:0] = [str(Path.cwd()), *places]
    sys.argv = words[:1] + words[2:]
    runpy._run_module_as_main(words[1])  # type: ignore[attr-defined]


if __name__ == "__main__":
    for module in IMPORTED:
        importlib.import_module(module)
    gc.freeze()
    copy(socket.socket(fileno=int(sys.argv[1])))

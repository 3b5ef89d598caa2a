"""Servers as forks of a process that has imported what each of them imports: that is three quarters
of a start. Each is a process of its own, and a child of the one that asked for it.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import runpy
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

SUBREAPER = 36
"""`PR_SET_CHILD_SUBREAPER` of prctl(2): children whose parent ends become ours."""
LENGTH = 1 << 20


class Forked(subprocess.Popen[bytes]):
    """`python -m MODULE …` with pipes or files for its streams, begun as a fork."""

    def _execute_child(self, args: Any, *given: Any) -> None:
        environment, pipes = given[5], given[9:15]
        ends = (pipes[0], pipes[3], pipes[5])  # of the child
        streams = [number if end < 0 else end for number, end in enumerate(ends)]
        message = json.dumps([args[2:], environment, str(Path.cwd())]).encode()
        socket.send_fds(_to_be_forked(), [message], streams)
        self.pid = int(_to_be_forked().recv(LENGTH))
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


@functools.cache
def _to_be_forked() -> socket.socket:
    """The connection to the process that is forked, which ends with this one."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        subprocess.Popen([sys.executable, __file__], stdin=there)
    return here


def main() -> None:
    """Fork when asked, and in the fork become the module."""
    import_module("mcp.types")
    import_module("aiohttp")
    asked = socket.socket(fileno=os.dup(0))
    while True:
        text, streams, *_ = socket.recv_fds(asked, LENGTH, 3)
        if not text:
            return
        reader, writer = os.pipe()
        between = os.fork()
        if not between:
            child = os.fork()
            if not child:
                break
            os.write(writer, str(child).encode())
            os._exit(0)
        os.waitpid(between, 0)  # then it is a child of who asked
        asked.send(os.read(reader, 20))
        for used in (reader, writer, *streams):
            os.close(used)
    words, environment, folder = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    # What the former one knows of its file is not true of this one, which may be a pipe
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    asked.close()
    os.closerange(3, max(reader, writer, *streams) + 1)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:1] = [folder, environment["PYTHONPATH"]]
    sys.argv = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

"""A package served over HTTP in a process of its own, and raw connections to it."""

from __future__ import annotations

import functools
import http.client
import json
import os
import resource
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shop import begun

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
PLAIN = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
HALF_HEAD = b"POST /mcp HTTP/1.1\r\nX"


def _limit_files(files: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


class Server:
    """A served package: its port, and its stderr when it has ended."""

    def __init__(
        self, package: Path, environment: dict[str, str], *words: str, files: int | None = None
    ) -> None:
        """`files` is how many file descriptors the process may have."""
        self._errors = (package / "stderr").open("w+")
        self._process = begun(
            package, environment, "--http", "--port", "0", "--log-level", "info", *words,
            stdin=subprocess.DEVNULL, stdout=None, stderr=self._errors,
            preexec_fn=functools.partial(_limit_files, files) if files else None,
        )  # fmt: skip
        for _ in range(2_000):
            said = (package / "stderr").read_text()
            if "Serving MCP at" in said:
                break
            assert self._process.poll() is None, said
            time.sleep(0.025)
        self.url = said.split("Serving MCP at ")[1].split()[0]
        self.port = int(self.url.rsplit(":", 1)[1].removesuffix("/mcp"))

    def stop(self) -> str:
        """End the process; what it wrote to stderr."""
        if self._process.poll() is None:
            if "COVERAGE_PROCESS_START" in os.environ:
                self._process.terminate()  # what it ran is written when it ends
            else:
                self._process.kill()
            self._process.wait(30)
        self._errors.seek(0)
        return self._errors.read()

    @property
    def process(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ask_to_end(self) -> None:
        """Send SIGTERM, as an orchestrator does."""
        self._process.terminate()

    def exit_code(self) -> int:
        """Wait for the end."""
        return self._process.wait(30)

    def get(self, path: str, **more: Any) -> tuple[int, dict[str, str], bytes]:
        """One request for a page."""
        return self.send(method="GET", path=path, **more)

    def bearer(
        self, token: str, body: Any = LIST, **more: Any
    ) -> tuple[int, dict[str, str], bytes]:
        """One request with a token."""
        return self.send(body, authorization=f"Bearer {token}", **more)

    def send(
        self, body: Any = LIST, *, method: str = "POST", path: str = "/mcp",
        raw: list[tuple[str, str]] | None = None, **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:  # fmt: skip
        """One request; header names with `_` for `-`. `raw` headers are sent as they are, a Host
        among them.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        fields = {**PLAIN, **{name.replace("_", "-"): value for name, value in headers.items()}}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = [name.lower() for name, _ in raw or ()] + [name.lower() for name in fields]
        connection.putrequest(method, path, skip_host="host" in names, skip_accept_encoding=True)
        for name, value in [*fields.items(), *(raw or ())]:
            connection.putheader(name, value)
        if "content-length" not in names:
            connection.putheader("content-length", str(len(content)))
        connection.endheaders(content if method == "POST" else None)
        answer = connection.getresponse()
        names_of = {key.lower(): value for key, value in answer.getheaders()}
        found = (answer.status, names_of, answer.read())
        connection.close()
        return found


Start = Callable[..., Server]


def call(name: str, arguments: Any, **meta: Any) -> Any:
    """The body of a call."""
    params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {**LIST, "method": "tools/call", "params": params}


def opened(server: Server, data: bytes = b"") -> socket.socket:
    """A connection on which so much has been sent."""
    connection = socket.create_connection(("127.0.0.1", server.port), 10)
    connection.sendall(data)
    return connection


def received(connection: socket.socket) -> bytes:
    """Everything the server still sends before it closes the connection."""
    content = b""
    try:
        while data := connection.recv(65_536):
            content += data
    except ConnectionError:
        pass
    connection.close()
    return content


def slow_call(steps: int, *, progress: bool = True) -> bytes:
    """A whole request that takes a while; its answer is streamed when it asks for progress."""
    meta = {"progressToken": 1} if progress else {}
    body = json.dumps(call("slow", {"steps": steps}, **meta)).encode()
    lines = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in PLAIN.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body

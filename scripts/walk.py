"""Follow one run of `generate`, and one call of the tool it made, from function to function.

`python -m scripts.walk` prints what they pass through, as JSON. It takes a process of its own: a
run that has to import its modules passes through more of them than the next one.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "tests" / "cases" / "one_operation" / "openapi.yaml"
_WITHOUT_A_FRAME = frozenset("<module> <listcomp> <setcomp> <dictcomp>".split())
"""Code that is no function, or that has no frame of its own since Python 3.12."""
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 47\r\n\r\n"
    b'{"title": "Sea", "author": "Ann", "year": 1999}'
)


class Walk:
    """The modules of a folder that are entered while this context lasts, the switches from one of
    them to another, and the most frames of theirs on the stack.
    """

    def __init__(self, folder: Path) -> None:
        self.modules: set[str] = set()
        self.switches = 0
        self.frames = 0
        self._folder = f"{folder}{os.sep}"
        self._last = ""
        self._depth = 0

    def __enter__(self) -> Walk:
        sys.setprofile(self._step)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _step(self, frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return") or not self._is_counted(frame.f_code):
            return
        if event == "return":  # also where a coroutine waits; its next step is a call again
            self._depth -= 1
            return
        self._depth += 1
        self.frames = max(self.frames, self._depth)
        module = frame.f_code.co_filename
        self.switches += module != self._last != ""
        self._last = module
        self.modules.add(module)

    def _is_counted(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._folder) and code.co_name not in _WITHOUT_A_FRAME


def generated(folder: Path) -> tuple[Walk, Any]:
    """Generate a server of one operation in a folder; return the walk and the server."""
    import mcpgen

    with Walk(Path(mcpgen.__file__).parent) as walk:
        made = mcpgen.generate(DOCUMENT, folder)
    return walk, made.server


async def called(folder: Path, server: Any) -> Walk:
    """Call the tool of the server twice, and return the walk of the second call."""
    from mcp import Client

    api = await asyncio.get_running_loop().create_server(_Api, "127.0.0.1", 0)
    port = api.sockets[0].getsockname()[1]
    os.environ[f"{server.env_prefix}_BASE_URL"] = f"http://127.0.0.1:{port}"
    os.environ[f"{server.env_prefix}_ALLOW_PRIVATE"] = "1"
    sys.path.insert(0, str(folder / "src"))
    app = importlib.import_module(f"{server.package}.runtime.app").App(server.package)
    async with Client(app.server) as client:
        await client.call_tool("get_book", {"isbn": "1"})
        with Walk(folder) as walk:
            result = await client.call_tool("get_book", {"isbn": "1"})
    assert not result.is_error, result.content
    api.close()
    return walk


class _Api(asyncio.Protocol):
    """An API that answers every request with the same book."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"\r\n\r\n"):
            self._transport.write(_ANSWER)


def main() -> None:
    """Print the counts of both walks."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "shelf"
        run, server = generated(folder)
        call = asyncio.run(called(folder, server))
    counts = {
        "modules of a run": len(run.modules),
        "switches of a run": run.switches,
        "modules of a call": len(call.modules),
        "switches of a call": call.switches,
        "frames of a call": call.frames,
    }
    print(json.dumps(counts, indent=2))


if __name__ == "__main__":
    main()

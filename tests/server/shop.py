"""A small generated package, written by hand: the constant files as they are, and what a document
would contribute.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

from mcpgen.render.literal import Code, environment
from mcpgen.render.search import content, stop_words
from mcpgen.runtime.parts import PARTS
from mcpgen.runtime.parts.search.entries import entry, fields_of
from tests.generated import written
from tests.loopback import JSON, Asked, Loopback
from tests.server.forked import Forked

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates" / "src" / "package"
RUNTIME = ROOT / "mcpgen" / "runtime"
PACKAGE = "shop_mcp"
PREFIX = "SHOP_MCP"


def _tool(
    name: str, description: str, properties: dict[str, Any], *, read_only: bool, **more: Any
) -> dict[str, Any]:
    title = name.replace("_", " ").capitalize()
    return {
        "name": name, "title": title, "description": description,
        "inputSchema": {
            "type": "object", "properties": properties,
            **({"required": more.pop("required")} if "required" in more else {}),
            "additionalProperties": False},
        "annotations": {
            "title": title, "readOnlyHint": read_only, "destructiveHint": not read_only,
            "idempotentHint": read_only, "openWorldHint": True},
        **more,
    }  # fmt: skip


BOOKS = [
    _tool("list_books", "List the books in the catalogue. Newest first.",
        {"genre": {
             "type": "string", "enum": ["fiction", "poetry"], "description": "Only this genre"},
         "page_size": {"type": "integer", "minimum": 1, "maximum": 100},
         "ids": {"type": "array", "items": {"type": "integer"}}},
        read_only=True,
        outputSchema={"type": "object", "properties": {"result": {"type": "array", "items": {}}}}),
    _tool("get_book", "Get one book.", {"book_id": {"type": "string"}}, read_only=True,
        required=["book_id"]),
    _tool("update_book", "Replace a book.",
        {"book_id": {"type": "string"}, "title": {"type": "string", "maxLength": 20},
         "blurb": {"type": "string"},
         "meta": {
             "type": "object",
             "properties": {
                 "eq_": {"type": "string"}, "note": {"type": "string"},
                 "origin": {"type": "object", "properties": {"country": {"type": "string"}}}},
             "additionalProperties": False}},
        read_only=False, required=["book_id", "title"]),
    _tool("delete_book", "Delete a book.", {"book_id": {"type": "string"}}, read_only=False,
        required=["book_id"]),
]  # fmt: skip

BOOKS_PY = '''"""Books: tools that call the API."""

from __future__ import annotations

from typing import Any, Literal

from .. import OMIT, Answer, Api, Omit
from ..runtime.client.wire import csv, sends


async def list_books(
    api: Api,
    *,
    genre: Literal["fiction", "poetry"] | Omit = OMIT,
    page_size: int | Omit = OMIT,
    ids: list[int] | Omit = OMIT,
) -> Answer[Any]:
    """List the books in the catalogue."""
    return await api.request(
        "GET",
        "/books",
        query={
            "genre": genre,
            "page-size": page_size,
            "ids": csv(ids),
        },
    )


async def get_book(api: Api, *, book_id: str) -> Answer[Any]:
    """Get one book."""
    return await api.request("GET", "/books/{bookId}", path_args={"bookId": book_id})


@sends(nullable=("/properties/blurb",), names={"/properties/meta/properties/eq_": "[eq]"})
async def update_book(
    api: Api,
    *,
    book_id: str,
    title: str,
    blurb: str | None | Omit = OMIT,
    meta: dict[str, Any] | Omit = OMIT,
) -> Answer[Any]:
    """Replace a book."""
    return await api.request(
        "PUT",
        "/books/{bookId}",
        path_args={"bookId": book_id},
        json={"title": title, "blurb": blurb, "meta": meta},
    )


async def delete_book(api: Api, *, book_id: str) -> Answer[Any]:
    """Delete a book."""
    return await api.request("DELETE", "/books/{bookId}", path_args={"bookId": book_id})
'''

DESK = [
    _tool("echo", "Say it again.", {"text": {"type": "string"}}, read_only=True, required=["text"]),
    _tool("noise", "Print to stdout, warn and log.", {}, read_only=True),
    _tool("slow", "Work for a while, telling how far.", {"steps": {"type": "integer"}},
        read_only=True),
    _tool("crash", "Raise an exception.", {"how": {"type": "string"}}, read_only=True,
        required=["how"]),
    _tool("picture", "Return every kind of content.", {}, read_only=True),
    _tool("add", "Add two numbers.", {"a": {"type": "number"}, "b": {"type": "number"}},
        read_only=True, required=["a", "b"],
        outputSchema={
            "type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}),
    _tool("later", "Do something that nobody has written yet.", {}, read_only=True),
]  # fmt: skip

DESK_PY = '''"""Tools without an API: every line here is the user's."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import Audio, Context, Image, Resource, ResourceLink, Text, ToolError
from ..runtime.client import BadStatus


@dataclass
class Sum:
    sum: Any


def echo(*, text: str) -> str:
    return text


async def noise() -> str:
    print("printed", end="")
    os.write(1, b"written to fd 1\\n")
    sys.stdout.write("and more")
    warnings.warn("careful\\r\\n{\\"level\\": \\"error\\"}", stacklevel=1)
    logging.getLogger("other").error("first\\r\\nERROR fake \\x1b[31m")
    return "quiet\\nand\\u2028more"


async def slow(context: Context, *, steps: int = 3) -> str:
    marker = os.environ.get("SLOW_MARKER")
    try:
        for step in range(steps):
            await context.progress(step + 1, steps, "working")
            await context.progress(step, steps, "not growing")
            await asyncio.sleep(0.02)
        await context.progress(steps + 1, float("inf"))
    except asyncio.CancelledError:
        if marker:
            Path(marker).write_text("cancelled")
        raise
    return "done"


async def crash(*, how: str) -> Any:
    if how == "tool":
        raise ToolError("Ask for something else")
    if how == "exit":
        raise SystemExit(3)
    if how == "inside":
        asleep = asyncio.create_task(asyncio.sleep(9))
        asyncio.get_running_loop().call_soon(asleep.cancel)
        await asleep
    if how == "group":
        raise ExceptionGroup("of tasks", [ToolError("Ask for something else")])
    if how == "panic":
        raise type("PanicException", (BaseException,), {})
    if how == "answer":
        raise BadStatus(type("Answer", (), {"status": 500}))
    raise RuntimeError("the secret is opensesame\\r\\nERROR fake")


async def picture() -> list[Any]:
    return [
        Text("a text"),
        Image(b"\\x89PNG"),
        Audio(b"RIFF"),
        ResourceLink("https://example.com/a.csv", "a.csv", media_type="text/csv"),
        Resource("mem://a", b"bytes", "application/octet-stream"),
        Resource("mem://b", "text"),
    ]


async def add(*, a: float, b: float) -> Sum:
    return Sum("not a number" if a == 13 else a + b)


async def later() -> None:
    raise NotImplementedError
'''

FACTS = {
    "parts": sorted(PARTS.keys() - {"describe"}), "name": "shop", "title": "Shop API",
    "version": "1.2.3", "instructions": "Tools of a shop.", "env_prefix": PREFIX, "base_url": None,
    "base_url_note": "", "allowed_origins": [], "security": [["api_key"]],
    "auth": {"api_key": {
        "kind": "api_key", "place": "header", "wire_name": "X-API-Key", "scheme": "",
        "variables": [f"{PREFIX}_API_KEY"], "token_url": None, "scopes": []}},
    "toolsets": {
        "books": {"title": "Books", "description": ""},
        "desk": {"title": "Desk", "description": ""}},
    "aliases": {"find_books": "list_books"}, "answers": {}, "wrapped": ["list_books"],
    "confirm": {"destructive": False, "tools": {}},
}  # fmt: skip


def index_entries() -> dict[str, Any]:
    """What the index says of each tool."""
    kinds = {"list": "list", "get": "get", "update": "update", "delete": "delete"}
    return {
        tool["name"]: entry(
            fields_of(tool, toolset), kinds.get(tool["name"].split("_")[0], "get"), stop_words()
        )
        for toolset, tools in (("books", BOOKS), ("desk", DESK))
        for tool in tools
    }


def write_package(root: Path, files: dict[str, str] | None = None) -> Path:
    """Write the package below `root` with `files` (paths inside it) on top, and return its
    folder.
    """
    return written({**_contents(), **(files or {})}, root / PACKAGE)


@cache
def _contents() -> dict[str, str]:
    """The files of the package."""
    paths = [
        (path, RUNTIME.parent)
        for path in RUNTIME.rglob("*.[pt]*")
        if path.suffix in (".py", ".toml")
    ]
    paths += [
        (path, TEMPLATES) for pattern in ("*.py", "py.typed") for path in TEMPLATES.rglob(pattern)
    ]
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path, root in paths}
    none = dict.fromkeys(
        ("asgi", "has_functions", "has_workflows", "own_tools", "reads_paths"), False
    )
    view = {**none, "calls_api": True, "runtime": Code(".runtime"), "runtime_prefix": ".runtime."}
    for name in ("__init__.py", "__main__.py"):
        texts[name] = environment().get_template(f"src/package/{name}.jinja").render(view)
    return texts | {
        "api.json": json.dumps(FACTS), "tools/__init__.py": "",
        "tools/books.json": json.dumps(BOOKS), "tools/books.py": BOOKS_PY,
        "tools/desk.json": json.dumps(DESK), "custom/desk.py": DESK_PY,
        "tools/_index/search.json": json.dumps(content(index_entries())),
    }  # fmt: skip


class Recorder(Loopback):
    """The API: it remembers each request and answers as told."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.answer: tuple[int, bytes] = (200, b'[{"id": 1}]')
        super().__init__(self.recorded)
        self.url += "/v1"

    def recorded(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Note a request."""
        self.requests.append(asked)
        return self.answer[0], JSON, self.answer[1]


def command(package: Path, environment: dict[str, str], *arguments: str) -> StdioServerParameters:
    """How the official client starts the package on stdio."""
    env = variables(package, environment)
    return StdioServerParameters(command=sys.executable, args=["-m", PACKAGE, *arguments], env=env)


def begun(
    package: Path, environment: dict[str, str], *words: str, **streams: Any
) -> subprocess.Popen[bytes]:
    """Start the server on stdio, with pipes where no other streams are given."""
    pipes = {**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), **streams}
    command = [sys.executable, "-m", PACKAGE, *words]
    is_plain = not pipes.get("preexec_fn") and "COVERAGE_PROCESS_START" not in os.environ
    kind = Forked if is_plain and sys.platform == "linux" else subprocess.Popen
    return kind(command, env=variables(package, environment), **pipes)


def ended(
    package: Path, environment: dict[str, str], *words: str
) -> subprocess.CompletedProcess[str]:
    """Run the server without a client until it ends; with `-c`, a program beside it."""
    command = [sys.executable, *(words if words[:1] == ("-c",) else ("-m", PACKAGE, *words))]
    return subprocess.run(
        command, env=variables(package, environment), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def variables(package: Path, environment: dict[str, str]) -> dict[str, str]:
    """The environment of a server."""
    return {**process_environment(), **environment, "PYTHONPATH": str(package.parent)}


def process_environment() -> dict[str, str]:
    """The present environment without anything meant for a generated server."""
    return {key: value for key, value in os.environ.items() if "_MCP_" not in key}


def say(process: subprocess.Popen[bytes], *messages: Any) -> None:
    """Write messages as a client does, or lines as they are."""
    assert process.stdin is not None
    for message in messages:
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        process.stdin.write(line)
    process.stdin.flush()


def heard(process: subprocess.Popen[bytes]) -> Any:
    """Read the next message of the server."""
    assert process.stdout is not None
    return json.loads(process.stdout.readline())

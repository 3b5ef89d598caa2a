"""What a server of many tools takes: `python -m benchmarks.large [OPERATIONS] [--write]`.

The document is `pieces` of `families`, with 10,240 operations by default. The server is measured
over stdio, with every tool listed and with search (`--lazy`). `--write` writes the table into
`docs/scaling.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.judges import node

from .families import write
from .http import free_port
from .run import cpu, environment, generated
from .scaling import MANY_TOOLS, PAGE, table
from .stdio import Server

TURNS = 10
COLUMNS = [
    "",
    "CPU until the list is answered",
    "its bytes",
    "memory then",
    "first",
    "later",
    "memory",
]


async def measured(package: Path, options: list[str], name: str, arguments: Any) -> list[str]:
    """Return the cells of a server: CPU until the list is answered, its bytes, memory then; CPU of
    the first call of a tool and of each later call, and memory at the end.
    """
    port = free_port()
    api = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.upstream", str(port)), cwd=node.CHECKOUT
    )
    variables = environment(package, f"http://127.0.0.1:{port}")
    server = await Server.start([sys.executable, "-m", package.name, *options], variables)
    try:
        listed = await server.list_tools()
        cells = [f"{server.cpu():.2f} s", f"{len(listed):,}", f"{server.memory():.0f} MB"]
        used = [server.cpu()]
        for _ in range(TURNS):
            answer = await server.ask("tools/call", {"name": name, "arguments": arguments})
            if b'"isError":true' in answer.replace(b" ", b""):
                raise node.Absent(f"the call fails: {answer[:300]!r}")
            used.append(server.cpu())
        first, later = used[1] - used[0], (used[-1] - used[1]) / (len(used) - 2)
        return [*cells, f"{first:.2f} s", f"{later * 1000:.0f} ms", f"{server.memory():.0f} MB"]
    finally:
        await server.stop()
        api.kill()
        await api.wait()


def section(operations: int) -> str:
    """Return the text on servers of a document with so many operations."""
    servers: dict[str, tuple[list[str], str, Any]] = {
        "all listed, calls": ([], "get_thing0", {}),
        "`--lazy`, searches": (["--lazy"], "search_tools", {"query": "use things of kind 77"}),
    }
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        package = generated(write("pieces", operations, folder), folder / "project")
        for options, name, arguments in servers.values():  # writes the bytecode
            asyncio.run(measured(package, options, name, arguments))
        bare, _ = cpu([sys.executable, "-c", "import mcp"])
        found = [
            [label, *asyncio.run(measured(package, options, name, arguments))]
            for label, (options, name, arguments) in servers.items()
        ]
    return f"""{MANY_TOOLS}
Printed by `python -m benchmarks.large`: a server of {operations:,} operations over stdio, bytecode written, in seconds
and milliseconds of its CPU. A bare `import mcp` took {bare:.2f} s in the same run.

{table(COLUMNS, found)}

What grows with the tools is the list and the memory, and the time of a search, but not that of a call. A list of this length is far beyond what a model reads: start such a server with `--toolsets` or `--lazy`.
"""


def main() -> int:
    """Measure and print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description="What a server of many tools takes")
    parser.add_argument("operations", type=int, nargs="?", default=10_240)
    parser.add_argument("--write", action="store_true", help="write it into docs/scaling.md")
    options = parser.parse_args()
    text = section(options.operations)
    print(text)
    if options.write:
        PAGE.write_text(PAGE.read_text("utf-8").partition(MANY_TOOLS)[0] + text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

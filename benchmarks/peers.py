"""Servers of other generators beside ours: `python -m benchmarks.peers [--rounds N] [--write]`.

The document has GitHub's operations below `/gists` and `/gitignore`. Each server is measured over its
own stdio, in turn: the start until its list is answered, its memory then, the list's bytes, and calls
one by one and 32 at a time. `--write` writes the table into `docs/performance.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tests.judges import node

from . import http
from .run import (
    FASTMCP,
    GITHUB,
    PAGE,
    PEERS,
    Candidate,
    Figures,
    api_process,
    environment,
    fastmcp,
    generated,
    measure,
)
from .scaling import table

GENERATOR, BRIDGE = "openapi-mcp-generator", "@ivotoby/openapi-mcp-server"


def candidates(document: Path, folder: Path, base: str) -> dict[str, Candidate]:
    """The servers of a document in front of the API at `base`. Raises Absent."""
    package = generated(document, folder / "ours")
    rival = os.environ.get("MCPGEN_FASTMCP_PYTHON") or str(node.python("fastmcp", FASTMCP))
    programs = node.packages(GENERATOR, BRIDGE) / "node_modules"
    theirs = folder / "theirs"
    words = ["--input", str(document), "--output", str(theirs), "--base-url", base, "--force"]
    node.run([str(programs / ".bin" / GENERATOR), *words])
    node.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=theirs)
    node.run(["npm", "run", "build"], cwd=theirs)
    bridge = [str(programs / BRIDGE / "bin" / "mcp-server.js"), "--transport", "stdio"]
    bridge += ["--openapi-spec", str(document), "--api-base-url", base, "--disable-abbreviation"]
    return {
        "mcpgen": Candidate([sys.executable, "-m", package.name], environment(package, base)),
        FASTMCP.replace("==", " "): Candidate(fastmcp(rival, document, base), {}),
        _named(GENERATOR): Candidate([node.node(), str(theirs / "build" / "index.js")], {}),
        _named(BRIDGE): Candidate([node.node(), *bridge], {}),
    }


def _named(package: str) -> str:
    return f"{package} {node.PACKAGES[package]}"


def row(name: str, figures: Figures) -> list[str]:
    """The cells of a server."""
    listed = json.dumps(json.loads(figures.lines)["result"]["tools"], separators=(",", ":"))
    return [
        name,
        f"{statistics.median(figures.start):.2f} s",
        f"{statistics.median(figures.memory):.0f} MB",
        f"{len(listed):,}",
        f"{1000 * statistics.median(figures.call):.2f} ms",
        f"{statistics.median(figures.rate):,.0f}",
    ]


def main() -> int:
    """Measure and print a row for each server."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as users run it: from bytecode
    port = http.free_port()
    api = api_process(port, "0")
    try:
        with tempfile.TemporaryDirectory(prefix="mcpgen-peers-") as place:
            document = Path(place, "small.json")
            document.write_text(json.dumps(http.smaller(json.loads(GITHUB.read_text()))))
            servers = candidates(document, Path(place), f"http://127.0.0.1:{port}")
            figures, _ = asyncio.run(measure(servers, options.rounds, api.pid))
    except (node.Absent, OSError) as error:
        print(f"not run: {error}")
        return 2
    finally:
        api.terminate()
        api.wait()
    columns = ["", "start → list", "memory", "list, bytes", "one call", "calls/s, 32 at a time"]
    text = table(columns, [row(name, each) for name, each in figures.items()])
    print(text)
    if options.write:
        before = PAGE.read_text().partition(PEERS)[0]
        PAGE.write_text(f"{before}{PEERS}{INTRODUCTION}\n{text}")
    return 0


INTRODUCTION = """
Written by `python -m benchmarks.peers --write`: GitHub's 21 operations below `/gists` and `/gitignore`, each server over
stdio, medians of interleaved runs. Memory is that of the server's process.
"""

if __name__ == "__main__":
    sys.exit(main())

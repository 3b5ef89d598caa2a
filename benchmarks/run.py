"""`make bench`: what generating and serving a large document costs, beside FastMCP, in one run.

`python -m benchmarks.run [--rounds N] [--write]`

Start, list, memory and calls are measured over each server's own stdio, runs interleaved, medians
taken; then calls over HTTP. `--write` writes `docs/performance.md` anew. Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.judges import node, referee_server

from . import http
from .report import document, table
from .stdio import Server, processor

GITHUB = node.SHARED / "corpus" / "openapi" / "github.json"
OPERATION = "gitignoregettemplate"
ARGUMENTS = {"name": "C"}
FASTMCP = "fastmcp==4.2.3"
PAGE = node.CHECKOUT / "docs" / "performance.md"
PEERS = "\n## Beside servers of other generators\n"
"""The section that `benchmarks.peers` writes."""


@dataclass(slots=True)
class Figures:
    """What was measured of one server, a value for each round."""

    start: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    call: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    lines: bytes = b""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A server to measure: its command and what its environment needs besides."""

    command: list[str]
    environment: Mapping[str, str]


def cpu(command: list[str]) -> tuple[float, float]:
    """CPU seconds and wall seconds of a command and everything it starts. Raises Absent when it
    fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    node.run(command)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def generation(rounds: int, folder: Path) -> float:
    """CPU seconds of `mcpgen generate` on the document, into `folder/1`, `folder/2` and so on; the
    first run, into `folder/0`, writes bytecode and does not count.
    """
    seconds = [cpu(generate(GITHUB, folder / str(turn)))[0] for turn in range(rounds + 1)]
    return statistics.median(seconds[1:])


def generate(document: Path, project: Path) -> list[str]:
    """The command that generates a project from a document."""
    return [
        sys.executable,
        "-m",
        "mcpgen",
        "generate",
        str(document),
        "--quiet",
        "-o",
        str(project),
    ]


def package_in(project: Path) -> Path:
    """The folder of the package in a project."""
    return next((project / "src").iterdir())


def generated(document: Path, project: Path) -> Path:
    """The package of a new project. Raises Absent when it cannot be generated."""
    node.run(generate(document, project))
    return package_in(project)


def fastmcp(rival: str, document: Path, base_url: str) -> list[str]:
    """The command of FastMCP's server. `-P`: `http.py` beside it would hide the library's."""
    script = Path(__file__).with_name("fastmcp_server.py")
    return [rival, "-P", str(script), str(document), base_url]


def over_http(
    tools: Mapping[str, str], rival: str, document: Path, package: Path, base_url: str
) -> dict[str, http.Candidate]:
    """Both servers of a document over HTTP, in front of an API."""
    command = [sys.executable, "-m", package.name, "--http", "--port"]
    theirs = fastmcp(rival, document, base_url)
    return {
        "mcpgen": http.Candidate(command, environment(package, base_url), tools["mcpgen"]),
        "fastmcp": http.Candidate(theirs, {}, tools["fastmcp"]),
    }


def environment(package: Path, base_url: str) -> dict[str, str]:
    """The variables of our own server: it calls the API at `base_url`, as often as it can, from
    bytecode.
    """
    variables = referee_server.environment(package, base_url)
    prefix = json.loads((package / "api.json").read_text())["env_prefix"]
    del variables["PYTHONDONTWRITEBYTECODE"]
    return variables | {f"{prefix}_CALL_RATE": "0"}


async def one_round(
    candidate: Candidate, figures: Figures, upstream: int, *, calls: int, together: int
) -> None:
    """Start a server, list its tools, call one of them one by one and many at a time.

    `upstream` is the process of the API: neither it nor this one may be what the servers wait for.
    """
    server = await Server.start(candidate.command, candidate.environment)
    try:
        listed = await server.list_tools()
        figures.start.append(time.perf_counter() - server.started)
        figures.lines = listed
        figures.memory.append(server.memory())
        if calls:
            name = tool_named(listed)
            params = {"name": name, "arguments": ARGUMENTS}
            for _ in range(20):
                answer = await server.ask("tools/call", params)
            if b'"isError":true' in answer.replace(b" ", b"") or b'"error":' in answer:
                raise node.Absent(f"the call fails: {answer[:300]!r}")
            times = []
            for _ in range(calls):
                began = time.perf_counter()
                await server.ask("tools/call", params)
                times.append(time.perf_counter() - began)
            figures.call.append(statistics.median(times))
            count = calls * 4
            own, api, client = server.cpu(), processor(upstream), time.process_time()
            figures.rate.append(await rate(server, params, count, together))
            figures.cpu.append((server.cpu() - own) / count)
            figures.others.append(
                max(processor(upstream) - api, time.process_time() - client) / count
            )
    finally:
        await server.stop()


async def rate(server: Server, params: Any, calls: int, together: int) -> float:
    """Calls per second with so many under way at any time."""
    left = iter(range(calls))

    async def caller() -> None:
        for _ in left:
            await server.ask("tools/call", params)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(together)))
    return calls / (time.perf_counter() - began)


def tool_named(listed: bytes) -> str:
    """The name of the tool that is called, whatever the server makes of the operation's."""
    for tool in json.loads(listed)["result"]["tools"]:
        if re.sub(r"[^a-z0-9]", "", tool["name"].lower()) == OPERATION:
            return str(tool["name"])
    raise node.Absent("the server has no tool for the operation that is called")


def tokens(text: str) -> int | None:
    """Tokens of a text in the encoding o200k, or None where its vocabulary is not to be had."""
    try:
        packages = node.packages("gpt-tokenizer")
        script = str(Path(__file__).with_name("tokens.cjs"))
        done = subprocess.run(
            [node.node(), script, str(packages)],
            input=text,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return int(done.stdout) if not done.returncode else None
    except (node.Absent, ValueError, subprocess.TimeoutExpired):
        return None


def lists(figures: Figures) -> dict[str, Any]:
    """Bytes and tokens of a list, whole and without output schemas."""
    tools = json.loads(figures.lines)["result"]["tools"]
    compact = json.dumps(tools, separators=(",", ":"), ensure_ascii=False)
    inputs = json.dumps(
        [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools],
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return {
        "tools": len(tools),
        "bytes": len(compact.encode()),
        "inputs": len(inputs.encode()),
        "tokens": tokens(compact),
    }


async def measure(
    candidates: dict[str, Candidate], rounds: int, upstream: int
) -> tuple[dict[str, Figures], list[list[float]]]:
    """Every candidate in every round, one after the other; and wall seconds of `import mcp` and of
    an empty Python.
    """
    figures = {name: Figures() for name in candidates}
    floors: list[list[float]] = [[], []]
    for turn in range(rounds + 1):
        for program, times in zip(("import mcp", "pass"), floors, strict=True):
            times += [cpu([sys.executable, "-c", program])[1]] if turn else []
        for name, candidate in candidates.items():
            await one_round(
                candidate, figures[name], upstream, calls=300 if turn else 0, together=32
            )
        if not turn:  # bytecode is written and files are in memory now
            for values in figures.values():
                values.start.clear()
                values.memory.clear()
    return figures, floors


def api_process(port: int, seconds: str) -> subprocess.Popen[bytes]:
    """The API that is called, which takes so many seconds to answer."""
    command = [sys.executable, "-m", "benchmarks.upstream", str(port), seconds]
    return subprocess.Popen(command, cwd=node.CHECKOUT)


def main(argv: list[str] | None = None) -> int:
    """Measure, print, and say whether every target is met."""
    parser = argparse.ArgumentParser(prog="make bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args(argv)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as users run it: from bytecode
    if not GITHUB.is_file():
        print(f"make bench: not run: `{GITHUB}` is not there")
        return 2
    folder = Path(tempfile.mkdtemp(prefix="mcpgen-bench-"))
    port, slow_port = http.free_port(), http.free_port()
    upstream, slow_upstream = api_process(port, "0"), api_process(slow_port, str(http.SLOW_SECONDS))
    try:
        base, slow_base = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{slow_port}"
        rival = os.environ.get("MCPGEN_FASTMCP_PYTHON") or str(node.python("fastmcp", FASTMCP))
        cost = generation(max(1, options.rounds // 2), folder)
        package = package_in(folder / "0")
        candidates = {
            "mcpgen": Candidate([sys.executable, "-m", package.name], environment(package, base)),
            "fastmcp": Candidate(fastmcp(rival, GITHUB, base), {}),
        }
        figures, (bare, empty) = asyncio.run(measure(candidates, options.rounds, upstream.pid))
        tools = {name: tool_named(values.lines) for name, values in figures.items()}
        small = folder / "small.json"
        whole = json.loads(GITHUB.read_text())
        few = http.smaller(whole)
        small.write_text(json.dumps(few))
        small_package = generated(small, folder / "small")
        served = asyncio.run(
            http.measure(
                over_http(tools, rival, small, small_package, base),
                over_http(tools, rival, GITHUB, package, base),
                over_http(tools, rival, small, small_package, slow_base)["mcpgen"],
                slow_port,
                ARGUMENTS,
                options.rounds,
            )
        )
        result = {
            "machine": (
                f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()},"
                f" load average {os.getloadavg()[2]:.1f}"
            ),
            "operations": http.operations(whole),
            "generation": cost,
            "bare": statistics.median(bare),
            "empty": statistics.median(empty),
            "http": {**served.figures(), "operations": http.operations(few)},
            "servers": {
                name: {
                    "start": statistics.median(values.start),
                    "memory": statistics.median(values.memory),
                    "call": statistics.median(values.call),
                    "rate": statistics.median(values.rate),
                    "cpu": statistics.median(values.cpu),
                    "others": statistics.median(values.others),
                    **lists(values),
                }
                for name, values in figures.items()
            },
        }
    finally:
        for process in (upstream, slow_upstream):
            process.terminate()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    text, met = table(result)
    print(text)
    if options.write:
        _, section, peers = PAGE.read_text().partition(PEERS)
        PAGE.write_text(document(result) + section + peers)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

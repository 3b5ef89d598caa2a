"""The figures of a benchmark as a table, and as `docs/performance.md`."""

from __future__ import annotations

from typing import Any

Row = tuple[str, str, str, str, float, float | None, bool]
"""What, ours, the other's, the target in words, the ratio reached, the ratio wanted (None: shown
only), whether more is better.
"""
MISSED = "**no**"


def rows(result: dict[str, Any]) -> list[Row]:
    """Every figure with its target."""
    mine, other = result["servers"]["mcpgen"], result["servers"]["fastmcp"]
    seconds, bare = "{:.2f} s".format, result["bare"]
    return [
        (
            "generate, CPU",
            seconds(result["generation"]),
            "at every start",
            "≤ 14× `import mcp`",
            result["generation"] / bare,
            14,
            False,
        ),
        (
            "process start → list answered",
            seconds(mine["start"]),
            seconds(other["start"]),
            "≥ 8× faster",
            other["start"] / mine["start"],
            8,
            True,
        ),
        (
            "… over a bare `import mcp`",
            seconds(mine["start"]),
            seconds(bare),
            "≤ 1.3×",
            mine["start"] / bare,
            1.3,
            False,
        ),
        (
            "memory after the list",
            f"{mine['memory']:.0f} MB",
            f"{other['memory']:.0f} MB",
            "≤ ¼",
            mine["memory"] / other["memory"],
            0.25,
            False,
        ),
        (
            "list, bytes",
            f"{mine['bytes']:,}",
            f"{other['bytes']:,}",
            "≤ ⅓",
            mine["bytes"] / other["bytes"],
            1 / 3,
            False,
        ),
        (
            "… over its input schemas alone",
            f"{mine['bytes']:,}",
            f"{mine['inputs']:,}",
            "≤ 1.6×",
            mine["bytes"] / mine["inputs"],
            1.6,
            False,
        ),
        (
            "calls per second, 32 at a time",
            f"{mine['rate']:,.0f}",
            f"{other['rate']:,.0f}",
            "≥ 1.5×",
            mine["rate"] / other["rate"],
            1.5,
            True,
        ),
        (
            "one call, median",
            f"{1000 * mine['call']:.2f} ms",
            f"{1000 * other['call']:.2f} ms",
            "less",
            mine["call"] / other["call"],
            1,
            False,
        ),
        *_http_rows(result["http"], bare),
    ]


def _http_rows(served: dict[str, Any], bare: float) -> list[Row]:
    """Return the figures of calls over HTTP, by era; `bare`: seconds of `import mcp`."""
    found: list[Row] = []
    for era, servers in served["eras"].items():
        mine, other = servers["mcpgen"], servers["fastmcp"]
        ratio = mine["calls"] / other["calls"]
        ours, theirs = f"{mine['calls']:,.0f}", f"{other['calls']:,.0f}"
        found.append((f"HTTP, {era}: calls per second", ours, theirs, "≥ 3.3×", ratio, 3.3, True))
        ours, theirs = (f"{1000 * each['cpu']:.2f} ms" for each in (mine, other))
        cpu = 1000 * mine["cpu"] / bare
        found.append(("… CPU of a call", ours, theirs, "≤ 1.2 ‰ of `import mcp`", cpu, 1.2, False))
    one, two = 1000 * served["apart"], 1000 * served["two"]
    slow, straight = served["slow"], f"{served['straight']:,.0f} without a server"
    return [
        *found,
        ("`--workers 2`: CPU of a call in the busier one", f"{two:.2f} ms", f"{one:.2f} ms in one of two servers",
         "≥ 1.8× less", one / two, 1.8, True),
        ("32 callers, API takes 100 ms", f"{slow:,.0f}", straight, "≥ 300", slow, 300, True),
    ]  # fmt: skip


def table(result: dict[str, Any]) -> tuple[str, bool]:
    """The figures as a Markdown table, and whether every target is met."""
    lines = ["| | mcpgen | beside it | target | reached | |", "|---|---|---|---|---|---|"]
    met = True
    for what, mine, other, target, reached, wanted, more in rows(result):
        verdict = _verdict(reached, wanted, more)
        met = met and verdict != MISSED
        unit = _unit(target)
        lines.append(f"| {what} | {mine} | {other} | {target} | {reached:.2f}{unit} | {verdict} |")
    mine, other = (result["servers"][name] for name in ("mcpgen", "fastmcp"))
    said = {
        name: f"{server['tokens']:,}" if server["tokens"] else "not counted"
        for name, server in result["servers"].items()
    }
    lines += [
        "",
        (
            f"Tokens of the list (o200k): {said['mcpgen']} for {mine['tools']} tools,"
            f" {said['fastmcp']} for them"
        ),
    ]
    lines += [
        "",
        (
            f"CPU of a call at 32 at a time: {1000 * mine['cpu']:.2f} ms in mcpgen's server,"
            f" {1000 * other['cpu']:.2f} ms in the other; the busier of caller and API takes"
            f" {1000 * max(mine['others'], other['others']):.2f} ms"
        ),
    ]
    whole = {name: 1000 * seconds for name, seconds in result["http"]["whole"].items()}
    lines += [
        "",
        (
            f"The rows over HTTP are of {result['http']['operations']} operations. With all"
            f" {result['operations']:,}, a call in 2026-07-28 takes {whole['mcpgen']:.1f} ms of CPU in"
            f" mcpgen's server, {whole['fastmcp']:,.0f} ms in the other"
        ),
    ]
    lines += ["", f"{result['machine']}; medians, those over stdio of interleaved runs."]
    return "\n".join(lines), met


def _verdict(reached: float, wanted: float | None, more: bool) -> str:
    """Whether a target is met, in a word."""
    if wanted is None:
        return "shown only"
    good = reached >= wanted if more else reached <= wanted
    return "yes" if good else MISSED


def _unit(target: str) -> str:
    """The unit of what was reached, as the target has it."""
    if "‰" in target:
        return " ‰"
    return "" if target[-1].isdigit() else "×"


def document(result: dict[str, Any]) -> str:
    """`docs/performance.md`: the figures, the floor of each, and what stands between."""
    mine = result["servers"]["mcpgen"]
    text, _ = table(result)
    over = 1000 * (mine["start"] - result["bare"])
    apart, alone = result["http"]["apart"], result["http"]["alone"]
    taken = f"here {100 * (apart / alone - 1):.0f} % more"
    spent = f"{abs(over):.0f} ms {'more' if over > 0 else 'fewer'}"
    return f"""# Performance

Written by `make bench ARGS=--write`. The document is GitHub's own description of its API, {result["operations"]:,} operations
in 13 MB of JSON; the other server is `FastMCP.from_openapi` on the same document, on the same machine, in the same run.
Compare the ratios: seconds belong to the machine.

{text}

## The floor of each figure, and what stands between

**Generating.** Reading 13 MB of JSON takes about 0.3 s in Python and cannot be left out. The rest is projecting the
schemas of {result["operations"]:,} operations, twice for those that do not fit their budget at first, and the text of every
file. datamodel-code-generator writes `models.py`, and black formats every module: together more than half of a first
run, so a second process formats half of a large project. A module whose source did not change is not made again.

**Starting.** The floor is a bare `import mcp`, {1000 * result["bare"]:.0f} ms here, of which an empty Python is
{1000 * result["empty"]:.0f} ms. Until the list is answered {spent} go by: the server reads the list it was made with, and
answers. It imports no tool, no model and no HTTP client of its own before the first call. Whatever it imports of the
SDK, Python runs `mcp/__init__.py` first, which imports the client and the high-level server as well. That is what a
small server pays for: `python -X importtime -c 'import mcp'` shows the messages of the protocol, 550 classes that pydantic
builds, with about an eighth of the time for each of the two revisions in `mcp_types.methods`, and an eighth for what a
server does not use. The SDK would save these three eighths by importing a revision when a peer speaks it, and the names
of `mcp` when they are asked for (PEP 562); a server can not do it for the SDK without replacing modules.

**Memory.** The floor is again the SDK, about 50 MB. The list is held once, as plain dictionaries.

**The list.** Its floor is the names and first sentences of the tools, about a tenth of it. Input schemas are most of
the rest; output schemas are names and types in words, which keeps the whole within
{mine["bytes"] / mine["inputs"]:.2f}× of the inputs alone. Clients that cannot hold a list of this size start the server
with `--toolsets`, `--read-only` or `--lazy`.

**Calls.** Both servers get the same lines over their own stdin from a caller that does next to nothing itself, and
call the same API, which does less: the server is what bounds the figure, as the CPU of a call shows. The floor is one
HTTP request on a connection that is open already, more than half of a call, and the SDK's handling of a message, a
sixth. Lines go between the pipe and the event loop without the threads of the SDK's own transport, which were nearly
half of a call. Checking arguments costs microseconds, building the first validator of a tool less than a millisecond,
once.

**Calls over HTTP.** Both servers serve a smaller document, GitHub's operations below `/gists` and `/gitignore`. The server
has the extra `fast`; FastMCP is asked for JSON answers, its cheaper way. In 2026-07-28 the SDK checks a call's headers
against the tool's schema. What is left of a call is the request to the API,
the SDK's handling of a message, and uvicorn. Requests to the API are sent by aiohttp: 0.12 ms more than by the client of
our own that it took the place of. A request that nothing streams for is answered past the SDK's sessions and event streams,
head and body in one piece.

**Two processes.** On two cores the caller, the API and both processes of `--workers 2` share what two processes
would need, so calls per second say nothing there. What bounds them where every process has a core is the CPU of the
one that serves most: 32 callers make as many calls each on connections they keep, and the CPU seconds of that process
are divided by all calls. Beside it stand two servers that share nothing, with 16 of the callers each: what a second
process takes from the first by being on the same two cores, they take as well ({taken}
CPU for a call than one server alone). Ours share a port, over which Linux spreads connections
by chance: of 32 the busier has 18 or 19 on average, so the row is the mean of ten rounds or more.

**A slow API.** 32 callers of an API that takes 100 ms can make 320 calls a second. The same callers without a server
between, straight at the API, show what the caller and the API themselves take of that. The callers do not begin in the
same moment, which would let them wait for each other for good, and each makes a hundred calls.
"""

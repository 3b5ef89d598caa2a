"""The referee over real documents: does what a model says arrive, and is what is wrong refused?

`python -m tests.judges.referee [DOCUMENT OR FOLDER …] [--seeds 1,2] [--alone] [--quick]
[--untouched] [--report FOLDER]`

Each document becomes OpenAPI 3 JSON first (the referee reads nothing else), then the referee's own
`run.py` scores a generated server, and unless `--alone` FastMCP and
openapi-mcp-generator beside it, on the same calls. Two slips of `run.py` are mended for every
server (`referee_run.py` says which); `--untouched` runs it as it is. The report is a table, and
every call that went wrong with what was sent. Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import node
from .disputes import Disputes

MINE = "mcpgen"
PEERS = ("fastmcp", "openapi-mcp-generator")
TARGETS = {
    "exposed": 99.9, "A accepted": 99.8, "B accepted": 99.8, "A delivered": 99.9,
    "B delivered": 99.9, "invalid refused": 100.0, "structured valid": 100.0,
}  # fmt: skip
QUICK = ("bulksms.com.json", "nexmo.com__application.json", "docker.com__hub.json")
CAUSES = (
    (
        r"is not one of \[|must be one of",
        (
            "an enum that does not fit into a tool of 4 kB is said in words; the value tried is"
            " none of it"
        ),
    ),
    (
        r"Additional properties are not allowed",
        (
            "an object that does not fit into a tool of 4 kB is listed with its required fields and"
            " stays open, so that the others can be given; the field tried is none of them"
        ),
    ),
    (
        r"under any of the given|under each of|is not of type",
        (
            "a union or an object that does not fit into a tool of 4 kB is listed with less than it"
            " asks for"
        ),
    ),
    (
        r"is a required property",
        "an empty list or object is not there in a form, nothing says that it is empty",
    ),
    (
        r"must match the pattern",
        "readers disagree on the control characters U+001C to U+001F in `\\s`",
    ),
    (r"does not match", "a pattern with look-around is listed without it, and said in words"),
    (
        r"control character|a header holds",
        "a path or a header that cannot hold the value, under a union that does not say so",
    ),
    (
        r"A refused.*is required",
        (
            "what an object must have does not fit into a tool of 4 kB, and is said in words:"
            " `needs …`"
        ),
    ),
)
"""What is undisputed and goes wrong all the same, and why."""
DELIVERED_OR_MOOT = ("delivered", "unmapped", "unrepresentable")


@dataclass(frozen=True, slots=True)
class Job:
    """One server on one document with one seed."""

    server: str
    document: Path
    seed: int


def documents(given: list[str]) -> list[Path]:
    """Documents of one file in the folders given, by name; those of other versions are left out."""
    out = []
    for name in given:
        place = Path(name)
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in found:
            if path.suffix.lower() not in (".json", ".yaml", ".yml"):
                continue
            text = path.read_text("utf-8-sig", "replace")
            if not re.search(r"""["']?(openapi|swagger)["']?\s*:\s*["']?(2\.0|3\.[01])""", text):
                continue
            if re.search(r"""\$ref["']?\s*:\s*["']?(?!#)[^"'\s]+\.(json|ya?ml)""", text):
                continue
            out.append(path)
    return out


def converted(document: Path, folder: Path) -> Path | None:
    """A document as OpenAPI 3 JSON; None where it cannot be converted."""
    # The folder's name as well: there is a `petstore` for every version of OpenAPI
    out = folder / f"{document.parent.name}__{document.stem}.json"
    if not out.is_file() or out.stat().st_mtime < document.stat().st_mtime:
        script = Path(__file__).with_name("convert.mjs")
        try:
            found = (
                json.loads(document.read_text("utf-8-sig")) if document.suffix == ".json" else {}
            )
            if str(found.get("openapi")).startswith(("3.0", "3.1")):
                out.write_text(json.dumps(found))
                return out
            packages = node.packages("swagger2openapi")
            node.run([node.node(), str(script), str(packages), str(document), str(out)])
        except (node.Absent, ValueError) as why:
            print(f"{document.name}: not converted: {str(why)[:200]}", file=sys.stderr)
            return None
    return out


class Campaign:
    """Runs the referee for many jobs, two at a time."""

    def __init__(
        self, report: Path, *, peers: bool, reuse: bool, untouched: bool, operations: int,
        seconds: int,
    ) -> None:  # fmt: skip
        self.sources, self.root = node.referee(peers)
        mended = [str(Path(__file__).with_name("referee_run.py")), str(self.sources)]
        self.script = [str(self.sources / "run.py")] if untouched else mended
        self.report, self.reuse, self.operations, self.seconds = report, reuse, operations, seconds

    def out(self, job: Job) -> Path:
        """The path of a job's results, without their endings."""
        return self.report / job.server / f"{job.document.stem}.{job.seed}"

    def command(self, job: Job) -> str:
        """How a server is started, in the referee's words. Raises Absent when it cannot be
        built.
        """
        if job.server == MINE:
            script = Path(__file__).with_name("referee_server.py")
            return f"{shlex.join([sys.executable, str(script)])} {{spec}} {{base}}"
        if job.server == "fastmcp":
            return f"{self.root}/vf/bin/python {self.sources}/fastmcp_wrap.py {{spec}} {{base}}"
        built = self.root / "omg" / job.document.stem
        if not (built / "build" / "index.js").is_file():
            environment = {**os.environ, "REF_ROOT": str(self.root)}
            node.run(
                [str(self.sources / "build_omg.sh"), str(job.document), str(built)], env=environment
            )
        return f"node {built}/build/index.js"

    def run(self, job: Job) -> dict[str, Any]:
        """A job's score; `fatal` says why there is none."""
        out = self.out(job)
        out.parent.mkdir(parents=True, exist_ok=True)
        score = Path(f"{out}.score.json")
        if self.reuse and job.server != MINE and score.is_file():
            return dict(json.loads(score.read_text()))
        score.unlink(missing_ok=True)
        began = time.monotonic()
        try:
            self._run(job, out)
        except (node.Absent, subprocess.TimeoutExpired) as why:
            said = "took too long" if isinstance(why, subprocess.TimeoutExpired) else str(why)
            spec = json.loads(job.document.read_text())
            count = sum(
                method in ("get", "put", "post", "delete", "options", "head", "patch", "trace")
                for item in (spec.get("paths") or {}).values()
                for method in item or {}
            )
            score.write_text(json.dumps({"fatal": [said], "ops": count}))
        if not score.is_file():
            score.write_text(json.dumps({"fatal": ["the referee gave no score"], "ops": 0}))
        found = dict(json.loads(score.read_text()))
        print(
            f"{job.server} {job.document.stem} seed {job.seed}: {time.monotonic() - began:.0f} s "
            f"{found.get('fatal') or found.get('pct')}",
            file=sys.stderr,
            flush=True,
        )
        return found

    def _run(self, job: Job, out: Path) -> None:
        python = str(self.root / "vh" / "bin" / "python")
        environment = {
            **os.environ,
            "REF_ROOT": str(self.root),
            "PYTHONPATH": str(node.CHECKOUT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [python, "-W", "ignore", *self.script, "--spec", str(job.document)]
        command += ["--name", job.server, "--out", str(out), "--seed", str(job.seed)]
        command += ["--max-ops", str(self.operations), "--server", self.command(job)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=self.seconds,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode:
            raise node.Absent(done.stderr.strip()[-300:])


Counts = dict[str, tuple[int, int]]


def totals(scores: list[dict[str, Any]]) -> Counts:
    """The columns of the table, as (good, all), over many scores."""
    count: Counter[str] = Counter()
    for score in scores:
        count["exposed all"] += score.get("ops", 0)
        if "A" not in score:
            continue
        count["exposed"] += score.get("exposed", 0)
        for side in "AB":
            count[f"{side} accepted"] += score[side]["accepted"]
            count[f"{side} accepted all"] += score[side]["calls"]
            count[f"{side} delivered"] += score[side]["delivered"]
            count[f"{side} delivered all"] += score[side]["slots"]
        count["invalid refused"] += score["N"]["no_http"]
        count["invalid refused all"] += score["N"]["calls"]
        count["structured valid"] += score["SC"]["valid"]
        count["structured valid all"] += score["SC"]["eligible"]
    return {name: (count[name], count[f"{name} all"]) for name in TARGETS}


class Settlement:
    """What is left of a score without the calls and values whose verdict is disputed, and the
    disputes.
    """

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.disputed: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)

    def add(self, document: Path, score: dict[str, Any], calls: Path) -> None:
        """Go through the calls of one document."""
        counts = totals([score])
        for name in ("exposed", "invalid refused", "structured valid"):
            self.count[name] += counts[name][0]
            self.count[f"{name} all"] += counts[name][1]
        if "A" not in score:
            return
        disputes = Disputes(document)
        with calls.open() as lines:
            for line in lines:
                self._call(json.loads(line), disputes, document.stem)

    def _call(self, call: dict[str, Any], disputes: Disputes, document: str) -> None:
        side = {"schema": "A", "spec": "B"}.get(call["kind"])
        if side is None:
            self._wrong_call(call, disputes, document)
            return
        accepted = (
            call["n_http"] == 1
            and call.get("verdict") == "valid"
            and call.get("op") == call["want_op"]
        )
        slots = [
            slot for slot in call.get("slots", ()) if slot[1] not in ("unmapped", "unrepresentable")
        ]
        whole = accepted and all(slot[1] == "delivered" for slot in slots)
        reason = "" if whole else disputes.over_call(call)
        if reason:
            self.disputed[reason].append((document, call))
            return
        self.count[f"{side} accepted"] += accepted
        self.count[f"{side} accepted all"] += 1
        for slot in slots:
            reason = "" if slot[1] == "delivered" else disputes.over_slot(call, slot)
            if reason:
                self.disputed[reason].append((document, call))
                continue
            self.count[f"{side} delivered"] += slot[1] == "delivered"
            self.count[f"{side} delivered all"] += 1

    def _wrong_call(self, call: dict[str, Any], disputes: Disputes, document: str) -> None:
        """Leave out a call of invalid arguments whose verdict is disputed."""
        if call["kind"] != "neg" or not call["n_http"]:
            return
        if reason := disputes.over_call(call):
            self.disputed[reason].append((document, call))
            self.count["invalid refused all"] -= 1

    def totals(self) -> Counts:
        """The columns of the table, as (good, all)."""
        return {name: (self.count[name], self.count[f"{name} all"]) for name in TARGETS}


def failures(calls: Path, disputes: Disputes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every call that went wrong undisputedly, with a line that says how, alike for alike
    failures.
    """
    with calls.open() as lines:
        for line in lines:
            call = json.loads(line)
            if disputes.over_call(call):
                continue
            call["slots"] = [
                slot for slot in call.get("slots", ()) if not disputes.over_slot(call, slot)
            ]
            how = failure(call)
            if how:
                yield how, call


def failure(call: dict[str, Any]) -> str:
    """How a call went wrong; empty when it did not."""

    def blur(text: object) -> str:
        return re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\d+|/\S+", "_", str(text))[:110]

    structured = call.get("sc") or {}
    if structured.get("declared") and not (structured.get("present") and structured.get("valid")):
        return f"structured result: {blur(structured.get('why') or 'absent')}"
    if call["kind"] == "neg":
        return f"sent although invalid: {call['profile']}" if call["n_http"] else ""
    if call["kind"] not in ("schema", "spec"):
        return ""
    side = "A" if call["kind"] == "schema" else "B"
    if not call["n_http"]:
        return f"{side} refused: {blur(call.get('error') or call.get('text'))}"
    if call.get("op") != call["want_op"]:
        return f"{side} another operation: {blur((call.get('bad') or [['', '', '']])[0][2])}"
    if call.get("verdict") != "valid":
        place, _, why = call["bad"][0]
        return f"{side} invalid {place}: {blur(why)}"
    if call["n_http"] > 1:
        return f"{side} sent {call['n_http']} times"
    lost = sorted(
        {outcome for _, outcome in call.get("slots", ()) if outcome not in DELIVERED_OR_MOOT}
    )
    return f"{side} {', '.join(lost)}" if lost else ""


def cause(how: str) -> str:
    """Why calls go wrong in that way; empty where nobody has looked yet."""
    return next((why for pattern, why in CAUSES if re.search(pattern, how, re.DOTALL)), "")


def row(label: str, counts: Counts) -> str:
    """A line of the table."""
    cells = [
        f"{100 * good / every:.2f} % ({good}/{every})" if every else "none"
        for good, every in counts.values()
    ]
    return f"| {label} | " + " | ".join(cells) + " |"


def meets(counts: Counts) -> bool:
    """Whether every target is met."""
    return all(
        every and 100 * good / every >= TARGETS[name] for name, (good, every) in counts.items()
    )


def shown(document: str, call: dict[str, Any]) -> str:
    """A call in a line: what was given, what was sent, what was said of it."""
    http = call.get("http") or {}
    lost = [slot for slot in call.get("slots", ()) if slot[1] not in DELIVERED_OR_MOOT][:3]
    given = json.dumps(call["args"], ensure_ascii=False)[:240]
    body = base64.b64decode(http.get("body") or "")[:120]
    return (
        f"  - {document} `{call['tool']}` ({call['kind']} {call['profile']}) `{given}` → "
        f"{http.get('method', 'nothing')} `{http.get('target', 'sent')[:160]}` "
        f"{body!r} {str(call.get('bad') or '')[:300]} {lost or ''} "
        f"{(call.get('text') or '')[:120]}"
    ).replace("\n", " ")


def report(
    campaign: Campaign, jobs: list[Job], scores: dict[Job, dict[str, Any]]
) -> tuple[str, bool]:
    """The report as Markdown, and whether every target is met but for what is disputed."""
    servers = list(dict.fromkeys(job.server for job in jobs))
    names = sorted({job.document.stem for job in jobs})
    seeds = ", ".join(str(seed) for seed in sorted({job.seed for job in jobs}))
    settled = {server: Settlement() for server in servers}
    fatal: Counter[str] = Counter()
    for job in jobs:
        settled[job.server].add(job.document, scores[job], Path(f"{campaign.out(job)}.calls.jsonl"))
        fatal[job.server] += bool(scores[job].get("fatal"))
    head = ["| | " + " | ".join(TARGETS) + " |", "|---" * (len(TARGETS) + 1) + "|"]
    target = "| target | " + " | ".join(f"{wanted} %" for wanted in TARGETS.values()) + " |"
    lines = ["# The referee's score", ""]
    lines += [
        f"{len(names)} documents, seeds {seeds}, {campaign.operations} operations of each.",
        "",
        *head,
    ]
    lines += [
        row(server, totals([scores[job] for job in jobs if job.server == server]))
        for server in servers
    ]
    decided = "Without what the document alone decides (below), for every server alike:"
    lines += [target, "", decided, "", *head]
    lines += [row(server, settled[server].totals()) for server in servers]
    lines += [target, "", f"Documents with no score: {dict(fatal)}", ""]
    lines += ["## By document", "", *head]
    for name in names:
        mine = [scores[job] for job in jobs if job.server == MINE and job.document.stem == name]
        why = next((str(score["fatal"])[:80] for score in mine if score.get("fatal")), "")
        lines.append(row(f"{name} {why}".strip(), totals(mine)))
    lines += ["", "## Disputed", ""]
    for reason, found in sorted(settled[MINE].disputed.items(), key=lambda item: -len(item[1])):
        lines += [f"- **{len(found)}** {reason}", *(shown(name, call) for name, call in found[:3])]
    grouped: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for job in jobs:
        calls = Path(f"{campaign.out(job)}.calls.jsonl")
        if job.server == MINE and "A" in scores[job]:
            disputes = Disputes(job.document)
            for how, call in failures(calls, disputes):
                grouped[cause(how) or f"not explained yet: {how.replace(chr(10), ' ')}"].append(
                    (job.document.stem, call)
                )
    lines += ["", "## Failures", ""]
    for why, found in sorted(grouped.items(), key=lambda item: -len(item[1])):
        tools = ", ".join(dict.fromkeys(f"{name} `{call['tool']}`" for name, call in found))
        lines += [f"- **{len(found)}** {why}: {tools}", *(shown(*one) for one in found)]
    return "\n".join(lines) + "\n", meets(settled[MINE].totals()) and not fatal[MINE]


def published(text: str) -> str:
    """The report as it stands in docs/: without the documents one by one, a line for each dispute
    and each failure.
    """
    head, _, rest = text.partition("## By document")
    _, disputed, rest = rest.partition("## Disputed")
    listed = re.sub(r"(?m)^  - .*\n", "", disputed + rest)
    intro = """\
Written by `make referee ARGS=--write`. An independent referee stands in for the API, calls every tool with arguments
from the tool's schema (A) and from the document's (B), and looks for the values where the document wants them. Every
call that went wrong is in the report that `make referee` names, with its request. The first table is the raw score. The
second leaves out what the document itself leaves open, for every server alike. Two slips of the referee are mended, for
every server alike (`tests/judges/referee_run.py` says which); `--untouched` runs it with them.

"""
    return (
        head.replace("# The referee's score\n\n", f"# The referee's score\n\n{intro}", 1) + listed
    )


def main(argv: list[str] | None = None) -> int:
    """Run, report, and say whether the targets are met."""
    parser = argparse.ArgumentParser(prog="make referee", description=__doc__.split("\n")[0])
    parser.add_argument("documents", nargs="*", default=[])
    parser.add_argument("--seeds", default="1", help="seeds, separated by commas")
    parser.add_argument("--alone", action="store_true", help="leave the peers out")
    parser.add_argument(
        "--reuse", action="store_true", help="keep the peers' scores of an earlier run"
    )
    parser.add_argument("--quick", action="store_true", help="three small documents")
    parser.add_argument("--untouched", action="store_true", help="the referee with its two slips")
    parser.add_argument("--operations", type=int, default=40, help="operations of each document")
    parser.add_argument(
        "--seconds", type=int, default=1500, help="the longest one document may take"
    )
    parser.add_argument("--write", action="store_true", help="write the figures to docs/referee.md")
    parser.add_argument("--report", type=Path, default=node.root() / "reports" / "referee")
    options = parser.parse_args(argv)
    try:
        campaign = Campaign(
            options.report, peers=not (options.alone or options.quick), reuse=options.reuse,
            untouched=options.untouched, operations=options.operations, seconds=options.seconds,
        )  # fmt: skip
    except node.Absent as why:
        print(f"make referee: not run: {why}")
        return 0 if options.quick else 2
    corpus = node.SHARED / "corpus"
    given = options.documents or [
        str(corpus / part) for part in ("openapi", "swagger2", "oai_examples", "directory")
    ]
    if options.quick:
        given = [str(corpus / "directory" / name) for name in QUICK]
    folder = options.report / "documents"
    folder.mkdir(parents=True, exist_ok=True)
    ready = [
        path for document in documents(given) if (path := converted(document, folder)) is not None
    ]
    ready = sorted(dict.fromkeys(ready), key=lambda path: path.stat().st_size)
    servers = (MINE,) if options.alone or options.quick else (MINE, *PEERS)
    seeds = [int(seed) for seed in options.seeds.split(",")]
    jobs = [
        Job(server, document, seed) for document in ready for seed in seeds for server in servers
    ]
    with ThreadPoolExecutor(2) as pool:
        scores = dict(zip(jobs, pool.map(campaign.run, jobs), strict=True))
    text, met = report(campaign, jobs, scores)
    (options.report / "report.md").write_text(text)
    print(text.partition("## By document")[0].rstrip())
    if options.write:
        (node.CHECKOUT / "docs" / "referee.md").write_text(published(text))
    print(f"\nFailures, one by one: {options.report / 'report.md'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

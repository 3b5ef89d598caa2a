"""The answers judge: how much of a hundred items of seventeen list operations a model gets to see.

`python -m tests.judges.answers [FOLDER]` makes a hundred varied items for each operation from its
schema, answers a call with them, and counts the tokens (o200k) of what the model would read. It
fails where an answer takes more than 12,000 tokens, keeps fewer than 80 items, or does not fit its
output schema, where less than 95 % of the fields are kept that a person looks at, and where one
of forty wrong calls is not mended by what it is told.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs

from mcpgen import pipeline
from mcpgen.config import Config, Selection
from mcpgen.load import Document
from mcpgen.parse import response as responses
from mcpgen.parse.schema import Reader
from mcpgen.problems import Problems
from mcpgen.render.facts import api_facts, wire
from mcpgen.runtime import settings as runtime_settings
from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.client.side import content_of
from mcpgen.runtime.results.answer import Answer
from mcpgen.runtime.results.lists import items_of

from . import node, wrong_calls

ITEMS = 100
MOST_TOKENS = 12_000
FEWEST_ITEMS = 80
TOKENS = Path(__file__).parents[2] / "benchmarks" / "tokens.cjs"
OPERATIONS = {
    "openapi/github.json": (
        "repos/list-for-org", "issues/list-for-repo", "pulls/list", "repos/list-commits"),
    "openapi/stripe.json": ("GetCharges", "GetCustomers", "GetInvoices"),
    "directory/slack.com.json": ("users_list", "conversations_history"),
    "openapi/kubernetes.json": ("listCoreV1NamespacedPod", "listAppsV1NamespacedDeployment"),
    "multifile/digitalocean/DigitalOcean-public.v2.yaml": ("droplets_list", "volumes_list"),
    "samples/specs/bookshop.yaml": ("listBooks",),
    "tests/cases/what_explains_an_item_stays/openapi.yaml": (
        "list_letters", "list_notes", "list_history"),
}  # fmt: skip
"""Document → its operations; the last two are this project's own."""
WANTED = {
    "issues/list-for-repo": "number title state user.login created_at",
    "pulls/list": "number title state user.login created_at draft",
    "repos/list-commits": "sha commit.message commit.author.name commit.author.date",
    "repos/list-for-org": "full_name description private updated_at",
    "GetCharges": "id amount currency status created customer",
    "GetCustomers": "id name email created",
    "GetInvoices": "id amount_due currency status created customer",
    "users_list": "id name real_name deleted",
    "conversations_history": "text user ts",
    "listCoreV1NamespacedPod": "metadata.name metadata.creationTimestamp status.phase",
    "listAppsV1NamespacedDeployment": "metadata.name metadata.creationTimestamp spec.replicas",
    "droplets_list": "id name status created_at size_slug",
    "volumes_list": "id name size_gigabytes created_at",
    "listBooks": "id title author price",
    "list_letters": "id source.body source.author.id source.author.username enclosures.fileName",
    "list_notes": "id body.content.content.text",
    "list_history": "id author.id author.username created_at items.field items.from items.to",
}
"""Operation → what a person looks at in its list, named before the answers were looked at: what it
is called, its state, when and by whom it was made, how much it is, and the id for the next call.
"""
LEAST_WANTED = 0.95
"""The share of these fields, of those that the API sent, that must be kept."""

_WORDS = (
    "the quick review of shipping orders from branch north shows that payment retries fail when a"
    " customer changes cards during checkout while stock levels remain high and returns are low"
    " because labels printed before noon carry last year's address format which carriers reject"
).split()
_NAMES = "ada grace linus barbara edsger donald margaret alan katherine dennis radia ken".split()


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one operation."""

    operation: str
    raw: int
    """Characters of the answer as the API sent it."""
    text: str
    kept: int
    fields: int
    fits_schema: bool
    missing: dict[str, float]
    """Wanted field → the share of the kept items that lost it, where one did."""


class Maker:
    """Makes values for schemas: like real ones in kind, length and variety."""

    def __init__(self, reader: Reader, seed: int) -> None:
        self.reader = reader
        self.random = random.Random(seed)

    def value(self, schema: Any, name: str = "", depth: int = 0) -> Any:
        """A value for a schema, by its type and the name of its property."""
        flat = self.reader.flatten(schema)
        if "type" not in flat and "items" in flat:
            return self.value(flat["items"], name, depth)
        if flat.get("enum"):
            return self.random.choice(flat["enum"])
        for keyword in ("anyOf", "oneOf"):
            branches = [one for one in flat.get(keyword, ()) if not self.reader.is_null(one)]
            if branches and "properties" not in flat:
                return self.value(branches[0], name, depth)
        kinds = sorted(self.reader.kinds(schema) - {"null"})
        if not kinds:
            return None
        if "null" in self.reader.types(flat) and self.random.random() < 0.2:
            return None
        return self.of_kind(kinds[0], flat, schema, name, depth)

    def of_kind(self, kind: str, flat: dict[str, Any], schema: Any, name: str, depth: int) -> Any:
        """A value of one JSON type."""
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "integer":
            return self.integer(name)
        if kind == "number":
            return round(self.random.uniform(1, 500), 2)
        if kind == "string":
            return self.string(name, str(flat.get("format", "")))
        if kind == "array":
            if depth > 4:
                return []
            count = self.random.randrange(0, 4)
            return [self.value(flat.get("items"), name, depth + 1) for _ in range(count)]
        return self.object(schema, depth)

    def object(self, schema: Any, depth: int) -> dict[str, Any]:
        """An object with most of its properties."""
        if depth > 4:
            return {}
        required = self.reader.flatten(schema).get("required", ())
        return {
            name: self.value(child, name, depth + 1)
            for name, child in self.reader.properties(schema).items()
            if name in required or self.random.random() < 0.9
        }

    def integer(self, name: str) -> int:
        """A number as its name suggests."""
        if name == "id" or name.endswith("_id"):
            return self.random.randrange(10**8, 10**9)
        if name in ("created", "updated", "date") or name.endswith(("_at", "_ts")):
            return self.random.randrange(1_600_000_000, 1_760_000_000)
        return self.random.choice((0, 0, 1, 3, 12, 47, 180, 2_404, 13_090))

    def string(self, name: str, form: str) -> str:
        """A text as its format or name suggests."""
        number = self.random.randrange(10**6)
        person = self.random.choice(_NAMES)
        if form == "date-time" or name.endswith("_at"):
            return f"20{self.random.randrange(18, 26)}-0{number % 9 + 1}-1{number % 9}T09:{number % 50 + 10}:00Z"
        if form == "date":
            return f"20{self.random.randrange(18, 26)}-0{number % 9 + 1}-1{number % 9}"
        if form == "email" or "email" in name:
            return f"{person}.{number}@example.com"
        if form in ("uri", "url") or name.endswith(("url", "uri", "link")) or "image" in name:
            return f"https://api.example.com/organisations/{person}/things/{number}/{name}"
        if "sha" in name or "hash" in name:
            return f"{self.random.getrandbits(160):040x}"
        if name == "node_id" or name.endswith(("_id", "token")) or name == "id":
            return f"{name[:3]}_{self.random.getrandbits(96):024x}"
        if name in ("body", "text", "description", "message", "summary"):
            return self.sentence(6, 120)
        if name in ("title", "display_title"):
            return self.sentence(3, 9)
        if name in ("login", "user", "username", "name", "display_name", "author"):
            return f"{person}-{number % 1000}"
        return self.random.choice((person, f"{person}_{number}", self.sentence(1, 4)))

    def sentence(self, least: int, most: int) -> str:
        """Some words."""
        count = self.random.randrange(least, most)
        return " ".join(self.random.choice(_WORDS) for _ in range(count)).capitalize()


def judged(path: Path, operation: str) -> Row:
    """One operation, answered with a hundred items."""
    problems = Problems()
    config = Config(sources=(str(path),), selection=Selection(include_operations=(operation,)))
    document, server = pipeline.understand(config, problems)
    [tool] = server.tools
    schema = answer_schema(document, tool.origin.pointer)
    reader = Reader(document, problems)
    maker = Maker(reader, len(operation))
    items_schema = schema
    for key in tool.listing.items or ():
        items_schema = reader.properties(items_schema)[key]
    item = reader.flatten(items_schema)["items"]
    items: Any = [maker.value(item, depth=1) for _ in range(ITEMS)]
    data = items
    if tool.listing.items:
        data = maker.value(schema)
        holder = data
        for key in tool.listing.items[:-1]:
            holder = holder[key]
        holder[tool.listing.items[-1]] = items
    content = json.dumps(data).encode()
    settings = ApiSettings(name=server.name, **generated(api_facts(server)))
    answer = Answer(200, {"content-type": "application/json"}, content, data)
    listed = wire(tool)
    blocks, structured = content_of(answer, listed, settings, {})
    shown = structured
    if tool.response.wrapped:
        shown = (structured or {}).get("result")
    kept = items_of(shown, tool.listing.items)
    validator = jsonschema_rs.Draft202012Validator(listed.get("outputSchema", True))
    return Row(
        operation=f"{path.stem} {operation}",
        raw=len(content),
        text="\n".join(block["text"] for block in blocks),
        kept=len(kept),
        fields=len({name for one in kept for name in one}),
        fits_schema=validator.is_valid(structured),
        missing=lost(items, kept, WANTED[operation].split()),
    )


def lost(sent: list[Any], kept: list[Any], wanted: list[str]) -> dict[str, float]:
    """Wanted field → the share of the items with it that lost it, where one did."""
    found = {}
    for name in wanted:
        with_it = [(one, other) for one, other in zip(sent, kept, strict=False) if held(one, name)]
        gone = sum(not held(other, name) for _, other in with_it)
        if gone:
            found[name] = gone / len(with_it)
    return found


def held(item: Any, name: str) -> bool:
    """Return whether an item has a field, by its dotted path, or the label of what it is in."""
    for key in name.split("."):
        if isinstance(item, list):
            item = next(filter(None, item), None)
        if isinstance(item, dict):
            item = item.get(key)
    return item is not None


def generated(facts: dict[str, Any]) -> dict[str, Any]:
    """The fields of Settings that come from `api.json`."""
    settings = runtime_settings.read(
        facts | {"auth": {}, "security": []},
        {f"{facts['env_prefix']}_BASE_URL": "https://api.example.com"},
    )
    return {name: getattr(settings, name) for name in ("answers", "lists", "redact", "wrapped")}


def answer_schema(document: Document, pointer: str) -> Any:
    """The schema of an operation's JSON answer."""
    reader = Reader(document, Problems())
    operation, _ = reader.resolve(f"#{pointer}")
    _, response = responses.success(reader, operation, pointer)
    return responses.json_schema(response)[1]


def tokens(text: str, packages: Path) -> int:
    """The tokens of a text, by the tokenizer from npm."""
    done = subprocess.run(
        ["node", str(TOKENS), str(packages)], input=text, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return int(done.stdout)


def main() -> int:
    """Print the table; 1 where a goal was missed."""
    parser = argparse.ArgumentParser(
        prog="make answers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", nargs="?", type=Path, default=node.SHARED / "corpus")
    options = parser.parse_args()
    try:
        packages = node.packages("gpt-tokenizer")
    except node.Absent as why:
        print(f"make answers: not run: {why}")
        return 1
    failed = wanted = 0
    missing = 0.0
    print(f"{'operation':32} {'raw chars':>10} {'tokens':>7} {'items':>6} {'fields':>7}")
    for name, operations in OPERATIONS.items():
        path = options.folder / name
        if name.startswith(("samples/", "tests/")):
            path = node.CHECKOUT / name
        if not path.is_file():
            print(f"{name}: absent")
            failed += 1
            continue
        for operation in operations:
            row = judged(path, operation)
            count = tokens(row.text, packages)
            fits = count <= MOST_TOKENS and row.kept >= FEWEST_ITEMS and row.fits_schema
            missing += sum(row.missing.values())
            wanted += len(WANTED[operation].split())
            note = ("" if fits else "  MISSED") + "".join(f" -{name}" for name in row.missing)
            print(f"{row.operation:32} {row.raw:10,} {count:7,} {row.kept:6} {row.fields:7}{note}")
            failed += not fits
    share = 1 - missing / max(1, wanted)
    print(f"{share:.1%} of the {wanted} wanted fields are kept")
    with tempfile.TemporaryDirectory() as folder:
        calls = list(wrong_calls.judged(Path(folder)))
    left = [f"{slip}: {why}" for slip, why in calls if why]
    print(f"{len(calls) - len(left)} of {len(calls)} wrong calls are mended", *left, sep="\n")
    return int(failed > 0 or share < LEAST_WANTED or left != [])


if __name__ == "__main__":
    sys.exit(main())

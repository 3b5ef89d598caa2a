"""`make transcript`: one task with GitHub's tools, done by a program and done by calls.

`python -m benchmarks.code_mode [--write]` generates GitHub's server, starts it in front of an API
that stands in for GitHub's, and asks for the five repositories of an organisation with most open
issues and their last release: once with `--code`, once call by call. What a model would write and
read is counted. `--write` puts the section into `docs/models.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcpgen import pipeline
from mcpgen.config import Config, Selection
from mcpgen.evaluate.stage import serving
from mcpgen.parse.schema import Reader
from mcpgen.problems import Problems
from tests.judges import node
from tests.judges.answers import Maker, answer_schema

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
GITHUB = node.SHARED / "corpus" / "openapi" / "github.json"
HEADING = "## Code mode"
ORGANISATION = "acme"
REPOSITORIES = 230
MOST_BY_CODE, LEAST_BY_TOOLS, MOST_LISTED = 3_000, 20_000, 600
TOOLS = ("repos_list_for_org", "repos_get_latest_release")
QUERIES = (
    ("list repositories of an organization", 3),
    ("get the latest release of a repository", 1),
)
PROGRAM = """\
import asyncio

repos = []
for page in range(1, 100):
    some = await repos_list_for_org(org="acme", per_page=100, page=page)
    repos += some
    if len(some) < 100:
        break
repos.sort(key=lambda repo: repo["open_issues_count"], reverse=True)

async def row(repo):
    try:
        release = (await repos_get_latest_release(owner="acme", repo=repo["name"]))["tag_name"]
    except RuntimeError:  # it has none
        release = None
    return {"name": repo["name"], "open_issues": repo["open_issues_count"], "release": release}

await asyncio.gather(*[row(repo) for repo in repos[:5]])
"""


def tokens(text: str) -> int:
    """About how many tokens a text has: a fourth of its bytes."""
    return round(len(text.encode()) / 4)


@dataclass(slots=True)
class Hub:
    """The API: repositories and releases made from the schemas of GitHub's own answers."""

    repositories: list[dict[str, Any]]
    releases: dict[str, dict[str, Any]]

    @classmethod
    def made(cls) -> Hub:
        """Every third repository has no release."""
        config = Config(
            sources=(str(GITHUB),),
            selection=Selection(
                include_operations=("repos/list-for-org", "repos/get-latest-release")
            ),
        )
        problems = Problems()
        document, server = pipeline.understand(config, problems)
        pointers = {tool.name: tool.origin.pointer for tool in server.tools}
        reader = Reader(document, problems)
        maker = Maker(reader, 7)
        repository = reader.flatten(answer_schema(document, pointers["repos_list_for_org"]))[
            "items"
        ]
        release = answer_schema(document, pointers["repos_get_latest_release"])
        repositories = []
        releases = {}
        for number in range(REPOSITORIES):
            name = f"repository-{number}"
            issues = maker.random.randrange(5_000)
            made = maker.value(repository, depth=1)
            repositories.append({**made, "name": name, "open_issues_count": issues})
            if number % 3:
                made = maker.value(release, depth=1)
                releases[name] = {**made, "tag_name": f"v{number}.1"}
        return cls(repositories, releases)

    def answer(self, target: str) -> Any:
        """The answer to a path with its query; None where there is nothing."""
        parts = urlsplit(target)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path == f"/orgs/{ORGANISATION}/repos":
            size = int(query.get("per_page", 30))
            start = (int(query.get("page", 1)) - 1) * size
            return self.repositories[start : start + size]
        match = re.fullmatch(rf"/repos/{ORGANISATION}/([^/]+)/releases/latest", parts.path)
        return self.releases.get(match[1]) if match else None

    def truth(self) -> list[dict[str, Any]]:
        """What the task asks for."""
        best = sorted(self.repositories, key=lambda one: -one["open_issues_count"])[:5]
        return [
            {
                "name": one["name"],
                "open_issues": one["open_issues_count"],
                "release": self.releases.get(one["name"], {}).get("tag_name"),
            }
            for one in best
        ]


@contextlib.contextmanager
def standing_in(hub: Hub) -> Iterator[str]:
    """The address of the API, on a free port of this machine."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            answer = hub.answer(self.path)
            body = json.dumps({"message": "Not Found"} if answer is None else answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the report is about the calls."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@dataclass(slots=True)
class Talk:
    """The calls of one client, with what a model would write and read."""

    client: Any
    calls: list[tuple[str, int]] = field(default_factory=list)

    async def call(self, name: str, **arguments: Any) -> str:
        """The text of a result, be it an error."""
        result = await self.client.call_tool(name, arguments)
        text = "\n".join(getattr(block, "text", "") for block in result.content)
        self.calls.append((name, tokens(json.dumps(arguments)) + tokens(text)))
        return text

    @property
    def tokens(self) -> int:
        """What all calls cost."""
        return sum(cost for _, cost in self.calls)


async def listed(client: Any) -> int:
    """The tokens of a list."""
    tools = (await client.list_tools()).tools
    texts = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    return tokens(json.dumps(texts, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of the task: the list of `--code`, and the calls of each way."""

    listed: int
    code: Talk
    tools: Talk
    chosen: Talk
    answer: str
    correct: bool
    """Whether the searches showed the tools of the program, and its answer is true."""

    @property
    def good(self) -> bool:
        """Whether every goal is met."""
        return (
            self.correct
            and self.listed <= MOST_LISTED
            and self.code.tokens <= MOST_BY_CODE
            and self.tools.tokens >= LEAST_BY_TOOLS
        )


async def measured(folder: Path, hub: Hub, api: str) -> Measured:
    """The task in three ways."""
    async with serving(folder, api, "--code") as client:
        code = Talk(client)
        stubs = [await code.call("search_tools", query=text, limit=most) for text, most in QUERIES]
        answer = await code.call("run_code", code=PROGRAM)
        cost = await listed(client)
    async with serving(folder, api, "--tools", ",".join(TOOLS)) as client:
        tools, chosen = Talk(client), Talk(client)
        names = [row["name"] for row in hub.truth()]
        for talk, fields in ((tools, {}), (chosen, {"fields": ["name", "open_issues_count"]})):
            for page in (1, 2, 3):
                await talk.call("repos_list_for_org", org="acme", per_page=100, page=page, **fields)
            for name in names:
                await talk.call("repos_get_latest_release", owner="acme", repo=name)
    known = all(f"async def {name}(" in "\n".join(stubs) for name in TOOLS)
    return Measured(cost, code, tools, chosen, answer, known and json.loads(answer) == hub.truth())


def section(result: Measured) -> str:
    """The section of `docs/models.md`."""

    def row(title: str, talk: Talk) -> str:
        return f"| {title} | {len(talk.calls)} | {talk.tokens:,} |"

    rows = json.loads(result.answer)
    return "\n".join(
        [
            HEADING,
            "",
            f"`--code` lists two tools, {result.listed} tokens for an API of any size: `search_tools` answers Python stubs, and `run_code`",
            "runs a program over them in a sandbox. The task: the five repositories of an organisation (it has 230) with most",
            "open issues, with their last release. GitHub's server with its 1,223 tools, an API that stands in for GitHub's",
            "and answers what its schemas say, tokens in and out together; written by `make transcript ARGS=--write`.",
            "",
            "| way | calls | tokens |",
            "|---|---|---|",
            row("`--code`: two searches, one program", result.code),
            row("call by call, lists as they come", result.tools),
            row("call by call, `fields` of the list chosen", result.chosen),
            "",
            "Call by call, the model has to know the tools already (no search is counted), read every page and sort by itself.",
            "The program:",
            "",
            "```python",
            PROGRAM.rstrip(),
            "```",
            "",
            "What it answers:",
            "",
            "```json",
            "[",
            ",\n".join(f"  {json.dumps(one)}" for one in rows),
            "]",
            "```",
            "",
        ]
    )


def with_section(page: str, text: str) -> str:
    """The page with another section of that heading, at its end where it has none."""
    before, heading, rest = page.partition(f"\n{HEADING}\n")
    after = ""
    if heading:
        following = re.search(r"^## ", rest, re.M)
        after = rest[following.start() :] if following else ""
    return f"{before.rstrip()}\n\n{text.rstrip()}\n{after and chr(10) + after}"


def run() -> Measured:
    """Generate the server and do the task."""
    hub = Hub.made()
    with tempfile.TemporaryDirectory(prefix="transcript-") as temporary:
        folder = Path(temporary) / "github"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "mcpgen",
                "generate",
                str(GITHUB),
                "-o",
                str(folder),
                "--code",
                "-q",
            ],
            check=True,
        )
        with standing_in(hub) as api:
            return asyncio.run(measured(folder, hub, api))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not GITHUB.is_file():
        print(f"there is no document {GITHUB}", file=sys.stderr)
        return 1
    result = run()
    text = section(result)
    print(text)
    for name, cost in result.code.calls:
        print(f"{name}: {cost}", file=sys.stderr)
    if options.write:
        PAGE.write_text(with_section(PAGE.read_text("utf-8"), text))
    return 0 if result.good else 1


if __name__ == "__main__":
    sys.exit(main())

"""Years of a real API, regenerated step by step: `python tests/longrun/github_years.py [FOLDER]`.

The versions of GitHub's description that npm's `@octokit/openapi` published are fetched (with `npm
pack`, once, into FOLDER), and one project with customisations, a custom tool, hooks and a file of
its own lives through all of them. After every step:

* names are stable: an operation that is in both versions has the same tool;
* customisations are kept, and what is the user's is the same byte for byte;
* the project equals what a fresh run with the same configuration gives, and a second run changes
  nothing;
* the semantic diff is classified, and agrees with a plain comparison of the operations of both
  documents.

A table goes to standard output as Markdown. The exit code is 1 when a step broke one of the
promises.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import time
from collections import Counter
from pathlib import Path

from mcpgen.compare.servers import KINDS, Diff, diff
from mcpgen.compare.sides import side_of_project
from mcpgen.lock import Lock
from mcpgen.problems import DocumentError, Problems
from mcpgen.project.check import check
from mcpgen.project.verify import verify
from tests.regenerate.shop import contents, generate, lock_of, package, users_files

PACKAGE = "@octokit/openapi"
VERSIONS = (
    "16.0.0 16.6.0 17.0.0 18.0.0 18.2.0 19.0.0 19.1.0 20.0.0 21.0.0 22.0.0 23.0.0 23.0.2".split()
)  # fmt: skip
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

CUSTOMISATIONS = """
# The team's own wishes
[tools."issues/create"]
name = "open_issue"                # what everybody calls it
aliases = ["issues_create"]
description = "Open an issue in a repository."
[tools."issues/create".arguments.owner]
hidden = true
value = "octo-org"
[tools."repos/list-for-org"]
toolset = "front_desk"
[tools."repos/list-for-org".answer]
keep = ["full_name", "description"]
[tools."repos/list-for-org".arguments.per_page]
default = 20
[tools."GET /repos/{owner}/{repo}"]
title = "Look at a repository"
[tools."repos/delete"]
enabled = false
[tools."search/code".hints]
open_world = false
"""
HOOKS = "def before_open_issue(call):\n    call.arguments.setdefault('labels', ['from-mcp'])\n"
TOOL = [{"name": "count_repositories", "description": "How many repositories an organisation has."}]
CODE = (
    "from ..tools import front_desk\n\n\nasync def count_repositories(api):\n    return"
    " front_desk.__doc__\n"
)


def main(folder: Path) -> int:
    """Every version, one after the other."""
    documents = [fetch(version, folder) for version in VERSIONS]
    project = folder / "project"
    shutil.rmtree(project, ignore_errors=True)
    current = folder / "current.json"
    shutil.copy(documents[0], current)
    generate(project, current, accept=True)
    customise(project)
    generate(project, accept=True)
    print(
        "| step | operations | security | breaking | additive | text | files | seconds | broken"
        " promises |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    broken, last = 0, documents[0]
    for after in documents[1:]:
        count = step(project, current, last, after)
        if count is None:
            continue
        broken, last = broken + count, after
    return 1 if broken else 0


def fetch(version: str, folder: Path) -> Path:
    """One version of the document, from the registry or from an earlier run."""
    path = folder / f"{version}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", "--silent", f"{PACKAGE}@{version}"], cwd=folder, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        archive = folder / done.stdout.strip().splitlines()[-1]
        with tarfile.open(archive) as packed:
            member = packed.extractfile("package/generated/api.github.com.json")
            assert member is not None
            path.write_bytes(member.read())
        archive.unlink()
    return path


def customise(project: Path) -> None:
    """What a team does to its project on the first day."""
    with (project / "mcpgen.toml").open("a") as file:
        file.write(CUSTOMISATIONS)
    own = package(project)
    (own / "hooks.py").write_text(HOOKS)
    (own / "custom" / "counting.json").write_text(json.dumps(TOOL))
    (own / "custom" / "counting.py").write_text(CODE)
    (project / "NOTES.md").write_text("Ours.\n")


def step(project: Path, current: Path, before: Path, after: Path) -> int | None:
    """One new version of the document; the number of broken promises, or None where it was refused
    as faulty.
    """
    old_side, old_lock, mine = side_of_project(project), lock_of(project), users_files(project)
    shutil.copy(after, current)
    started = time.perf_counter()
    try:
        changes, problems = generate(project, accept=True)
    except DocumentError as error:
        print(f"| {before.stem} → {after.stem} | refused: {error} ||||||||", flush=True)
        shutil.copy(before, current)
        assert verify(project) == []
        return None
    seconds = time.perf_counter() - started
    new_lock = lock_of(project)
    found = diff(old_side, side_of_project(project))
    broken = [
        *names_that_changed(old_lock, new_lock),
        *customisations_that_were_lost(project, new_lock),
        *(f"`{path}` is not as the user left it" for path,
          text in mine.items() if (project / path).read_bytes() != text),
        *disagreements(found, before, after, old_lock, new_lock),
        *(f"verify: {finding}" for finding in verify(project)),
        *(f"check: {sentence}" for sentence in check(project, Problems()).stale),
        *(f"fresh: `{path}` differs" for path in other_than_fresh(project)),
    ]  # fmt: skip
    again, _ = generate(project, accept=True)
    broken += [] if again.empty else [f"the second run changed files ({again})"]
    counts = Counter(change.kind for change in found.changes)
    warnings = sum(1 for problem in problems if problem.code.startswith("E11"))
    print(
        f"| {before.stem} → {after.stem} | {len(new_lock.tools)} | "
        + " | ".join(str(counts[kind]) for kind in KINDS)
        + f" | {changes} | {seconds:.1f} |"
        f" {len(broken)}{f' ({warnings} warnings)' if warnings else ''} |",
        flush=True,
    )
    for sentence in broken[:10]:
        print(f"    {sentence}", file=sys.stderr)
    return len(broken)


def names_that_changed(old: Lock, new: Lock) -> list[str]:
    """Operations that are the same by method and path, or by operationId, and have another tool."""
    by_operation = {tool.operation: tool for tool in old.tools}
    stayed = {tool.operation for tool in new.tools}
    by_identity = {tool.operation_id: tool for tool in old.tools if tool.operation not in stayed}
    found = []
    for tool in new.tools:
        was = by_operation.get(tool.operation) or by_identity.get(tool.operation_id)
        if was is not None and was.name != tool.name:
            found.append(f"`{was.name}` is called `{tool.name}` now")
    return found


def customisations_that_were_lost(project: Path, lock: Lock) -> list[str]:
    """Wishes of the team that are not in the generated project."""
    by_name = {tool.name: tool for tool in lock.tools}
    by_id = {tool.operation_id: tool for tool in lock.tools}
    listing = by_id["repos/list-for-org"].name
    looking = {tool.operation: tool.name for tool in lock.tools}["GET /repos/{owner}/{repo}"]
    facts = json.loads((package(project) / "api.json").read_text())
    tools = side_of_project(project).tools
    kept = {
        "the name `open_issue`": "open_issue" in by_name,
        "its description": (
            tools.get("open_issue", {}).get("description") == "Open an issue in a repository."
        ),
        "its hidden argument": "owner" not in tools["open_issue"]["inputSchema"]["properties"],
        "its alias": facts["aliases"].get("issues_create") == "open_issue",
        "the toolset `front_desk`": any(tool.toolset == "front_desk" for tool in lock.tools),
        "the page size": (tools[listing]["inputSchema"]["properties"]["per_page"]["default"] == 20),
        "the shape of the answer": (
            facts["answers"][listing]["keep"] == ["full_name", "description"]
        ),
        "the title": tools[looking]["title"] == "Look at a repository",
        "the disabled tool": "repos/delete" not in by_id,
        "the hint": by_id["search/code"].hints["open_world"] is False,
    }
    return [f"{what} was lost" for what, there in kept.items() if not there]


def disagreements(found: Diff, before: Path, after: Path, old: Lock, now: Lock) -> list[str]:
    """Where the diff says something else than a plain comparison of both documents: what came, and
    what went.
    """
    old_operations, new_operations = operations(before), operations(after)
    left = {key: identity for key, identity in old_operations.items() if key not in new_operations}
    new = {key: identity for key, identity in new_operations.items() if key not in old_operations}
    gone = {key for key, identity in left.items() if identity not in new.values()}
    came = {key for key, identity in new.items() if identity not in left.values()}
    names = {tool.operation: tool.name for tool in old.tools} | {
        tool.operation: tool.name for tool in now.tools
    }
    expected = {("removed", names.get(key)) for key in gone if key in names}
    expected |= {("added", names.get(key)) for key in came if key in names}
    said = {
        (change.event, change.tool)
        for change in found.changes
        if change.event in ("added", "removed")
    }
    return [
        f"diff: {event} `{name}` is said by one side only"
        for event, name in sorted(said ^ expected, key=str)
    ]


def operations(path: Path) -> dict[str, str]:
    """`METHOD /path` → operationId, read off the document without mcpgen."""
    paths = json.loads(path.read_bytes())["paths"]
    return {
        f"{method.upper()} {name}": item[method].get("operationId", "")
        for name, item in paths.items()
        for method in METHODS
        if method in item
    }


def other_than_fresh(project: Path) -> list[str]:
    """Generated files that differ from those of a run in an empty folder with the same
    configuration, names and tools of one's own; what is written once is the user's.
    """
    place = project.with_name("fresh")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in ("mcpgen.toml", "mcpgen.lock"):
        shutil.copy(project / name, place / name)
    for folder in (
        "document",
        *(path.relative_to(project) for path in project.glob("src/*/custom")),
    ):
        if (project / folder).is_dir():
            shutil.copytree(project / folder, place / folder)
    generate(place, accept=True)
    files, made = contents(project), contents(place)
    generated = made.keys() - lock_of(project).once.keys()
    return [path for path in sorted(generated) if made[path] != files[path]]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".longrun").resolve()))

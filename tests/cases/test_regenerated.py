"""Every folder in `regenerated/` is a case of an API that changes: two documents, perhaps a
configuration and code of the user, and what mcpgen says and does at the second one.

`report.txt` holds what `check`, `diff` and `generate` say, and the tools afterwards. A report that
comes out otherwise is written there and the test fails: `git diff` shows what changed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen import pipeline
from mcpgen.compare.reports import as_text
from mcpgen.compare.servers import diff
from mcpgen.compare.sides import side_of_project, side_of_server
from mcpgen.config.file import read_config
from mcpgen.lock import read_lock
from mcpgen.problems import McpgenError, Problem, Problems
from mcpgen.project.check import check
from mcpgen.project.run import Request, run
from mcpgen.project.save import save

HERE = Path(__file__).parent / "regenerated"
CASES = sorted(path.parent.name for path in HERE.glob("*/before.yaml"))


@pytest.mark.parametrize("name", CASES)
def test_a_regenerated_case_comes_out_as_expected(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now = report(HERE / name, tmp_path)
    expected = HERE / name / "report.txt"
    before = expected.read_text() if expected.is_file() else ""
    expected.write_text(now)
    assert now == before, f"{name}/report.txt was written: read the difference"


def report(case: Path, folder: Path) -> str:
    """What is said and done when the document of a case changes."""
    project = first_run(case, folder)
    shutil.copy(case / "after.yaml", project / "api.yaml")
    parts = {
        "check": "\n".join(checked(project)),
        "diff": compared(project),
        "generate": "\n".join(generated(project, accept=False)),
    }
    if parts["generate"].startswith("refused"):
        parts["generate --accept-changes"] = "\n".join(generated(project, accept=True))
    parts["tools"] = "\n".join(tools(project))
    return "\n".join(f"## {title}\n\n{text}\n" for title, text in parts.items())


def first_run(case: Path, folder: Path) -> Path:
    """The project of the first document, with the user's configuration and code."""
    project = folder / "shop"
    project.mkdir()
    shutil.copy(case / "before.yaml", project / "api.yaml")
    text = 'name = "shop"\n\n[source]\npath = "api.yaml"\n'
    if (case / "mcpgen.toml").is_file():
        text += "\n" + (case / "mcpgen.toml").read_text()
    (project / "mcpgen.toml").write_text(text)
    save(run(Request(folder=project), Problems()))
    if (case / "user").is_dir():
        shutil.copytree(case / "user", project / "src" / "shop_mcp", dirs_exist_ok=True)
    return project


def checked(project: Path) -> Iterator[str]:
    """What `mcpgen check` says."""
    try:
        result = check(project, Problems())
    except McpgenError as error:
        yield from map(line, error.problems)
        return
    yield "passed" if result.passed else "failed"
    yield from (f"not up to date: {sentence}" for sentence in result.stale)
    yield from map(line, result.problems)


def compared(project: Path) -> str:
    """What `mcpgen diff` says."""
    lock = read_lock(project)
    try:
        _, server = pipeline.understand(read_config(project), Problems(), lock=lock)
    except McpgenError as error:
        return "\n".join(map(line, error.problems))
    return as_text(diff(side_of_project(project), side_of_server(server)))


def generated(project: Path, *, accept: bool) -> Iterator[str]:
    """What `mcpgen generate` says."""
    problems = Problems()
    try:
        changes = save(run(Request(folder=project), problems), accept=accept)
    except McpgenError as error:
        yield "refused"
        yield from map(line, error.problems)
        return
    yield from map(line, [*problems, *changes.problems])
    yield re.sub(r", \d+ unchanged", "", str(changes))


def line(problem: Problem) -> str:
    """One problem as one line."""
    place = ""
    if problem.place is not None:
        _, _, below = f"/{problem.place.file}".rpartition("/shop/")
        place = f" {below.removeprefix('/')}:{problem.place.line}"
    text = f"{problem.code} {problem.severity}{place}: {problem.message}"
    if problem.hint:
        text += f" [{problem.hint}]"
    return text


def tools(project: Path) -> Iterator[str]:
    """The tools of the lock: name, operation, arguments."""
    lock = read_lock(project)
    assert lock is not None
    for tool in lock.tools:
        yield f"{tool.name} ({', '.join(tool.arguments)}): {tool.operation}"

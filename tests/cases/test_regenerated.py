"""Every folder in `regenerated/` is a case of a project that lives on: two documents, perhaps a
configuration and code of the user, and what mcpgen says and does at the second document.

* `mcpgen.toml` is added to a configuration with a name and the document; one with `[source]` is the
  whole configuration;
* `user/` lies over the package;
* `edits.toml` says what else happened in the project before the second document, as tables
  `[[edit]]` of a `file` in which `old` became `new`, or that was deleted (no `old`). `VERSION` is
  this version of mcpgen;
* `later.yaml` is a third document, `later.toml` what happened in the project before it.

`report.txt` holds what `check`, `diff` and `generate` say, and the tools afterwards; a run that is
refused is repeated with the option that its message names, or with `--accept-changes`. A report that comes out otherwise is
written there and the test fails: `git diff` shows what changed.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

from mcpgen import __version__
from mcpgen.compare.reports import as_text
from mcpgen.compare.servers import diff
from mcpgen.compare.sides import side_of_project
from mcpgen.lock import require_lock
from mcpgen.problems import McpgenError, Problem, Problems
from mcpgen.project.check import check
from mcpgen.project.run import CommandInput, run
from mcpgen.project.save import save
from mcpgen.project.sides import side_of_document

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
    edit(case / "edits.toml", project)
    shutil.copy(case / "after.yaml", project / "api.yaml")
    parts = {
        "check": "\n".join(checked(project)),
        "diff": compared(project),
        "generate": "\n".join(generated(project)),
    }
    if parts["generate"].startswith("refused"):
        option = way_out(parts["generate"])
        parts[f"generate {option}"] = "\n".join(generated(project, option))
    parts["tools"] = "\n".join(tools(project))
    if (case / "later.yaml").is_file():
        edit(case / "later.toml", project)
        shutil.copy(case / "later.yaml", project / "api.yaml")
        parts["later: generate"] = "\n".join(generated(project))
        parts["later: tools"] = "\n".join(tools(project))
    text = "\n".join(f"## {title}\n\n{text}\n" for title, text in parts.items())
    return text.replace(__version__, "VERSION").replace(f"{project}", "PROJECT")


def way_out(refusal: str) -> str:
    """The option that a refusal names, or the one that accepts what is new."""
    for option in ("--adopt", "--force"):
        if option in refusal:
            return option
    return "--accept-changes"


def first_run(case: Path, folder: Path) -> Path:
    """The project of the first document, with the user's configuration and code."""
    project = folder / "shop"
    project.mkdir()
    shutil.copy(case / "before.yaml", project / "api.yaml")
    text = ""
    if (case / "mcpgen.toml").is_file():
        text = (case / "mcpgen.toml").read_text()
    if "[source]" not in text:
        text = f'name = "shop"\n\n[source]\npath = "api.yaml"\n\n{text}'
    (project / "mcpgen.toml").write_text(text.rstrip("\n") + "\n")
    save(run(CommandInput(folder=project), Problems()))
    if (case / "user").is_dir():
        shutil.copytree(case / "user", project / "src" / "shop_mcp", dirs_exist_ok=True)
    return project


def edit(edits: Path, project: Path) -> None:
    """Changes of single files, each of which must find what it replaces."""
    if not edits.is_file():
        return
    text = edits.read_text().replace("VERSION", __version__)
    for change in tomllib.loads(text)["edit"]:
        file = project / change["file"]
        if "old" not in change:
            file.unlink()
            continue
        assert change["old"] in file.read_text()
        file.write_text(file.read_text().replace(change["old"], change["new"], 1))


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
    try:
        before = side_of_project(project)
        return as_text(diff(before, side_of_document(None, project, before, Problems())))
    except McpgenError as error:
        return "\n".join(map(line, error.problems))


def generated(project: Path, option: str = "") -> Iterator[str]:
    """What `mcpgen generate` says."""
    problems = Problems()
    adopt = option == "--adopt"
    try:
        made = run(CommandInput(folder=project, adopt=adopt), problems)
        changes = save(
            made, accept=option == "--accept-changes", force=option == "--force", adopt=adopt
        )
    except McpgenError as error:
        yield "refused"
        yield from map(line, error.problems)
        return
    yield from map(line, [*problems, *changes.problems])
    yield re.sub(r"(, )?\d+ unchanged", "", str(changes)) or "nothing to do"


def line(problem: Problem) -> str:
    """One problem as one line."""
    place = ""
    if problem.place is not None:
        _, _, below = f"/{problem.place.file}".rpartition("/shop/")
        place = f" {below.removeprefix('/')}:{problem.place.line}"
    text = f"{problem.code} {problem.severity}{place}: {problem.message}"
    if problem.hint:
        text += f" [{problem.hint}]"
    if problem.code == "E1202":
        text += "\n" + indent(problem.detail.rstrip(), "    ")
    return text


def tools(project: Path) -> Iterator[str]:
    """The tools of the lock: name, operation, arguments."""
    try:
        lock = require_lock(project)
    except McpgenError as error:
        yield from map(line, error.problems)
        return
    for tool in lock.tools:
        yield f"{tool.name} ({', '.join(tool.arguments)}): {tool.operation}"

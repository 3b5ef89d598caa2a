"""Every folder here is a case: a document, perhaps a configuration, and the files that come of it.

`expected/` holds what differs from document to document: the list, the functions, the facts. A file
that comes out otherwise is written there and the test fails: `git diff` shows what changed, and
whoever commits it has read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.config.file import parse_config
from mcpgen.problems import McpgenError, Problem, Problems

HERE = Path(__file__).parent
KEPT = "tools/ api.json models.py schemas.json contracts.json".split()
"""What a case keeps of the package."""
CASES = sorted(path.parent.name for path in HERE.glob("*/expected"))


def shown(case: Path) -> dict[str, str]:
    """The files of a case: tools, the server's facts, and what was reported."""
    text = case / "mcpgen.toml"
    config = (
        parse_config(text.read_text(), folder=case)
        if text.is_file()
        else Config(sources=(str(case / "openapi.yaml"),))
    )
    problems = Problems()
    try:
        _, server, files = pipeline.generate(config, problems)
    except McpgenError as error:
        return {"problems.txt": _told(error.problems)}
    package = f"src/{server.package}/"
    wanted = {
        path.removeprefix(package): content
        for path, content in files.items()
        if path.startswith(tuple(f"{package}{name}" for name in KEPT))
        and not path.endswith(("__init__.py", "_index/search.json"))
    }
    told = _told(problems)
    return wanted | ({"problems.txt": told} if told else {})


def _told(problems: Iterable[Problem]) -> str:
    """A line for each problem."""
    return "".join(f"{problem.code} {problem.pointer} {problem.message}\n" for problem in problems)


@pytest.mark.parametrize("name", CASES)
def test_a_case_comes_out_as_expected(name: str) -> None:
    expected = HERE / name / "expected"
    now = shown(HERE / name)
    before = {
        path.relative_to(expected).as_posix(): path.read_text()
        for path in expected.rglob("*")
        if path.is_file()
    }
    different = sorted(
        path for path in now.keys() | before.keys() if now.get(path) != before.get(path)
    )
    for path in different:
        if path in now:
            (expected / path).parent.mkdir(parents=True, exist_ok=True)
            (expected / path).write_text(now[path])
        else:
            (expected / path).unlink()
    assert (
        not different
    ), f"{', '.join(different)}: written to {expected.name}/, read the difference"

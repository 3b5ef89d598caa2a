"""The documentation points at things that exist, and shows code that is generated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcpgen.config import Config
from mcpgen.pipeline import generate
from mcpgen.problems import Problems

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "samples" / "README.md"]


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    for target in re.findall(
        r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    ):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, fragment = target.partition("#")
        path = (page.parent / name) if name else page
        assert path.exists(), f"{page.name}: {target}"
        if fragment:
            headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), flags=re.M)
            assert fragment in {_anchor(heading) for heading in headings}, f"{page.name}: {target}"


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    config = Config(sources=(str(ROOT / "samples" / "specs" / "bookshop.yaml"),))
    return generate(config, Problems())[2]


def test_the_tool_that_is_shown_is_the_one_that_is_generated(files):
    (shown,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "generated.md").read_text("utf-8"), flags=re.S
    )
    assert shown in files["src/bookshop_mcp/tools/books.py"]


def test_every_file_of_the_tour_exists(files):
    tour = (ROOT / "docs" / "generated.md").read_text("utf-8").split("```")[1]
    named = [
        name
        for line in tour.splitlines()[2:]
        for name in line.split("  ")[1:]
        if "." in name or "/" in name
    ]
    flat = "\n".join([*files, "mcpgen.toml", "mcpgen.schema.json", "mcpgen.lock"])
    for name in " ".join(named).split():
        if (
            re.fullmatch(r"[\w./-]+\.(py|json|toml|md)|[\w/]+/", name)
            and "mcp-bookshop" not in name
        ):
            assert name.removeprefix("src/bookshop_mcp/") in flat, name


def test_the_readme_starts_with_the_two_commands():
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^(make \w+)", readme, flags=re.M)
    assert commands[:2] == ["make demo", "make test"]

"""The documentation points at things that exist, and shows code that is generated."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.config import Config
from mcpgen.pipeline import generate
from mcpgen.problems import Problems
from scripts import python_docs
from scripts.clients_docs import table as clients_table

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


def _commands(page: str) -> list[list[str]]:
    """The words after `bookshop-mcp` in the shell examples of a page."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.S)).splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [command[1:] for command in words if command[:1] == ["bookshop-mcp"]]


@pytest.mark.parametrize("words", _commands("clients.md"), ids=" ".join)
def test_the_examples_for_clients_run(words, files, tmp_path):
    package = tmp_path / "src"
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(package),
        "BOOKSHOP_MCP_API_KEY": "bk-key-1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "bookshop_mcp", *words], input="", capture_output=True, text=True,
        timeout=60, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_clients_of_the_page_are_those_of_the_table():
    page = (ROOT / "docs" / "clients.md").read_text("utf-8")
    assert clients_table() in page


def test_the_python_reference_is_that_of_the_docstrings():
    page = python_docs.PAGE.read_text("utf-8")
    assert page == python_docs.page(), "run `make docs`"
    assert "| `include_tags` | `tuple[str, ...]` |" in page and "accept_changes: bool" in page


def test_the_texts_of_troubleshooting_are_printed_by_something():
    page = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    source = "".join(path.read_text("utf-8") for path in (ROOT / "mcpgen").rglob("*.py"))
    texts = re.findall(r"^### `(.+)`$", page, flags=re.M)
    assert len(texts) >= 9 and [text for text in texts if text not in source] == []


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
    columns = [name for line in tour.splitlines()[2:] for name in line.split("  ")[1:]]
    named = [name for name in columns if "." in name or "/" in name]
    flat = "\n".join([*files, "mcpgen.toml", "document/mcpgen.schema.json", "mcpgen.lock"])
    for name in " ".join(named).split():
        if (
            re.fullmatch(r"[\w./-]+\.(py|json|toml|md)|[\w/]+/", name)
            and "mcp-bookshop" not in name
        ):
            assert name.removeprefix("src/bookshop_mcp/") in flat, name


def test_the_readme_starts_with_the_two_commands():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.findall(r"^(make \w+)", readme, flags=re.M)[:2] == ["make demo", "make test"]


def test_every_page_is_in_the_index_and_on_the_site():
    names = {path.name for path in (ROOT / "docs").glob("*.md")}
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == names - {"README.md"}
    site = (ROOT / "docs" / "site.yml").read_text("utf-8")
    assert set(re.findall(r"^ +- docs/([\w-]+\.md)$", site, flags=re.M)) == names

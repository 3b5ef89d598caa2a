"""The shell and TOML examples of the pages in docs/, those that are not run too: every command,
option, variable and extra is one that there is.
"""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.config import Config
from mcpgen.config.keys import TABLES
from mcpgen.pipeline import generate
from mcpgen.problems import Problems
from mcpgen.runtime.client.settings import VARIABLES

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.stem != "configuration")


def examples(page: Path, language: str) -> list[str]:
    """The examples of a page in one language."""
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.S | re.M)


def commands(page: Path) -> Iterator[list[str]]:
    """The commands of a page's shell examples, as words."""
    for example in examples(page, "sh"):
        for line in example.replace("\\\n", " ").splitlines():
            for command in re.split(r" && | \| ", line):
                words = shlex.split(command, comments=True)
                if words:
                    yield words


def of(program: str) -> list[tuple[str, list[str]]]:
    """Page and words of every command whose program's name ends so."""
    return [
        (page.stem, words[1:])
        for page in PAGES
        for words in commands(page)
        if words[0] == program or words[0].endswith(f"-{program}")
    ]


def label(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(value)


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """The bookshop's project with what is optional."""
    source = str(ROOT / "samples" / "specs" / "bookshop.yaml")
    return generate(Config(sources=(source,), code=True), Problems())[2]


@pytest.mark.parametrize(("page", "words"), of("mcpgen"), ids=label)
def test_a_command_of_mcpgen_has_its_options(mcpgen: Any, page: str, words: list[str]) -> None:
    names = []
    for word in words:
        if not re.fullmatch("[a-z]+", word) or mcpgen(*names, word, "--help").code:
            break
        names.append(word)
    assert names, words
    help_text = mcpgen(*names, "--help").out
    options = [word for word in words if word.startswith("-")]
    assert [option for option in options if option not in help_text] == []


@pytest.mark.parametrize(("page", "words"), of("mcp"), ids=label)
def test_a_command_of_a_server_has_its_options(
    files: dict[str, str], page: str, words: list[str]
) -> None:
    package = ROOT / "mcpgen" / "runtime"
    parts = package / "parts"
    places = [package / "command.py", parts / "http.py", parts / "shell.py"]
    places.append(parts / "__init__.py")
    for name in ("install", "login"):
        if words[:1] in ([name], [f"un{name}"], ["logout"] if name == "login" else []):
            places = list((parts / name).glob("*.py"))
    source = "".join(place.read_text("utf-8") for place in places)
    source += files["src/bookshop_mcp/__main__.py"]
    options = [word for word in words if word.startswith("--")]
    assert [option for option in options if f'"{option}"' not in source] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_variables_and_extras_of_a_page_are_real(files: dict[str, str], page: Path) -> None:
    text = "".join(examples(page, "sh"))
    names = re.findall(r"^export [A-Z]+?_MCP_([A-Z_]+)=", text, flags=re.M)
    credentials = files[".env.example"]
    assert [
        each for each in names if each not in VARIABLES and f"_{each}=" not in credentials
    ] == []
    extras = tomllib.loads(files["pyproject.toml"])["project"]["optional-dependencies"]
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for program, extra in re.findall(r"install '([\w.-]+)\[(\w+)\]'", text):
        assert extra in (own if program == "mcpgen" else extras), extra


CONFIGURATION = examples(ROOT / "docs" / "configuration.md", "toml")


def test_every_table_of_the_configuration_has_an_example() -> None:
    assert len(CONFIGURATION) == len(TABLES)


@pytest.mark.parametrize(
    "example", [*CONFIGURATION, *examples(ROOT / "docs" / "credentials.md", "toml")]
)
@pytest.mark.usefixtures("bookshop")
def test_a_table_of_the_configuration_works_as_it_stands(
    mcpgen: Any, here: Path, example: str
) -> None:
    assert mcpgen("generate", "bookshop.yaml", "-o", "shop", "-q").code == 0
    source = "" if "[source]" in example else '\n[source]\npath = "../bookshop.yaml"\n'
    (here / "shop" / "mcpgen.toml").write_text(example + source)
    ended = mcpgen("generate", "-o", "shop", "--accept-changes")
    assert ended.code == 0 and "error[" not in ended.err, ended.err
    assert example not in CONFIGURATION or "warning[" not in ended.err

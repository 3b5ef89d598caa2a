"""Every dependency has its reason in CONTRIBUTING.md."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REQUIREMENT = re.compile(r"[A-Za-z0-9-]+(\[[a-z]+\])?")


def names(requirements: list[str]) -> set[str]:
    """`black>=26.1` → `black`."""
    matches = [REQUIREMENT.match(requirement) for requirement in requirements]
    return {match.group().lower() for match in matches if match is not None}


def documented(heading: str) -> set[str]:
    """The names in the first column of a table of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.split(f"| {heading} | because |\n|---|---|\n")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.strip().splitlines()]
    return {name.strip() for cell in cells for name in cell.split(",")}


def of_a_generated_server() -> list[str]:
    rows = tomllib.loads((ROOT / "mcpgen" / "data" / "requirements.toml").read_text("utf-8"))
    return [requirement for row in rows.values() for requirement in row]


@pytest.mark.parametrize(("heading", "requirements"), [
    ("mcpgen needs", PROJECT["dependencies"]),
    ("a generated server needs", of_a_generated_server()),
])  # fmt: skip
def test_every_dependency_has_a_reason(heading: str, requirements: list[str]) -> None:
    assert documented(heading) == names(requirements)


def test_every_dependency_of_the_tests_has_a_reason() -> None:
    own = names(PROJECT["optional-dependencies"]["dev"])
    assert documented("the tests need") - names(PROJECT["dependencies"]) == own

"""The seeded faults can be seeded: each names a line that is there once, and tests that exist."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FAULTS = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text("utf-8"))["fault"]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["name"] for fault in FAULTS])
def test_a_fault_names_one_line_and_tests_that_exist(fault: dict[str, Any]) -> None:
    assert (ROOT / fault["file"]).read_text("utf-8").count(fault["old"]) == 1
    assert fault["new"] != fault["old"] and fault["tests"]
    assert all((ROOT / "tests" / test.partition("::")[0]).exists() for test in fault["tests"])


def test_there_are_as_many_faults_as_the_policy_says() -> None:
    assert f"breaks the kernel in {len(FAULTS)} ways" in (ROOT / "SECURITY.md").read_text("utf-8")

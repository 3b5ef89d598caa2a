"""The seeded faults can be seeded: each names a line that is there once, and tests that exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FAULTS = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text("utf-8"))["fault"]
EXCUSED = tomllib.loads((Path(__file__).parent / "excused.toml").read_text("utf-8"))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["name"] for fault in FAULTS])
def test_a_fault_names_one_line_and_tests_that_exist(fault: dict[str, Any]) -> None:
    assert (ROOT / fault["file"]).read_text("utf-8").count(fault["old"]) == 1
    assert fault["new"] != fault["old"] and fault["tests"]
    for test in fault["tests"]:
        file, _, name = test.partition("[")[0].partition("::")
        assert f"def {name}" in (ROOT / "tests" / file).read_text("utf-8"), test


def test_there_are_as_many_faults_as_the_policy_says() -> None:
    assert f"breaks the kernel in {len(FAULTS)} ways" in (ROOT / "SECURITY.md").read_text("utf-8")


def test_each_promise_names_a_test_that_exists() -> None:
    promises = re.findall(
        r"`(\w+/test_\w+\.py)::(test_\w+)`", (ROOT / "SECURITY.md").read_text("utf-8")
    )
    assert len(promises) > 20
    for file, name in promises:
        assert f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8"), name


def test_an_excuse_is_for_lines_that_are_there_and_gives_its_reason() -> None:
    for fault in EXCUSED.get("fault", ()):
        lines = (ROOT / fault["file"]).read_text("utf-8").splitlines()
        assert fault["old"] in " ".join(line.strip() for line in lines)
        assert fault["why"]

"""Every case of `cases.toml` has tests, under its own name or listed there, and every listed test
exists.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text("utf-8"))
FAMILIES = {
    "GA": 21,
    "GB": 10,
    "GC": 4,
    "GD": 10,
    "GE": 19,
    "GF": 6,
    "GG": 12,
    "GH": 5,
    "RA": 10,
    "RB": 9,
    "RC": 7,
}
FAMILIES |= {"RD": 13, "RE": 2, "RF": 6, "RG": 8, "RH": 7, "RI": 5, "S": 4, "B": 37}


def functions() -> dict[str, set[str]]:
    """The tests of every file."""
    return {
        path.relative_to(TESTS).as_posix(): set(
            re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.M)
        )
        for path in TESTS.rglob("test_*.py")
    }


FUNCTIONS = functions()
NAMES = [name for names in FUNCTIONS.values() for name in names]


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_a_test(case: str) -> None:
    listed = CASES[case].get("tests", [])
    missing = [
        test
        for test in listed
        if test.partition("::")[2] not in FUNCTIONS.get(test.partition("::")[0], ())
    ]
    assert missing == []
    named = [name for name in NAMES if case.lower() in name.split("_")]
    assert listed or named


def test_the_list_is_complete() -> None:
    """No case was dropped: how many there are of each family is written here as well."""
    found = {
        family: sum(re.fullmatch(rf"{family}\d\d", case) is not None for case in CASES)
        for family in FAMILIES
    }
    assert found == FAMILIES

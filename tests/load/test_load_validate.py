"""The official schema and the validator inform: with places, within their time, and whatever they
stumble over.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcpgen.lint.structure import check, validate
from mcpgen.problems import Problems

Write = Callable[..., Path]
Act = Callable[..., Any]

BAD = """\
openapi: 3.0.3
info: {title: 3}
paths:
  /a/{b}:
    get:
      parameters:
        - {name: q, in: Query, schema: {type: int}}
      respones: {}
  c: {}
"""


def test_what_the_official_schema_does_not_allow_is_found_with_its_place(
    write: Write, loaded: Act
) -> None:
    document = loaded(write("x.yaml", BAD))[0]
    problems = Problems()
    check(document, problems)
    found = {(document.place(problem.pointer).line, problem.message) for problem in problems}
    assert (2, "`title` must be text, not a number") in found
    assert (2, "`version` is missing") in found
    assert (8, "unexpected key `respones`") in found
    assert (9, "unexpected key `c`") in found
    assert {problem.severity for problem in problems} == {"warning"}


def test_strict_makes_them_errors(write: Write, loaded: Act) -> None:
    problems = Problems()
    check(loaded(write("x.yaml", BAD))[0], problems, severity="error")
    assert problems.has_errors


def test_a_valid_document_of_each_version_has_no_findings(write: Write, loaded: Act) -> None:
    for version in ("3.0.3", "3.1.0", "3.2.0"):
        text = f"openapi: {version}\ninfo: {{title: T, version: '1'}}\npaths: {{}}\n"
        problems = Problems()
        validate(loaded(write("x.yaml", text))[0], problems, seconds=20)
        assert list(problems) == []


def test_the_validator_finds_what_the_schema_cannot(write: Write, loaded: Act) -> None:
    text = (
        BAD.replace("Query", "query")
        .replace("respones: {}", "responses: {default: {description: d}}")
        .replace("  c: {}\n", "")
    )
    document = loaded(write("x.yaml", text))[0]
    problems = Problems()
    validate(document, problems, seconds=20)
    found = [problem for problem in problems if "'b'" in problem.message]
    assert [document.place(problem.pointer).line for problem in found] == [5]


def test_a_reference_to_nothing_or_recursion_does_not_end_the_run(
    write: Write, loaded: Act
) -> None:
    schemas = {
        "A": {"allOf": [{"$ref": "#/components/schemas/A"}]},
        "B": {"$ref": "#/components/schemas/None"},
    }
    root = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    problems = Problems()
    validate(loaded(write("x.json", json.dumps(root)))[0], problems, seconds=20)
    assert {problem.code for problem in problems} <= {"E0304", "E0305"}


def test_it_ends_when_its_time_is_over(write: Write, loaded: Act) -> None:
    document = loaded(write("x.yaml", BAD))[0]
    problems = Problems()
    before = time.monotonic()
    validate(document, problems, seconds=0.05)
    assert time.monotonic() - before < 5
    assert "E0305" in {problem.code for problem in problems}

"""Documents made to exhaust a machine: refused, or read, within a gigabyte and a few seconds, and
never by a crash.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpgen.load import Limits

from .conftest import Write, loaded, refused

HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"

CHILD = """
import sys
from mcpgen.load import load
from mcpgen.problems import McpgenError, Problems
from mcpgen.cli.report import render
from mcpgen.upgrade import upgrade
try:
    problems = Problems()
    document = upgrade(load(sys.argv[1], problems=problems), problems)
    print("loaded", len(problems))
except McpgenError as error:
    print(render(error.problems))
    sys.exit(error.exit_code)
"""


def child(path: Path | str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Load in a process with one gigabyte and ten seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))

    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        capture_output=True,
        text=True,
        timeout=10,
        preexec_fn=limit,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
        **options,
    )


def laughs(levels: int, width: int) -> str:
    lines = ["a0: &a0 [" + ", ".join(["lol"] * width) + "]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * width) + "]")
    return "\n".join(lines)


BOMBS = {
    "aliases": (HEAD + laughs(9, 10), "aliases make the document more than 10 times as large"),
    "merge keys": (
        HEAD
        + "m0: &m0 {a: 1, b: 2}\n"
        + "\n".join(f"m{n}: &m{n} [*m{n - 1}, *m{n - 1}]" for n in range(1, 40)),
        "aliases make the document",
    ),
    "json brackets": ("[" * 1_000_000, "nesting deeper than 100"),
    "yaml brackets": ("x: " + "[" * 1_000_000, "nesting deeper than 100"),
    "balanced brackets": ("x: " + "[" * 100_000 + "]" * 100_000, "nesting deeper than 100"),
    "dashes": ("- " * 200_000, "nesting deeper than 100"),
    "json objects": ('{"a":' * 100_000, "nesting deeper than 100"),
    "closed json": ('{"a":' * 20_000 + "1" + "}" * 20_000, "nesting deeper than 100"),
    "many json values": (
        '{"openapi": "3.1.0", "x": [' + "0," * 2_100_000 + "0]}",
        "more than 2,000,000 values",
    ),
    "digits": (HEAD + "x: " + "9" * 5000, "a number of 5000 digits"),
    "json digits": ('{"x": ' + "9" * 5000 + "}", "a number of 5000 digits"),
    "large": (HEAD + "# " + "x" * 26 * 1024 * 1024, "larger than 25 MiB"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_with_its_place(write: Write, bomb: str) -> None:
    content, said = BOMBS[bomb]
    result = child(write("bomb.yaml", content))
    assert said in result.stdout
    assert result.returncode == 3
    assert result.stderr == ""


def test_a_file_may_be_as_large_as_the_limit(write: Write) -> None:
    content = HEAD + "paths: {}\n"
    limits = Limits(bytes=len(content))
    assert loaded(write("x.yaml", content), limits=limits)[0].root["paths"] == {}
    assert refused(write("x.yaml", f"{content}#"), limits=limits).codes == ["E0105"]


def test_the_values_of_yaml_are_counted_as_they_come(write: Write) -> None:
    refusal = refused(write("x.yaml", HEAD + "x: [" + "0," * 5000 + "]"), limits=Limits(nodes=1000))
    assert "more than 1,000 values" in refusal.text
    assert refusal.exit_code == 3


def test_a_reference_bomb_is_kept_as_references(write: Write) -> None:
    levels = {
        f"L{level}": {
            "type": "object",
            "properties": {
                f"p{n}": {"$ref": f"#/components/schemas/L{level + 1}"} for n in range(10)
            },
        }
        for level in range(9)
    }
    root = {
        "openapi": "3.0.0",
        "info": {},
        "paths": {},
        "components": {"schemas": {**levels, "L9": {}}},
    }
    assert child(write("refs.json", json.dumps(root))).stdout == "loaded 0\n"


BIG: dict[str, Any] = {
    "allOf": {"A": {"allOf": [{"type": "object"}] * 5000}},
    "enum": {"A": {"enum": [str(number) for number in range(100_000)]}},
    "chain": {f"C{n}": {"$ref": f"#/components/schemas/C{n + 1}"} for n in range(1000)},
    "itself": {"A": {"$ref": "#/components/schemas/A"}, "B": {"$ref": "#"}, "C": {"$ref": "#/"}},
    "pattern": {
        "A": {"type": "string", "pattern": "(a+)+$"},
        "B": {"pattern": "x" * 2**20},
        "C": {"pattern": "a{1,9}" * 9},
    },
}


@pytest.mark.parametrize("kind", BIG)
def test_large_and_circular_schemas_load(write: Write, kind: str) -> None:
    root = {"openapi": "3.0.0", "info": {}, "paths": {}, "components": {"schemas": BIG[kind]}}
    assert child(write("big.json", json.dumps(root))).returncode == 0


def test_twenty_thousand_operations_load(write: Write) -> None:
    operation = {
        "parameters": [{"name": "q", "in": "query", "schema": {"type": "string", "nullable": True}}]
    }
    root = {
        "openapi": "3.0.0",
        "info": {},
        "paths": {f"/p{n}": {"get": operation} for n in range(20_000)},
    }
    assert child(write("wide.json", json.dumps(root))).returncode == 0


def test_honest_anchors_and_merge_keys_are_expanded(write: Write) -> None:
    text = (
        HEAD
        + "x-base: &base {a: 1, b: [1, 2]}\nx-one: {<<: *base, b: own}\nx-two: *base\nx-three: {<<:"
        " [*base, {c: 3}]}\n"
    )
    root = loaded(write("x.yaml", text))[0].root
    assert root["x-one"] == {"a": 1, "b": "own"}
    assert root["x-two"] == {"a": 1, "b": [1, 2]}
    assert root["x-three"] == {"a": 1, "b": [1, 2], "c": 3}


def test_what_an_alias_stands_for_is_a_copy(write: Write) -> None:
    root = loaded(write("x.yaml", HEAD + "x-a: &a {k: {}}\nx-b: *a\n"))[0].root
    root["x-b"]["k"]["new"] = 1
    assert root["x-a"] == {"k": {}}


@pytest.mark.parametrize("text", ["x: &a [*a]\n", "x: *nothing\n"])
def test_an_alias_of_itself_or_nothing_is_an_error(write: Write, text: str) -> None:
    assert refused(write("x.yaml", HEAD + text)).codes == ["E0117"]


def test_the_file_limit_can_be_raised(write: Write) -> None:
    path = write("x.yaml", HEAD + "# " + "x" * 1000)
    assert refused(path, limits=Limits(bytes=500)).exit_code == 3
    assert loaded(path, limits=Limits(bytes=5000))[0].version == "3.1.0"


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert refused(path).exit_code == 3  # to open it would wait for a writer for good


def test_devices_and_sockets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("/dev/zero").exit_code == 3
    monkeypatch.chdir(tmp_path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("s")
    assert refused("s").exit_code == 3
    listener.close()


def test_standard_input_is_read_up_to_the_limit(write: Write) -> None:
    with write("in.yaml", HEAD).open() as stream:
        assert child("-", stdin=stream).stdout == "loaded 0\n"
    with Path("/dev/zero").open() as stream:
        assert "larger than 25 MiB" in child("-", stdin=stream).stdout


NUMBERS = [".nan", ".inf", "-.INF", "1e400", "9" * 401]


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_that_no_json_has_are_errors_in_yaml(write: Write, number: str) -> None:
    refusal = refused(write("x.yaml", HEAD + f"x: {number}\n"))
    assert refusal.codes == ["E0118"]
    assert refusal.where == (3, 4)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 401])
def test_numbers_that_no_json_has_are_errors_in_json(write: Write, number: str) -> None:
    refusal = refused(write("x.json", '{"openapi": "3.1.0",\n"x": "1e400", "y": ' + number + "}"))
    assert refusal.codes == ["E0118"]
    assert refusal.where == (2, 20)


def test_random_bytes_never_escape_as_another_error(write: Write) -> None:
    import random

    source = random.Random(7)
    alphabet = b"{}[]:,-&*!|>'\"%@`#? \n\tabc10\\\xc3\xa9\xff\0"
    for _ in range(400):
        raw = bytes(source.choices(alphabet, k=source.randrange(1, 60)))
        assert refused(write("x.yaml", raw)).exit_code in (1, 3)


def test_half_a_surrogate_pair_becomes_the_replacement_character_with_a_note(write: Write) -> None:
    text = '{"openapi": "3.1.0", "x": "\\\\ud800 \\ud83d\\ude00 \\ud800"}'
    document, problems = loaded(write("x.json", text))
    assert document.root["x"] == "\\ud800 \U0001f600 \ufffd"
    assert [(problem.code, problem.severity) for problem in problems] == [("E0125", "note")]
    assert problems[0].place.column == text.rindex("\\ud800") + 1


def test_half_a_surrogate_pair_in_another_file_is_noted_there(write: Write) -> None:
    write("a.json", '{"title": "\\udc00"}')
    main = write("x.yaml", HEAD + "components: {schemas: {A: {$ref: a.json}}}\n")
    document, problems = loaded(main)
    assert document.resolve("#/components/schemas/A")[0] == {"title": "\ufffd"}
    assert [problem.code for problem in problems] == ["E0125"]
    assert problems[0].place.file.endswith("a.json")


def test_a_whole_surrogate_pair_needs_no_note(write: Write) -> None:
    assert loaded(write("x.json", '{"openapi": "3.1.0", "x": "\\uD83D\\uDE00"}'))[1] == []


def aliased(values: int, times: int) -> str:
    """A list of so many values, repeated so many times by an alias."""
    repeated = ", ".join(["*a"] * times)
    return HEAD + "a: &a [" + ", ".join(["0"] * values) + f"]\nb: [{repeated}]\n"


def test_aliases_may_make_a_large_text_a_few_times_larger(write: Write) -> None:
    root = loaded(write("x.yaml", aliased(20_000, 9)))[0].root
    assert [len(entry) for entry in root["b"]] == [20_000] * 9


def test_aliases_may_not_make_a_text_many_times_larger(write: Write) -> None:
    refusal = refused(write("x.yaml", aliased(20_000, 11)))
    assert (refusal.exit_code, refusal.codes) == (3, ["E0117"])
    assert "more than 10 times as large" in refusal.text


def test_the_bytes_of_all_files_are_counted_together(write: Write) -> None:
    for name in ("a.yaml", "b.yaml"):
        write(name, "# " + "x" * 600 + "\ntype: object\n")
    schemas = "components: {schemas: {A: {$ref: a.yaml}, B: {$ref: b.yaml}}}\n"
    main = write("x.yaml", HEAD + schemas)
    refusal = refused(main, limits=Limits(bytes=1000))
    assert (refusal.exit_code, refusal.codes) == (3, ["E0105"])
    assert "b.yaml" in refusal.text
    assert loaded(main, limits=Limits(bytes=2000))[1] == []

"""Documents made to exhaust a machine: refused, or read, within a gigabyte and a few seconds, and
never by a crash.
"""

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
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, timeout=10,
        preexec_fn=limit, env={**os.environ, "PYTHONPATH": str(root)}, check=False, **options,
    )  # fmt: skip


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
    assert said in result.stdout and result.returncode == 3 and result.stderr == ""


def test_a_file_may_be_as_large_as_the_limit(write: Write) -> None:
    content = HEAD + "paths: {}\n"
    limits = Limits(bytes=len(content))
    assert loaded(write("x.yaml", content), limits=limits)[0].root["paths"] == {}
    refusal = refused(write("x.yaml", f"{content}#"), limits=limits)
    assert (refusal.exit_code, refusal.codes) == (3, ["E0105"])


def test_what_is_read_in_the_place_of_a_reference_is_counted_there(write: Write) -> None:
    write("paths.yaml", "/a: {}\nx-a: [" + "0, " * 100 + "0]\n")
    whole = write("x.yaml", HEAD + "paths: {$ref: paths.yaml}\n")
    assert loaded(whole, limits=Limits(nodes=300))[0].root["paths"]["/a"] == {}
    assert "more than 200 values" in refused(whole, limits=Limits(nodes=200)).text


def test_the_values_of_yaml_are_counted_as_they_come(write: Write) -> None:
    refusal = refused(write("x.yaml", HEAD + "x: [" + "0," * 5000 + "]"), limits=Limits(nodes=1000))
    assert "more than 1,000 values" in refusal.text and refusal.exit_code == 3


REF = "#/components/schemas/"
TEN = {f"L{level}": {"type": "object", "properties": {
    f"p{n}": {"$ref": f"{REF}L{level + 1}"} for n in range(10)
}} for level in range(9)}  # fmt: skip
BIG: dict[str, Any] = {
    "references": {**TEN, "L9": {}}, "allOf": {"A": {"allOf": [{"type": "object"}] * 5000}},
    "enum": {"A": {"enum": [str(number) for number in range(100_000)]}},
    "chain": {f"C{n}": {"$ref": f"{REF}C{n + 1}"} for n in range(1000)},
    "itself": {"A": {"$ref": f"{REF}A"}, "B": {"$ref": "#"}, "C": {"$ref": "#/"}},
    "pattern": {
        "A": {"type": "string", "pattern": "(a+)+$"}, "B": {"pattern": "x" * 2**20},
        "C": {"pattern": "a{1,9}" * 9},
    },
    "operations": {},
}  # fmt: skip


@pytest.mark.parametrize("kind", BIG)
def test_large_and_circular_documents_load(write: Write, kind: str) -> None:
    query = {"name": "q", "in": "query", "schema": {"type": "string", "nullable": True}}
    count = 20_000 if kind == "operations" else 0
    paths = {f"/p{n}": {"get": {"parameters": [query]}} for n in range(count)}
    schemas = {"components": {"schemas": BIG[kind]}}
    root = {"openapi": "3.0.0", "info": {}, "paths": paths, **schemas}
    result = child(write("big.json", json.dumps(root)))
    assert result.returncode == 0 and (kind != "references" or result.stdout == "loaded 0\n")


def test_honest_anchors_and_merge_keys_are_expanded(write: Write) -> None:
    text = (
        HEAD
        + "x-base: &base {a: 1, b: [1, 2]}\nx-one: {<<: *base, b: own}\nx-two: *base\nx-three: {<<:"
        " [*base, {c: 3}]}\n"
    )
    root = loaded(write("x.yaml", text))[0].root
    assert root["x-one"] == {"a": 1, "b": "own"} and root["x-two"] == {"a": 1, "b": [1, 2]}
    assert root["x-three"] == {"a": 1, "b": [1, 2], "c": 3}


def test_what_an_alias_stands_for_is_a_copy(write: Write) -> None:
    root = loaded(write("x.yaml", HEAD + "x-a: &a {k: {}}\nx-b: *a\n"))[0].root
    root["x-b"]["k"]["new"] = 1
    assert root["x-a"] == {"k": {}}


@pytest.mark.parametrize("text", ["x: &a [*a]\n", "x: *nothing\n"])
def test_an_alias_of_itself_or_nothing_is_an_error(write: Write, text: str) -> None:
    assert refused(write("x.yaml", HEAD + text)).codes == ["E0117"]


def test_pipes_devices_and_sockets_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")  # to open it would wait for a writer for good
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert [refused(path).exit_code for path in ("pipe", "/dev/zero", "s")] == [3, 3, 3]


def test_standard_input_is_read_up_to_the_limit(write: Write) -> None:
    with write("in.yaml", HEAD).open() as stream:
        assert child("-", stdin=stream).stdout == "loaded 0\n"
    with Path("/dev/zero").open() as stream:
        assert "larger than 25 MiB" in child("-", stdin=stream).stdout


@pytest.mark.parametrize(("name", "start", "end", "where", "numbers"), [
    ("x.yaml", HEAD + "x: ", "\n", (3, 4), [".nan", ".inf", "-.INF", "1e400", "9" * 401]),
    ("x.json", '{"openapi": "3.1.0",\n"x": "1e400", "y": ', "}", (2, 20),
     ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 401]),
], ids=["YAML", "JSON"])  # fmt: skip
def test_numbers_that_no_json_has_are_errors(
    write: Write, name: str, start: str, end: str, where: tuple[int, int], numbers: list[str]
) -> None:
    for number in numbers:
        refusal = refused(write(name, f"{start}{number}{end}"))
        assert refusal.codes == ["E0118"] and refusal.where == where, number


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


def test_aliases_may_make_a_large_text_a_few_times_larger(write: Write) -> None:
    """A list of 20,000 values may be repeated nine times by an alias, and not eleven times."""
    text = HEAD + "a: &a [" + ", ".join(["0"] * 20_000) + "]\nb: ["
    root = loaded(write("x.yaml", text + "*a, " * 9 + "]\n"))[0].root
    assert [len(entry) for entry in root["b"]] == [20_000] * 9
    refusal = refused(write("x.yaml", text + "*a, " * 11 + "]\n"))
    assert (refusal.exit_code, refusal.codes) == (3, ["E0117"])
    assert "more than 10 times as large" in refusal.text


def test_the_bytes_of_all_files_are_counted_together(write: Write) -> None:
    for name in ("a.yaml", "b.yaml"):
        write(name, "# " + "x" * 600 + "\ntype: object\n")
    schemas = "components: {schemas: {A: {$ref: a.yaml}, B: {$ref: b.yaml}}}\n"
    main = write("x.yaml", HEAD + schemas)
    refusal = refused(main, limits=Limits(bytes=1000))
    assert (refusal.exit_code, refusal.codes) == (3, ["E0105"]) and "b.yaml" in refusal.text
    assert loaded(main, limits=Limits(bytes=2000))[1] == []

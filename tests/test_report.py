"""Problems are told so that a person can act on them, and a program can read them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli.report import render, styled
from mcpgen.load import load
from mcpgen.problems import Place, Problem, Problems
from mcpgen.report.codes import explanation, table
from mcpgen.report.findings import findings
from mcpgen.text import escape

SOURCE = """\
openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /pets:
    get:
      responses:
        200: {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/Pett'}}}}
    post: {operationId: "tab\\tbell\\a"}
"""
SCHEMA = "/paths/~1pets/get/responses/200/content/application~1json/schema"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Any, Problems]]:
    """The document above, and an empty list of problems."""

    def act(text: str = SOURCE, name: str = "petstore.yaml") -> tuple[Any, Problems]:
        monkeypatch.chdir(tmp_path)
        Path(name).write_text(text)
        return load(name, problems=Problems()), Problems()

    return act


def test_a_problem_reads_like_this(found: Any) -> None:
    document, problems = found()
    problems.error(
        "E0203",
        "`$ref` points to nothing: there is no schema `Pett`",
        pointer=SCHEMA + "/$ref",
        hint="did you mean `Pet`?",
        notes=("1 operation (listPets) cannot be generated without it",),
    )
    assert (
        render(problems, document)
        == "error[E0203]: `$ref` points to nothing: there is no schema `Pett`\n -->"
        " petstore.yaml:7:75  "
        " #/paths/~1pets/get/responses/200/content/application~1json/schema/$ref\n  |\n7 | …ent:"
        " {application/json: {schema: {$ref: '#/components/schemas/Pett'}}}}\n  |               "
        "                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  = help: did you mean `Pet`?\n"
        "  = note: 1 operation (listPets) cannot be generated without it\n"
    )


def test_short_lines_come_with_their_neighbours(found: Any) -> None:
    document, problems = found()
    problems.warn("E0304", "`x` is wrong", pointer="/info")
    assert (
        render(problems, document) == "warning[E0304]: `x` is wrong\n"
        " --> petstore.yaml:2:1   #/info\n"
        "  |\n"
        "1 | openapi: 3.0.3\n"
        "2 | info: {title: T, version: '1'}\n"
        "  | ^^^^\n"
        "3 | paths:\n"
    )


def test_carets_stand_under_wide_characters(found: Any) -> None:
    document, problems = found("openapi: 3.0.3\ninfo: {description: 日本語, title: é}\n")
    problems.note("E0304", "m", pointer="/info/title")
    lines = render(problems, document).split("\n")
    assert lines[5].index("^") == len("2 | info: {description: 日本語, title: ") + 3


def test_errors_come_first_then_the_order_of_the_document(found: Any) -> None:
    document, problems = found()
    problems.note("E0801", "three", pointer="/info")
    problems.warn("E0304", "two", pointer="/paths")
    problems.error("E0203", "one b", pointer="/paths/~1pets/post", hint="")
    problems.error("E0203", "one a", pointer="/paths/~1pets/get", hint="")
    assert [finding.problem.message for finding in findings(problems, document)] == [
        "one a", "one b", "two", "three",
    ]  # fmt: skip


def test_the_same_at_several_places_is_told_once(found: Any) -> None:
    document, problems = found()
    for pointer in ("/paths", "/info", "/openapi", "/info/title", "/info/version"):
        problems.warn("E0304", "again", pointer=pointer)
    text = render(problems, document)
    assert text.count("warning[") == 1 and "also at 2:1, 2:15, 2:27 and 1 more" in text
    places = [Place(file=name, line=line) for name, line in (("a", 3), ("a", 4), ("b", 3))]
    files = [Problem(code="E1312", severity="error", message="x", place=each) for each in places]
    assert "also at 4, b:3\n" in render(files)


def test_twenty_are_shown_and_the_rest_counted(found: Any) -> None:
    document, problems = found()
    for number in range(30):
        problems.warn("E0304", f"warning {number}", pointer="/info")
    for number in range(27):
        problems.error("E0203", f"error {number}", pointer="/paths", hint="")
    text = render(problems, document)
    assert text.count("error[") == 20 and "warning[" not in text
    assert text.endswith("and 37 more (7 errors, 30 warnings)\n")
    assert len(json.loads(render(problems, document, form="json"))["problems"]) == 57


HOSTILE = "a\x1b[31mred\u202edlrow\u200b\x00\r\n\x85\u2028" + "x" * 500


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_no_text_of_a_document_controls_the_terminal(found: Any, form: Any) -> None:
    document, problems = found(SOURCE + "x-evil: '\u202edlrow \u200b'\n", "evil\u202e.yaml")
    problems.error("E0203", HOSTILE, pointer="/x-evil", hint=HOSTILE, notes=(HOSTILE,))
    text = render(problems, document, form=form)
    if form in ("json", "sarif"):
        text += "".join(map(str, _strings(json.loads(text))))
        text = text.replace("evil\u202e.yaml", "")  # a program needs the name as it is
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\u2028]", text)


def _strings(node: Any) -> list[str]:
    if isinstance(node, dict):
        return [text for value in node.values() for text in _strings(value)]
    return (
        [text for item in node for text in _strings(item)]
        if isinstance(node, list)
        else [str(node)]
    )


def test_long_lines_and_messages_are_cut(found: Any) -> None:
    document, problems = found(
        "openapi: 3.0.3\nx: '" + "y" * 5000 + "'\nz: [" + "w, " * 2000 + "{k: v}]\n"
    )
    problems.error("E0203", "m" * 5000, pointer="/x", hint="")
    problems.error("E0203", "n", pointer="/z/2000/k", hint="")
    text = render(problems, document)
    assert max(map(len, text.split("\n"))) < 450 and "{k: v}]" in text


def test_escape_spells_out_what_cannot_be_seen() -> None:
    assert escape("a\nb\x1b\u202e") == "a\\nb\\x1b\\u202e" and escape("x" * 10, 5) == "xxxx…"
    assert escape("Bücher 日本") == "Bücher 日本"


def test_colour_changes_no_character(found: Any) -> None:
    document, problems = found()
    problems.error("E0203", "m [bold]x[/bold]", pointer=SCHEMA, hint="h")
    assert styled(problems, document).plain == render(problems, document)
    assert "\x1b" not in render(problems, document)


def test_json_has_every_field(found: Any) -> None:
    document, problems = found()
    problems.error("E0203", "m", pointer="/info/title", hint="h", notes=("n",))
    assert json.loads(render(problems, document, form="json"))["problems"] == [
        {
            "code": "E0203", "severity": "error", "message": "m", "hint": "h", "notes": ["n"],
            "detail": [], "file": "petstore.yaml", "line": 2, "column": 15, "width": 1,
            "pointer": "/info/title",
        },
    ]  # fmt: skip


def test_sarif_is_what_code_scanning_takes(found: Any) -> None:
    document, problems = found()
    problems.error("E0203", "m", pointer="/info/title", hint="h")
    problems.note("E9999", "unknown code", pointer="/info")
    log = json.loads(render(problems, document, form="sarif"))
    run = log["runs"][0]
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "mcpgen")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["E0203", "E9999"]
    first = run["results"][0]
    assert (first["ruleId"], first["ruleIndex"], first["level"], first["message"]["text"]) == (
        "E0203",
        0,
        "error",
        "m\nh",
    )
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "petstore.yaml"},
        "region": {"startLine": 2, "startColumn": 15, "endColumn": 16},
    }


def test_annotations_cannot_be_broken_out_of(found: Any) -> None:
    document, problems = found(name="a,b::c.yaml")
    problems.error("E0203", "50% \n::error::x", pointer="/info/title", hint="h")
    assert (
        render(problems, document, form="github")
        == "::error file=a%2Cb%3A%3Ac.yaml,line=2,col=15,title=E0203::50%25"
        " %0A::error::x%0Ahelp: h\n"
    )


def test_a_problem_without_a_place_is_told_too() -> None:
    problem = Problem(
        code="E1101", severity="error", message="no `mcpgen.toml`", hint="run it elsewhere"
    )
    assert render([problem]) == "error[E1101]: no `mcpgen.toml`\n  = help: run it elsewhere\n"
    assert render([]) == ""


# The table of codes.

ROOT = Path(__file__).parents[1]
SOURCES = [*(ROOT / "mcpgen").rglob("*.py"), ROOT / "mcpgen" / "data" / "formats.toml"]


def test_every_code_that_is_used_is_explained() -> None:
    used = {
        code for path in SOURCES for code in re.findall(r"\"(E\d{4})\"", path.read_text("utf-8"))
    }
    assert used - table().keys() == set()


def test_every_explained_code_is_used() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCES)
    assert {code for code in table() if f'"{code}"' not in text} == set()


def test_every_explanation_is_complete() -> None:
    for code, row in table().items():
        assert re.fullmatch(r"E\d{4}", code) and row.title and row.why and row.remedy
        assert not row.title.endswith(".") and row.why.endswith(".") and row.remedy.endswith(".")


@pytest.mark.parametrize("written", ["E0203", "e0203", "203", "0203"])
def test_a_code_is_found_however_it_is_written(written: str) -> None:
    known = explanation(written)
    assert known is not None and known.code == "E0203" and explanation("E9999") is None

"""Problems as text, JSON, SARIF 2.1.0 or GitHub annotations: the same facts in every form.

Everything that came out of a document is escaped and cut. `styled` adds colour for terminals.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from ..load.document import Document
from ..problems import RANK, Place, Problem
from ..report.codes import explanation
from ..report.findings import Finding, findings
from ..text import escape, plural
from ..version import __version__

if TYPE_CHECKING:
    from rich.text import Text

    from .options import Format

LIMIT = 20
"""Most problems that are shown as text; the rest is counted."""
WIDTH = 80
"""Columns of a line of a document."""
MESSAGE = 400
"""Characters of a message, a hint or a note."""

_LEVELS = {"error": "error", "warning": "warning", "note": "note"}
_ANNOTATIONS = {"error": "error", "warning": "warning", "note": "notice"}

Styled: TypeAlias = list[tuple[str, str]]
"""Pieces of text, each with the name of its style (empty for none)."""


def render(
    problems: Iterable[Problem],
    document: Document | None = None,
    *,
    form: Format = "text",
    limit: int = LIMIT,
) -> str:
    """Return problems in one of the four forms; text (of at most `limit`) and `github` are empty
    without problems.
    """
    found = findings(problems, document)
    if form == "json":
        return _json(found)
    if form == "sarif":
        return _sarif(found)
    if form == "github":
        return _github(found)
    return "".join(piece for piece, _ in _text(found, limit))


def styled(
    problems: Iterable[Problem], document: Document | None = None, *, limit: int = LIMIT
) -> Text:
    """Return the text of problems, at most `limit`, with colours for a terminal."""
    from rich.text import Text

    return Text.assemble(*_text(findings(problems, document), limit))


# Text.

_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def _text(found: list[Finding], limit: int) -> Styled:
    out: Styled = []
    for finding in found[:limit]:
        out += _one(finding)
        out.append(("\n", ""))
    rest = found[limit:]
    if rest:
        counts = Counter(finding.problem.severity for finding in rest)
        kinds = sorted(counts, key=lambda kind: RANK[kind])
        said = ", ".join(plural(counts[kind], kind) for kind in kinds)
        out.append((f"and {len(rest)} more ({said})\n", "bold"))
    elif out:
        out.pop()
    return out


def _one(finding: Finding) -> Styled:
    problem, place = finding.problem, finding.place
    colour = _COLOURS[problem.severity]
    out: Styled = [
        (f"{problem.severity}[{problem.code}]", colour),
        (f": {escape(problem.message, MESSAGE)}\n", "bold"),
    ]
    gutter = len(str(place.line + 1)) if place.line else 1
    if place.file or place.pointer:
        out += [(" " * gutter + "--> ", "blue"), (_where(place), "")]
        if place.pointer:
            out.append((f"   #{escape(place.pointer, 2 * WIDTH)}", "dim"))
        out.append(("\n", ""))
    out += _excerpt(place, gutter, colour)
    pad = " " * (gutter + 1)
    if problem.hint:
        out += [(f"{pad}= ", "blue"), (f"help: {escape(problem.hint, MESSAGE)}\n", "")]
    for note in (*problem.notes, *_again(finding.again, place.file)):
        out += [(f"{pad}= ", "blue"), (f"note: {escape(note, MESSAGE)}\n", "")]
    out += [(f"{pad}  {escape(line)}\n", "") for line in problem.detail.splitlines()]
    return out


def _where(place: Place) -> str:
    name = escape(place.file, 2 * WIDTH)
    if not place.line:
        return name
    return f"{name}:{place.line}:{place.column}" if place.column else f"{name}:{place.line}"


def _again(places: tuple[Place, ...], file: str) -> list[str]:
    """Return one note on further places, without the name of `file`; empty for none."""
    if not places:
        return []
    shown = [
        (
            _where(place).removeprefix(f"{file}:")
            if place.line
            else f"{place.file}#{place.pointer[-WIDTH:]}".removeprefix(file)
        )
        for place in places[:3]
    ]
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return [f"also at {', '.join(shown)}{more}"]


def _excerpt(place: Place, gutter: int, colour: str) -> Styled:
    """Return the lines around a place, with carets below what is meant; long lines are cut. Empty
    without an excerpt.
    """
    if not place.excerpt:
        return []
    start = max(0, place.column - 1 - WIDTH // 2) if place.column > WIDTH - 20 else 0
    out: Styled = [(" " * gutter + " |\n", "blue")]
    for number, line in place.excerpt:
        if number != place.line and start:
            continue
        shown = escape(line[start : start + WIDTH].replace("\t", " "))
        out += [
            (f"{number:>{gutter}} | ", "blue"),
            (
                ("…" if start else "") + shown + ("…" if len(line) > start + WIDTH else "") + "\n",
                "",
            ),
        ]
        if number == place.line:
            before = ("…" if start else "") + escape(
                line[start : place.column - 1].replace("\t", " ")
            )
            meant = escape(
                line[place.column - 1 : min(place.column - 1 + place.width, start + WIDTH)]
            )
            out += [(" " * gutter + " | ", "blue"), (" " * _columns(before), "")]
            out.append(("^" * max(1, _columns(meant)) + "\n", colour))
    return out


def _columns(text: str) -> int:
    """Return the width of a text in terminal columns."""
    return sum(
        (
            0
            if unicodedata.combining(character)
            else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        )
        for character in text
    )


# For programs.


def _json(found: list[Finding]) -> str:
    rows = [
        {
            "code": finding.problem.code,
            "severity": finding.problem.severity,
            "message": escape(finding.problem.message),
            "hint": escape(finding.problem.hint),
            "notes": [escape(note) for note in finding.problem.notes],
            "detail": [escape(line) for line in finding.problem.detail.splitlines()],
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "width": place.width if place.line else 0,
            "pointer": place.pointer,
        }
        for finding, place in _every(found)
    ]
    return json.dumps({"problems": rows}, indent=2) + "\n"


def _every(found: list[Finding]) -> list[tuple[Finding, Place]]:
    """Return each finding with each of its places: programs fold for themselves."""
    return [(finding, place) for finding in found for place in (finding.place, *finding.again)]


def _sarif(found: list[Finding]) -> str:
    """Return SARIF 2.1.0 (OASIS) as JSON, for code scanning services."""
    codes = sorted({finding.problem.code for finding in found})
    run = {
        "tool": {
            "driver": {
                "name": "mcpgen",
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, place, codes) for finding, place in _every(found)],
    }
    return (
        json.dumps(
            {
                "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
                "version": "2.1.0",
                "runs": [run],
            },
            indent=2,
        )
        + "\n"
    )


def _rule(code: str) -> dict[str, Any]:
    known = explanation(code)
    rule: dict[str, Any] = {"id": code}
    if known is not None:
        rule["shortDescription"] = {"text": known.title}
        rule["fullDescription"] = {"text": known.why}
        rule["help"] = {"text": known.remedy}
    return rule


def _result(finding: Finding, place: Place, codes: list[str]) -> dict[str, Any]:
    problem = finding.problem
    said = [
        escape(problem.message),
        *([escape(problem.hint)] if problem.hint else []),
        *map(escape, problem.notes),
    ]
    location: dict[str, Any] = {}
    if place.file:
        location["physicalLocation"] = {"artifactLocation": {"uri": place.file.replace("\\", "/")}}
        if place.line:
            column = place.column or 1
            location["physicalLocation"]["region"] = {
                "startLine": place.line,
                "startColumn": column,
                "endColumn": column + place.width,
            }
    if place.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": "#" + place.pointer}]
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": _LEVELS[problem.severity],
        "message": {"text": "\n".join(said)},
        **({"locations": [location]} if location else {}),
    }


def _github(found: list[Finding]) -> str:
    """Return workflow commands of GitHub Actions, a line for each place."""
    lines = []
    for finding, place in _every(found):
        problem = finding.problem
        fields = {
            "file": place.file,
            "line": str(place.line or ""),
            "col": str(place.column or ""),
            "title": problem.code,
        }
        given = ",".join(f"{key}={_property(value)}" for key, value in fields.items() if value)
        text = "\n".join(
            (problem.message, *([f"help: {problem.hint}"] if problem.hint else []), *problem.notes)
        )
        lines.append(f"::{_ANNOTATIONS[problem.severity]} {given}::{_data(text)}\n")
    return "".join(lines)


def _data(text: str) -> str:
    lines = (escape(line, MESSAGE) for line in text.split("\n"))
    return "%0A".join(line.replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

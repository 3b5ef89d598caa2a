"""Faults of unreadable YAML, in plainer words than libyaml's."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

import yaml

from ..text import plural
from .text import Fault, SourceText

TAB_INDENT = re.compile(r"^ *\t", re.M)
_PRINTABLE = re.compile("[\t\n\r\x85 -~\xa0-\ud7ff\ue000-\U0010ffff]")
"""The characters that YAML allows (YAML 1.2.2 section 5.1)."""
NO_TOKEN = "found character that cannot start any token"
ENDS_EARLY = "found unexpected end of stream"
COMPARE_LINES = "compare the indentation of the two lines"


@cache
def _explanations() -> dict[str, dict[str, str]]:
    """Return the rows of `data/yaml_faults.toml`: libyaml's message → `meaning` and `hint`."""
    text = (resources.files("mcpgen") / "data" / "yaml_faults.toml").read_text("utf-8")
    return tomllib.loads(text)


def character_fault(text: SourceText) -> Fault:
    """Return the fault of the first character that YAML does not allow."""
    for offset, character in enumerate(text.content):
        if not _PRINTABLE.match(character):
            return Fault(
                "E0112",
                f"YAML does not allow the character U+{ord(character):04X}",
                offset,
                hint="remove it, or write it as an escape",
            )
    return Fault("E0112", "YAML that cannot be read", 0)


def syntax_fault(text: SourceText, error: yaml.MarkedYAMLError) -> Fault:
    """Return libyaml's error as a fault: at a tab in the indentation, an unclosed quote or bracket,
    else where it stopped.
    """
    mark: Any = error.problem_mark or error.context_mark
    offset = text.offset(mark.line, mark.column) if mark else 0
    problem = str(error.problem or "cannot be read")
    if _is_tab(text, problem, offset):
        return _tab_fault(text)
    row = _explanations().get(problem, {})
    meaning, hint = row.get("meaning", problem), row.get("hint", "")
    construct = _construct(error)
    began: Any = error.context_mark
    elsewhere = began is not None and (began.line, began.column) != (mark.line, mark.column)
    if not construct or not elsewhere:
        return Fault("E0112", f"YAML: {meaning}", offset, hint=hint)
    start = text.offset(began.line, began.column)
    if problem == ENDS_EARLY or re.search("quoted scalar|flow", construct):
        return Fault(
            "E0112",
            f"YAML: this {construct} does not end: {meaning}",
            start,
            notes=(f"reading stopped at {text.at(offset)}",),
            hint="close the quote or the bracket",
        )
    line = text.line(began.line + 1).strip()[:80]
    return Fault(
        "E0112",
        f"YAML: {meaning}",
        offset,
        notes=(f"the {construct} begins at {text.at(start)}: `{line}`",),
        hint=hint or COMPARE_LINES,
    )


def _construct(error: yaml.MarkedYAMLError) -> str:
    """Return the construct that libyaml was reading: `block mapping`, `quoted scalar`."""
    context = str(error.context or "").removeprefix("while ")
    return re.sub(r"^(parsing|scanning) an? ", "", context)


def _is_tab(text: SourceText, problem: str, offset: int) -> bool:
    """Return whether the fault is a tab in the indentation."""
    if TAB_INDENT.search(text.content) is None:
        return False
    line = text.line(text.line_column(offset)[0])
    return line.lstrip(" ").startswith("\t") or problem == NO_TOKEN


def _tab_fault(text: SourceText) -> Fault:
    tabs = list(TAB_INDENT.finditer(text.content))
    lines = plural(len(tabs), "line")
    return Fault(
        "E0112",
        "tab used for indentation",
        tabs[0].end() - 1,
        hint=f"replace the tabs of {lines} with spaces: `expand -t 2 {text.name}`",
    )

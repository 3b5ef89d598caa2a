"""The most valuable changes, and the lines to write for them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ..config.options import literal
from ..config.positions import spine
from .definitions import ScoredTool
from .lists import ToolList
from .rules import (
    DIMENSIONS,
    HIGHEST,
    KEPT,
    LOWEST,
    MEAN_SHARE,
    TOOLS_SHARE,
    TRUST,
    Rule,
    Score,
    ToolScore,
    rules,
    trust,
    weights,
)

if TYPE_CHECKING:
    from ..config.positions import KeyPath
    from ..problems import Place

MOST = 10
LAST = "fields"
"""The rule whose change is proposed last: it makes each tool larger, and is true of most lists."""
OVERLAY = """actions:  # an overlay: `overlays = ["arguments.overlay.yaml"]` in mcpgen.toml
  - target: $..[?@.in && @.name == '{name}']
    update: {{description: …}}"""
"""An OpenAPI Overlay that explains a parameter wherever it occurs."""
LINES_OF_FILE = {
    "profile": 'profile = "rich"  # replaces the line `profile = ...` at the top',
    "document": "",
}
"""The lines of a rule that is about the whole file, by its key."""
WORTH_SAYING = 0.001
"""Points of the list's score below which a change is not proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """One change: the rule it serves, the points the list gains (at most), the tools it concerns,
    what to do, the rule's source, and lines for `mcpgen.toml` or an overlay that do it for the
    first tool (empty for a function).
    """

    rule: str
    gain: float
    tools: tuple[str, ...]
    advice: str
    source: str
    lines: str

    def data(self) -> dict[str, Any]:
        """Return the fields as JSON data, `gain` with three decimal places."""
        return {**asdict(self), "gain": round(self.gain, 3), "tools": list(self.tools)}


def changes(score: Score, listed: ToolList, most: int = MOST) -> list[Improvement]:
    """Return at most `most` changes that gain most, the best first, those of rule `fields` last;
    negligible gains are left out.
    """
    definitions = {name: ScoredTool(tool) for name, tool in listed.by_name().items()}
    proposals: dict[tuple[Rule, str], dict[str, float]] = {}
    for one in score.tools:
        for rule in rules():
            broken = _broken(_meant(rule, one.name, listed), definitions[one.name])
            for first, argument in broken:
                gains = proposals.setdefault((first, argument), {})
                share = _gain(rule, one, score) / len(broken)
                gains[one.name] = gains.get(one.name, 0.0) + share
    found = [_change(*key, gains, definitions, listed) for key, gains in proposals.items()]
    useful = [change for change in found if change.gain >= WORTH_SAYING]
    useful.sort(key=lambda change: (-change.gain, change.rule, change.lines))
    return sorted(useful, key=lambda change: change.rule == LAST)[:most]


def _meant(rule: Rule, name: str, listed: ToolList) -> Rule:
    """Return the rule, with the advice `untyped` if the tool's answers have no type."""
    if not rule.untyped or name in listed.typed:
        return rule
    return replace(rule, key="document", advice=rule.untyped)


def _broken(rule: Rule, one: ScoredTool) -> list[tuple[Rule, str]]:
    """Return (rule, name) of each argument that breaks a rule of arguments; for a rule on the whole
    tool, broken or not, one pair with an empty name.
    """
    if rule.key != "argument":
        return [(rule, "")]
    kept = KEPT[rule.name]
    broken = [name for name, inner in one.arguments.items() if not kept(name, inner)]
    if rule.name == "explained":
        broken = [name for name in broken if name not in one.own_ids]
    return [(rule, name) for name in broken]


def _change(
    rule: Rule,
    argument: str,
    gains: Mapping[str, float],
    definitions: Mapping[str, ScoredTool],
    listed: ToolList,
) -> Improvement:
    names = sorted(gains, key=lambda name: (-gains[name], name))
    names = [name for name in names if gains[name] > 0]
    gain = sum(gains[name] for name in names)
    lines = ""
    if names and names[0] not in listed.own:
        key = listed.keys.get(names[0], names[0])
        lines = _with_places(_lines(rule, definitions[names[0]], key, argument), listed.places)
    parameter = listed.parameters.get(argument)
    if parameter and len(names) > 1:
        lines = OVERLAY.format(name=parameter.replace("'", "\\'"))
    advice = rule.advice
    if argument:
        advice = f"`{argument}`: {advice}"
    return Improvement(
        rule=rule.name,
        gain=gain,
        tools=tuple(names),
        advice=advice,
        source=rule.source,
        lines=lines,
    )


def _gain(rule: Rule, one: ToolScore, score: Score) -> float:
    """Return the points of the list's score that one tool loses by a rule."""
    lost = _lost(rule, one) * (HIGHEST - LOWEST)
    gain = MEAN_SHARE * lost / len(score.tools)
    if one.score == score.minimum:
        gain += (1 - MEAN_SHARE) * lost
    return TOOLS_SHARE * gain


def _lost(rule: Rule, one: ToolScore) -> float:
    """Return the share of a tool's score that is lost by a rule; by a rule of `TRUST`, also what it
    takes from all other rules on text.
    """
    share = _share(rule)
    if rule.name in TRUST:
        texts = [other for other in rules() if other.text and other.name not in TRUST]
        share += sum(_share(other) * one.rules[other.name] for other in texts)
    return share * (1 - one.rules[rule.name]) * trust(rule, one.rules)


def _share(rule: Rule) -> float:
    """Return the share of a rule in a tool's score."""
    dimension = DIMENSIONS[rule.dimension] / sum(DIMENSIONS.values())
    return dimension * weights(rule.dimension)[rule]


def _lines(rule: Rule, one: ScoredTool, key: str, argument: str) -> str:
    """Return the lines for `mcpgen.toml`, empty without any; what only the author knows is left
    open as `…`.
    """
    table = f"tools.{literal(key)}"
    if rule.key in LINES_OF_FILE:
        return LINES_OF_FILE[rule.key]
    if rule.key == "argument":
        return f'[{table}.arguments.{literal(argument)}]\ndescription = "…"'
    if rule.key == "hidden":
        return f"[{table}.arguments.{literal(_largest(one))}]\nhidden = true"
    if rule.key == "name":
        return f'[{table}]\nname = "…"'
    if rule.key == "read_only":
        reads = "false"
        if one.kinds & {"get", "list", "search"}:
            reads = "true"
        return f"[{table}.hints]\nread_only = {reads}"
    return f'[{table}]\ndescription = {literal(_start(one))[:-1]}…"'


def _with_places(lines: str, places: Mapping[KeyPath, Place]) -> str:
    """Return lines with a comment on the place of their table, or their key, if the file has it
    already.
    """
    header, line_end, assignment = lines.partition("\n")
    if not line_end:
        return lines
    path = spine(tomllib.loads(lines))
    if path in places:
        assignment += f"  # replaces line {places[path].line}"
    if path[:-1] in places:
        header += f"  # is in line {places[path[:-1]].line}: add the key there"
    return f"{header}\n{assignment}"


def _largest(one: ScoredTool) -> str:
    """Return the optional argument that takes most room; `…` if all are required."""
    optional = [name for name in one.arguments if name not in one.required]
    names = optional or ["…"]
    return max(names, key=lambda name: len(str(one.arguments.get(name))))


def _start(one: ScoredTool) -> str:
    """Return the start of a better description: the first sentence, or empty text."""
    return f"{one.first.rstrip('.')}. " if one.first else ""

"""The most valuable changes, and the lines that make them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

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
    is_explained,
    rules,
    trust,
    weights,
)

MOST = 10
OVERLAY = """actions:  # an overlay: `overlays = ["arguments.overlay.yaml"]` in mcpgen.toml
  - target: $..[?@.in && @.name == '{name}']
    update: {{description: …}}"""
"""An OpenAPI Overlay that explains a parameter wherever it stands."""
WORTH_SAYING = 0.001
"""Points of the list's score below which a change is not proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """One change: the rule it serves, the points the list gains (at most), the tools it concerns,
    what to do, where the rule comes from, and lines for `mcpgen.toml` that do it for the first.
    """

    rule: str
    gain: float
    tools: tuple[str, ...]
    advice: str
    source: str
    lines: str

    def data(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "gain": round(self.gain, 3), "tools": list(self.tools)}


def changes(score: Score, listed: ToolList, most: int = MOST) -> list[Improvement]:
    """The changes of a list worth most, the best first."""
    definitions = {name: ScoredTool(tool) for name, tool in listed.by_name().items()}
    proposals: dict[tuple[Rule, str], dict[str, float]] = {}
    for one in score.tools:
        for rule in rules():
            broken = _broken(rule, definitions[one.name])
            for first, argument in broken:
                gains = proposals.setdefault((first, argument), {})
                share = _gain(rule, one, score) / len(broken)
                gains[one.name] = gains.get(one.name, 0.0) + share
    found = [_change(*key, gains, definitions, listed) for key, gains in proposals.items()]
    useful = [change for change in found if change.gain >= WORTH_SAYING]
    return sorted(useful, key=lambda change: (-change.gain, change.rule, change.lines))[:most]


def _broken(rule: Rule, one: ScoredTool) -> list[tuple[Rule, str]]:
    """The arguments that break a rule, each with the rule that is to be kept first: one without a
    text needs a text before it needs a better one. Of a rule on the whole tool, an empty name.
    """
    if rule.key != "argument":
        return [(rule, "")]
    explained = next(rule for rule in rules() if rule.name == "explained")
    broken = []
    for name, inner in one.arguments.items():
        if KEPT[rule.name](name, inner):
            continue
        first = rule
        if rule.name == "informative" and not is_explained(name, inner):
            first = explained
        broken.append((first, name))
    return broken


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
        lines = _lines(rule, definitions[names[0]], key, argument)
    parameter = listed.parameters.get(argument)
    if parameter and len(names) > 1:
        lines = OVERLAY.format(name=parameter.replace("'", "\\'"))
    if rule.key == "profile":
        lines = _profile(names, listed)
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
    """The points of the list's score that one tool loses by a rule."""
    lost = _lost(rule, one) * (HIGHEST - LOWEST)
    gain = MEAN_SHARE * lost / len(score.tools)
    if one.score == score.minimum:
        gain += (1 - MEAN_SHARE) * lost
    return TOOLS_SHARE * gain


def _lost(rule: Rule, one: ToolScore) -> float:
    """The share of a tool's score that is lost by a rule; by a text that is not about the tool or
    no language, what every rule on text loses.
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
    """The lines for `mcpgen.toml`; what only the author knows is left open as `…`."""
    table = f'[tools."{key}"]'
    if rule.key == "argument":
        return f'[tools."{key}".arguments.{argument}]\ndescription = "…"'
    if rule.key == "hidden":
        return f'[tools."{key}".arguments.{_largest(one)}]\nhidden = true'
    if rule.key == "name":
        return f'{table}\nname = "…"'
    if rule.key == "read_only":
        reads = "false"
        if one.kinds & {"get", "list", "search"}:
            reads = "true"
        return f"{table}\nread_only = {reads}"
    return f'{table}\ndescription = "{_start(one)}…"'


def _profile(names: list[str], listed: ToolList) -> str:
    """The line that lists the fields of answers that the document tells."""
    if listed.typed.isdisjoint(names):
        return ""
    return 'profile = "rich"  # in the place of the line `profile = ...` at the top'


def _largest(one: ScoredTool) -> str:
    """The optional argument that takes most room, or any."""
    optional = [name for name in one.arguments if name not in one.required]
    names = optional or ["…"]
    return max(names, key=lambda name: len(str(one.arguments.get(name))))


def _start(one: ScoredTool) -> str:
    """Return the start of a better description."""
    if not one.first:
        return ""
    text = one.first.rstrip(".").replace("\\", "").replace('"', "'")
    return f"{text}. "

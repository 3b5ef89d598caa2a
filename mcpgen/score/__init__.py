"""The quality of a list of tools for a model, by fixed rules.

    from mcpgen import score

    score.score_tools(tools)  # Tool objects, as `tools/list` sends them
    score.score_source("openapi.yaml")  # or a project's folder, or a file of Tool objects

The same list gives the same score, and no model is called. The rules, their weights and their
sources are in `data/score.toml`. The score compares versions of a list; it is not calibrated
against a model's judgement.
"""

from .changes import Improvement
from .lists import ToolList, score_source, tools_of_source
from .rules import DIMENSIONS, Score, ToolScore, score_tools

__all__ = [
    "DIMENSIONS",
    "Improvement",
    "Score",
    "ToolList",
    "ToolScore",
    "score_source",
    "score_tools",
    "tools_of_source",
]

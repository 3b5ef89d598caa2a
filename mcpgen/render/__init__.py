"""Server → {path: text}: a pure function of the intermediate representation.

What a model sees is JSON (`facts`); what a call does is Python from one template per toolset
(`code`); everything else of a generated project is a file of the template tree, copied, or rendered
with the few facts of `project`.
"""

from __future__ import annotations

from .formatting import BlackStyle, ModuleFormatter
from .stage import render

__all__ = ["BlackStyle", "ModuleFormatter", "render"]

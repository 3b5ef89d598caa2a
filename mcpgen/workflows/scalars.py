"""Texts that stand for numbers and booleans.

A parameter has no type on the wire, so that documents write `"7"`, or hand on a text, where the
operation or the workflow that a step calls takes a number. The values are read as what they stand
for; those in a request body are not, as JSON tells a text from a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..load.values import as_list
from ..parse.schema import type_of
from ..runtime.workflows.values import scalar
from . import model
from .outputs import OutputTypes

_OF_ARGUMENTS = {"int": "integer", "float": "number", "bool": "boolean"}
_SCALARS = ("integer", "number", "boolean")


class Scalars:
    """The values of steps, read as what is taken there."""

    def __init__(self, types: OutputTypes) -> None:
        self._types = types

    def in_workflow(self, workflow: model.Workflow) -> model.Workflow:
        """The workflow with scalars in place of texts, where its steps need them."""
        steps = []
        for step in workflow.steps:
            kinds = self._kinds(step)
            arguments = []
            for each in step.arguments:
                kind = kinds.get((each.place, each.name), "")
                arguments.append(replace(each, value=self._read(workflow, each.value, kind)))
            steps.append(replace(step, arguments=tuple(arguments)))
        return replace(workflow, steps=tuple(steps))

    def _kinds(self, step: model.Step) -> Mapping[tuple[str, str], str]:
        """The types of what a step calls that are scalars, by place and name."""
        if step.workflow:
            schemas = self._types.inputs[step.workflow]
            return {("", name): self._type(schema) for name, schema in schemas.items()}
        tool = self._types.operations.by_operation[step.operation]
        return {
            (argument.place, argument.wire_name): _OF_ARGUMENTS.get(argument.annotation.kind, "")
            for argument in tool.arguments
            if argument.place != "body"
        }

    def _read(self, workflow: model.Workflow, value: model.Value, kind: str) -> model.Value:
        """A value, where a scalar of a type is taken."""
        if kind not in _SCALARS:
            return value
        if isinstance(value, model.Constant):
            return _constant(value, kind)
        if self._type(self._types.of_value(workflow, value, 0)) == "string":
            return model.Scalar(value)
        return value

    def _type(self, schema: Any) -> str:
        """The one type of a schema beside null, or nothing."""
        types = self._types.reader.flatten(schema).get("type")
        if isinstance(types, str):
            return types
        names = [str(each) for each in as_list(types) if each != "null"]
        return names[0] if len(names) == 1 else ""


def _constant(value: model.Constant, kind: str) -> model.Constant:
    """A constant, or the scalar that its text stands for."""
    data = scalar(value.value)
    kinds = ("integer", "number") if kind == "number" else (kind,)
    return model.Constant(data) if type_of(data) in kinds else value

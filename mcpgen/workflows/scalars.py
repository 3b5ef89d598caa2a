"""Conversion of values to the types that the called operation or workflow expects.

A parameter has no type on the wire, so documents write `"7"` for a number, a number for a text, or
one value for a list. Values in a request body are not changed. A body or file of bytes is the bytes
of a text, unless the input's schema says that it is base64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from ..ir import Argument
from ..load.values import as_list
from ..parse.projection import is_base64
from ..parse.schema import type_of
from ..runtime.parts.workflows.values import listed, scalar, written
from . import model
from .outputs import OutputTypes

_OF_ARGUMENTS = {
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "str": "string",
    "list": "array",
}
_SCALARS = ("integer", "number", "boolean")
_WRITTEN: Mapping[str, tuple[Literal["written", "listed"], tuple[str, ...]]] = {
    "string": ("written", _SCALARS),
    "array": ("listed", (*_SCALARS, "string")),
}
"""The type of a parameter → how a value of another type is taken there, and of which."""
_READY = {"written": written, "listed": listed}
_BYTES = ("from_base64", "file")
"""Encodings of arguments that take bytes as base64 (`Argument.encode`)."""


class Scalars:
    """Converts values of steps to the types that the called operation or workflow expects."""

    def __init__(self, types: OutputTypes) -> None:
        self._types = types

    def in_workflow(self, workflow: model.Workflow) -> model.Workflow:
        """Return the workflow with its steps' parameters, inputs and bytes converted, where types
        are known.
        """
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
        """Return (place, name) → type (see `_kind`) of the arguments of the called operation, or of
        the inputs of the called workflow; an empty type is unknown.
        """
        if step.workflow:
            schemas = self._types.inputs[step.workflow]
            return {("", name): self._type(schema) for name, schema in schemas.items()}
        tool = self._types.operations.by_operation[step.operation]
        return {
            (argument.place, argument.wire_name): _kind(argument) for argument in tool.arguments
        }

    def _read(self, workflow: model.Workflow, value: model.Value, kind: str) -> model.Value:
        """Return a value converted to a type of `_kinds`; unchanged if that is not possible."""
        if kind == "bytes":
            return self._bytes(workflow, value)
        if kind in _WRITTEN:
            return self._written(workflow, value, kind)
        if kind not in _SCALARS:
            return value
        if isinstance(value, model.Constant):
            return _constant(value, kind)
        if self._type(self._types.of_value(workflow, value, 0)) == "string":
            return model.Taken("scalar", value)
        return value

    def _bytes(self, workflow: model.Workflow, value: model.Value) -> model.Value:
        """Return a value that is a text, but no base64, as its bytes; other values unchanged."""
        schema = self._types.of_value(workflow, value, 0)
        if self._type(schema) != "string":
            return value
        if is_base64(self._types.reader.flatten(schema)):
            return value
        return model.Taken("octets", value)

    def _written(self, workflow: model.Workflow, value: model.Value, kind: str) -> model.Value:
        """Return a scalar as text (`string`), or it or a text as a list (`array`); other values
        unchanged.
        """
        taken, types = _WRITTEN[kind]
        if isinstance(value, model.Constant):
            return model.Constant(_READY[taken](value.value))
        if self._type(self._types.of_value(workflow, value, 0)) not in types:
            return value
        return model.Taken(taken, value)

    def _type(self, schema: Any) -> str:
        """Return the only type of a schema besides null; empty for none or several."""
        types = self._types.reader.flatten(schema).get("type")
        if isinstance(types, str):
            return types
        names = [str(each) for each in as_list(types) if each != "null"]
        return names[0] if len(names) == 1 else ""


def _kind(argument: Argument) -> str:
    """Return the type to convert a step's value to: `bytes`, or for a parameter `string`,
    `integer`, `number`, `boolean` or `array`; empty for fields of a body and for objects.
    """
    if argument.encode in _BYTES:
        return "bytes"
    if argument.place == "body":
        return ""
    return _OF_ARGUMENTS.get(argument.annotation.kind, "")


def _constant(value: model.Constant, kind: str) -> model.Constant:
    """Return a constant text as the scalar of a kind that it represents, `"7"` as 7; other
    constants unchanged.
    """
    data = scalar(value.value)
    kinds = ("integer", "number") if kind == "number" else (kind,)
    return model.Constant(data) if type_of(data) in kinds else value

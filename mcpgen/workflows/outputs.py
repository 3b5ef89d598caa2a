"""The types of what a workflow returns, as far as its operations and its inputs have types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir import Schema
from ..load.values import as_object
from ..parse import response as responses
from ..parse.schema import Reader, type_of
from ..runtime.pointer import split
from . import model
from .compile import Operations

ANY: Schema = {}
DEEPEST = 20
"""Longest chain of workflows followed from output to output."""
MOST_OUTPUTS = 100
"""Longest chain of steps' outputs that is followed."""


class OutputTypes:
    """Schemas of values. `inputs`: workflowId → schemas of its inputs by name. `ANY` means that the
    documents give no type.
    """

    def __init__(
        self,
        reader: Reader,
        operations: Operations,
        workflows: Mapping[str, model.Workflow],
        inputs: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.reader = reader
        self.operations = operations
        self.workflows = workflows
        self.inputs = inputs
        self._known: dict[tuple[str, str, str], Schema] = {}
        self._following = 0

    def of_workflow(self, workflow: model.Workflow, depth: int = 0) -> Schema:
        """Return the schema of the object that a workflow returns; no member is required. Beyond
        `DEEPEST` nested workflows it has no properties.
        """
        if not workflow.outputs or depth > DEEPEST:
            return {"type": "object"}
        properties = {
            name: self.of_value(workflow, value, depth) for name, value in workflow.outputs
        }
        return {"type": "object", "properties": properties}

    def of_value(self, workflow: model.Workflow, value: model.Value, depth: int) -> Schema:
        """Return the schema of a value in a workflow; ANY for an unknown type. `depth`: nested
        workflows so far.
        """
        match value:
            case model.Constant(data):
                return {"type": type_of(data)}
            case model.Status() | model.Count(field=""):
                return {"type": "integer"}
            case model.Header() | model.Interpolation() | model.AnswerBody(is_text=True):
                return {"type": "string"}
            case model.Input(name, pointer):
                return self.part(self.inputs[workflow.id].get(name, ANY), pointer)
            case model.Output(step, name, pointer):
                return self.part(self._of_output(workflow, step, name, depth), pointer)
            case model.AnswerBody(step, pointer):
                return self.part(self.of_answer(_step(workflow, step).operation), pointer)
            case model.WorkflowOutput(name, pointer, before):
                called = name if before else _step(workflow, name).workflow
                return self.part(self.of_workflow(self.workflows[called], depth + 1), pointer)
            case model.Object(members):
                properties = {
                    key: self.of_value(workflow, member, depth) for key, member in members
                }
                return {"type": "object", "properties": properties}
            case model.Array():
                return {"type": "array"}
        return ANY

    def _of_output(self, workflow: model.Workflow, step: str, name: str, depth: int) -> Schema:
        """Return the schema of a step's output; ANY for one that leads to itself."""
        key = workflow.id, step, name
        if key not in self._known:
            self._known[key] = ANY
            if self._following < MOST_OUTPUTS:
                self._following += 1
                output = dict(_step(workflow, step).outputs)[name]
                self._known[key] = self.of_value(workflow, output, depth)
                self._following -= 1
        return self._known[key]

    def of_answer(self, operation: str) -> Schema:
        """Return the schema of an operation's successful JSON response; empty without one."""
        pointer = self.operations.by_operation[operation].origin.pointer
        node, _ = self.reader.resolve(f"#{pointer}")
        _, response = responses.success(self.reader, as_object(node), pointer)
        return as_object(responses.json_schema(response)[1])

    def part(self, schema: Schema, pointer: str) -> Schema:
        """Return the schema at a JSON Pointer into a schema's value; ANY if it is unknown."""
        for token in split(pointer):
            properties = self.reader.properties(schema)
            items = self.reader.flatten(schema).get("items", ANY)
            schema = as_object(properties.get(token, items if token.isdigit() else ANY))
        return schema


def _step(workflow: model.Workflow, name: str) -> model.Step:
    return next(step for step in workflow.steps if step.id == name)

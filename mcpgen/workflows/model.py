"""A workflow between its Arazzo document and Python: the call and values of each step, and the next
step.

Expressions are read and names are resolved; templates know neither Arazzo nor JSON Pointers into
its documents. Steps are known by their stepId, operations as `METHOD /path`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

KIND = "WORKFLOW"
"""Placeholder for the method in the origin of a workflow's tool."""

# -- values
# -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A JSON value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Missing:
    """The value of an expression that refers to nothing: it is left out."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the workflow, or a part of it."""

    name: str
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """An output of a step, or a part of it."""

    step: str
    name: str
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class AnswerBody:
    """The JSON body of a step's answer, or the part at `pointer`: `$response.body#/id`. With
    `is_text` the body may also be text.
    """

    step: str
    pointer: str = ""
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """A header field of a step's answer."""

    step: str
    name: str


@dataclass(frozen=True, slots=True)
class Status:
    """The status code of a step's answer."""

    step: str


@dataclass(frozen=True, slots=True)
class WorkflowOutput:
    """The outputs of a workflow called by a step, or the part at `pointer`. With `before`, `step`
    is the workflowId of a workflow that runs before this one or before a retry.
    """

    step: str
    pointer: str = ""
    before: bool = False


@dataclass(frozen=True, slots=True)
class Interpolation:
    """Several values joined into one text."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A value converted for its destination: the number or boolean in a text (`scalar`), the text
    of a number or boolean (`written`), the bytes of a text (`octets`), or a list of the value
    (`listed`).
    """

    kind: Literal["scalar", "written", "octets", "listed"]
    value: Value


@dataclass(frozen=True, slots=True)
class Object:
    """An object of values, as pairs of name and value."""

    members: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Array:
    """A list of values."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """A part of an `Array`: the items of a list, or the value itself as one item."""

    value: Value


@dataclass(frozen=True, slots=True)
class Replaced:
    """A value with the parts at some JSON Pointers replaced: (pointer, new value)."""

    base: Value
    replacements: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Selected:
    """The first value that a JSONPath selects."""

    path: Value
    data: Value


@dataclass(frozen=True, slots=True)
class Count:
    """The number of a value's items or members; the value's own member `field` if it has one."""

    data: Value
    field: str = ""


Value: TypeAlias = (
    Constant
    | Missing
    | Input
    | Output
    | AnswerBody
    | Header
    | Status
    | WorkflowOutput
    | Interpolation
    | Taken
    | Object
    | Array
    | Several
    | Replaced
    | Selected
    | Count
)

# -- conditions
# -------------------------------------------------------------------------------------------------

Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values compared."""

    operator: Operator
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Holds:
    """A value as a condition, without an operator."""

    value: Value


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Joined:
    """Conditions joined by `and` or `or`."""

    word: Literal["and", "or"]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """A condition: the regular expression matches the value."""

    pattern: Value
    value: Value


@dataclass(frozen=True, slots=True)
class Exists:
    """A condition: the JSONPath selects at least one value of the data."""

    path: Value
    data: Value


Condition: TypeAlias = Comparison | Holds | Not | Joined | Matches | Exists

# -- steps
# -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A condition and its text in the document."""

    text: str
    condition: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """The action after a step if all criteria are met: `step` or `workflow` is its target.

    A retry is tried `limit` times, `after` seconds apart; it runs its step or workflow first.
    """

    kind: Literal["end", "goto", "retry"]
    criteria: tuple[Criterion, ...] = ()
    step: str = ""
    workflow: str = ""
    after: float = 0
    limit: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepArgument:
    """A value of a step's call: for an argument of its operation by place and name on the wire, or
    for an input of its workflow, with an empty place.
    """

    place: str
    name: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step: it calls an operation (`METHOD /path`), or a workflow. `body` is a request body whose
    members are known only when the step runs.
    """

    id: str
    pointer: str
    description: str
    operation: str = ""
    workflow: str = ""
    arguments: tuple[StepArgument, ...] = ()
    body: Value | None = None
    outputs: tuple[tuple[str, Value], ...] = ()
    criteria: tuple[Criterion, ...] = ()
    on_success: tuple[Action, ...] = ()
    on_failure: tuple[Action, ...] = ()
    expects_failure: bool = False
    """Whether an answer of status 400 or more can be a success."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions after a success and after a failure."""
        return (*self.on_success, *self.on_failure)

    @property
    def target(self) -> str:
        """The operation of the tool that it calls: `METHOD /path` or `WORKFLOW id`."""
        return self.operation or f"{KIND} {self.workflow}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """One workflow. `before` are the workflows that run first, `inputs` the names of its inputs."""

    id: str
    pointer: str
    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: tuple[tuple[str, Value], ...]
    before: tuple[str, ...] = ()

    @property
    def handed(self) -> set[str]:
        """The workflowIds of those that run with this workflow's inputs: before it, by actions."""
        named = {action.workflow for step in self.steps for action in step.actions}
        return {*self.before, *named} - {""}

    @property
    def workflows(self) -> set[str]:
        """The workflowIds of its steps and actions, and of the workflows that run first."""
        return self.handed | {step.workflow for step in self.steps if step.workflow}

    @property
    def certain(self) -> set[str]:
        """The workflowIds of those that every successful call runs: first, and by the steps up to
        the first with actions.
        """
        found = set(self.before)
        for step in self.steps:
            found.add(step.workflow)
            if step.actions:
                break
        return found - {""}

"""Values for the template of the workflows: a function for each workflow, a call for each step.

A workflow whose steps follow each other becomes a sequence; a workflow with jumps is a loop over
the name of its next step. The functions hold no expressions of Arazzo.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..ir import Server, Tool, Toolset
from ..load.values import is_number
from ..parse.naming.identifiers import RESERVED
from ..text import first_sentence, plain, words
from ..workflows import model
from .code import Names, default, docstring_of, listing, parameter
from .literal import TEXT, Code, call, dictionary, py_ident, py_literal, quoted
from .models import Types

COMMENT = re.compile(r"[ -~]{1,88}")
"""A sentence that fits into a comment: printable ASCII."""
_OF_A_STEP = (model.Output, model.AnswerBody, model.Header, model.Status, model.WorkflowOutput)
_UNDOES = "cancel|cancellation|void|revert|undo"
"""Words at the end of a path that takes back what was made."""
INDENT = "    "
_BUILT_IN = frozenset({"api", "context", "models", "Any", "OMIT", "Omit", "Context", "Steps"})


@dataclass(frozen=True, slots=True)
class WorkflowFunction:
    """One workflow's function; `body` are its statements, indented."""

    name: str
    docstring: str
    parameters: tuple[Code, ...]
    body: Code


@dataclass(frozen=True, slots=True)
class WorkflowModule:
    """The module of the workflows: its functions, and what it imports."""

    functions: tuple[WorkflowFunction, ...]
    typing: Code
    face: Code
    toolsets: Code | None
    models: bool


@dataclass(slots=True)
class _Room:
    """Names in a module. `functions`: workflowId → tool; `taken`: its functions and arguments;
    `aliases`: toolset → alias, `helpers`: module of the runtime → alias.
    """

    tools: Mapping[str, tuple[str, Tool]]
    """`METHOD /path` → toolset and tool."""
    functions: Mapping[str, Tool]
    taken: frozenset[str]
    aliases: dict[str, str] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)

    def module_of(self, toolset: str) -> str:
        """Return the name of a toolset's module in this one; it is imported from then on."""
        if toolset not in self.aliases:
            self.aliases[toolset] = self._free(toolset, f"{toolset}_tools")
        return self.aliases[toolset]

    def helper(self, module: str) -> str:
        """Return the name of `values` or `paths`, modules of the runtime; it is imported from then
        on.
        """
        if module not in self.helpers:
            self.helpers[module] = self._free(module, f"{module}_")
        return self.helpers[module]

    def _free(self, *names: str) -> str:
        taken = {*self.taken, *self.aliases.values(), *self.helpers.values()}
        return _free(names, taken)


def _free(names: Sequence[str], taken: Iterable[str]) -> str:
    """Return the first of these names that is not taken; if all are, the last with a number."""
    unusable = {*taken, *RESERVED, *_BUILT_IN}
    for name in names:
        if name not in unusable:
            return name
    number = 2
    while f"{names[-1]}_{number}" in unusable:
        number += 1
    return f"{names[-1]}_{number}"


def are_in(server: Server) -> bool:
    """Return whether a server has workflows."""
    return any(tool.workflow for tool in server.tools)


def need_paths(server: Server) -> bool:
    """Return whether a workflow of a server has a JSONPath."""
    parts = (part for tool in server.tools for part in _parts(tool.workflow))
    return any(isinstance(part, model.Exists | model.Selected) for part in parts)


def module(toolset: Toolset, types: Types, server: Server) -> WorkflowModule:
    """Return the view of the module of a toolset of workflows, without its other tools."""
    tools = [tool for tool in toolset.tools if tool.workflow is not None]
    room = _room(tools, server)
    names = Names()
    functions = tuple(_function(tool, room, types, names) for tool in tools)
    face = _face(functions, names)
    names.read.add("Any")
    helpers = sorted(_imported(name, alias) for name, alias in room.helpers.items())
    toolsets = sorted(_imported(name, alias) for name, alias in room.aliases.items())
    return WorkflowModule(
        functions=functions,
        typing=listing(names.typing()) or Code("Any"),
        face=Code(", ".join([*face, "Steps", *helpers])),
        toolsets=listing(toolsets),
        models="models" in names.read,
    )


def _room(workflows: Sequence[Tool], server: Server) -> _Room:
    """Return the names of the module of these tools, before its functions are written."""
    operations = {
        tool.origin.operation: (toolset.name, tool)
        for toolset in server.toolsets
        for tool in toolset.tools
        if tool.request is not None
    }
    taken = {tool.name for tool in workflows}
    for tool in workflows:
        taken.update(argument.name for argument in tool.arguments)
    functions = {tool.workflow.id: tool for tool in workflows if tool.workflow}
    return _Room(tools=operations, functions=functions, taken=frozenset(taken))


def _face(functions: Iterable[WorkflowFunction], names: Names) -> list[str]:
    """Return the module's imports from the runtime's face: `Context`, `OMIT`, `Omit`."""
    text = "\n".join(function.body for function in functions)
    face = ["Context"]
    if "Omit" in names.read:
        return ["OMIT", *face, "Omit"]
    if re.search(r"\bOMIT\b", text):
        return ["OMIT", *face]
    return face


def _imported(name: str, alias: str) -> str:
    return py_ident(name) if name == alias else f"{py_ident(name)} as {py_ident(alias)}"


def _function(tool: Tool, room: _Room, types: Types, names: Names) -> WorkflowFunction:
    assert tool.workflow is not None
    parameters = []
    for argument in tool.arguments:
        annotation = parameter(argument, types)
        names.add(annotation)
        parameters.append(Code(f"{py_ident(argument.name)}: {annotation}{default(argument)}"))
    if parameters:
        parameters.insert(0, Code("*"))
    return WorkflowFunction(
        name=tool.name,
        docstring=docstring_of(tool),
        parameters=tuple(parameters),
        body=_Writer(tool, tool.workflow, room).body(),
    )


class _Writer:
    """The writer of one function's body. `lines` are its lines so far."""

    def __init__(self, tool: Tool, workflow: model.Workflow, room: _Room) -> None:
        self.tool, self.workflow, self.room = tool, workflow, room
        self.arguments = {each.wire_name: each for each in tool.arguments}
        taken = {
            *room.taken,
            *(word for name, _ in room.tools.values() for word in (name, f"{name}_tools")),
        }
        self.taken = {*taken, "values", "paths"}
        self.steps = self.name("steps")
        self.next = self.name("next_step", "next_step_name")
        self.used = set(_outputs_in(workflow))
        self.retried = _before(workflow) - {*workflow.before}
        """The workflows run only by retries whose outputs are read."""
        self.answers: dict[str, str] = {}
        self.outputs: dict[tuple[str, str], str] = {}
        self.unset: set[tuple[str, str]] = set()
        """The outputs whose variables have no value at this point of the function."""
        self.name_results()
        self.jumps = any(_jumps(step, following) for step, following in self.in_order())
        self.assigned: set[str] = set()
        """The steps whose outputs have values at this point of the function."""
        self.lines: list[str] = []

    def name_results(self) -> None:
        """Name the variables of answers, by step or workflow, and of the outputs that something
        reads.
        """
        for name in (*self.workflow.before, *sorted(self.retried)):
            self.answers[f"before {name}"] = self.name(_snake(name), f"{_snake(name)}_result")
        for step in self.workflow.steps:
            self.answers[step.id] = self.name(_snake(step.id), f"{_snake(step.id)}_answer")
        for step in self.workflow.steps:
            for output, _ in step.outputs:
                if (step.id, output) in self.used:
                    both = f"{_snake(step.id)}_{_snake(output)}"
                    self.outputs[step.id, output] = self.name(_snake(output), both)

    def name(self, *names: str) -> str:
        """Return the first of these names that is free in the function, and take it."""
        name = _free(names, self.taken)
        self.taken.add(name)
        return name

    def in_order(self) -> Iterator[tuple[model.Step, str]]:
        """Yield each step with the stepId of the next one, empty for the last."""
        steps = self.workflow.steps
        following = [step.id for step in steps[1:]]
        yield from zip(steps, [*following, ""], strict=True)

    # -- statements
    # ---------------------------------------------------------------------------------------------

    def add(self, depth: int, prefix: str, expression: str = "", suffix: str = "") -> None:
        """Add a statement, `depth` levels in; a blank line precedes `return` at the first level."""
        if (depth, prefix[:7]) == (1, "return "):
            self.lines.append("")
        self.lines.append(INDENT * depth + prefix + expression + suffix)

    def body(self) -> Code:
        """Return the statements of the function."""
        total = str(len(self.workflow.steps) + len(self.workflow.before))
        undo = self.undo()
        options: dict[str, str] = {"total": total}
        if undo:
            options["undo"] = dictionary(undo)
        self.add(1, f"{self.steps} = ", call("Steps", "context", **options))
        for name in self.workflow.before:
            result = self.answers[f"before {name}"]
            self.add(1, f"{result} = ", self.run(name, name, self.inputs_for(name)))
        for name in sorted(self.retried):
            self.add(1, f"{self.answers[f'before {name}']}: Any = ", "OMIT")
        if self.jumps:
            self.as_loop()
        else:
            self.unset.update(self.outputs)
            for step, following in self.in_order():
                start = len(self.lines)
                self.step(step, following, 1)
                if self.leaves(start, 1):
                    break
            else:
                self.end(1)
        return Code("\n".join(self.drop_unused()))

    def as_loop(self) -> None:
        """Add a loop whose cases are the steps."""
        for variable in self.outputs.values():
            self.add(1, f"{variable}: Any = ", "OMIT")
        for step in self.workflow.steps:
            if step.id in _results_in(self.workflow):
                self.add(1, f"{self.answers[step.id]}: Any = ", "OMIT")
        self.assigned = {step.id for step in self.workflow.steps}
        self.add(1, f"{self.next} = ", quoted(self.workflow.steps[0].id))
        self.add(1, "while True:")
        self.add(2, f"match {self.next}:")
        for step, following in self.in_order():
            self.add(3, "case ", quoted(step.id), ":")
            start = len(self.lines)
            self.step(step, following, 4)
            if not self.leaves(start, 4):
                self.go(following, 4)

    def go(self, step: str, depth: int) -> None:
        """Add the choice of the loop's next step; after the last step, the function's end."""
        if step:
            self.add(depth, f"{self.next} = ", quoted(step))
        else:
            self.end(depth)

    def leaves(self, start: int, depth: int) -> bool:
        """Return whether the last of the lines from index `start` on is a `return` or a `continue`
        at this depth of indentation: no code can follow.
        """
        last = self.lines[-1] if len(self.lines) > start else ""
        return last.startswith((INDENT * depth + "return ", INDENT * depth + "continue"))

    def end(self, depth: int) -> None:
        """Add the `return` of the workflow's outputs, but those of steps that have not run."""
        members = {
            name: self.value(item)
            for name, item in self.workflow.outputs
            if item != model.Missing() and _steps_in(item) <= self.assigned | {""}
        }
        if not members:
            self.add(depth, "return {}")
            return
        self.add(depth, "return ", call(f"{self.values}.pruned", dictionary(members)))

    def step(self, step: model.Step, following: str, depth: int) -> None:
        """Add a step: its call, its outputs, and the choice of the next step."""
        self.comment(step, depth)
        self.make_call(step, depth)
        self.take_outputs(step, depth)
        self.assigned.add(step.id)
        for action in step.on_success:
            if _goes_on(action, following):
                return
            if self.act(step, action, depth):
                return

    def comment(self, step: model.Step, depth: int) -> None:
        """Add a step's description as a comment if it is short; in a row of steps after a blank
        line.
        """
        comment = _comment(step)
        if not comment:
            return
        if depth == 1:
            self.lines.append("")
        self.add(depth, f"# {comment}")

    def make_call(self, step: model.Step, depth: int) -> None:
        """Add the call of a step, and the actions on failure."""
        answer = f"{self.answers[step.id]} = "
        if not step.on_failure:
            self.add(depth, answer, self.call_of(step))
            self.expect(step, depth)
            return
        retries = any(action.kind == "retry" for action in step.on_failure)
        if retries and not self.jumps:
            self.add(depth, "while True:")
            self.add(depth + 1, answer, self.call_of(step))
            self.add(depth + 1, f"if {self.success(step)}:")
            self.add(depth + 2, "break")
        else:
            self.add(depth, answer, self.call_of(step))
            self.add(depth, f"if {_negated(self.success(step))}:")
        self.failed(step, depth + 1)

    def failed(self, step: model.Step, depth: int) -> None:
        """Add the code for a step whose success criteria are not met."""
        for action in step.on_failure:
            if self.act(step, action, depth):
                return
        criteria = " and ".join(f"`{each.text}`" for each in step.criteria) or "its success"
        reason = quoted(f"the answer does not meet {criteria}")
        self.add(depth, "", call(f"{self.steps}.fail", self.answer_of(step), reason))

    def act(self, step: model.Step, action: model.Action, depth: int) -> bool:
        """Add an action. Return whether it is always taken, so that nothing follows."""
        conditions = [self.condition(each.condition) for each in action.criteria]
        if action.kind == "retry":
            conditions.append(self.retry(step, action))
        if conditions:
            self.add(depth, f"if {_joined('and', conditions)}:")
            depth += 1
        match action.kind:
            case "end":
                self.end(depth)
            case "goto" if action.step:
                self.go(action.step, depth)
                self.add(depth, "continue")
            case "goto":
                arguments = self.inputs_for(action.workflow)
                self.add(depth, "return ", self.run(step.id, action.workflow, arguments))
            case "retry":
                self.before_retry(step, action, depth)
                self.add(depth, "continue")
        return not conditions

    def answer_of(self, step: model.Step) -> str:
        """Return the variable with a step's answer; `None` for a step that runs a workflow."""
        return self.answers[step.id] if step.operation else "None"

    def retry(self, step: model.Step, action: model.Action) -> str:
        """Return the call that waits for another attempt and is true if there is one."""
        options: dict[str, str] = {"limit": str(action.limit)}
        if action.after:
            options["after"] = py_literal(action.after)
        return call(f"await {self.steps}.retry", self.answer_of(step), **options)

    def before_retry(self, step: model.Step, action: model.Action, depth: int) -> None:
        """Add the workflow or the step that runs before another attempt at a step."""
        if action.workflow:
            arguments = self.inputs_for(action.workflow)
            result = self.answers.get(f"before {action.workflow}")
            assigned = f"{result} = " if result else ""
            self.add(depth, assigned, self.run(step.id, action.workflow, arguments))
        for repair in self.workflow.steps:
            if repair.id == action.step:
                self.add(depth, f"{self.answers[repair.id]} = ", self.call_of(repair))
                if repair.operation and repair.on_failure and not repair.criteria:
                    self.expect_success(repair, depth)
                self.expect(repair, depth)
                self.take_outputs(repair, depth)

    def expect_success(self, step: model.Step, depth: int) -> None:
        """Add a check that the status is below 400, for an answer that is always returned."""
        condition = self.success(step)
        answer = self.answers[step.id]
        self.add(
            depth, "", call(f"{self.steps}.expect", answer, condition, quoted("$statusCode < 400"))
        )

    def take_outputs(self, step: model.Step, depth: int) -> None:
        """Add assignments of the outputs of a step that something reads."""
        for output, item in step.outputs:
            if (step.id, output) in self.outputs:
                self.add(depth, f"{self.outputs[step.id, output]} = ", self.value(item))
                self.unset.discard((step.id, output))

    def expect(self, step: model.Step, depth: int) -> None:
        """Add a check of each success criterion of a step; an unmet one fails the step."""
        answer = self.answer_of(step)
        for each in step.criteria:
            expression = call(
                f"{self.steps}.expect", answer, self.condition(each.condition), quoted(each.text)
            )
            self.add(depth, "", expression)

    def drop_unused(self) -> Iterator[str]:
        """Yield the lines; a call whose result nothing reads is not assigned."""
        unused = []
        code = "\n".join(_code_only(self.lines))
        for answer in self.answers.values():
            uses = re.findall(rf"\b{answer}\b(?!-)", code)
            assignments = re.findall(rf"^ *{answer} = await ", code, re.M)
            if len(uses) == len(assignments):
                unused.append(answer)
        for line in self.lines:
            for answer in unused:
                line = re.sub(rf"^( *){answer} = (?=await )", r"\1", line)
            yield line

    # -- calls
    # ---------------------------------------------------------------------------------------------

    def call_of(self, step: model.Step) -> str:
        """Return the call of a step's operation (`attempt` if it may fail, else `call`) or workflow
        (`run`).
        """
        if step.workflow:
            arguments = {each.name: self.value(each.value) for each in step.arguments}
            return self.run(step.id, step.workflow, arguments)
        toolset, tool = self.room.tools[step.operation]
        items: list[str] = [
            quoted(step.id),
            f"{self.room.module_of(toolset)}.{py_ident(tool.name)}",
            *self.keywords(step, tool),
        ]
        if step.body is not None:
            items.append(f"**{self.spread(step.body, tool)}")
        method = "call"
        if step.on_failure or step.expects_failure:
            method = "attempt"
        return call(f"await {self.steps}.{method}", *items)

    def keywords(self, step: model.Step, tool: Tool) -> Iterator[str]:
        """Yield `name=value` for those arguments of a step that its tool has, without missing
        values.
        """
        by_place = {
            (str(each.place), each.wire_name): each for each in tool.arguments if not each.fixed
        }
        for each in step.arguments:
            argument = by_place.get((each.place, each.name))
            if argument is None or each.value == model.Missing():
                continue
            yield f"{py_ident(argument.name)}={self.value(each.value)}"

    def spread(self, body: model.Value, tool: Tool) -> str:
        """Return the members of a body that is known only when the step runs, as keyword
        arguments.
        """
        renamed = {
            each.wire_name: each.name
            for each in tool.arguments
            if each.place == "body" and each.wire_name != each.name
        }
        arguments: list[str] = [self.value(body)]
        if renamed:
            arguments.append(py_literal(renamed))
        return call(f"{self.values}.members", *arguments)

    def run(self, step: str, workflow: str, arguments: Mapping[str, str]) -> str:
        """Return the call of another workflow, with values for its inputs."""
        tool = self.room.functions[workflow]
        given = {
            argument.name: arguments[argument.wire_name]
            for argument in tool.arguments
            if argument.wire_name in arguments
        }
        return call(f"await {self.steps}.run", quoted(step), py_ident(tool.name), **given)

    def inputs_for(self, workflow: str) -> dict[str, str]:
        """Return input → argument of this function in Python, for the inputs that `workflow`, to be
        run by it, has as well.
        """
        names = {each.wire_name for each in self.room.functions[workflow].arguments}
        return {
            name: py_ident(argument.name)
            for name, argument in self.arguments.items()
            if name in names
        }

    def undo(self) -> dict[str, str]:
        """Return stepId → quoted name of the tool that deletes or cancels the thing made by it."""
        found: dict[str, str] = {}
        for step in self.workflow.steps:
            method, _, path = step.operation.partition(" ")
            if method != "POST":
                continue
            one = rf"{re.escape(path)}/\{{[^{{}}/]+\}}"
            pattern = re.compile(rf"DELETE {one}|(?:POST|PUT|DELETE) {one}/(?:{_UNDOES})")
            for operation, (_, tool) in self.room.tools.items():
                if pattern.fullmatch(operation):
                    found[step.id] = quoted(tool.name)
        return found

    # -- expressions
    # ---------------------------------------------------------------------------------------------

    @property
    def values(self) -> str:
        """Name of the module of helpers, imported on first use."""
        return self.room.helper("values")

    @property
    def paths(self) -> str:
        """Name of the module of JSONPaths, imported on first use."""
        return self.room.helper("paths")

    def value(self, item: model.Value) -> str:
        """Return a value as Python."""
        match item:
            case model.Constant(data):
                return py_literal(data)
            case model.Input(name, pointer):
                return self.at(py_ident(self.arguments[name].name), pointer)
            case model.Output(step, name) if (step, name) in self.unset:
                return "OMIT"
            case model.Output(step, name, pointer):
                return self.at(self.outputs[step, name], pointer)
            case model.AnswerBody(step, pointer):
                return self.at(self.answer_body(item), pointer)
            case model.Header(step, name):
                return call(f"{self.values}.header", f"{self.answers[step]}.headers", quoted(name))
            case model.Status(step):
                return f"{self.answers[step]}.status"
            case model.WorkflowOutput(name, pointer, before):
                return self.at(self.answers[f"before {name}" if before else name], pointer)
            case model.Missing():
                return "OMIT"
        return self.compound(item)

    def answer_body(self, item: model.AnswerBody) -> str:
        """Return the data of a step's answer as Python, or its text if the answer may have none."""
        answer = self.answers[item.step]
        return call(f"{self.values}.body", answer) if item.is_text else f"{answer}.data"

    def compound(self, item: model.Value) -> str:
        """Return a value made of others as Python. Raises TypeError for an unknown kind."""
        match item:
            case model.Interpolation(parts):
                return call(f"{self.values}.text", *map(self.value, parts))
            case model.Object(members):
                return dictionary({key: self.value(inner) for key, inner in members})
            case model.Taken(kind, inner):
                return call(f"{self.values}.{kind}", self.value(inner))
            case model.Array(items):
                return f"[{', '.join(map(self.item, items))}]"
            case model.Replaced(base, replacements):
                others = dictionary({key: self.value(inner) for key, inner in replacements})
                return call(f"{self.values}.replaced", self.value(base), others)
            case model.Selected(path, data):
                return call(f"{self.paths}.first", self.value(path), self.value(data))
            case model.Count(data, ""):
                return call(f"{self.values}.count", self.value(data))
            case model.Count(data, name):
                return call(f"{self.values}.count", self.value(data), quoted(name))
        raise TypeError(f"no value: {item!r}")

    def item(self, item: model.Value) -> str:
        """Return an item of a list as Python; several items are spread."""
        if isinstance(item, model.Several):
            return f"*{call(f'{self.values}.several', self.value(item.value))}"
        return self.value(item)

    def at(self, expression: str, pointer: str) -> str:
        """Return the expression for the part of a value at a pointer, or for all of it."""
        if not pointer:
            return expression
        return call(f"{self.values}.at", expression, quoted(pointer))

    def condition(self, condition: model.Condition) -> str:
        """Return a condition as Python, on one line."""
        match condition:
            case model.Comparison(operator, left, right):
                return self.comparison(operator, left, right)
            case model.Holds(item):
                return call(f"{self.values}.holds", self.value(item))
            case model.Not(inner):
                return _negated(self.condition(inner))
            case model.Joined(word, conditions):
                return _joined(word, [self.condition(each) for each in conditions])
            case model.Matches(pattern, item):
                return call(f"{self.values}.matches", self.value(pattern), self.value(item))
            case model.Exists(path, data):
                return call(f"{self.paths}.exists", self.value(path), self.value(data))

    def comparison(self, operator: str, left: model.Value, right: model.Value) -> str:
        """Return the Python that compares two values; plainly if both are known to be numbers."""
        if _is_number(left) and _is_number(right):
            return f"{self.value(left)} {operator} {self.value(right)}"
        if operator == "==":
            return self.same(left, right)
        if operator == "!=":
            return f"not {self.same(left, right)}"
        return f"{self.number(left)} {operator} {self.number(right)}"

    def same(self, left: model.Value, right: model.Value) -> str:
        """Return the Python of an equality: `values.same(a, b)`, or `values.is_null(a)` for null.
        A missing value equals null, texts are compared without case, `"5"` equals 5.
        """
        if right == model.Constant(None) and not isinstance(left, model.Status):
            return call(f"{self.values}.is_null", self.value(left))
        return call(f"{self.values}.same", self.value(left), self.value(right))

    def number(self, item: model.Value) -> str:
        """Return a value as Python that gives a number."""
        if _is_number(item):
            return self.value(item)
        return call(f"{self.values}.number", self.value(item))

    def success(self, step: model.Step) -> str:
        """Return the condition of a step's success: its criteria, else a status below 400."""
        if not step.criteria:
            return f"{self.answers[step.id]}.status < 400" if step.operation else "True"
        return _joined("and", [self.condition(each.condition) for each in step.criteria])


def _jumps(step: model.Step, following: str) -> bool:
    """Return whether a step can jump: to a step other than the next, or back to an earlier step."""
    for index, action in enumerate(step.on_success):
        if action.step and (index or not _goes_on(action, following)):
            return True
    return any(action.step for action in step.on_failure)


def _goes_on(action: model.Action, following: str) -> bool:
    """Return whether an action always leads to the next step, as without an action."""
    if not action.step or action.criteria:
        return False
    return action.step == following


def _is_number(item: model.Value) -> bool:
    if isinstance(item, model.Constant):
        return is_number(item.value)
    return isinstance(item, model.Status)


def _joined(word: str, conditions: list[str]) -> str:
    if len(conditions) == 1:
        return conditions[0]
    return f" {word} ".join(
        f"({each})" if re.search(r" (and|or) ", each) else each for each in conditions
    )


def _negated(condition: str) -> str:
    """Return the opposite of a condition, as Python: `not …`, or another operator for a status."""
    simple = re.fullmatch(r"(\w+\.status) (==|!=|<|<=|>|>=) (\S+)", condition)
    opposites = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
    if simple:
        return f"{simple[1]} {opposites[simple[2]]} {simple[3]}"
    if re.search(r" (and|or|==|!=|<|<=|>|>=) |^not ", condition):
        return f"not ({condition})"
    return f"not {condition}"


def _snake(name: str) -> str:
    """Return a name of the document as one of Python: `getPet` → `get_pet`."""
    name = "_".join(words(name)) or "value"
    return name if name[0].isalpha() else f"step_{name}"


def _comment(step: model.Step) -> str:
    """Return the first sentence about a step; empty unless it fits into a comment."""
    sentence, _ = first_sentence(plain(step.description))
    sentence = " ".join(sentence.split())
    return sentence if COMMENT.fullmatch(sentence) else ""


def _code_only(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are no comments, each text in them as `""`."""
    for line in lines:
        if not line.lstrip().startswith("#"):
            yield TEXT.sub('""', line)


def _parts(item: Any) -> Iterator[Any]:
    """Yield a value, a condition or a step, and every dataclass in it."""
    pending = [item]
    while pending:
        current = pending.pop()
        if isinstance(current, tuple):
            pending += current
        elif dataclasses.is_dataclass(current) and not isinstance(current, model.Constant):
            yield current
            pending += [getattr(current, each.name) for each in dataclasses.fields(current)]


def _outputs_in(item: Any) -> Iterator[tuple[str, str]]:
    """Yield (stepId, name) of the steps' outputs that are used."""
    for part in _parts(item):
        if isinstance(part, model.Output):
            yield part.step, part.name


def _results_in(item: Any) -> set[str]:
    """Return the stepIds of steps that run a workflow whose outputs something reads."""
    found = set()
    for part in _parts(item):
        if isinstance(part, model.WorkflowOutput) and not part.before:
            found.add(part.step)
    return found


def _before(workflow: model.Workflow) -> set[str]:
    """Return the workflowIds of the workflows before this one or before a retry whose outputs it
    reads.
    """
    parts = _parts(workflow)
    return {part.step for part in parts if isinstance(part, model.WorkflowOutput) and part.before}


def _steps_in(item: model.Value) -> set[str]:
    """Return the stepIds of the steps that must have run for a value to be there."""
    found = set()
    for part in _parts(item):
        if isinstance(part, model.WorkflowOutput) and part.before:
            continue
        if isinstance(part, _OF_A_STEP):
            found.add(part.step)
    return found

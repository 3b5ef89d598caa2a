"""Workflows as tools: their contracts, beside the operations that they call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..ir import Argument, Hints, Origin, Schema, Server, Skip, Tool, Toolset
from ..load.document import FILES
from ..load.values import as_list, as_object, as_text, without
from ..parse import response as responses
from ..parse.budget import size, within_budget
from ..parse.defined_tool import Definition
from ..parse.definitions import Definitions
from ..parse.naming import toolset_names
from ..parse.select import matches
from ..problems import Problems
from ..runtime.pointer import escape
from ..text import plain, visible, words
from .compile import Compiler, Description, Operations
from .expressions import Inexpressible
from .model import KIND, Step, Workflow
from .outputs import OutputTypes
from .scalars import Scalars

if TYPE_CHECKING:
    from ..load import Document

TOOLSET = "workflows"
SOURCE = re.compile(r"^\$sourceDescriptions\.[^.]*\.")
"""The beginning of an operationId that names its document."""
NO_INPUTS = {"type": "object", "properties": {}, "additionalProperties": False}


class Workflows(Definitions):
    """Makes tools of the workflows of a document. `operations` are those that steps can call."""

    kind = KIND
    operations: Operations

    def workflow_tools(
        self, tools: Iterable[tuple[str, Tool]], skips: Iterable[Skip], credentials: Iterable[str]
    ) -> list[tuple[str, Tool]]:
        """Return (tag of the toolset, tool) for each workflow that can be expressed. The arguments
        are the API's.
        """
        api_tools = list(tools)
        self.operations = Operations(
            [tool for _, tool in api_tools if tool.request is not None],
            _reasons(skips),
            frozenset(name.lower() for name in credentials),
        )
        self.workflows = self._compiled()
        tag = _free_tag(tag for tag, _ in api_tools)
        self.outputs = self._outputs()
        scalars = Scalars(self.outputs)
        self.workflows |= {
            name: scalars.in_workflow(workflow) for name, workflow in self.workflows.items()
        }
        drafts = self.drafts(reserved=[tool.name for _, tool in api_tools])
        for skip in self.skips:
            if skip.filtered:
                _skipped(skip.origin, skip.reason, self.problems)
        defined = within_budget(drafts, others=sum(size(tool) for _, tool in api_tools))
        return [(tag, self._with_steps(tool)) for _, tool in defined]

    def _with_steps(self, tool: Tool) -> Tool:
        """Return the tool with its workflow. Its listed output schema names the outputs, none of
        them required; with the profile `rich` each has its type, or null. Results are checked
        without types, since an API may answer differently from its document.
        """
        [workflow] = [
            each for each in self.workflows.values() if each.pointer == tool.origin.pointer
        ]
        outputs = self.outputs.of_workflow(workflow).get("properties", {})
        if self.config.profile != "rich" or not outputs:
            return replace(tool, workflow=workflow)
        types = {
            name: responses.type_of_field(self.reader, schema) for name, schema in outputs.items()
        }
        listed = {"type": "object", "properties": types}
        checked = tool.output_contract or tool.output_schema
        return replace(tool, workflow=workflow, output_schema=listed, output_contract=checked)

    def definitions(self) -> Iterator[Definition]:
        """Yield the contract of each workflow that can be expressed."""
        for _, node, pointer in self._nodes():
            workflow = self.workflows.get(as_text(node.get("workflowId")))
            if workflow is None or workflow.pointer != pointer:
                continue
            hints = self._hints(workflow)
            yield Definition(
                name="_".join(words(workflow.id)) or "workflow",
                pointer=pointer,
                schema=node.get("inputs", NO_INPUTS),
                output=_names_of_outputs(workflow),
                answer=self.outputs.of_workflow(workflow),
                description=_description(node, workflow),
                title=plain(node.get("summary")).split("\n")[0],
                annotations={
                    "readOnlyHint": hints.read_only,
                    "destructiveHint": hints.destructive,
                    "idempotentHint": hints.idempotent,
                    "openWorldHint": hints.open_world,
                },
                extension={},
                passed_on={},
            )

    def _outputs(self) -> OutputTypes:
        """Return the types of the outputs of the workflows."""
        inputs = {
            as_text(node.get("workflowId")): self.reader.properties(node.get("inputs", NO_INPUTS))
            for _, node, _ in self._nodes()
        }
        return OutputTypes(self.reader, self.operations, self.workflows, inputs)

    def _nodes(self) -> Iterator[tuple[Description, dict[str, Any], str]]:
        """Yield each Workflow Object with its document and its JSON Pointer."""
        for file in self.document.workflows:
            root = self.document.root[FILES][file]
            home = f"/{FILES}/{escape(file)}"
            sources = {
                as_text(as_object(source).get("name")): as_text(as_object(source).get("url"))
                for source in as_list(root.get("sourceDescriptions"))
            }
            description = Description(root, home, sources)
            for index, node in enumerate(as_list(root["workflows"])):
                yield description, as_object(node), f"{home}/workflows/{index}"

    def _compiled(self) -> dict[str, Workflow]:
        """Return workflowId → workflow for those that can be expressed, with all they call. The
        others become skips, each with its reason in a note (E1543).
        """
        nodes = list(self._nodes())
        outputs = {
            as_text(node.get("workflowId")): tuple(as_object(node.get("outputs")))
            for _, node, _ in nodes
        }
        compiled: dict[str, Workflow] = {}
        for description, node, pointer in nodes:
            name = as_text(node.get("workflowId"))
            compiler = Compiler(description, self.operations, outputs, self.problems)
            try:
                if not name or name in compiled:
                    raise Inexpressible("it needs a `workflowId` of its own")
                pattern = _excluded(name, self.config.selection.exclude_operations)
                if pattern:
                    raise Inexpressible(f"excluded operation `{pattern}`")
                schema = node.get("inputs", NO_INPUTS)
                if "object" not in (self.reader.kinds(schema) or {"object"}):
                    raise Inexpressible("its `inputs` are not those of an object")
                inputs = tuple(self.reader.properties(schema))
                compiled[name] = compiler.workflow(node, pointer, inputs)
            except Inexpressible as error:
                self._skip(name, pointer, str(error))
        return self._complete(compiled)

    def _complete(self, compiled: dict[str, Workflow]) -> dict[str, Workflow]:
        """Return the workflows without those that run themselves in every call or run a missing
        workflow, also through others: these become skips.
        """
        reasons: dict[str, str] = {}
        for name, workflow in compiled.items():
            reasons |= dict.fromkeys(workflow.workflows - compiled.keys(), "")
            if name in _certain(workflow, compiled):
                reasons[name] = "it runs itself, without an end"
        reasons = _with_callers(reasons, compiled)
        for name, workflow in compiled.items():
            if name in reasons:
                self._skip(name, workflow.pointer, reasons[name])
        return without(compiled, reasons)

    def _skip(self, name: str, pointer: str, reason: str) -> None:
        tool = "_".join(words(name))
        origin = Origin(method=KIND, path=name, operation_id=tool, pointer=pointer)
        self.choices.append((origin, {}))
        self.skips.append(_skipped(origin, reason, self.problems))

    def _hints(self, workflow: Workflow) -> Hints:
        """Return the hints of a workflow, combined from all operations it may call."""
        names = sorted(_operations(workflow, self.workflows))
        hints = [self.operations.by_operation[name].hints for name in names]
        return Hints(
            read_only=all(each.read_only for each in hints),
            destructive=any(each.destructive for each in hints),
            idempotent=all(each.idempotent for each in hints),
            open_world=any(each.open_world for each in hints),
        )


def called(document: Document, excluded: tuple[str, ...]) -> dict[str, str]:
    """Return operationId or JSON Pointer of each operation that a step calls (Arazzo 1.0.1
    §4.6.5.1) → workflowId, without excluded workflows.
    """
    found: dict[str, str] = {}
    for file in document.workflows:
        for node in map(as_object, as_list(document.root[FILES][file].get("workflows"))):
            name = as_text(node.get("workflowId"))
            if _excluded(name, excluded):
                continue
            for step in map(as_object, as_list(node.get("steps"))):
                identity = SOURCE.sub("", as_text(step.get("operationId")))
                pointer = as_text(step.get("operationPath")).rpartition("#")[2]
                found |= dict.fromkeys(filter(None, (identity, pointer)), name)
    return found


def _excluded(name: str, patterns: tuple[str, ...]) -> str | None:
    """Return the first pattern that matches a workflowId or the name of its tool; None without
    any.
    """
    return matches([name, "_".join(words(name))], patterns)


def _skipped(origin: Origin, reason: str, problems: Problems) -> Skip:
    """Return the skip of a workflow, and note its reason (E1543)."""
    name = visible(origin.path)[:60]
    message = f"workflow `{name}` skipped: {reason}" if name else f"a workflow is skipped: {reason}"
    problems.note("E1543", message, pointer=origin.pointer)
    return Skip(origin=origin, reason=reason, code="E1543", filtered=False)


def settled(server: Server, problems: Problems) -> Server:
    """Return the server without workflows that call operations which the configuration took out:
    they become skips. Steps that lack an argument of their operation are reported.
    """
    workflows = {tool.workflow.id: tool.workflow for tool in server.tools if tool.workflow}
    if not workflows:
        return server
    reasons = _reasons_against(workflows, server, problems)
    skips = [
        _skipped(tool.origin, _reason(tool, reasons), problems)
        for tool in server.tools
        if _reason(tool, reasons)
    ]
    toolsets = [_without_skipped(toolset, reasons) for toolset in server.toolsets]
    return replace(
        server,
        toolsets=tuple(toolset for toolset in toolsets if toolset.tools),
        skips=(*server.skips, *skips),
    )


def _without_skipped(toolset: Toolset, reasons: Mapping[str, str]) -> Toolset:
    return replace(
        toolset, tools=tuple(tool for tool in toolset.tools if not _reason(tool, reasons))
    )


def _reason(tool: Tool, reasons: Mapping[str, str]) -> str:
    """Explain why a tool's workflow is skipped; empty if it is not, or if there is none."""
    return reasons.get(tool.workflow.id, "") if tool.workflow else ""


def _reasons_against(
    workflows: Mapping[str, Workflow], server: Server, problems: Problems
) -> dict[str, str]:
    """Return the reasons why workflows cannot be tools of a server, by workflowId."""
    tools = {tool.origin.operation: tool for tool in server.tools}
    tools |= {f"{KIND} {tool.workflow.id}": tool for tool in server.tools if tool.workflow}
    reasons: dict[str, str] = {}
    for name, workflow in workflows.items():
        reason = _fault(workflow, tools)
        if reason:
            reasons[name] = reason
            continue
        _report_unasked(workflow, tools, problems)
        for step in workflow.steps:
            _report_lacking(step, tools[step.target], problems)
    return _with_callers(reasons, workflows)


def _with_callers(reasons: dict[str, str], workflows: Mapping[str, Workflow]) -> dict[str, str]:
    """Return the reasons for skipping, by workflowId, with the callers of skipped workflows."""
    reasons = dict(reasons)
    pending = [name for name in workflows if name not in reasons]
    while True:
        rest = []
        for name in pending:
            skipped = sorted(workflows[name].workflows & reasons.keys())
            if skipped:
                reasons[name] = f"it runs `{skipped[0]}`, which is skipped"
            else:
                rest.append(name)
        if len(rest) == len(pending):
            return reasons
        pending = rest


def _fault(workflow: Workflow, tools: Mapping[str, Tool]) -> str:
    """Explain why a workflow cannot be a tool: an operation or a workflow without a tool; empty if
    it can.
    """
    for name in sorted(workflow.workflows):
        if f"{KIND} {name}" not in tools:
            return f"it runs `{visible(name)[:60]}`, which is no tool: `mcpgen.toml` says so"
    for step in workflow.steps:
        if step.target not in tools:
            label = f"step `{visible(step.id)[:60]}`"
            return f"{label}: it calls `{step.target}`, which is no tool: `mcpgen.toml` says so"
    return ""


def _report_unasked(workflow: Workflow, tools: Mapping[str, Tool], problems: Problems) -> None:
    """Warn (E1545) of each input that a workflow needs which runs with the inputs of this one, and
    that this one does not have.
    """
    for name in sorted(workflow.handed):
        for argument in filter(_is_needed, tools[f"{KIND} {name}"].arguments):
            if argument.wire_name not in workflow.inputs:
                label, needed = visible(name)[:60], visible(argument.wire_name)[:60]
                problems.warn(
                    "E1545",
                    f"the workflow runs `{label}` with inputs of its own, and has no `{needed}`,"
                    f" which `{label}` needs: `{label}` will fail",
                    pointer=workflow.pointer,
                    hint=f"add `{needed}` to the workflow's `inputs`",
                )


def _report_lacking(step: Step, tool: Tool, problems: Problems) -> None:
    """Warn (E1545) of each argument that a step's operation or workflow needs and the step does
    not send.
    """
    sent = {(each.place, each.name) for each in step.arguments}
    if step.workflow:
        sent = {("body", name) for _, name in sent}
    if step.body is not None:
        sent |= {("body", each.wire_name) for each in tool.arguments}
    target = visible(step.target.removeprefix(f"{KIND} "))[:200]
    for argument in filter(_is_needed, tool.arguments):
        if (argument.place, argument.wire_name) not in sent:
            problems.warn(
                "E1545",
                f"step `{visible(step.id)[:60]}` does not send"
                f" `{visible(argument.wire_name)[:60]}`, which `{target}` needs:"
                " the step will fail",
                pointer=step.pointer,
                hint="add it to the step's `parameters` or `requestBody`",
            )


def _is_needed(argument: Argument) -> bool:
    """Return whether a call must give a value for an argument."""
    return argument.required and not (argument.fixed or argument.default)


def _reasons(skips: Iterable[Skip]) -> dict[str, str]:
    """Return operationId, and `METHOD /path` → reason why the operation is no tool."""
    reasons = {}
    for skip in skips:
        reasons[skip.origin.operation] = skip.reason
        if skip.origin.operation_id:
            reasons[skip.origin.operation_id] = skip.reason
    return reasons


def _free_tag(tags: Iterable[str]) -> str:
    """Return a tag for the workflows: `workflows`, or `workflows of steps` if the API has that
    toolset.
    """
    names = set(toolset_names(sorted(set(filter(None, tags)))).values())
    return TOOLSET if TOOLSET not in names else f"{TOOLSET} of steps"


def _certain(workflow: Workflow, workflows: Mapping[str, Workflow]) -> set[str]:
    """Return the workflows that every successful call of a workflow runs, directly or through
    others.
    """
    found: set[str] = set()
    pending = [*workflow.certain]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += workflows[name].certain if name in workflows else ()
    return found


def _operations(workflow: Workflow, workflows: Mapping[str, Workflow]) -> set[str]:
    """Return the operations (`METHOD /path`) that a workflow may call, directly or through other
    workflows.
    """
    found: set[str] = set()
    pending, known = [workflow], {workflow.id}
    while pending:
        current = pending.pop()
        found.update(step.operation for step in current.steps if step.operation)
        new = current.workflows - known
        known |= new
        pending += [workflows[name] for name in new]
    return found


def _names_of_outputs(workflow: Workflow) -> Schema:
    """Return an output schema that names the outputs, and neither types nor requires them."""
    if not workflow.outputs:
        return {"type": "object"}
    return {"type": "object", "properties": {name: {} for name, _ in workflow.outputs}}


def _description(node: dict[str, Any], workflow: Workflow) -> str:
    """Describe a workflow: its author's words, its steps, its outputs."""
    text = plain(node.get("description")) or plain(node.get("summary"))
    if text[-1:].isalnum():
        text += "."
    steps = ", ".join(f"`{step.id}`" for step in workflow.steps)
    outputs = ", ".join(f"`{name}`" for name, _ in workflow.outputs)
    lines = [text, f"Steps: {steps}."]
    if outputs:
        lines.append(f"Returns {outputs}.")
    return "\n".join(filter(None, lines))

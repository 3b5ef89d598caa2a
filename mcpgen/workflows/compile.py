"""Workflow Objects (Arazzo 1.1) → `model.Workflow`: names resolved, expressions read.

`Inexpressible` is raised for anything Python cannot express: the workflow is skipped, with the
reason.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from ..ir import Argument, Body, Tool, within
from ..load.beside import name_of
from ..load.methods import PATH_ITEM
from ..load.values import as_list, as_object, as_text, is_number, objects_in, texts_in
from ..problems import Problems
from ..runtime.parts.workflows.values import matches
from ..runtime.pointer import split
from ..text import visible, words
from .conditions import criterion
from .expressions import EMBEDDED, Inexpressible, Scope, keys_of, pointer_of, value_of
from .forms import nested
from .model import (
    Action,
    Array,
    Comparison,
    Condition,
    Constant,
    Criterion,
    Joined,
    Matches,
    Missing,
    Not,
    Object,
    Operator,
    Replaced,
    Status,
    Step,
    StepArgument,
    Value,
    Workflow,
)

TARGETS = ("operationId", "operationPath", "workflowId")
_SOURCE = re.compile(r"\$sourceDescriptions\.([A-Za-z0-9_-]+)\.(.+)", re.S)
_PATH = re.compile(r"#/paths/([^/]+)(?:/([a-zA-Z]+))?$")
T = TypeVar("T", list[Any], dict[str, Any])
_NOUNS: Mapping[type, str] = {list: "a list", dict: "an object"}
_FORMS = ("form", "multipart")
_SET_BY_THE_SERVER = frozenset(("accept", "content-type", "content-length", "authorization"))
_OF_THE_CALL = re.compile(r"\$(statusCode|method|request|response)\b")
_READS_ANSWER = re.compile(r"\$statusCode|\$response")
_ITEM = re.compile(r"[0-9]+|-")
_UNQUOTED = re.compile(r"(?<=[:\[,])(\s*)\{(\$[^{}]+)\}(?=\s*[,\]}])")


@dataclass(frozen=True, slots=True)
class Description:
    """One Arazzo document: its tree, its pointer, and the URLs of its sources by name."""

    root: dict[str, Any]
    pointer: str
    sources: Mapping[str, str]

    def component(self, kind: str, reference: str) -> dict[str, Any]:
        """Return the component of a Reusable Object: `$components.KIND.NAME`. Raises
        Inexpressible.
        """
        prefix = f"$components.{kind}."
        name = reference.removeprefix(prefix)
        found = as_object(as_object(self.root.get("components")).get(kind)).get(name)
        if not reference.startswith(prefix) or not isinstance(found, dict):
            raise Inexpressible(f"`{visible(reference)[:80]}` refers to nothing")
        return found


@dataclass(slots=True)
class Operations:
    """The operations that steps can call: the tools of a server. `reasons` has those that are no
    tools.
    """

    tools: list[Tool]
    reasons: Mapping[str, str]
    """operationId or `METHOD /path` → why it is no tool."""
    credentials: frozenset[str] = frozenset()
    """The names of headers, parameters and cookies that hold credentials, in lower case."""
    _by_id: dict[str, Tool] = field(default_factory=dict)
    by_operation: dict[str, Tool] = field(default_factory=dict)
    """`METHOD /path` → its tool."""
    apis: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for tool in self.tools:
            self.by_operation[tool.origin.operation] = tool
            if tool.origin.operation_id:
                self._by_id.setdefault(tool.origin.operation_id, tool)
        self.apis = {tool.origin.api for tool in self.tools} or {""}

    def _api(self, text: str, sources: Mapping[str, str]) -> str | None:
        """Return the API that `$sourceDescriptions.NAME` in a text refers to: a further API named
        like the source or its file; the first, empty, for the only other source. None without a
        known source.
        """
        match = _SOURCE.search(text)
        found: dict[str, str | None] = {}
        for name, url in sources.items():
            names = (name, name_of(PurePath(url)))
            found[name] = next((each for each in names if each in self.apis), None)
        if match is None or [name for name in found if found[name] is None] == [match[1]]:
            return None if match is None else ""
        return found.get(match[1])

    def _of_several(self, words: list[str], api: str | None) -> Tool:
        """Return the only tool with the first operationId or `METHOD /path` that an API has, or any
        API if `api` is None. Raises Inexpressible for none and for several.
        """
        for word in words:
            same = [
                tool
                for tool in self.tools
                if word in (tool.origin.own_id, f"{tool.origin.method} {tool.origin.path}")
                and api in (None, tool.origin.api)
            ]
            if len(same) > 1:
                raise Inexpressible(f"several APIs have `{visible(word)[:80]}`: name the source")
            if same:
                return same[0]
        raise self._refuse(within(api or "", words[0]))

    def by_id(self, text: str, sources: Mapping[str, str]) -> Tool:
        """Return the tool of an operationId, also after `$sourceDescriptions.NAME.`; an unknown
        source means any API. `sources`: name → URL. Raises Inexpressible for none and for several.
        """
        match = _SOURCE.fullmatch(text)
        name = match[2] if match else text
        if self.apis != {""}:
            return self._of_several([name], self._api(text, sources))
        if name not in self._by_id:
            raise self._refuse(name)
        return self._by_id[name]

    def by_path(self, text: str, sources: Mapping[str, str]) -> Tool:
        """Return the tool of the operation that an `operationPath` points to. Without a method:
        the first method of the path that is a tool. Raises Inexpressible.
        """
        match = _PATH.search(text)
        if match is None:
            raise Inexpressible(f"`{visible(text)[:80]}` points to no operation")
        path = urllib.parse.unquote(split(f"/{match[1]}")[0])
        methods = [match[2]] if match[2] else PATH_ITEM
        words = [f"{method.upper()} {path}" for method in methods]
        return self._of_several(words, self._api(text, sources))

    def _refuse(self, name: str) -> Inexpressible:
        label = f"`{visible(name)[:80]}`"
        reason = self.reasons.get(name)
        if reason:
            return Inexpressible(f"it calls {label}, which is no tool: {reason}")
        return Inexpressible(f"it calls {label}, which the document does not have")


class Compiler:
    """Compiles Workflow Objects of a document. `workflows`: workflowId → names of its outputs."""

    def __init__(
        self,
        description: Description,
        operations: Operations,
        workflows: Mapping[str, tuple[str, ...]],
        problems: Problems,
    ) -> None:
        self.description = description
        self.operations = operations
        self.workflows = workflows
        self.problems = problems

    def workflow(self, node: dict[str, Any], pointer: str, inputs: tuple[str, ...]) -> Workflow:
        """Compile a Workflow Object, and warn of expressions that refer to nothing. Raises
        Inexpressible.
        """
        nodes = [as_object(step) for step in as_list(node.get("steps"))]
        ids = _step_ids(nodes)
        before = tuple(
            self.workflow_name(text) for text in texts_in(_under(node, "dependsOn", list))
        )
        outputs_of = {
            step: tuple(as_object(each.get("outputs")))
            for step, each in zip(ids, nodes, strict=True)
        }
        scope = Scope(
            workflow=as_text(node.get("workflowId")),
            inputs=inputs,
            outputs=outputs_of if self._jumps(node) else {},
            workflow_steps=frozenset(
                as_text(each["stepId"]) for each in nodes if "workflowId" in each
            ),
            before={*before, *self._retried(node)},
            sources=self.description.sources,
            own_uri=as_text(self.description.root.get("$self")),
        )
        steps = []
        for index, step in enumerate(nodes):
            reader = _StepReader(self, node, step, scope, f"{pointer}/steps/{index}", ids)
            steps.append(self._step(reader))
        if not _ends(steps):
            raise Inexpressible(
                "its steps never come to an end: give `criteria` to an action that goes back, or"
                " add one of type `end`"
            )
        scope.step = scope.method = ""
        scope.is_answered = False
        outputs = _outputs(node, scope)
        self._report_missing(scope, f"{pointer}/outputs")
        return Workflow(
            id=scope.workflow,
            pointer=pointer,
            inputs=inputs,
            steps=tuple(steps),
            outputs=outputs,
            before=before,
        )

    def _step(self, reader: _StepReader) -> Step:
        """Return the step of a reader. Raises Inexpressible, which names the step."""
        try:
            step = reader.step()
        except Inexpressible as error:
            raise Inexpressible(f"step `{visible(reader.id)[:60]}`: {error}") from error
        self._report_missing(reader.scope, reader.pointer)
        return step

    def _jumps(self, node: dict[str, Any]) -> bool:
        """Return whether an action goes to a step: a later one may then have run before."""
        components = as_object(self.description.root.get("components"))
        shared = [components.get(kind) for kind in ("successActions", "failureActions")]
        actions = [each for each in objects_in([node, *shared]) if "stepId" in each]
        return any(each.keys() & {"type", "reference"} for each in actions)

    def _retried(self, node: dict[str, Any]) -> Iterator[str]:
        """Yield the workflowIds that `retry` actions run before a step is tried again."""
        components = as_object(self.description.root.get("components"))
        for action in objects_in([node, components.get("failureActions")]):
            match action:
                case {"type": "retry", "workflowId": str(name)}:
                    yield self.workflow_name(name)

    def workflow_name(self, text: str) -> str:
        """Return the workflowId in a text, also after `$sourceDescriptions.NAME.`. Raises
        Inexpressible.
        """
        match = _SOURCE.fullmatch(text)
        name = match[2] if match else text
        if name not in self.workflows:
            raise Inexpressible(
                f"it runs the workflow `{visible(name)[:80]}`, which no document has that"
                " `--workflows` names"
            )
        return name

    def _report_missing(self, scope: Scope, pointer: str) -> None:
        for text in dict.fromkeys(scope.missing):
            hint = (
                "the step needs an output of that name (`$steps.STEP.outputs.NAME`), or the"
                " workflow an input"
            )
            if _OF_THE_CALL.match(text):
                hint = (
                    "only what follows the call has it: make it an output of its step, and write"
                    " `$steps.STEP.outputs.NAME` here"
                )
            self.problems.warn(
                "E1542",
                f"`{visible(text)[:120]}` refers to nothing: it is left out",
                pointer=pointer,
                hint=hint,
            )
        for text in dict.fromkeys(scope.unknown):
            self.problems.warn(
                "E1590",
                f"`{visible(text)[:120]}` is not a runtime expression: it is sent as it stands",
                pointer=pointer,
                hint="what a step or a workflow returned is `$steps.STEP.outputs.NAME` or"
                " `$workflows.WORKFLOW.outputs.NAME`",
            )
        scope.missing.clear()
        scope.unknown.clear()


class _StepReader:
    """Compiles one Step Object. `workflow`: the Workflow Object that contains it."""

    def __init__(
        self,
        compiler: Compiler,
        workflow: dict[str, Any],
        node: dict[str, Any],
        scope: Scope,
        pointer: str,
        ids: list[str],
    ) -> None:
        self.compiler = compiler
        self.description = compiler.description
        self.problems = compiler.problems
        self.workflow = workflow
        self.node = node
        self.scope = scope
        self.pointer = pointer
        self.ids = ids
        self.id = as_text(node["stepId"])

    def step(self) -> Step:
        """Compile the step, and set the scope to it. Raises Inexpressible."""
        scope, node = self.scope, self.node
        scope.step, scope.sent, scope.sent_body = self.id, (), None
        scope.method, scope.is_answered, scope.is_text = "", False, False
        self._check_order()
        self._report_timeout()
        target = self._target()
        body: Value | None = None
        operation = name = ""
        if isinstance(target, Tool):
            operation = target.origin.operation
            scope.method, scope.is_text = target.origin.method, not target.response.json
            arguments = [*self._parameters(target)]
            fields, body = self._body(target)
            arguments += fields
        else:
            name = target
            arguments = [*self._inputs()]
            scope.called[name] = self.id
        scope.sent, scope.sent_body, scope.is_answered = tuple(arguments), body, bool(operation)
        criteria = tuple(self._criteria(node, "successCriteria"))
        on_failure = tuple(self._actions("onFailure", "failureActions"))
        scope.outputs[self.id] = tuple(as_object(node.get("outputs")))
        return Step(
            id=self.id,
            pointer=self.pointer,
            description=as_text(node.get("description")),
            operation=operation,
            workflow=name,
            arguments=tuple(arguments),
            body=body,
            outputs=_outputs(node, scope),
            criteria=criteria,
            on_success=tuple(self._actions("onSuccess", "successActions")),
            on_failure=on_failure,
            expects_failure=any(_takes_failure(each.condition) for each in criteria),
        )

    def _report_timeout(self) -> None:
        """Note (E1546) that a step's own time limit (Arazzo 1.1) is not kept: the server's settings
        hold.
        """
        if "timeout" in self.node:
            self.problems.note(
                "E1546",
                f"the `timeout` of step `{visible(self.id)[:60]}` is not kept",
                pointer=f"{self.pointer}/timeout",
            )

    def _check_order(self) -> None:
        earlier = self.ids[: self.ids.index(self.id)]
        for step in texts_in(_under(self.node, "dependsOn", list)):
            if step in self.ids and step not in earlier:
                raise Inexpressible(f"it depends on `{step}`, a later step")

    def _target(self) -> Tool | str:
        """Return the operation's tool, or the workflowId, that the step calls. Raises
        Inexpressible.
        """
        keys = [key for key in TARGETS if as_text(self.node.get(key))]
        if not self.node.keys().isdisjoint(("channelPath", "action")):
            raise Inexpressible("it sends or receives messages (AsyncAPI)")
        if len(keys) != 1:
            raise Inexpressible("it needs one of `operationId`, `operationPath`, `workflowId`")
        text = as_text(self.node[keys[0]])
        sources = self.compiler.description.sources
        if keys[0] == "workflowId":
            return self.compiler.workflow_name(text)
        if keys[0] == "operationPath" and "#" in text:
            return self.compiler.operations.by_path(text, sources)
        return self.compiler.operations.by_id(text, sources)

    # -- what is sent
    # ---------------------------------------------------------------------------------------------

    def _parameter_objects(self) -> Iterator[tuple[str, str, Any]]:
        """Yield (`in`, name, value) of every parameter; a parameter of the step overrides the
        workflow's. Raises Inexpressible for an unknown reference.
        """
        parameters: dict[tuple[str, str], Any] = {}
        listed = [
            *_under(self.workflow, "parameters", list),
            *_under(self.node, "parameters", list),
        ]
        for entry in listed:
            parameter = as_object(entry)
            if "reference" in parameter:
                reference = as_text(parameter["reference"])
                component = self.description.component("parameters", reference)
                parameter = {**component, **parameter}
            name = as_text(parameter.get("name"))
            parameters[as_text(parameter.get("in")), name] = parameter.get("value")
        for (place, name), value in parameters.items():
            yield place, name, value

    def _inputs(self) -> Iterator[StepArgument]:
        """Yield the parameters as inputs of the workflow that the step calls."""
        for _, name, value in self._parameter_objects():
            yield StepArgument(place="", name=name, value=value_of(value, self.scope))

    def _parameters(self, tool: Tool) -> Iterator[StepArgument]:
        """Yield the parameters as arguments of an operation; parameters unknown to it are not sent,
        with a note. Raises Inexpressible for a whole query string.
        """
        for place, name, data in self._parameter_objects():
            if place == "querystring":
                raise Inexpressible("it sends a whole query string")
            argument = _argument(tool, place, name) or self._similar(tool, place, name)
            if argument is not None:
                value = value_of(data, self.scope)
                yield StepArgument(place=argument.place, name=argument.wire_name, value=value)
                continue
            reason = "the operation does not have it"
            if name.lower() in _SET_BY_THE_SERVER | self.compiler.operations.credentials:
                reason = "the server sends its own"
            label = f"{place} parameter" if place else "parameter"
            self.problems.note(
                "E1541",
                f"step `{visible(self.id)[:60]}` does not send {label} `{visible(name)[:60]}`:"
                f" {reason}",
                pointer=f"{self.pointer}/parameters",
            )

    def _similar(self, tool: Tool, place: str, name: str) -> Argument | None:
        """Return the only argument with the same words in its name (`petId` for `pet_id`), with a
        note; else None.
        """
        similar = [
            argument
            for argument in tool.arguments
            if (argument.place, words(argument.wire_name)) == (place, words(name))
        ]
        if len(similar) != 1:
            return None
        self.problems.note(
            "E1541",
            f"step `{visible(self.id)[:60]}` sends `{visible(name)[:60]}` as"
            f" `{visible(similar[0].wire_name)[:60]}`: so the operation calls it",
            pointer=f"{self.pointer}/parameters",
        )
        return similar[0]

    def _body(self, tool: Tool) -> tuple[list[StepArgument], Value | None]:
        """Return (arguments, None) for a request body with known members, else ([], value): its
        members are known when the step runs. Without a body: [], None.
        """
        node = _under(self.node, "requestBody", dict)
        if tool.request is None or "payload" not in node:
            return [], None
        payload = self._replaced(_payload(node["payload"], self.scope), node)
        if isinstance(payload, Missing):
            return [], None
        fields = [each for each in tool.arguments if each.place == "body"]
        body = tool.request.body
        if body is None or not fields:
            self._report_body("the operation has none")
            return [], None
        return self._sent(payload, body, fields)

    def _sent(
        self, payload: Value, body: Body, fields: list[Argument]
    ) -> tuple[list[StepArgument], Value | None]:
        """Return (arguments, None) for a payload, or ([], payload) if it is no object of known
        members.
        """
        if body.whole:
            whole = StepArgument(place="body", name=fields[0].wire_name, value=payload)
            return [whole], None
        if not isinstance(payload, Object):
            return [], payload
        if body.kind in _FORMS:
            payload = nested(payload, fields)
        return list(self._fields(payload, fields)), None

    def _fields(self, payload: Object, fields: list[Argument]) -> Iterator[StepArgument]:
        """Yield the members of a payload as arguments; unknown members are not sent, with a
        note.
        """
        names = {each.wire_name for each in fields}
        for name, value in payload.members:
            if name in names:
                yield StepArgument(place="body", name=name, value=value)
            else:
                self._report_body(f"the operation has no field `{visible(name)[:60]}`")

    def _replaced(self, payload: Value, body: dict[str, Any]) -> Value:
        """Apply the Payload Replacement Objects of a body to its payload. Raises Inexpressible."""
        replacements: list[tuple[str, Value]] = []
        for entry in _under(body, "replacements", list):
            replacement = as_object(entry)
            pointer = _target_pointer(replacement)
            replacements.append((pointer, value_of(replacement.get("value"), self.scope)))
        if not replacements:
            return payload
        if isinstance(payload, Object):
            return _with_members(payload, replacements)
        return Replaced(payload, tuple(replacements))

    def _report_body(self, reason: str) -> None:
        self.problems.note(
            "E1541",
            f"step `{visible(self.id)[:60]}` does not send all of its request body: {reason}",
            pointer=f"{self.pointer}/requestBody",
        )

    # -- what follows
    # ---------------------------------------------------------------------------------------------

    def _criteria(self, owner: dict[str, Any], key: str) -> Iterator[Criterion]:
        """Yield the criteria. A step that runs a workflow has no response: its criteria on
        `$statusCode` and `$response` are left out.
        """
        for node in _under(owner, key, list):
            if self.id in self.scope.workflow_steps and _READS_ANSWER.search(json.dumps(node)):
                continue
            yield criterion(node, self.scope)

    def _actions(self, key: str, shared: str) -> Iterator[Action]:
        """Yield the actions of the step, then those of the workflow; of equal names the first."""
        names: set[str] = set()
        for entry in (*_under(self.node, key, list), *_under(self.workflow, shared, list)):
            node = as_object(entry)
            if "reference" in node:
                component = self.description.component(shared, as_text(node["reference"]))
                node = {**component, **node}
            name = as_text(node.get("name"))
            if name in names:
                continue
            names |= {name} - {""}
            yield self._action(node, is_failure=shared == "failureActions")

    def _action(self, node: dict[str, Any], *, is_failure: bool) -> Action:
        criteria = tuple(self._criteria(node, "criteria"))
        workflow = as_text(node.get("workflowId"))
        if workflow:
            workflow = self.compiler.workflow_name(workflow)
        step = as_text(node.get("stepId"))
        if step and step not in self.ids:
            raise Inexpressible(f"it goes to `{visible(step)[:60]}`, which is no step")
        kind = node.get("type")
        match kind:
            case "end":
                return Action(kind="end", criteria=criteria)
            case "goto" if step or workflow:
                return Action(kind="goto", criteria=criteria, step=step, workflow=workflow)
            case "retry" if is_failure:
                after, limit = _attempts(node)
                return Action(
                    kind="retry",
                    criteria=criteria,
                    step=step,
                    workflow=workflow,
                    after=after,
                    limit=limit,
                )
        raise Inexpressible(f"an action of type `{visible(str(kind))[:40]}` is unknown")


def _under(node: dict[str, Any], key: str, kind: type[T]) -> T:
    """Return the list or object under a key; empty if there is none. Raises Inexpressible for
    another value.
    """
    value = node.get(key)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise Inexpressible(f"its `{key}` must be {_NOUNS[kind]}")
    return value


def _attempts(node: dict[str, Any]) -> tuple[float, int]:
    """Return the seconds before a retry (0), and the number of retries (1). Raises
    Inexpressible.
    """
    after, limit = node.get("retryAfter", 0), node.get("retryLimit", 1)
    if not is_number(after):
        raise Inexpressible("`retryAfter` must be a number of seconds")
    if not is_number(limit) or limit % 1:
        raise Inexpressible("`retryLimit` must be a whole number")
    return max(0, after), max(0, int(limit))


def _step_ids(nodes: list[dict[str, Any]]) -> list[str]:
    """Return the stepId of every step. Raises Inexpressible without steps, and for a missing or
    repeated stepId.
    """
    ids = [as_text(step.get("stepId")) for step in nodes]
    if not ids or len(set(filter(None, ids))) < len(ids):
        raise Inexpressible("it needs steps, each with a `stepId` of its own")
    return ids


def _ends(steps: list[Step]) -> bool:
    """Return whether the actions leave a way to the end of the workflow."""
    following = [*(step.id for step in steps[1:]), ""]
    ways = {step.id: {*_ways(step, after)} for step, after in zip(steps, following, strict=True)}
    ways[""] = set()
    reached: set[str] = set()
    pending = {steps[0].id}
    while pending:
        reached |= pending
        pending = set().union(*map(ways.__getitem__, pending)) - reached
    return "" in reached


def _ways(step: Step, following: str) -> Iterator[str]:
    """Yield the stepIds that may follow a step, empty for the end of the workflow."""
    yield from (action.step for action in step.on_failure if action.kind != "retry")
    for action in step.on_success:
        yield action.step
        if not action.criteria:
            return
    yield following


def _outputs(node: dict[str, Any], scope: Scope) -> tuple[tuple[str, Value], ...]:
    """Return the outputs (name, value) of a step or of a workflow."""
    outputs = _under(node, "outputs", dict)
    return tuple((str(name), value_of(value, scope)) for name, value in outputs.items())


def _argument(tool: Tool, place: str, name: str) -> Argument | None:
    """Return the argument of a tool for a parameter, None if there is none; names of headers are
    compared without case. An empty place is any but the body.
    """
    for argument in tool.arguments:
        if argument.place == "body" or place not in ("", argument.place):
            continue
        if argument.wire_name == name:
            return argument
        if (argument.place, argument.wire_name.lower()) == ("header", name.lower()):
            return argument
    return None


def _payload(data: Any, scope: Scope) -> Value:
    """Return a payload as a value; a text with JSON or a form (`a=1&b=2`) is parsed."""
    if not isinstance(data, str) or EMBEDDED.fullmatch(data.strip()):
        return value_of(data, scope)
    text = data.strip()
    if text.startswith(("{", "[")):
        try:
            return value_of(json.loads(_UNQUOTED.sub(r'\1"{\2}"', text)), scope)
        except ValueError:
            return value_of(data, scope)
    if re.match(r"(?:[\w.\[\]-]|%[0-9A-Fa-f]{2})+=", text) and "\n" not in text:
        return value_of(_form(text), scope)
    return value_of(data, scope)


def _target_pointer(replacement: dict[str, Any]) -> str:
    """Return the JSON Pointer of a Payload Replacement Object's target, which may be a JSONPath to
    one place. Raises Inexpressible.
    """
    target = as_text(replacement.get("target"))
    kind = replacement.get("targetSelectorType", "")
    if isinstance(kind, dict):
        kind = kind.get("type")
    if target.startswith("/") and kind in ("", "jsonpointer"):
        return target
    if target.startswith(("$.", "$[")):
        return pointer_of(keys_of(target[1:].replace('"', "'")))
    raise Inexpressible(
        f"the `target` `{visible(target)[:80]}` of a replacement is neither a JSON Pointer nor a"
        " JSONPath to one place in the payload"
    )


def _form(text: str) -> dict[str, str | list[str]]:
    """Return name → text of the fields of `a=1&b=2`; a list for a repeated field."""
    fields: dict[str, list[str]] = {}
    for pair in text.split("&"):
        name, value = map(urllib.parse.unquote_plus, pair.partition("=")[::2])
        fields.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


def _with_members(payload: Object, replacements: list[tuple[str, Value]]) -> Value:
    """Return the object with its members at JSON Pointers replaced or added. Inside a member that
    is no `Object` (a list, an expression) a `Replaced` does so at run time. Raises Inexpressible
    for an item that a list does not have, and for a place inside a constant.
    """
    members = dict(payload.members)
    for pointer, value in replacements:
        key, *rest = split(pointer)
        if not rest:
            members[key] = value
            continue
        below = pointer_of(rest)
        inner = members.get(key, Array(()) if _ITEM.fullmatch(rest[0]) else Object(()))
        match inner:
            case Object():
                members[key] = _with_members(inner, [(below, value)])
            case Constant():
                raise _nothing_at(pointer)
            case Array(items) if rest[0] not in map(str, range(len(items))):
                raise _nothing_at(pointer)
            case _:
                members[key] = Replaced(inner, ((below, value),))
    return Object(tuple(members.items()))


def _nothing_at(pointer: str) -> Inexpressible:
    return Inexpressible(
        f"a replacement has the target `{visible(pointer)[:80]}`, and the `payload` has nothing"
        " there"
    )


_MIRRORED: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Operator → the operator of the same comparison with its sides exchanged."""


def _takes_failure(condition: Condition) -> bool:
    """Return whether a condition expects a status of 400 or more: it compares the status with a
    constant and may be true for such a status, in doubt yes; or it negates any condition on the
    status.
    """
    match condition:
        case Joined(_, conditions):
            return any(map(_takes_failure, conditions))
        case Not(inner):
            return _reads_status(inner)
        case Comparison(operator, Status(), Constant(value)):
            return operator in (">", ">=", "!=") or (is_number(value) and value >= 400)
        case Comparison(operator, Constant(), Status() as status):
            mirrored = _MIRRORED.get(operator, operator)
            return _takes_failure(Comparison(mirrored, status, condition.left))
        case Matches(Constant(pattern), Status()):
            return any(matches(pattern, status) for status in range(400, 600))
    return False


def _reads_status(condition: Condition) -> bool:
    match condition:
        case Joined(_, conditions):
            return any(map(_reads_status, conditions))
        case Not(inner):
            return _reads_status(inner)
        case Comparison(_, left, right):
            return any(isinstance(side, Status) for side in (left, right))
        case Matches(_, value):
            return isinstance(value, Status)
    return False

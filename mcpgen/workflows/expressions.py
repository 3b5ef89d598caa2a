"""Runtime expressions (Arazzo 1.1, section *Runtime Expressions*) as values of the model.

Besides JSON Pointers (`$response.body#/items/0/id`), the paths of conditions are read everywhere
(`$response.body.items[0].id`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..load.values import as_object
from ..runtime.pointer import escape
from .model import (
    AnswerBody,
    Array,
    Constant,
    Count,
    Header,
    Input,
    Interpolation,
    Missing,
    Object,
    Output,
    Selected,
    Status,
    StepArgument,
    Value,
    WorkflowOutput,
)

EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")
_EXPRESSION = re.compile(
    r"\$(?:url|method|statusCode|self|inputs|outputs|steps|workflows|request|response|message"
    r"|sourceDescriptions|components)(?![A-Za-z0-9_])"
)
_LIKE_ONE = re.compile(r"\$[A-Za-z]\w*(?:\.[A-Za-z][\w-]*)+")
_STEP = re.compile(r"([A-Za-z0-9_-]+)\.outputs\.(.+)", re.S)
_WORKFLOW = re.compile(r"([A-Za-z0-9_-]+)\.(inputs|outputs)\.(.+)", re.S)
_PART = re.compile(r"\.?([A-Za-z0-9_-]+)|\[(\d+)\]|\['([^']*)'\]")
_LENGTHS = ("length", "size")


class Inexpressible(Exception):
    """Raised for a part of a workflow that Python cannot express; the text is the reason."""


@dataclass(slots=True)
class Scope:
    """The scope of the expressions of one workflow.

    * `outputs`: step that has run → names of its own outputs; `workflow_steps`: steps
      that call a workflow.
    * `step`: the step being compiled; `sent`, `sent_body`: the content of its request.
    * `method`: that of the step's operation; empty without one. `is_answered`: whether its answer
      is there.
    * `before`: workflows that run before this workflow or before a retry.
    * `called`: workflow run by an earlier step → the last such step.
    * `missing`: expressions that refer to something absent, collected.
    * `unknown`: texts that only look like expressions, collected.
    """

    workflow: str
    inputs: tuple[str, ...]
    outputs: dict[str, tuple[str, ...]]
    workflow_steps: frozenset[str] = frozenset()
    before: Collection[str] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    own_uri: str = ""
    called: dict[str, str] = field(default_factory=dict)
    step: str = ""
    method: str = ""
    is_answered: bool = False
    is_text: bool = False
    sent: tuple[StepArgument, ...] = ()
    sent_body: Value | None = None
    missing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def value_of(data: Any, scope: Scope) -> Value:
    """Return a JSON value as a value of the model: expressions, templates and Selector Objects in
    it, at any depth, are parsed. Raises Inexpressible.
    """
    if isinstance(data, str):
        return _text(data, scope)
    if isinstance(data, dict):
        if data.keys() >= {"context", "selector", "type"}:
            return selector(data, scope)
        return Object(tuple((str(key), value_of(item, scope)) for key, item in data.items()))
    if isinstance(data, list):
        return Array(tuple(value_of(item, scope) for item in data))
    return Constant(data)


def selector(data: dict[str, Any], scope: Scope) -> Value:
    """Parse a Selector Object (Arazzo 1.1). Raises Inexpressible."""
    kind = data["type"]
    if isinstance(kind, dict):
        kind = as_object(kind).get("type")
    context = value_of(data["context"], scope)
    text = str(data["selector"])
    if kind == "jsonpointer":
        return within(context, text)
    if kind == "jsonpath":
        return Selected(template(text, scope), context)
    raise Inexpressible(f"selectors of type `{kind}` are not supported")


def template(text: str, scope: Scope) -> Value:
    """Return a text with embedded expressions (`{$inputs.id}`) as one text. Raises
    Inexpressible.
    """
    parts: list[Value] = []
    end = 0
    for match in EMBEDDED.finditer(text):
        if match.start() > end:
            parts.append(Constant(text[end : match.start()]))
        parts.append(expression(match[1], scope))
        end = match.end()
    if not parts:
        return Constant(text)
    if end < len(text):
        parts.append(Constant(text[end:]))
    return Interpolation(tuple(parts))


def _text(text: str, scope: Scope) -> Value:
    """Parse a text: an expression, also in braces, whose value keeps its type, or a template."""
    stripped = text.strip()
    whole = EMBEDDED.fullmatch(stripped)
    if whole:
        return expression(whole[1], scope)
    if _EXPRESSION.match(stripped) and " " not in stripped:
        return expression(stripped, scope)
    if _LIKE_ONE.fullmatch(stripped):
        scope.unknown.append(stripped)
    return template(text, scope)


def expression(text: str, scope: Scope) -> Value:
    """Parse a runtime expression. If it refers to nothing, the value is `Missing`, and the text is
    added to `scope.missing`. Raises Inexpressible for an unknown kind.
    """
    text = text.strip()
    head, _, rest = text.partition(".")
    reader = _READERS.get(head)
    if text in _WHOLE:
        value = _WHOLE[text](scope)
    elif reader is None or not rest:
        raise Inexpressible(f"`{text}` has no value here")
    else:
        value = reader(rest, scope)
    if isinstance(value, Missing):
        scope.missing.append(text)
    return value


_WHOLE: Mapping[str, Callable[[Scope], Value]] = {
    "$statusCode": lambda scope: Status(scope.step) if scope.is_answered else Missing(),
    "$method": lambda scope: Constant(scope.method) if scope.method else Missing(),
    "$self": lambda scope: Constant(scope.own_uri) if scope.own_uri else Missing(),
    "$inputs": lambda scope: Object(tuple((name, Input(name)) for name in scope.inputs)),
}
"""Expressions without a part after a dot."""


def _inputs(rest: str, scope: Scope) -> Value:
    name, tail = _known(rest, scope.inputs)
    if not name:
        return Missing()
    return _tailed(Input(name), tail)


def _outputs(rest: str, scope: Scope) -> Value:
    """Return an output of the workflow that the current step calls, or Missing."""
    if scope.step not in scope.workflow_steps:
        return Missing()
    name, tail = _identifier(rest)
    return _tailed(WorkflowOutput(scope.step, f"/{escape(name)}"), tail)


def _steps(rest: str, scope: Scope) -> Value:
    match = _STEP.fullmatch(rest)
    if match is None or match[1] not in scope.outputs:
        return Missing()
    step = match[1]
    name, tail = _known(match[2], scope.outputs[step])
    if name:
        return _tailed(Output(step, name), tail)
    if step in scope.workflow_steps:
        name, tail = _identifier(match[2])
        return _tailed(WorkflowOutput(step, f"/{escape(name)}"), tail)
    return Missing()


def _workflows(rest: str, scope: Scope) -> Value:
    match = _WORKFLOW.fullmatch(rest)
    if match is None:
        return Missing()
    name = match[1]
    if (name, match[2]) == (scope.workflow, "inputs"):
        return _inputs(match[3], scope)
    output, tail = _identifier(match[3])
    pointer = f"/{escape(output)}"
    if match[2] == "outputs":
        if name in scope.called:
            return _tailed(WorkflowOutput(scope.called[name], pointer), tail)
        if name in scope.before:
            return _tailed(WorkflowOutput(name, pointer, before=True), tail)
    raise Inexpressible(
        f"`$workflows.{rest}` is not known: no earlier step, `dependsOn` or retry runs `{name}`"
    )


def _response(rest: str, scope: Scope) -> Value:
    kind, tail = _source(rest)
    if not scope.is_answered:
        return Missing()
    if kind in ("body", "payload"):
        return _tailed(AnswerBody(scope.step, is_text=scope.is_text), tail)
    if kind == "header":
        return Header(scope.step, tail.removeprefix(".").lower())
    return Missing()


def _request(rest: str, scope: Scope) -> Value:
    kind, tail = _source(rest)
    if not scope.method:
        return Missing()
    if kind in ("body", "payload"):
        body = scope.sent_body
        if body is None:
            members = [item for item in scope.sent if item.place == "body"]
            body = Object(tuple((item.name, item.value) for item in members))
        return _tailed(body, tail)
    name = tail.removeprefix(".")
    for item in scope.sent:
        if (item.place, item.name.lower()) == (kind, name.lower()):
            return item.value
    return Missing()


def _sources(rest: str, scope: Scope) -> Value:
    name, _, member = rest.partition(".")
    if member == "url" and name in scope.sources:
        return Constant(scope.sources[name])
    return Missing()


_READERS = {
    "$inputs": _inputs,
    "$outputs": _outputs,
    "$steps": _steps,
    "$workflows": _workflows,
    "$response": _response,
    "$request": _request,
    "$sourceDescriptions": _sources,
}


def _source(rest: str) -> tuple[str, str]:
    """Split `body#/id` into kind (`body`) and tail (`#/id`)."""
    match = re.match(r"[a-z]+", rest)
    kind = match[0] if match else ""
    return kind, rest[len(kind) :]


def _known(rest: str, names: tuple[str, ...]) -> tuple[str, str]:
    """Split a text after the longest of `names` at its beginning; empty for none."""
    for name in sorted(names, key=len, reverse=True):
        tail = rest[len(name) :]
        if rest.startswith(name) and tail[:1] in ("", "#", ".", "["):
            return name, tail
    return "", rest


def _identifier(rest: str) -> tuple[str, str]:
    """Split `id#/a` after its identifier: `id` and `#/a`; the first part may be empty."""
    match = re.match(r"[A-Za-z0-9_-]+", rest)
    name = match[0] if match else ""
    return name, rest[len(name) :]


def _tailed(value: Value, tail: str) -> Value:
    """Return a value, or its part at a tail: `#/pointer` or `.name[0]`; the number of its items
    for `.length()` and `.size()`, also without parentheses if it has no such member. Raises
    Inexpressible.
    """
    if tail in ("", "#"):
        return value
    if tail.startswith("#"):
        return within(value, re.sub(r"\[(\d+)\]", r"/\1", tail[1:]))
    if tail.startswith("/"):
        raise Inexpressible(f"`{tail}` is not a path into a value: a JSON Pointer begins with `#`")
    path = tail.removesuffix("()")
    *parents, last = keys_of(path)
    if last in _LENGTHS:
        return Count(within(value, pointer_of(parents)), last if path == tail else "")
    if path != tail:
        raise Inexpressible(f"`{tail}` is not a path into a value")
    return within(value, pointer_of([*parents, last]))


def keys_of(path: str) -> list[str]:
    """Return the keys of a path, at least one: `.name[0]` → `["name", "0"]`. Raises
    Inexpressible.
    """
    keys = []
    end = 0
    while match := _PART.match(path, end):
        keys.append("".join(filter(None, match.groups())))
        end = match.end()
    if not keys or end < len(path):
        raise Inexpressible(f"`{path}` is not a path into a value")
    return keys


def pointer_of(keys: Iterable[str]) -> str:
    """Return the JSON Pointer of keys (RFC 6901)."""
    return "".join(f"/{escape(key)}" for key in keys)


def within(value: Value, pointer: str) -> Value:
    """Return the part of a value at a JSON Pointer; Missing for an absent member of an object.
    Raises Inexpressible for a value without parts, such as a constant.
    """
    if not pointer:
        return value
    if not pointer.startswith("/"):
        pointer = f"/{pointer}"
    match value:
        case Input(name, start):
            return Input(name, start + pointer)
        case Output(step, name, start):
            return Output(step, name, start + pointer)
        case AnswerBody(step, start, is_text):
            return AnswerBody(step, start + pointer, is_text)
        case WorkflowOutput(step, start, before):
            return WorkflowOutput(step, start + pointer, before)
        case Object(members):
            key, _, rest = pointer[1:].partition("/")
            for name, member in members:
                if escape(name) == key:
                    return within(member, f"/{rest}" if rest else "")
            return Missing()
    raise Inexpressible(f"there is no way into the value at `{pointer}`")

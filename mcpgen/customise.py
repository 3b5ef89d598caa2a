"""What the user says of single operations, applied to the server: `[tools."…"]` of `mcpgen.toml`.

Pure: a server and a configuration in, another server out. What cannot be applied is a problem and costs nothing else.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .config import ArgumentConfig, Config, ToolConfig
from .ir import Argument, Schema, Server, Skip, Tool, Toolset
from .problems import Problems

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
ALIAS = re.compile(r"[A-Za-z0-9_.-]{1,128}")
ARGUMENT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
PAGE_SIZES = (
    "per_page page_size pageSize perPage pagesize limit max_results maxResults maxItems max_items results_per_page "
    "resultsPerPage page_limit pageLimit items_per_page itemsPerPage count size first top $top rows take"
).split()
TAKEN = frozenset({*keyword.kwlist, "api", "self", "models"})


def customise(server: Server, config: Config, problems: Problems) -> Server:
    """The server with every `[tools."…"]` table applied; tables for operations nobody knows become problems."""
    if not config.tools:
        return server
    wanted = _assign(server, config, problems)
    taken = {tool.name for tool in server.tools if _keeps_name(wanted.get(_operation(tool)))}
    aliases: dict[str, str] = {}
    answers: dict[str, dict[str, Any]] = {}
    given: dict[str, str] = {}
    skips = list(server.skips)
    placed: list[tuple[str, Tool]] = []
    for toolset in server.toolsets:
        for tool in toolset.tools:
            said = wanted.get(_operation(tool))
            if said is None:
                placed.append((toolset.name, tool))
                continue
            if not said.enabled:
                reason = "`enabled = false` in `mcpgen.toml`"
                skips.append(Skip(origin=tool.origin, reason=reason, code="", filtered=True))
                continue
            changed = _tool(tool, said, taken, problems)
            if said.name:
                given[_operation(tool)] = tool.name
            aliases |= _aliases(changed, said, taken, aliases, problems)
            if said.answer.keep or said.answer.drop or said.answer.strip_nulls:
                answers[changed.name] = {
                    "keep": list(said.answer.keep),
                    "drop": list(said.answer.drop),
                    "strip_nulls": said.answer.strip_nulls,
                }
            placed.append((_toolset(toolset.name, said, tool, problems), changed))
    return replace(
        server,
        toolsets=_toolsets(server, placed),
        skips=tuple(skips),
        aliases={**server.aliases, **aliases},
        answers={**server.answers, **answers},
        given_names={**server.given_names, **given},
    )


def _keeps_name(said: ToolConfig | None) -> bool:
    return said is None or (said.enabled and not said.name)


def _operation(tool: Tool) -> str:
    return f"{tool.origin.method} {tool.origin.path}"


def _assign(server: Server, config: Config, problems: Problems) -> dict[str, ToolConfig]:
    """`METHOD /path` → what the user says of it, whichever way the operation is named."""
    origins = [tool.origin for tool in server.tools] + [skip.origin for skip in server.skips]
    by_word: dict[str, set[str]] = {}
    for origin in origins:
        operation = f"{origin.method} {origin.path}"
        by_word.setdefault(operation, set()).add(operation)
        if origin.operation_id:
            by_word.setdefault(origin.operation_id, set()).add(operation)
    found: dict[str, ToolConfig] = {}
    named: dict[str, str] = {}
    for key, said in config.tools.items():
        operations = by_word.get(key) or by_word.get(_as_operation(key), set())
        if not operations and config.formerly.get(key) in by_word:
            operations = {config.formerly[key]}
            problems.warn(
                "E1111",
                f'`[tools."{key}"]` applies to an operation that has another name now: `{config.formerly[key]}`',
                hint="rename the table in `mcpgen.toml`",
            )
        if len(operations) == 1:
            operation = next(iter(operations))
            if operation in found:
                problems.error(
                    "E1112",
                    f'`[tools."{key}"]` and `[tools."{named[operation]}"]` are about the same operation',
                    hint="put both into one table",
                )
            found[operation], named[operation] = said, key
        elif operations:
            problems.error(
                "E1113",
                f'`[tools."{key}"]` names {len(operations)} operations',
                hint="use " + " or ".join(f'`[tools."{operation}"]`' for operation in sorted(operations)[:3]),
            )
        else:
            _orphan(key, config, by_word, problems)
    return found


def _as_operation(key: str) -> str:
    """`get  /books` as `GET /books`."""
    method, _, path = key.strip().partition(" ")
    return f"{method.upper()} {path.strip()}"


def _orphan(key: str, config: Config, known: Iterable[str], problems: Problems) -> None:
    if key in config.formerly:
        problems.warn(
            "E1114",
            f'`[tools."{key}"]` customises an operation that is no longer in the document',
            hint="remove the table from `mcpgen.toml`",
        )
        return
    problems.error("E1110", f'`[tools."{key}"]` names no operation of the document', hint=_meant(key, known))


def _meant(word: str, known: Iterable[str]) -> str:
    folded = {item.lower(): item for item in sorted(known)}
    near = difflib.get_close_matches(word.lower(), folded, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(f'`{folded[item]}`' for item in near)}?" if near else ""


# -- one tool ---------------------------------------------------------------------------------------------------------


def _tool(tool: Tool, said: ToolConfig, taken: set[str], problems: Problems) -> Tool:
    tool = _renamed(tool, said, taken, problems)
    hints = {
        key: value
        for key in ("read_only", "destructive", "idempotent", "open_world")
        if (value := getattr(said, key)) is not None
    }
    if hints.get("read_only"):
        hints.setdefault("destructive", False)
    elif hints.get("destructive"):
        hints.setdefault("read_only", False)
    tool = replace(
        tool,
        title=said.title or tool.title,
        description=said.description or tool.description,
        hints=replace(tool.hints, **hints),
    )
    for word, argument in said.arguments.items():
        tool = _argument(tool, word, argument, problems)
    return _page_size(tool, said, problems)


def _renamed(tool: Tool, said: ToolConfig, taken: set[str], problems: Problems) -> Tool:
    name = said.name
    if name is None:
        return tool
    if not NAME.fullmatch(name) or name in TAKEN:
        problems.error(
            "E1115",
            f"`{tool.name}` cannot be called `{name}`: a tool's name is lower-case letters, digits and underscores",
            pointer=tool.origin.pointer,
            hint=f"for example `{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_') or 'my_tool'}`",
        )
        return tool
    if name in taken:
        problems.error(
            "E1116",
            f"`{tool.name}` cannot be called `{name}`: another tool is",
            pointer=tool.origin.pointer,
            hint="rename or disable the other tool first, or choose another name",
        )
        return tool
    taken.add(name)
    return replace(tool, name=name)


def _aliases(
    tool: Tool, said: ToolConfig, taken: set[str], others: dict[str, str], problems: Problems
) -> dict[str, str]:
    found = {}
    for alias in said.aliases:
        if alias == tool.name:
            continue
        if not ALIAS.fullmatch(alias) or alias in taken or others.get(alias, tool.name) != tool.name:
            problems.error("E1117", f"`{tool.name}` cannot have the alias `{alias}`: it is not a free name")
        else:
            found[alias] = tool.name
    return found


def _toolset(current: str, said: ToolConfig, tool: Tool, problems: Problems) -> str:
    if said.toolset is None or said.toolset == current:
        return current
    if not NAME.fullmatch(said.toolset) or keyword.iskeyword(said.toolset):
        problems.error(
            "E1115",
            f"`{tool.name}` cannot be in a toolset `{said.toolset}`: use lower-case letters, digits, underscores",
        )
        return current
    return said.toolset


def _toolsets(server: Server, placed: list[tuple[str, Tool]]) -> tuple[Toolset, ...]:
    known = {toolset.name: toolset for toolset in server.toolsets}
    members: dict[str, list[Tool]] = {}
    for name, tool in placed:
        members.setdefault(name, []).append(tool)
    return tuple(
        replace(
            known.get(name) or Toolset(name=name, title=name.replace("_", " ").capitalize(), description="", tools=()),
            tools=tuple(sorted(members[name], key=lambda tool: tool.name)),
        )
        for name in sorted(members)
    )


# -- its arguments ----------------------------------------------------------------------------------------------------


def _argument(tool: Tool, word: str, said: ArgumentConfig, problems: Problems) -> Tool:
    found = next((item for item in tool.arguments if item.name == word), None)
    found = found or next((item for item in tool.arguments if item.wire_name == word), None)
    if found is None:
        names = [item.name for item in tool.arguments]
        hint = _meant(word, names) or (f"it has {', '.join(f'`{name}`' for name in names[:8])}" if names else "")
        problems.error("E1118", f"`{tool.name}` has no argument `{word}`", pointer=tool.origin.pointer, hint=hint)
        return tool
    if said.hidden:
        return _hidden(tool, found, said, problems)
    if said.description is not None:
        tool = _property(tool, found.name, description=said.description)
    if said.default is not None:
        tool = _defaulted(tool, found, said.default)
        found = next(item for item in tool.arguments if item.name == found.name)
    if said.name is not None and said.name != found.name:
        tool = _argument_renamed(tool, found, said.name, problems)
    return tool


def _property(tool: Tool, name: str, **changes: Any) -> Tool:
    properties = dict(tool.input_schema.get("properties", {}))
    current = properties.get(name)
    properties[name] = {**(current if isinstance(current, dict) else {}), **changes}
    return replace(tool, input_schema={**tool.input_schema, "properties": properties})


def _hidden(tool: Tool, argument: Argument, said: ArgumentConfig, problems: Problems) -> Tool:
    """Without the argument in the schema. With a value it is sent all the same; without one it must be optional."""
    if said.value is None and argument.required and not argument.default:
        problems.error(
            "E1119",
            f"`{tool.name}` cannot hide `{argument.name}`: the API requires it",
            pointer=tool.origin.pointer,
            hint="say what is to be sent: `value = …`",
        )
        return tool
    kept = () if said.value is None else (replace(argument, fixed=(said.value,), default=()),)
    body = tool.request.body if tool.request else None
    request = tool.request
    if request and body and body.whole and argument.place == "body" and not kept:
        request = replace(request, body=None)
    position = tool.arguments.index(argument)
    return replace(
        tool,
        request=request,
        arguments=(*tool.arguments[:position], *kept, *tool.arguments[position + 1 :]),
        input_schema=_without(tool.input_schema, argument.name),
        nullable=tuple(pointer for pointer in tool.nullable if not _under(pointer, argument.name)),
        wire_names=tuple(pair for pair in tool.wire_names if not _under(pair[0], argument.name)),
    )


def _without(schema: Schema, name: str) -> Schema:
    properties = {key: value for key, value in schema.get("properties", {}).items() if key != name}
    required = [key for key in schema.get("required", ()) if key != name]
    rest = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    made: Schema = {}
    for key in schema:
        if key == "properties":
            made[key] = properties
        elif key == "required" and required:
            made[key] = required
        elif key in rest:
            made[key] = rest[key]
    return made


def _defaulted(tool: Tool, argument: Argument, value: Any) -> Tool:
    """The argument is optional, says its default, and sends it."""
    tool = _property(tool, argument.name, default=value)
    required = [name for name in tool.input_schema.get("required", ()) if name != argument.name]
    schema = {key: item for key, item in tool.input_schema.items() if key != "required"}
    if required:
        schema = {key: required if key == "required" else item for key, item in tool.input_schema.items()}
    return _with_argument(replace(tool, input_schema=schema), argument, required=False, default=(value,))


def _with_argument(tool: Tool, argument: Argument, **changes: Any) -> Tool:
    return replace(
        tool,
        arguments=tuple(replace(item, **changes) if item == argument else item for item in tool.arguments),
    )


def _argument_renamed(tool: Tool, argument: Argument, name: str, problems: Problems) -> Tool:
    if not ARGUMENT_NAME.fullmatch(name) or name in TAKEN:
        problems.error(
            "E1115",
            f"an argument of `{tool.name}` cannot be called `{name}`: letters, digits and underscores make a name",
            pointer=tool.origin.pointer,
        )
        return tool
    if any(item.name == name for item in tool.arguments):
        problems.error(
            "E1116",
            f"`{argument.name}` of `{tool.name}` cannot be called `{name}`: another argument is",
            pointer=tool.origin.pointer,
        )
        return tool
    old = argument.name
    schema = dict(tool.input_schema)
    schema["properties"] = {name if key == old else key: value for key, value in schema.get("properties", {}).items()}
    if "required" in schema:
        schema["required"] = [name if key == old else key for key in schema["required"]]

    def moved(pointer: str) -> str:
        return f"/properties/{name}{pointer.removeprefix(f'/properties/{old}')}" if _under(pointer, old) else pointer

    tool = replace(
        tool,
        input_schema=schema,
        nullable=tuple(map(moved, tool.nullable)),
        wire_names=tuple((moved(pointer), wire) for pointer, wire in tool.wire_names),
    )
    return _with_argument(tool, argument, name=name)


def _under(pointer: str, argument: str) -> bool:
    return f"{pointer}/".startswith(f"/properties/{argument}/")


def _page_size(tool: Tool, said: ToolConfig, problems: Problems) -> Tool:
    size = said.answer.page_size
    if size is None:
        return tool
    by_wire = {item.wire_name: item for item in tool.arguments if item.place in ("query", "body") and not item.fixed}
    found = next((by_wire[word] for word in PAGE_SIZES if word in by_wire), None)
    if found is None:
        problems.error(
            "E1120",
            f"`{tool.name}` has no argument that says how many items a page has",
            pointer=tool.origin.pointer,
            hint='name it: `[tools."…".arguments.<argument>]` with `default = …`',
        )
        return tool
    allowed = tool.input_schema.get("properties", {}).get(found.name, {})
    largest = allowed.get("maximum") if isinstance(allowed, dict) else None
    if isinstance(largest, (int, float)) and size > largest:
        problems.error(
            "E1120",
            f"`page_size = {size}` of `{tool.name}` is over the {largest} that `{found.name}` allows",
            pointer=tool.origin.pointer,
        )
        return tool
    return _defaulted(tool, found, size)

"""What the user says of single operations, applied to the server: `[tools."…"]` of `mcpgen.toml`.

Pure: a server and a configuration in, another server out. Everything that cannot be applied is told
at once, with its line in `mcpgen.toml`.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ..config import ArgumentConfig, Config, ToolConfig
from ..ir import Argument, Schema, Server, Skip, Tool, Toolset
from ..problems import Place, Problem, Problems, UsageError

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
ALIAS = re.compile(r"[A-Za-z0-9_.-]{1,128}")
ARGUMENT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
PAGE_SIZES = (
    "per_page page_size pageSize perPage pagesize limit max_results maxResults maxItems max_items"
    " results_per_page resultsPerPage page_limit pageLimit items_per_page itemsPerPage count size"
    " first top $top rows take"
).split()
TAKEN = frozenset({*keyword.kwlist, "api", "self", "models"})


@dataclass(slots=True)
class _Faults:
    """Everything that cannot be applied. `at` is the table that is being applied."""

    places: dict[tuple[str, ...], Place]
    found: list[Problem] = field(default_factory=list)
    at: tuple[str, ...] = ()

    def add(self, code: str, message: str, *below: str, hint: str = "") -> None:
        """One fault in a table, or in a key below it."""
        place = self.place((*self.at, *below))
        self.found.append(
            Problem(code=code, severity="error", message=message, hint=hint, place=place)
        )

    def place(self, path: tuple[str, ...]) -> Place | None:
        """Where a key stands, or the nearest table around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path)


def customise(server: Server, config: Config, problems: Problems) -> Server:
    """The server with every `[tools."…"]` table applied.

    Tables whose operation has another name now, or is gone, are told as warnings. Raises UsageError
    with every table, name or argument that fits nothing.
    """
    if not config.tools:
        return server
    faults = _Faults(config.places)
    wanted = _assign(server, config, problems, faults)
    taken = {tool.name for tool in server.tools if _keeps_name(wanted.get(_operation(tool)))}
    aliases: dict[str, str] = {}
    answers: dict[str, dict[str, Any]] = {}
    given: dict[str, str] = {}
    skips = list(server.skips)
    placed: list[tuple[str, Tool]] = []
    for toolset in server.toolsets:
        for tool in toolset.tools:
            key, said = wanted.get(_operation(tool), ("", None))
            if said is None:
                placed.append((toolset.name, tool))
                continue
            if not said.enabled:
                reason = "`enabled = false` in `mcpgen.toml`"
                skips.append(Skip(origin=tool.origin, reason=reason, code="", filtered=True))
                continue
            faults.at = ("tools", key)
            changed = _tool(tool, said, taken, faults)
            if said.name:
                given[_operation(tool)] = tool.name
            aliases |= _aliases(changed, said, taken, aliases, faults)
            if said.answer.keep or said.answer.drop or said.answer.strip_nulls:
                answers[changed.name] = {
                    "keep": list(said.answer.keep),
                    "drop": list(said.answer.drop),
                    "strip_nulls": said.answer.strip_nulls,
                }
            placed.append((_toolset(toolset.name, said, tool, faults), changed))
    if faults.found:
        raise UsageError(
            *sorted(faults.found, key=lambda fault: fault.place.line if fault.place else 0)
        )
    return replace(
        server,
        toolsets=_toolsets(server, placed),
        skips=tuple(skips),
        aliases={**server.aliases, **aliases},
        answers={**server.answers, **answers},
        given_names={**server.given_names, **given},
    )


def _keeps_name(table: tuple[str, ToolConfig] | None) -> bool:
    return table is None or (table[1].enabled and not table[1].name)


def _operation(tool: Tool) -> str:
    return f"{tool.origin.method} {tool.origin.path}"


def _assign(
    server: Server, config: Config, problems: Problems, faults: _Faults
) -> dict[str, tuple[str, ToolConfig]]:
    """`METHOD /path` → the key and what the user says under it, whichever way the operation is
    named.
    """
    by_word: dict[str, set[str]] = {}
    for origin in [tool.origin for tool in server.tools] + [skip.origin for skip in server.skips]:
        operation = f"{origin.method} {origin.path}"
        by_word.setdefault(operation, set()).add(operation)
        if origin.operation_id:
            by_word.setdefault(origin.operation_id, set()).add(operation)
    found: dict[str, tuple[str, ToolConfig]] = {}
    for key, said in config.tools.items():
        faults.at = ("tools", key)
        operations = by_word.get(key) or by_word.get(_as_operation(key), set())
        if config.formerly.get(key) in by_word:
            operations = {config.formerly[key]}
            message = (
                f'`[tools."{key}"]` applies to an operation that has another name now:'
                f" `{config.formerly[key]}`"
            )
            hint = "rename the table in `mcpgen.toml`"
            problems.add("E1111", "warning", message, hint=hint, place=faults.place(faults.at))
        if len(operations) == 1:
            (operation,) = operations
            if operation in found:
                message = (
                    f'`[tools."{key}"]` and `[tools."{found[operation][0]}"]` are about the same'
                    " operation"
                )
                faults.add("E1112", message, hint="put both into one table")
            found[operation] = (key, said)
        elif operations:
            hint = "use " + " or ".join(
                f'`[tools."{operation}"]`' for operation in sorted(operations)[:3]
            )
            faults.add("E1113", f'`[tools."{key}"]` names {len(operations)} operations', hint=hint)
        elif key in config.formerly:
            message = f'`[tools."{key}"]` customises an operation that is no longer in the document'
            hint = "remove the table from `mcpgen.toml`"
            problems.add("E1114", "warning", message, hint=hint, place=faults.place(faults.at))
        else:
            message = f'`[tools."{key}"]` names no operation of the document'
            faults.add("E1110", message, hint=_meant(key, by_word))
    return found


def _as_operation(key: str) -> str:
    """`get  /books` as `GET /books`."""
    method, _, path = key.strip().partition(" ")
    return f"{method.upper()} {path.strip()}"


def _meant(word: str, known: Iterable[str]) -> str:
    folded = {item.lower(): item for item in sorted(known)}
    near = difflib.get_close_matches(word.lower(), folded, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(f'`{folded[item]}`' for item in near)}?" if near else ""


# -- one tool
# ---------------------------------------------------------------------------------------------------------


def _tool(tool: Tool, said: ToolConfig, taken: set[str], faults: _Faults) -> Tool:
    tool = _renamed(tool, said, taken, faults)
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
        tool = _argument(tool, word, argument, faults)
    return _page_size(tool, said, faults)


def _renamed(tool: Tool, said: ToolConfig, taken: set[str], faults: _Faults) -> Tool:
    name = said.name
    if name is None:
        return tool
    if not NAME.fullmatch(name) or name in TAKEN:
        faults.add(
            "E1115",
            f"`{tool.name}` cannot be called `{name}`: a tool's name is lower-case letters, digits"
            " and underscores",
            "name",
            hint=(
                f"for example `{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_') or 'my_tool'}`"
            ),
        )
        return tool
    if name in taken:
        faults.add(
            "E1116",
            f"`{tool.name}` cannot be called `{name}`: another tool is",
            "name",
            hint="rename or disable the other tool first, or choose another name",
        )
        return tool
    taken.add(name)
    return replace(tool, name=name)


def _aliases(
    tool: Tool, said: ToolConfig, taken: set[str], others: dict[str, str], faults: _Faults
) -> dict[str, str]:
    found = {}
    for alias in said.aliases:
        if alias == tool.name:
            continue
        if (
            not ALIAS.fullmatch(alias)
            or alias in taken
            or others.get(alias, tool.name) != tool.name
        ):
            faults.add(
                "E1117",
                f"`{tool.name}` cannot have the alias `{alias}`: it is not a free name",
                "aliases",
            )
        else:
            found[alias] = tool.name
    return found


def _toolset(current: str, said: ToolConfig, tool: Tool, faults: _Faults) -> str:
    if said.toolset is None or said.toolset == current:
        return current
    if not NAME.fullmatch(said.toolset) or keyword.iskeyword(said.toolset):
        faults.add(
            "E1115",
            f"`{tool.name}` cannot be in a toolset `{said.toolset}`: use lower-case letters,"
            " digits, underscores",
            "toolset",
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
            known.get(name)
            or Toolset(
                name=name, title=name.replace("_", " ").capitalize(), description="", tools=()
            ),
            tools=tuple(sorted(members[name], key=lambda tool: tool.name)),
        )
        for name in sorted(members)
    )


# -- its arguments
# ----------------------------------------------------------------------------------------------------


def _argument(tool: Tool, word: str, said: ArgumentConfig, faults: _Faults) -> Tool:
    found = next((item for item in tool.arguments if item.name == word), None)
    found = found or next((item for item in tool.arguments if item.wire_name == word), None)
    if found is None:
        names = [item.name for item in tool.arguments]
        hint = _meant(word, names) or (
            f"it has {', '.join(f'`{name}`' for name in names[:8])}" if names else ""
        )
        faults.add("E1118", f"`{tool.name}` has no argument `{word}`", "arguments", word, hint=hint)
        return tool
    if said.hidden:
        return _hidden(tool, found, word, said, faults)
    if said.description is not None:
        tool = _property(tool, found.name, description=said.description)
    if said.default is not None:
        tool = _defaulted(tool, found, said.default)
        found = next(item for item in tool.arguments if item.name == found.name)
    if said.name is not None and said.name != found.name:
        tool = _argument_renamed(tool, found, word, said.name, faults)
    return tool


def _property(tool: Tool, name: str, **changes: Any) -> Tool:
    properties = dict(tool.input_schema.get("properties", {}))
    current = properties.get(name)
    properties[name] = {**(current if isinstance(current, dict) else {}), **changes}
    return replace(tool, input_schema={**tool.input_schema, "properties": properties})


def _hidden(
    tool: Tool, argument: Argument, word: str, said: ArgumentConfig, faults: _Faults
) -> Tool:
    """Without the argument in the schema. With a value it is sent all the same; without one it must
    be optional.
    """
    if said.value is None and argument.required and not argument.default:
        faults.add(
            "E1119",
            f"`{tool.name}` cannot hide `{argument.name}`: the API requires it",
            "arguments",
            word,
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
        schema = {
            key: required if key == "required" else item for key, item in tool.input_schema.items()
        }
    return _with_argument(
        replace(tool, input_schema=schema), argument, required=False, default=(value,)
    )


def _with_argument(tool: Tool, argument: Argument, **changes: Any) -> Tool:
    return replace(
        tool,
        arguments=tuple(
            replace(item, **changes) if item == argument else item for item in tool.arguments
        ),
    )


def _argument_renamed(
    tool: Tool, argument: Argument, word: str, name: str, faults: _Faults
) -> Tool:
    if not ARGUMENT_NAME.fullmatch(name) or name in TAKEN:
        faults.add(
            "E1115",
            f"an argument of `{tool.name}` cannot be called `{name}`: letters, digits and"
            " underscores make a name",
            "arguments",
            word,
            "name",
        )
        return tool
    if any(item.name == name for item in tool.arguments):
        faults.add(
            "E1116",
            f"`{argument.name}` of `{tool.name}` cannot be called `{name}`: another argument is",
            "arguments",
            word,
            "name",
        )
        return tool
    old = argument.name
    schema = dict(tool.input_schema)
    schema["properties"] = {
        name if key == old else key: value for key, value in schema.get("properties", {}).items()
    }
    if "required" in schema:
        schema["required"] = [name if key == old else key for key in schema["required"]]

    def moved(pointer: str) -> str:
        return (
            f"/properties/{name}{pointer.removeprefix(f'/properties/{old}')}"
            if _under(pointer, old)
            else pointer
        )

    tool = replace(
        tool,
        input_schema=schema,
        nullable=tuple(map(moved, tool.nullable)),
        wire_names=tuple((moved(pointer), wire) for pointer, wire in tool.wire_names),
    )
    return _with_argument(tool, argument, name=name)


def _under(pointer: str, argument: str) -> bool:
    return f"{pointer}/".startswith(f"/properties/{argument}/")


def _page_size(tool: Tool, said: ToolConfig, faults: _Faults) -> Tool:
    size = said.answer.page_size
    if size is None:
        return tool
    by_wire = {
        item.wire_name: item
        for item in tool.arguments
        if item.place in ("query", "body") and not item.fixed
    }
    found = next((by_wire[word] for word in PAGE_SIZES if word in by_wire), None)
    if found is None:
        faults.add(
            "E1120",
            f"`{tool.name}` has no argument that says how many items a page has",
            "answer",
            "page_size",
            hint='name it: `[tools."…".arguments.<argument>]` with `default = …`',
        )
        return tool
    allowed = tool.input_schema.get("properties", {}).get(found.name, {})
    largest = allowed.get("maximum") if isinstance(allowed, dict) else None
    if isinstance(largest, (int, float)) and size > largest:
        faults.add(
            "E1120",
            f"`page_size = {size}` of `{tool.name}` is over the {largest} that `{found.name}`"
            " allows",
            "answer",
            "page_size",
        )
        return tool
    return _defaulted(tool, found, size)

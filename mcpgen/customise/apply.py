"""Apply the `[tools."…"]` tables of `mcpgen.toml` to a server.

Pure: a server and a configuration in, another server out. All that cannot be applied is reported at
once, with its line in `mcpgen.toml`.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..config import ArgumentConfig, Config, ToolConfig
from ..ir import Argument, Body, Request, Schema, Server, Skip, Tool, Toolset
from ..load.values import as_object, texts_in, without
from ..parse.contract import fault_of
from ..problems import Place, Problem, Problems, UsageError
from ..runtime.client.settings import Shaping
from ..runtime.results import PART, fold
from .answers import all_fields, shaping_of, unknown_paths, with_answer, with_answers
from .bindings import every, merged, of_tool

if TYPE_CHECKING:
    from .inner import Inner

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
ALIAS = re.compile(r"[A-Za-z0-9_.-]{1,128}")
ARGUMENT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
RESERVED = frozenset([*keyword.kwlist, *"OMIT api models self wire".split()])
HINTS = ("read_only", "destructive", "idempotent", "open_world")
_OF_FUNCTIONS = "a function with `@tool` has no table: write `@tool(title=..., read_only=True)`"


@dataclass(slots=True)
class _Faults:
    """The problems of all that cannot be applied. `table` is the path of the current table."""

    places: dict[tuple[str, ...], Place]
    problems: list[Problem] = field(default_factory=list)
    table: tuple[str, ...] = ()

    def add(self, code: str, message: str, *below: str, hint: str = "") -> None:
        """Add an error at the current table, or at the key `below` it."""
        place = self.place((*self.table, *below))
        self.problems.append(
            Problem(code=code, severity="error", message=message, hint=hint, place=place)
        )

    def place(self, path: tuple[str, ...]) -> Place | None:
        """Return the place of a key, else of the nearest table around it or the first key in it;
        else None.
        """
        outer = path
        while outer and outer not in self.places:
            outer = outer[:-1]
        if outer:
            return self.places[outer]
        for inner, place in self.places.items():
            if inner[: len(path)] == path:
                return place
        return None

    def raise_any(self) -> None:
        """Raise UsageError with every fault, in the order of the file."""
        if self.problems:
            raise UsageError(*sorted(self.problems, key=_line))


def _line(problem: Problem) -> int:
    if problem.place is None:
        return 0
    return problem.place.line


def customise(server: Server, config: Config, problems: Problems) -> Server:
    """Return the server with `[answers]` and every `[tools."…"]` table applied.

    A table whose operation was renamed or removed gives a warning. Raises one UsageError with a
    problem for each table, name, argument or value that cannot be applied.
    """
    server = with_answers(server, config)
    faults = _Faults(config.places)
    tables = _assign_tables(server, config, problems, faults)
    changes = _Changes(server, tables, faults, _Gone(config, problems))
    changes.check_redaction(server.tools, config.redact, ("answers",))
    if not (config.tools or config.globs or config.tags):
        return server
    for toolset in server.toolsets:
        for tool in toolset.tools:
            changes.apply(toolset.name, tool)
    faults.raise_any()
    return changes.result()


@dataclass(frozen=True, slots=True)
class _Gone:
    """The arguments of earlier documents, and the problems for tables about such arguments."""

    config: Config
    problems: Problems

    def reports(self, tool: Tool, word: str, faults: _Faults) -> bool:
        """Return whether a word names an argument that the document no longer has; add a warning
        (E1160) then.
        """
        if word not in self.config.pinned.gone_arguments.get(tool.origin.operation, ()):
            return False
        self.problems.add(
            "E1160",
            "warning",
            f"`{word}` of `{tool.name}` is customised, and the document no longer has it",
            hint="remove the table from `mcpgen.toml`",
            place=faults.place((*faults.table, "arguments", word)),
        )
        return True


@dataclass(frozen=True, slots=True)
class _Table:
    """The settings of a tool, and the path of the most special of the tables they are merged
    from.
    """

    path: tuple[str, ...]
    config: ToolConfig


class _Changes:
    """Collects the parts of the new server: call `apply` for each tool."""

    def __init__(
        self, server: Server, tables: dict[str, _Table], faults: _Faults, gone: _Gone
    ) -> None:
        self.server, self.tables, self.faults, self.gone = server, tables, faults, gone
        self.aliases: dict[str, str] = {}
        self.answers = dict(server.answers)
        self.original_names = dict(server.original_names)
        self.skips = list(server.skips)
        self.members: dict[str, list[Tool]] = {}
        self.names = {tool.name for tool in server.tools if self.keeps_name(tool)}
        left_out = {skip.origin.operation for skip in server.skips}
        shown = [table.config for key, table in tables.items() if key not in left_out]
        self.chosen = {config.name for config in shown if config.enabled}

    def keeps_name(self, tool: Tool) -> bool:
        """Return whether a tool is in the new server under its old name."""
        table = self.tables.get(tool.origin.operation)
        if table is None:
            return True
        if not table.config.enabled:
            return False
        return not table.config.name

    def apply(self, toolset: str, tool: Tool) -> None:
        """Add one tool to the new server, changed by its table, or a skip if it is disabled."""
        table = self.tables.get(tool.origin.operation)
        if table is None:
            self.members.setdefault(toolset, []).append(tool)
            return
        config = table.config
        if not config.enabled:
            reason = "`enabled = false` in `mcpgen.toml`"
            self.skips.append(Skip(origin=tool.origin, reason=reason, code="", filtered=True))
            return
        self.faults.table = table.path
        changed = _customised(tool, config, self, self.faults, self.gone)
        if config.name:
            self.original_names[tool.origin.operation] = tool.name
        self.add_aliases(changed, config)
        self.check_answer(tool, config)
        changed = with_answer(changed, config.answer)
        shaping = shaping_of(config.answer)
        if shaping != Shaping():
            self.answers[changed.name] = shaping
        toolset = _toolset(toolset, config, tool, self.faults)
        self.members.setdefault(toolset, []).append(changed)

    def check_answer(self, tool: Tool, config: ToolConfig) -> None:
        """Report the paths of `keep` and `drop` and the names of `redact` that no answer of a tool
        has: an error for `keep`, since an answer would be empty, else a warning.
        """
        if not tool.response.json:
            return
        hint = "correct or remove it in `mcpgen.toml`; an overlay adds a field that the API has"
        for path, known in unknown_paths(self.server, tool, config.answer.keep):
            message = f"no answer of `{tool.name}` has the field `{path}`"
            near = _did_you_mean(path, known)
            self.faults.add("E1122", message, "answer", "keep", hint=near or hint)
        for path, known in unknown_paths(self.server, tool, config.answer.drop):
            message = f"no answer of `{tool.name}` has the field `{path}` to leave out"
            place = self.faults.place((*self.faults.table, "answer", "drop"))
            near = _did_you_mean(path, known)
            self.gone.problems.warn("E1122", message, hint=near or hint, place=place)
        self.check_redaction([tool], config.answer.redact, (*self.faults.table, "answer"))

    def check_redaction(
        self, tools: Iterable[Tool], names: Sequence[str], table: tuple[str, ...]
    ) -> None:
        """Warn of fields to withhold that no answer has: a misspelt one would be shown."""
        known = all_fields(tools, self.server.models) if names else set()
        for name in names if known else ():
            if fold(name) not in set(map(fold, known)):
                message = f"no answer has the field `{name}` to withhold"
                place = self.faults.place((*table, "redact"))
                near = _did_you_mean(name, known)
                self.gone.problems.warn("E1122", message, hint=near, place=place)

    def add_aliases(self, tool: Tool, config: ToolConfig) -> None:
        """Add the aliases of a tool; taken or malformed ones are a fault (E1117)."""
        for alias in config.aliases:
            if alias == tool.name:
                continue
            is_free = alias not in self.names | self.chosen
            is_free &= self.aliases.get(alias) in (None, tool.name)
            if is_free and ALIAS.fullmatch(alias):
                self.aliases[alias] = tool.name
                continue
            message = f"`{tool.name}` cannot have the alias `{alias}`: it is not a free name"
            self.faults.add("E1117", message, "aliases")

    def result(self) -> Server:
        """Return the new server."""
        return replace(
            self.server,
            toolsets=tuple(self.toolset(name) for name in sorted(self.members)),
            skips=tuple(self.skips),
            aliases=tuple({**dict(self.server.aliases), **self.aliases}.items()),
            answers=tuple(self.answers.items()),
            original_names=tuple(self.original_names.items()),
        )

    def toolset(self, name: str) -> Toolset:
        """Return a toolset of the document, else a new one, with its tools sorted by name."""
        tools = tuple(sorted(self.members[name], key=lambda tool: tool.name))
        for toolset in self.server.toolsets:
            if toolset.name == name:
                return replace(toolset, tools=tools)
        title = name.replace("_", " ").capitalize()
        return Toolset(name=name, title=title, description="", tools=tools)


# Which table is about which operation


def _assign_tables(
    server: Server, config: Config, problems: Problems, faults: _Faults
) -> dict[str, _Table]:
    """Return operation (`METHOD /path`) → its table, by any of its names, with general tables
    merged in.
    """
    operations_by_name = _operations_by_name(server)
    tables: dict[str, _Table] = {}
    for key, tool_config in config.tools.items():
        faults.table = ("tools", key)
        operation = _operation_of_table(key, config, operations_by_name, problems, faults)
        if operation is None:
            continue
        if operation in tables:
            other = tables[operation].path[-1]
            message = f'`[tools."{key}"]` and `[tools."{other}"]` are about the same operation'
            faults.add("E1112", message, hint="put both into one table")
        tables[operation] = _Table(faults.table, tool_config)
    if config.globs or config.tags:
        _add_tables_for_many(server, config, tables, faults)
    return tables


def _add_tables_for_many(
    server: Server, config: Config, tables: dict[str, _Table], faults: _Faults
) -> None:
    """Merge the tables for many tools under that of each operation, in place; arguments that a tool
    lacks are left out.
    """
    used: set[tuple[str, ...]] = set()
    for skip in server.skips:
        used |= {many.path for many in of_tool(config, skip.origin, skip.tool)}
    for tool in server.tools:
        own = tables.get(tool.origin.operation)
        made = ToolConfig()
        for many in of_tool(config, tool.origin, *_names(tool, own)):
            words = [w for w in many.config.arguments if _has_argument(tool, w, server)]
            used |= {many.path, *((*many.path, word) for word in words)}
            arguments = {word: many.config.arguments[word] for word in words}
            table = _Table(many.path, replace(many.config, arguments=arguments))
            made = _merged(made, table, config)
            tables[tool.origin.operation] = replace(table, config=made)
        if own is not None:
            tables[tool.origin.operation] = replace(own, config=_merged(made, own, config))
    _check_tables_for_many(server, config, used, faults)


def alone(config: Config, tool: Tool, server: Server) -> Config:
    """Return a configuration for a server with one tool: all tables enabled, and tables for many
    tools without arguments that the tool lacks.
    """

    def fitting(table: ToolConfig) -> ToolConfig:
        words = [word for word in table.arguments if _has_argument(tool, word, server)]
        arguments = {word: table.arguments[word] for word in words}
        return replace(table, enabled=True, arguments=arguments)

    found = {many.word: many.config for many in of_tool(config, tool.origin, tool.name)}
    return replace(
        config,
        tools={key: replace(table, enabled=True) for key, table in config.tools.items()},
        globs={word: fitting(table) for word, table in found.items() if word in config.globs},
        tags={tag: fitting(table) for tag, table in config.tags.items()},
    )


def _names(tool: Tool, own: _Table | None) -> list[str]:
    """Return the name of a tool, and the new name in its own table, if any."""
    if own is None or own.config.name is None:
        return [tool.name]
    return [tool.name, own.config.name]


def _check_tables_for_many(
    server: Server, config: Config, used: set[tuple[str, ...]], faults: _Faults
) -> None:
    """Report the tables that match no operation, and their arguments that no tool has. `used` has
    the paths of the others.
    """
    for many in every(config):
        faults.table = many.path
        if many.path not in used:
            known = [tool.name for tool in server.tools]
            known += [tag for tags in config.pinned.tags.values() for tag in tags]
            message = f"{many.header} is about no operation of the document"
            faults.add("E1110", message, hint=_did_you_mean(many.word, known, _OF_FUNCTIONS))
            continue
        for word in many.config.arguments:
            if server.tools and (*many.path, word) not in used:
                message = f"no tool that {many.header} is about has an argument `{word}`"
                faults.add("E1118", message, "arguments", word)


def _merged(general: ToolConfig, special: _Table, config: Config) -> ToolConfig:
    says_enabled = (*special.path, "enabled") in config.places
    return merged(general, special.config, says_enabled=says_enabled)


def _operations_by_name(server: Server) -> dict[str, set[str]]:
    """Return operationId or `METHOD /path` → the operations (`METHOD /path`) of that name, skipped
    ones too.
    """
    operations: dict[str, set[str]] = {}
    origins = [tool.origin for tool in server.tools] + [skip.origin for skip in server.skips]
    for origin in origins:
        operation = origin.operation
        operations.setdefault(operation, set()).add(operation)
        if origin.operation_id:
            operations.setdefault(origin.operation_id, set()).add(operation)
    return operations


def _operation_of_table(
    key: str,
    config: Config,
    operations_by_name: dict[str, set[str]],
    problems: Problems,
    faults: _Faults,
) -> str | None:
    """Return the operation (`METHOD /path`) of a table; None, with a warning or a fault, unless
    exactly one matches.
    """
    place = faults.place(faults.table)
    renamed = config.pinned.formerly.get(key)
    if renamed in operations_by_name:
        message = (
            f'`[tools."{key}"]` applies to an operation that has another name now: `{renamed}`'
        )
        hint = "rename the table in `mcpgen.toml`"
        problems.add("E1111", "warning", message, hint=hint, place=place)
        return renamed
    method, _, path = key.strip().partition(" ")
    written_out = f"{method.upper()} {path.strip()}"
    operations = operations_by_name.get(key, operations_by_name.get(written_out, set()))
    if len(operations) == 1:
        return next(iter(operations))
    if operations:
        tables = [f'`[tools."{operation}"]`' for operation in sorted(operations)[:3]]
        message = f'`[tools."{key}"]` names {len(operations)} operations'
        faults.add("E1113", message, hint=f"use {' or '.join(tables)}")
    elif key in config.pinned.formerly:
        message = f'`[tools."{key}"]` customises an operation that is no longer in the document'
        hint = "remove the table from `mcpgen.toml`"
        successor = config.pinned.successors.get(key)
        if successor:
            hint = f'if `{successor}` is what it was, call the table `[tools."{successor}"]`'
        problems.add("E1114", "warning", message, hint=hint, place=place)
    else:
        message = f'`[tools."{key}"]` names no operation of the document'
        hint = _did_you_mean(key, operations_by_name, _OF_FUNCTIONS)
        faults.add("E1110", message, hint=hint)
    return None


def _did_you_mean(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """Return the question whether near names are meant; `otherwise` where none is near."""
    by_lower_case = {name.lower(): name for name in sorted(names)}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=3, cutoff=0.6)
    if not near:
        return otherwise
    return f"did you mean {' or '.join(f'`{by_lower_case[item]}`' for item in near)}?"


# One tool


def _customised(
    tool: Tool, config: ToolConfig, changes: _Changes, faults: _Faults, gone: _Gone
) -> Tool:
    """Return the tool with its table applied. A new name is added to `changes.names`."""
    names, server = changes.names, changes.server
    tool = replace(
        tool,
        name=_new_name(tool, config, names, faults),
        title=config.title or tool.title,
        description=config.description or tool.description,
        hints=tool.hints.changed(_said_hints(config)),
        confirm=config.confirm,
        rate=config.rate or "",
    )
    if all([tool.listing.part, not tool.hints.read_only]):
        # Another call for the rest of an answer would change something again
        tool = _with_inputs(tool, _without_part)
        tool = replace(tool, listing=replace(tool.listing, part=""))
    for word, argument in sorted(config.arguments.items(), key=lambda pair: "." in pair[0]):
        if tool.argument(word) is None and gone.reports(tool, word, faults):
            continue
        tool = _with_argument_config(tool, word, argument, server, faults)
    return _with_made_objects(tool, config, server)


def _without_part(schema: Schema) -> Schema:
    return {**schema, "properties": without(schema["properties"], [PART])}


def _said_hints(config: ToolConfig) -> dict[str, bool]:
    """Return the hints that a table sets."""
    hints = {name: getattr(config, name) for name in HINTS}
    return {name: value for name, value in hints.items() if value is not None}


def _new_name(tool: Tool, config: ToolConfig, names: set[str], faults: _Faults) -> str:
    name = config.name
    if name is None:
        return tool.name
    if not _is_usable(NAME, name):
        example = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "my_tool"
        message = (
            f"`{tool.name}` cannot be called `{name}`: a tool's name is lower-case letters, digits"
            " and underscores"
        )
        if name in RESERVED:
            message = f"`{tool.name}` cannot be called `{name}`: generated code has that word"
            example = f"{name}_tool"
        faults.add("E1115", message, "name", hint=f"for example `{example}`")
        return tool.name
    if name in names:
        message = f"`{tool.name}` cannot be called `{name}`: another tool is"
        hint = "rename or disable the other tool first, or choose another name"
        faults.add("E1116", message, "name", hint=hint)
        return tool.name
    names.add(name)
    return name


def _is_usable(form: re.Pattern[str], name: str) -> bool:
    """Return whether a name has a form, and no meaning in generated code (`RESERVED`)."""
    return form.fullmatch(name) is not None and name not in RESERVED


def _toolset(current: str, config: ToolConfig, tool: Tool, faults: _Faults) -> str:
    name = config.toolset
    if name is None:
        return current
    if name == current:
        return current
    if NAME.fullmatch(name) and not keyword.iskeyword(name):
        return name
    message = (
        f"`{tool.name}` cannot be in a toolset `{name}`: use lower-case letters, digits,"
        " underscores"
    )
    faults.add("E1115", message, "toolset")
    return current


# Its arguments


def _with_argument_config(
    tool: Tool, word: str, config: ArgumentConfig, server: Server, faults: _Faults
) -> Tool:
    """Return the tool with one `[tools."…".arguments.…]` table applied."""
    if word == tool.listing.fields:
        return _with_choice(tool, config, faults)
    argument = tool.argument(word)
    inner = _inner_field(tool, word, server)
    if inner is not None:
        return _with_inner_field(inner, config, faults)
    if argument is None:
        names = [item.name for item in tool.arguments]
        hint = _did_you_mean(word, names)
        if names and not hint:
            hint = f"its arguments are {', '.join(f'`{name}`' for name in names[:8])}"
        message = f"`{tool.name}` has no argument `{word}`"
        faults.add("E1118", message, "arguments", word, hint=hint)
        return tool
    if config.hidden:
        if not _is_allowed(tool, argument, word, "value", config.value, faults):
            return tool
        return _hide(tool, argument, word, config.value, faults)
    if config.description is not None:
        tool = _with_property(tool, argument.name, description=config.description)
    if config.default is not None:
        tool, argument = _with_default(tool, argument, word, config.default, faults)
    if config.name is not None and config.name != argument.name:
        tool = _rename_argument(tool, argument, word, config.name, faults)
    return tool


def _with_choice(tool: Tool, config: ArgumentConfig, faults: _Faults) -> Tool:
    """Return the tool whose argument that chooses fields has the name and description of a table;
    other keys are a fault (E1118).
    """
    word = tool.listing.fields
    name = config.name or word
    if replace(config, name=None, description=None) != ArgumentConfig():
        message = f"`{tool.name}` has no argument `{word}` that the API knows"
        hint = "it chooses the fields of items: `full = true` in the table `answer` removes it"
        faults.add("E1118", message, "arguments", word, hint=hint)
    elif name == word or _is_free(tool, word, word, name, faults):
        if config.description is not None:
            tool = _with_property(tool, word, description=config.description)
        tool = _with_inputs(tool, lambda schema: _with_renamed_property(schema, word, name))
        tool = replace(tool, listing=replace(tool.listing, fields=name))
    return tool


def _has_argument(tool: Tool, word: str, server: Server) -> bool:
    if word == tool.listing.fields:
        return True
    if tool.argument(word) is not None:
        return True
    return _inner_field(tool, word, server) is not None


def _inner_field(tool: Tool, word: str, server: Server) -> Inner | None:
    """Return the field inside an argument at a dotted path; None if the tool has none."""
    first, *rest = word.split(".")
    argument = tool.argument(first)
    if argument is None or not rest:
        return None
    from .inner import Inner  # late: few tables name one

    inner = Inner(tool, argument, word, server)
    return inner if inner.fields else None


def _with_inner_field(inner: Inner, config: ArgumentConfig, faults: _Faults) -> Tool:
    """Return the tool with the description, default, or hidden value of a field in an argument.
    Faults: E1119 for a change that cannot be, E1120 for a value its schema refuses.
    """
    tool, word = inner.tool, inner.word
    key = "value" if config.hidden else "default"
    value = getattr(config, key)
    reason = inner.fault(config, key)
    if reason:
        hint = "`hooks.py` changes requests, and a tool in `custom/` has any arguments"
        faults.add("E1119", f"`{tool.name}` {reason}", "arguments", word, hint=hint)
        return tool
    fault = "" if value is None else inner.fault_of_value(value)
    if fault:
        message = f"`{word}` of `{tool.name}` does not allow this {key}: {fault}"
        faults.add("E1120", message, "arguments", word, key)
    return inner.changed(config, value)


def _with_made_objects(tool: Tool, config: ToolConfig, server: Server) -> Tool:
    """Return the tool that adds the objects around its fixed fields if a call leaves them out."""
    for word, argument in config.arguments.items():
        if argument.value is not None:
            from .inner import with_made_objects  # late: few tables name one

            tool = with_made_objects(tool, word, server)
    return tool


def _with_property(tool: Tool, name: str, **changes: Any) -> Tool:
    """Return the tool with keywords of an argument's listed schema changed."""
    properties = dict(tool.input_schema.get("properties", {}))
    schema = properties.get(name)
    if not isinstance(schema, dict):
        schema = {}
    properties[name] = {**schema, **changes}
    return replace(tool, input_schema={**tool.input_schema, "properties": properties})


def _with_inputs(tool: Tool, change: Callable[[Schema], Schema]) -> Tool:
    """Return the tool with its listed schema changed, and its full schema, if any, too. A tool
    without a request keeps its author's schema as the contract.
    """
    contract = tool.contract
    if tool.request is None:
        contract = contract or tool.input_schema
    elif contract is not None:
        contract = change(contract)
    return replace(tool, input_schema=change(tool.input_schema), contract=contract)


def _hide(tool: Tool, argument: Argument, word: str, value: Any, faults: _Faults) -> Tool:
    """Return the tool without the argument in its schema. `value` is always sent; without it
    nothing is sent, which is a fault if the API requires the argument.
    """
    if value is None and argument.required and not argument.default:
        message = f"`{tool.name}` cannot hide `{argument.name}`: the API requires it"
        hint = "add the value to send: `value = …`"
        faults.add("E1119", message, "arguments", word, hint=hint)
        return tool
    arguments = list(tool.arguments)
    position = arguments.index(argument)
    request = tool.request
    if value is not None:
        arguments[position] = replace(argument, fixed=(value,), default=())
    else:
        del arguments[position]
        request = _without_whole_body(request, argument)
    name = argument.name
    tool = _with_inputs(tool, lambda schema: _without_property(schema, name))
    return replace(
        tool,
        request=request,
        arguments=tuple(arguments),
        nullable=tuple(pointer for pointer in tool.nullable if not _is_under(pointer, name)),
        wire_names=tuple(pair for pair in tool.wire_names if not _is_under(pair[0], name)),
    )


def _without_whole_body(request: Request | None, argument: Argument) -> Request | None:
    """Return the request without its body if the argument is the whole body; else unchanged."""
    match request:
        case Request(body=Body(whole=True)) if argument.place == "body":
            return replace(request, body=None)
        case _:
            return request


def _without_property(schema: Schema, name: str) -> Schema:
    schema = _not_required(schema, name)
    if "properties" in schema:
        properties = dict(schema["properties"])
        properties.pop(name, None)
        schema["properties"] = properties
    return schema


def _not_required(schema: Schema, name: str) -> Schema:
    """Return a copy of the schema in which a property is optional."""
    schema = dict(schema)
    required = [item for item in schema.get("required", ()) if item != name]
    if required:
        schema["required"] = required
    else:
        schema.pop("required", None)
    return schema


def _with_default(
    tool: Tool, argument: Argument, word: str, value: Any, faults: _Faults
) -> tuple[Tool, Argument]:
    """Return the tool and its argument, now optional with a default; unchanged, with a fault, for a
    forbidden value.
    """
    if not _is_allowed(tool, argument, word, "default", value, faults):
        return tool, argument
    tool = _with_property(tool, argument.name, default=value)
    tool = _with_inputs(tool, lambda schema: _not_required(schema, argument.name))
    optional = replace(argument, required=False, default=(value,))
    return tool.with_argument(argument, optional), optional


def _is_allowed(
    tool: Tool, argument: Argument, word: str, key: str, value: Any, faults: _Faults
) -> bool:
    """Return whether an argument's schema allows a value of its table; else add a fault (E1120)."""
    fault = _schema_fault(tool.input_schema, argument.name, value)
    if fault:
        message = f"`{argument.name}` of `{tool.name}` does not allow this {key}: {fault}"
        allowed = texts_in(as_object(tool.input_schema["properties"][argument.name]).get("enum"))
        hint = _did_you_mean(str(value), allowed)
        faults.add("E1120", message, "arguments", word, key, hint=hint)
    return not fault


def _schema_fault(schema: Schema, name: str, value: Any) -> str:
    """Explain why the schema of property `name` forbids a value; empty if it allows it, without a
    schema and for None.
    """
    if value is None:
        return ""
    property_schema = schema.get("properties", {}).get(name, {})
    if not isinstance(property_schema, dict):
        return ""
    return fault_of(value, {**property_schema, "$defs": as_object(schema.get("$defs"))})


def _is_free(tool: Tool, argument: str, word: str, name: str, faults: _Faults) -> bool:
    """Return whether an argument may be called `name`; else add a fault."""
    fault = ""
    if not _is_usable(ARGUMENT_NAME, name):
        fault = f"an argument of `{tool.name}` cannot be called `{name}`: use letters, digits and"
        faults.add("E1115", f"{fault} underscores", "arguments", word, "name")
    elif name in {*tool.input_schema["properties"], *(item.name for item in tool.arguments)}:
        fault = f"`{argument}` of `{tool.name}` cannot be called `{name}`: another argument is"
        faults.add("E1116", fault, "arguments", word, "name")
    return not fault


def _rename_argument(tool: Tool, argument: Argument, word: str, name: str, faults: _Faults) -> Tool:
    if not _is_free(tool, argument.name, word, name, faults):
        return tool
    old = argument.name
    tool = _with_inputs(tool, lambda schema: _with_renamed_property(schema, old, name))
    wire_names = {_renamed_pointer(pointer, old, name): wire for pointer, wire in tool.wire_names}
    if tool.request is None:
        # Its exact schema keeps the author's name.
        wire_names[f"/properties/{name}"] = argument.wire_name
    tool = replace(
        tool,
        nullable=tuple(_renamed_pointer(pointer, old, name) for pointer in tool.nullable),
        wire_names=tuple(wire_names.items()),
    )
    return tool.with_argument(argument, replace(argument, name=name))


def _with_renamed_property(schema: Schema, old: str, new: str) -> Schema:
    schema = dict(schema)
    properties = schema.get("properties", {})
    schema["properties"] = {_renamed(key, old, new): properties[key] for key in properties}
    if "required" in schema:
        schema["required"] = [_renamed(key, old, new) for key in schema["required"]]
    return schema


def _renamed(name: str, old: str, new: str) -> str:
    if name == old:
        return new
    return name


def _renamed_pointer(pointer: str, old: str, new: str) -> str:
    """Return a JSON Pointer into an input schema after the property `old` was renamed."""
    if not _is_under(pointer, old):
        return pointer
    return f"/properties/{new}{pointer.removeprefix(f'/properties/{old}')}"


def _is_under(pointer: str, argument: str) -> bool:
    return f"{pointer}/".startswith(f"/properties/{argument}/")

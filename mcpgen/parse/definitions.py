"""Tool definitions and JSON Schemas → a server whose tools the user implements.

Understood are the dialects of `load.definitions` and JSON Schemas: an object at the root is one
tool, a document of `$defs` is one tool for each definition that no other one refers to. The
contract the model sees is the portable projection; what a call is checked against is the schema
itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ..ir import Annotation, Argument, Hints, Origin, Response, Schema, Server, Skip, Tool, Toolset
from ..load.definitions import SCHEMA_KEYS, SOURCES, entries, is_definition
from ..text import escape_token, first_sentence, humanise, plain, shorten, visible, words
from . import describe, naming, select
from .contract import TEXTS, bundle, copied, fault, is_open, known_names
from .models import Models
from .operation import BUDGET, LEVELS, RICH_LEVELS, annotation, size
from .projection import KEY, Projection, TooLarge, project
from .schema import Reader

if TYPE_CHECKING:
    from ..config import Config
    from ..load import Document
    from ..problems import Problems

GENERAL = "general"
INJECTED = ("context", "models")
"""Names that mean something in the module of a tool, besides those of `naming`."""
OBJECT_RULES = frozenset(
    "properties required additionalProperties patternProperties minProperties maxProperties"
    " propertyNames dependentRequired dependentSchemas unevaluatedProperties".split()
)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
SCALARS = {"string", "integer", "number", "boolean"}


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool as somebody wrote it down, before it is ours."""

    name: str
    pointer: str
    schema: Any
    output: Any
    description: str
    title: str
    annotations: dict[str, Any]
    extension: dict[str, Any]
    bare: bool = False
    """Whether this is a JSON Schema by itself, and no entry of a list of tools."""


def shape_of(root: Any) -> str:
    """What a document of definitions is called, for the summary."""
    found = entries(root)
    if found is None:
        return "JSON Schema"
    first, pointer = next(((entry, at) for entry, at in found if isinstance(entry, dict)), ({}, ""))
    inner = first.get("function")
    if isinstance(inner, dict):
        return "OpenAI function definitions (Chat Completions)"
    if "inputSchema" in first:
        return (
            "captured answer to tools/list"
            if isinstance(root, dict) and "result" in root
            else "MCP tools list"
        )
    if "parameters" in first and pointer.count("functionDeclarations"):
        return "Gemini function declarations"
    if "input_schema" in first:
        return "Anthropic tools"
    if "parameters" in first:
        return "OpenAI function definitions" + (
            " (Responses)" if first.get("type") == "function" else ""
        )
    return "list of tools"


def parse_definitions(document: Document, config: Config, problems: Problems) -> Server:
    """The server a list of tools or a JSON Schema describes."""
    return _Parser(document, config, problems).server()


class _Parser:
    def __init__(self, document: Document, config: Config, problems: Problems) -> None:
        title = config.title or plain(document.root.get("title")).split("\n")[0]
        self.title = shorten(title or humanise(stem_of(document.source.name)).capitalize(), 100)
        self.document, self.config = document, config
        self.name = naming.server_name(config.name or self.title)
        self.reader = Reader(document, problems)

    def server(self) -> Server:
        """Everything together."""
        models = Models(self.reader)
        found = Definitions(self.reader, models, self.config, self.name)
        tools = found.tools()
        select.refuse_unknown(self.config.selection, found.known)
        description = shorten(plain(self.document.root.get("description")).split("\n")[0], 300)
        return Server(
            name=self.name,
            package=f"{self.name}_mcp",
            distribution=f"mcp-{self.name.replace('_', '-')}",
            title=self.title,
            version="0.1.0",
            description=description,
            instructions=f"Tools of {self.title}." + (f" {description}" if description else ""),
            env_prefix=f"MCPGEN_{self.name.upper()}",
            base_url=None,
            base_url_note="",
            auth=(),
            security=(),
            toolsets=grouped(tools, {}),
            models=models.schemas,
            skips=tuple(found.skips),
            document_version=self.document.version,
            aliases=tuple(found.aliases.items()),
            recognised=describe_document(self.document),
        )


def stem_of(name: str) -> str:
    """What a file is about, by its name: `weather.schema.json` is about `weather`."""
    stem = PurePosixPath(name.replace("\\", "/")).stem
    for ending in (".schema", ".tools", ".json"):
        stem = stem.removesuffix(ending)
    return stem if re.search(r"[A-Za-z]", stem) else "tools"


class Definitions:
    """The definitions that stand in a document or beside it, on their way to tools."""

    def __init__(self, reader: Reader, models: Models, config: Config, server: str) -> None:
        self.reader, self.models = reader, models
        self.config, self.server = config, server
        self.document, self.problems = reader.document, reader.problems
        self.skips: list[Skip] = []
        self.aliases: dict[str, str] = {}
        """The name a definition has, where its tool could not have it → the tool's."""
        self.known: list[tuple[Origin, dict[str, Any]]] = []
        """Every definition as an operation that a selection chooses from."""

    def tools(self, taken: Iterable[str] = ()) -> list[tuple[str, Tool]]:
        """Every wanted tool with the tag of its toolset. `taken` are names that other tools of the
        server have.
        """
        wanted: list[tuple[Origin, Definition]] = []
        definitions = list(self.definitions())
        count = Counter(definition.name for definition in definitions)
        for definition in definitions:
            # Its place in the list says nothing: a tool is the same when its name is
            path = (
                definition.name
                if count[definition.name] == 1
                else f"{definition.name} {definition.pointer}"
            )
            where = Origin(
                method="TOOL", path=path, operation_id=definition.name, pointer=definition.pointer
            )
            said = {"x-mcp": definition.extension} if definition.extension else {}
            self.known.append((where, said))
            reason = select.left_out(self.config.selection, where, said)
            if reason is None:
                wanted.append((where, definition))
            else:
                self.skips.append(Skip(origin=where, reason=reason, code="", filtered=True))
        names = self.names([where for where, _ in wanted], taken)
        tools = []
        for where, definition in wanted:
            tag = definition.extension.get("toolset")
            tool = self.tool(where, definition, names[f"{where.method} {where.path}"])
            tools.append((tag if isinstance(tag, str) and tag.strip() else "", tool))
            if definition.name != tool.name and re.fullmatch(
                r"[A-Za-z0-9_.-]{1,128}", definition.name
            ):
                self.aliases.setdefault(definition.name, tool.name)
        held = {*taken, *names.values()}
        self.aliases = {alias: name for alias, name in self.aliases.items() if alias not in held}
        return tools

    def names(self, origins: list[Origin], taken: Iterable[str]) -> dict[str, str]:
        """`TOOL name` → tool name: as it was given wherever clients, files and Python can take
        that.
        """
        given = {f"{where.method} {where.path}": where.operation_id or "" for where in origins}
        limit = naming.tool_limit(self.server)
        count = Counter(_as_module(name) for name in given.values())
        free = {*map(_as_module, taken), *naming.RESERVED, *naming.WINDOWS_NAMES}
        kept = {
            key: name
            for key, name in given.items()
            if NAME.fullmatch(name)
            and len(name) <= limit
            and count[_as_module(name)] == 1
            and _as_module(name) not in free
        }
        keys = [(where.method, where.path, where.operation_id) for where in origins]
        return naming.tool_names(keys, self.server, {**kept, **self.config.bindings}, taken)

    def places(self) -> Iterator[tuple[Any, str, str]]:
        """Every document of definitions: its root, its pointer, and what its file is called."""
        beside = self.document.root.get(SOURCES)
        if not isinstance(beside, list):
            yield self.document.root, "", stem_of(self.document.source.name)
            return
        for entry in beside:
            root, pointer = self.reader.deref(entry, "")
            if root is not None:
                yield root, pointer, stem_of(pointer.rsplit("/", 1)[-1].replace("~1", "/"))

    def definitions(self) -> Iterator[Definition]:
        """Every tool of every document."""
        for root, pointer, stem in self.places():
            found = entries(root, pointer)
            if found is None:
                yield from self.schemas(root, pointer, stem)
                continue
            for node, at in found:
                if is_definition(node):
                    yield self.definition(node, at)
                else:
                    where = Origin(method="TOOL", path=at, operation_id=None, pointer=at)
                    self.skips.append(
                        Skip(
                            origin=where,
                            reason="not a tool definition",
                            code="E0440",
                            filtered=False,
                        )
                    )
                    self.problems.warn(
                        "E0440",
                        "not a tool definition: it needs a `name` and an `inputSchema`",
                        pointer=at,
                    )

    def definition(self, node: dict[str, Any], pointer: str) -> Definition:
        """One entry of a list of tools, whatever its dialect."""
        inner = node.get("function")
        named = inner if isinstance(inner, dict) else node
        at = f"{pointer}/function" if isinstance(inner, dict) else pointer
        key = next((key for key in SCHEMA_KEYS if key in named), "")
        annotations = named.get("annotations")
        return Definition(
            name=named["name"],
            pointer=pointer,
            schema=self.reader.deref(named.get(key, {}), f"{at}/{key}")[0] if key else {},
            output=named.get("outputSchema", named.get("output_schema")),
            description=plain(named.get("description")),
            title=plain(named.get("title")),
            annotations=annotations if isinstance(annotations, dict) else {},
            extension=select.extension(node),
        )

    def schemas(self, root: Any, pointer: str, stem: str) -> Iterator[Definition]:
        """The tools of a JSON Schema document: its root, or the definitions that no other one
        refers to.
        """
        if not isinstance(root, dict):
            return
        definitions = root.get("$defs")
        says_something = any(key not in TEXTS and key not in ("$defs", "x-mcp") for key in root)
        if says_something or not isinstance(definitions, dict) or not definitions:
            yield self.from_schema(root, self.schema_name(root, stem), pointer)
            return
        referred = set(references(definitions))
        start = f"#{pointer}/$defs/"
        free = {
            name: node
            for name, node in definitions.items()
            if start + escape_token(name) not in referred
        }
        chosen = definitions if self.config.selection.include_operations or not free else free
        for name, node in chosen.items():
            at = f"{pointer}/$defs/{escape_token(name)}"
            if "object" in self.reader.kinds(node):
                yield self.from_schema(node, name, at)
            else:
                where = Origin(method="TOOL", path=name, operation_id=name, pointer=at)
                self.skips.append(
                    Skip(origin=where, reason="not an object's schema", code="", filtered=True)
                )

    def schema_name(self, schema: dict[str, Any], fallback: str) -> str:
        """A schema's name: its title, the last part of its `$id`, or the file's name."""
        title = plain(schema.get("title")).split("\n")[0]
        if title and len(words(title)) <= 6:
            return title
        given = schema.get("$id")
        last = (
            re.sub(r"(\.schema)?\.json$", "", given.rstrip("/#").rsplit("/", 1)[-1])
            if isinstance(given, str)
            else ""
        )
        return last if words(last) else fallback

    def from_schema(self, node: Any, name: str, pointer: str) -> Definition:
        """A definition whose input is one schema."""
        flat = self.reader.flatten(node)
        said = select.extension(node) if isinstance(node, dict) else {}
        wish = said.get("name")
        output = said.get("outputSchema")
        hints = said.get("annotations")
        return Definition(
            name=wish if isinstance(wish, str) else name,
            pointer=pointer,
            schema=node,
            output=output,
            description=plain(said.get("description")) or plain(flat.get("description")),
            title=plain(said.get("title")) or plain(flat.get("title")),
            annotations=hints if isinstance(hints, dict) else said,
            extension=said,
            bare=True,
        )

    def tool(self, where: Origin, definition: Definition, name: str) -> Tool:
        """One definition as a tool, in the richest detail that fits the budget."""
        contract = self.contract(definition)
        arguments = argument_names(known_names(contract))
        # Below a depth of one the arguments themselves would be left out
        every = RICH_LEVELS if self.config.profile == "rich" else LEVELS
        levels = [level for level in every if level.detail.depth]
        best: Tool | None = None
        for level in levels:
            try:
                projection = project(self.reader, self.rooted(definition), level.detail)
            except TooLarge:
                continue
            best = self.at_level(
                where, definition, name, Listed(projection, arguments), contract, arguments
            )
            if size(best) <= BUDGET[self.config.profile]:
                break
        if best is None or size(best) > BUDGET[self.config.profile]:
            outline = Listed(Projection(self.outline(definition)), arguments)
            best = self.at_level(where, definition, name, outline, contract, arguments)
        return self.typed(best, definition)

    def typed(self, tool: Tool, definition: Definition) -> Tool:
        """The tool with the types of its arguments and of its answer."""
        schemas = self.reader.properties(self.rooted(definition))
        arguments = tuple(
            replace(
                argument,
                type=self.models.argument(
                    schemas.get(argument.wire_name), tool.name, argument.name
                ),
            )
            for argument in tool.arguments
        )
        answer = tool.response
        if answer.json and tool.output_schema is not None:
            answer = replace(answer, type=self.models.answer(definition.output, tool.name))
        return replace(tool, arguments=arguments, response=answer)

    def outline(self, definition: Definition) -> Schema:
        """What is said of a schema that is too large to be listed: of each argument its type and a
        sentence.
        """
        exact = self.exact_properties(definition)
        flat = self.reader.flatten(self.rooted(definition))
        listed = flat.get("required")
        required = [name for name in listed if name in exact] if isinstance(listed, list) else []
        properties: dict[str, Schema] = {}
        room = BUDGET[self.config.profile] * 3 // 4
        for key in sorted(exact, key=lambda name: name not in required):
            kinds = self.reader.kinds(exact[key])
            text = shorten(first_sentence(plain(exact[key].get("description")))[0], 80)
            said: Schema = (
                {"type": next(iter(kinds))} if len(kinds) == 1 and kinds <= SCALARS else {}
            )
            if text:
                said["description"] = text
            room -= len(json.dumps({key: said}))
            if not KEY.fullmatch(key) or (room < 0 and key not in required):
                continue
            properties[key] = said
        needed = [name for name in required if name in properties]
        return {
            "type": "object",
            "properties": properties,
            **({"required": needed} if needed else {}),
        }

    def rooted(self, definition: Definition) -> Any:
        """The input schema with an object at its root: another kind of value is wrapped as the
        argument `value`.

        A schema that says nothing of its kind is an object's in a list of tools, and any value's
        elsewhere.
        """
        schema = definition.schema
        kinds = self.reader.kinds(schema)
        flat = self.reader.flatten(schema)
        anything = definition.bare and not kinds and not OBJECT_RULES & flat.keys()
        if anything or (kinds and "object" not in kinds):
            return {"type": "object", "properties": {"value": schema}, "required": ["value"]}
        return schema

    def at_level(
        self,
        where: Origin,
        definition: Definition,
        name: str,
        listed: Listed,
        contract: Schema,
        arguments: dict[str, str],
    ) -> Tool:
        """The tool with its projected input schema."""
        schema = listed.schema
        sentence, rest = first_sentence(definition.description)
        headline = sentence or definition.title or humanise(definition.name)
        if len(headline) > describe.FIRST_SENTENCE:
            rest, headline = definition.description, shorten(headline, describe.FIRST_SENTENCE)
        headline = describe.with_verb(headline, "Run")
        output, exact_output, wrapped = self.output(definition)
        properties = schema.get("properties", {})
        exact = self.exact_properties(definition)
        same = contract == bare(schema) and not listed.wire_names
        return Tool(
            name=name,
            title=shorten(definition.title, 80) or humanise(definition.name).capitalize(),
            description=describe.describe(headline.rstrip("."), rest, [], 1500),
            input_schema=schema,
            output_schema=output,
            hints=hints_of(definition),
            arguments=tuple(
                Argument(
                    name=key,
                    wire_name=wire_name,
                    place="body",
                    annotation=(
                        kind := annotation(properties.get(key, {}), nullable=listed.takes_null(key))
                    ),
                    required=key in schema.get("required", ()),
                    default=default_of(exact.get(wire_name), kind),
                )
                for wire_name, key in arguments.items()
            ),
            request=None,
            response=Response(json=definition.output is not None, wrapped=wrapped),
            origin=where,
            nullable=tuple(listed.nullable),
            wire_names=tuple(listed.wire_names),
            docstring=describe.docstring_of(headline),
            contract=None if same else contract,
            output_contract=(
                exact_output if exact_output != (bare(output) if output else None) else None
            ),
            takes_more=is_open(contract),
        )

    def exact_properties(self, definition: Definition) -> dict[str, Any]:
        """The properties of the input schema as the document has them, references followed."""
        found = self.reader.properties(self.rooted(definition))
        return {key: self.reader.flatten(value) for key, value in found.items()}

    def contract(self, definition: Definition) -> Schema:
        """The schema a call is checked against: the document's own, with what it refers to beside
        it.
        """
        whole = bundle(self.reader, self.rooted(definition))
        reason = fault(whole)
        if reason:
            message = (
                f"the schema of `{visible(definition.name)[:60]}` is not valid, so calls are"
                " checked loosely"
            )
            self.problems.warn("E0441", f"{message}: {visible(reason)}", pointer=definition.pointer)
            names = [name for name in known_names(whole) if isinstance(name, str)]
            return {"type": "object", "properties": {name: {} for name in names}}
        return {"type": "object", **whole}

    def output(self, definition: Definition) -> tuple[Schema | None, Schema | None, bool]:
        """The declared output schema as clients see it, the exact one, and whether the value stands
        under `result`.
        """
        schema = definition.output
        if not isinstance(schema, dict):
            return None, None, False
        kinds = self.reader.kinds(schema)
        wrapped = bool(kinds) and "object" not in kinds
        if wrapped:
            schema = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
        exact = {"type": "object", **bundle(self.reader, schema)}
        reason = fault(exact)
        if reason:
            message = (
                f"the output schema of `{visible(definition.name)[:60]}` is not valid and was"
                " left out"
            )
            self.problems.warn("E0441", f"{message}: {visible(reason)}", pointer=definition.pointer)
            return None, None, False
        try:
            projection = project(self.reader, schema, LEVELS[0].detail, writing=False)
        except TooLarge:
            return {"type": "object"}, exact, False
        listed = root_object(projection.schema)[0]
        if projection.nullable or projection.wire_names:
            # What the portable form cannot say must not refuse a right answer at the client
            listed = loosened(listed)
        return listed, exact, wrapped and "result" in listed.get("properties", {})


class Listed:
    """An input schema as the model sees it, with the names a Python function can take."""

    def __init__(self, projection: Projection, names: dict[str, str]) -> None:
        """`names`: argument of the document → its name here."""
        root, prefixes = root_object(projection.schema)
        wire = dict(projection.wire_names)
        moved: dict[str, str] = {}
        properties: dict[str, Schema] = {}
        for key, child in root.get("properties", {}).items():
            place = f"{prefixes.get(key, '')}/properties/{escape_token(key)}"
            name = names.get(wire.get(place, key), key)
            properties[name] = child
            moved[place] = f"/properties/{escape_token(name)}"
        called = {
            before.rsplit("/", 1)[-1]: after.rsplit("/", 1)[-1] for before, after in moved.items()
        }
        self.schema = {**root, "properties": properties}
        if root.get("required"):
            self.schema["required"] = [
                called.get(escape_token(key), key) for key in root["required"]
            ]
        self.nullable = [there for at in projection.nullable if (there := _moved(at, moved))]
        nested = [(there, key) for at, key in projection.wire_names if (there := _moved(at, moved))]
        top = [
            (f"/properties/{escape_token(name)}", exact)
            for exact, name in names.items()
            if name != exact and name in properties
        ]
        self.wire_names = [*top, *((at, key) for at, key in nested if at.count("/") > 2)]

    def takes_null(self, name: str) -> bool:
        """Whether null is a value of an argument."""
        return f"/properties/{escape_token(name)}" in self.nullable


def _moved(pointer: str, moved: dict[str, str]) -> str:
    """A pointer after the arguments got other names; empty where the argument is not listed."""
    for before, after in moved.items():
        if pointer == before or pointer.startswith(before + "/"):
            return after + pointer[len(before) :]
    return ""


def root_object(projected: Schema) -> tuple[Schema, dict[str, str]]:
    """A projection with the root every client takes, and where arguments of a union at the root
    come from.

    The properties of all its branches are arguments; those that every branch requires are required.
    """
    branches = projected.get("anyOf")
    if not isinstance(branches, list):
        keys = ("type", "properties", "required", "additionalProperties")
        root = (
            {key: projected[key] for key in keys if key in projected}
            if projected.get("type") == "object"
            else {}
        )
        return {"type": "object", "properties": {}, **root}, {}
    properties: dict[str, Schema] = {}
    prefixes: dict[str, str] = {}
    for index, branch in enumerate(branches):
        for key, child in branch.get("properties", {}).items():
            if key not in properties:
                properties[key], prefixes[key] = child, f"/anyOf/{index}"
            elif properties[key] != child:
                either = properties[key].get("anyOf", [properties[key]])
                properties[key] = {"anyOf": [*either, *([] if child in either else [child])]}
    shared = [
        key for key in properties if all(key in branch.get("required", ()) for branch in branches)
    ]
    return {
        "type": "object",
        "properties": properties,
        **({"required": shared} if shared else {}),
    }, prefixes


def loosened(schema: Schema) -> Schema:
    """An output schema that says which fields there are and leaves their types to their
    descriptions.
    """
    texts = {
        key: {"description": child["description"]} if "description" in child else {}
        for key, child in schema.get("properties", {}).items()
    }
    return {"type": "object", "properties": texts}


def bare(schema: Schema) -> Schema:
    """A schema without its texts."""
    found: Schema = copied(schema, lambda ref: ref)
    return found


def argument_names(names: list[str]) -> dict[str, str]:
    """Argument of the document → the name of a Python keyword, itself wherever it can be one."""
    found = naming.argument_names(("body", name) for name in names)
    return {name: f"{given}_" if given in INJECTED else given for (_, name), given in found.items()}


def default_of(schema: Any, kind: Annotation) -> tuple[Any, ...]:
    """The default a schema names, where it is a value the annotation allows; in a tuple, empty
    where there is none.
    """
    value = schema.get("default") if isinstance(schema, dict) else None
    if kind.kind == "literal":
        fits = any(value == item and type(value) is type(item) for item in kind.members)
    else:
        fits = type(value) in {
            "str": (str,),
            "int": (int,),
            "float": (int, float),
            "bool": (bool,),
        }.get(kind.kind, ())
    return (value,) if fits else ()


def _as_module(name: str) -> str:
    """What a tool's function and file are called, letter case aside: two tools must not share
    it.
    """
    return re.sub(r"\W", "_", name).lower()


def hints_of(definition: Definition) -> Hints:
    """The hints a definition declares, and for each one it does not declare MCP's cautious default.

    Nothing follows from a name: clients call a read-only tool without asking, and `query` may run
    any statement (MCP 2025-11-25, ToolAnnotations).
    """
    annotations = definition.annotations
    read_only = _declared(annotations, ("readOnlyHint", "readOnly"), default=False)
    return Hints(
        read_only=read_only,
        destructive=_declared(
            annotations, ("destructiveHint", "destructive"), default=not read_only
        ),
        idempotent=_declared(annotations, ("idempotentHint", "idempotent"), default=read_only),
        open_world=_declared(annotations, ("openWorldHint", "openWorld"), default=True),
    )


def _declared(annotations: dict[str, Any], names: tuple[str, ...], *, default: bool) -> bool:
    """The first of these annotations that is true or false."""
    for name in names:
        value = annotations.get(name)
        if isinstance(value, bool):
            return value
    return default


def references(node: Any) -> Iterator[str]:
    """Every `$ref` below a value."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            if isinstance(current.get("$ref"), str):
                yield current["$ref"]
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)


def describe_document(document: Document) -> str:
    """What a document of definitions was recognised as; of several, what each of them was."""
    beside = document.root.get(SOURCES)
    if not isinstance(beside, list):
        return visible(shape_of(document.root))
    count = Counter(shape_of(document.deref(entry, "")[0]) for entry in beside)
    return ", ".join(
        shape if number == 1 else f"{number} × {shape}" for shape, number in sorted(count.items())
    )


def grouped(tools: list[tuple[str, Tool]], said: dict[str, Any]) -> tuple[Toolset, ...]:
    """Tools by tag, sorted by name, so that a list does not depend on the document's order.

    `said` is what the document tells of its tags, by name. Tools without a tag are in the toolset
    `general`.
    """
    names = naming.toolset_names(sorted({tag for tag, _ in tools if tag}))
    free = GENERAL if GENERAL not in names.values() else f"{GENERAL}_tools"
    members: dict[str, list[Tool]] = {}
    for tag, tool in tools:
        members.setdefault(tag, []).append(tool)
    made = [
        Toolset(
            name=names.get(tag, free),
            title=shorten(plain(tag), 80) if tag else "General",
            description=shorten(plain(said.get(tag, {}).get("description")).split("\n")[0], 200),
            tools=tuple(sorted(found, key=lambda tool: tool.name)),
        )
        for tag, found in members.items()
    ]
    return tuple(sorted(made, key=lambda toolset: toolset.name))

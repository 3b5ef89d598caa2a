"""Tool definitions and JSON Schemas → a server whose tools the user implements.

Understood are the dialects of `load.definitions` and JSON Schemas: an object at the root is one tool, a document of
`$defs` is one tool for each definition that no other one refers to. The contract the model sees is the portable
projection; what a call is checked against is the schema itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ..ir import Argument, Hints, Origin, Response, Schema, Server, Skip, Tool, Toolset
from ..load.definitions import SCHEMA_KEYS, SOURCES, entries, is_definition
from ..text import first_sentence, humanise, plain, shorten, visible, words
from . import describe, naming, select
from .operation import BUDGET, LEVELS, RICH_LEVELS, annotation, size
from .schema import Projector, TooLarge, escape_token

if TYPE_CHECKING:
    from ..config import Config
    from ..load import Document
    from ..problems import Problems

GENERAL = "general"
READ_WORDS = frozenset(
    "get list search find read fetch lookup query count calculate analyze analyse describe show".split()
)


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


def shape_of(root: dict[str, Any]) -> str:
    """What a document of definitions is called, for the summary."""
    found = entries(root)
    if found is None:
        return "JSON Schema"
    first = next((entry for entry, _ in found if isinstance(entry, dict)), {})
    inner = first.get("function")
    if isinstance(inner, dict):
        return "OpenAI function definitions (Chat Completions)"
    if "inputSchema" in first:
        return "MCP tools list"
    if "input_schema" in first:
        return "Anthropic tools"
    if "parameters" in first:
        return "OpenAI function definitions" + (" (Responses)" if first.get("type") == "function" else "")
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
        self.projector = Projector(document, problems)

    def server(self) -> Server:
        """Everything together."""
        found = Definitions(self.projector, self.config, self.name)
        tools = found.tools()
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
            skips=tuple(found.skips),
            document_version=self.document.version,
        )


def stem_of(name: str) -> str:
    """What a file is about, by its name: `weather.schema.json` is about `weather`."""
    stem = PurePosixPath(name.replace("\\", "/")).stem
    for ending in (".schema", ".tools", ".json"):
        stem = stem.removesuffix(ending)
    return stem if re.search(r"[A-Za-z]", stem) else "tools"


class Definitions:
    """The definitions that stand in a document or beside it, on their way to tools."""

    def __init__(self, projector: Projector, config: Config, server: str) -> None:
        self.projector, self.config, self.server = projector, config, server
        self.document, self.problems = projector.document, projector.problems
        self.skips: list[Skip] = []

    def tools(self, taken: Iterable[str] = ()) -> list[tuple[str, Tool]]:
        """Every wanted tool with the tag of its toolset. `taken` are names that other tools of the server have."""
        wanted: list[tuple[Origin, Definition]] = []
        for definition in self.definitions():
            where = Origin(
                method="TOOL", path=definition.pointer, operation_id=definition.name, pointer=definition.pointer
            )
            said = {"x-mcp": definition.extension} if definition.extension else {}
            reason = select.left_out(self.config.selection, where, said)
            if reason is None:
                wanted.append((where, definition))
            else:
                self.skips.append(Skip(origin=where, reason=reason, code="", filtered=True))
        keys = [(where.method, where.path, where.operation_id) for where, _ in wanted]
        names = naming.tool_names(keys, self.server, self.config.bindings, taken)
        tools = []
        for where, definition in wanted:
            tag = definition.extension.get("toolset")
            tool = self.tool(where, definition, names[f"{where.method} {where.path}"])
            tools.append((tag if isinstance(tag, str) and tag.strip() else "", tool))
        return tools

    def places(self) -> Iterator[tuple[Any, str, str]]:
        """Every document of definitions: its root, its pointer, and what its file is called."""
        beside = self.document.root.get(SOURCES)
        if not isinstance(beside, list):
            yield self.document.root, "", stem_of(self.document.source.name)
            return
        for entry in beside:
            root, pointer = self.projector.deref(entry, "")
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
                    self.skips.append(Skip(origin=where, reason="not a tool definition", code="E0440", filtered=False))
                    self.problems.warn(
                        "E0440", "not a tool definition: it needs a `name` and an `inputSchema`", pointer=at
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
            schema=self.projector.deref(named.get(key, {}), f"{at}/{key}")[0] if key else {},
            output=named.get("outputSchema", named.get("output_schema")),
            description=plain(named.get("description")),
            title=plain(named.get("title")),
            annotations=annotations if isinstance(annotations, dict) else {},
            extension=select.extension(node),
        )

    def schemas(self, root: Any, pointer: str, stem: str) -> Iterator[Definition]:
        """The tools of a JSON Schema document: its root, or the definitions that no other one refers to."""
        if not isinstance(root, dict):
            return
        definitions = root.get("$defs")
        whole = self.projector.kinds({key: value for key, value in root.items() if key != "$defs"})
        if whole or not isinstance(definitions, dict) or not definitions:
            yield self.from_schema(root, self.schema_name(root, stem), pointer)
            return
        referred = set(references(definitions))
        start = f"#{pointer}/$defs/"
        for name, node in definitions.items():
            if start + escape_token(name) not in referred and "object" in self.projector.kinds(node):
                yield self.from_schema(node, name, f"{pointer}/$defs/{escape_token(name)}")

    def schema_name(self, schema: dict[str, Any], fallback: str) -> str:
        """A schema's name: its title, the last part of its `$id`, or the file's name."""
        title = plain(schema.get("title")).split("\n")[0]
        if title and len(words(title)) <= 6:
            return title
        given = schema.get("$id")
        last = (
            re.sub(r"(\.schema)?\.json$", "", given.rstrip("/#").rsplit("/", 1)[-1]) if isinstance(given, str) else ""
        )
        return last if words(last) else fallback

    def from_schema(self, node: Any, name: str, pointer: str) -> Definition:
        """A definition whose input is one schema."""
        flat = self.projector.flatten(node)
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
        )

    def tool(self, where: Origin, definition: Definition, name: str) -> Tool:
        """One definition as a tool, in the richest detail that fits the budget."""
        levels = RICH_LEVELS if self.config.profile == "rich" else LEVELS
        best: Tool | None = None
        for level in levels:
            try:
                projection = self.projector.project(self.rooted(definition.schema), level.detail)
            except TooLarge:
                continue
            best = self.at_level(where, definition, name, projection.schema)
            if size(best) <= BUDGET[self.config.profile]:
                break
        return best or self.at_level(where, definition, name, {"type": "object"})

    def rooted(self, schema: Any) -> Any:
        """A schema with an object at its root: another kind of value is wrapped as the argument `value`."""
        kinds = self.projector.kinds(schema)
        if kinds and "object" not in kinds:
            return {"type": "object", "properties": {"value": schema}, "required": ["value"]}
        return schema

    def at_level(self, where: Origin, definition: Definition, name: str, projected: Schema) -> Tool:
        """The tool with its projected input schema."""
        schema = self.root_object(projected)
        contract = self.contract(definition.schema, definition.pointer)
        sentence, rest = first_sentence(definition.description)
        headline = sentence or definition.title or humanise(definition.name)
        if len(headline) > describe.FIRST_SENTENCE:
            rest, headline = definition.description, shorten(headline, describe.FIRST_SENTENCE)
        headline = describe.with_verb(headline, "Run")
        required = set(schema.get("required", ()))
        return Tool(
            name=name,
            title=shorten(definition.title, 80) or humanise(definition.name).capitalize(),
            description=describe.describe(headline.rstrip("."), rest, [], 1500),
            input_schema=schema,
            output_schema=self.output(definition.output),
            hints=hints_of(definition),
            arguments=tuple(
                Argument(
                    name=key,
                    wire_name=key,
                    place="body",
                    annotation=annotation(child, nullable=False),
                    required=key in required,
                )
                for key, child in schema.get("properties", {}).items()
            ),
            request=None,
            response=Response(json=definition.output is not None, wrapped=False),
            origin=where,
            docstring=describe.docstring_of(headline),
            contract=contract if contract != schema else None,
        )

    def root_object(self, projected: Schema) -> Schema:
        """A projection with the root every client takes: a union at the root becomes its branches' properties."""
        branches = projected.get("anyOf")
        if not isinstance(branches, list):
            keys = ("type", "properties", "required", "additionalProperties")
            root = {key: projected[key] for key in keys if key in projected}
            return (
                {"type": "object", "properties": {}, **root}
                if root.get("type") == "object"
                else {
                    "type": "object",
                    "properties": {},
                }
            )
        properties: dict[str, Schema] = {}
        for branch in branches:
            for key, child in branch.get("properties", {}).items():
                properties.setdefault(key, child)
        shared = [key for key in properties if all(key in branch.get("required", ()) for branch in branches)]
        return {"type": "object", "properties": properties, **({"required": shared} if shared else {})}

    def contract(self, schema: Any, pointer: str) -> Schema:
        """The schema a call is checked against: the document's own, with what it refers to beside it."""
        whole = bundle(self.projector, self.rooted(schema), pointer)
        for noise in ("$schema", "$id", "title", "description", "$comment", "examples", "x-mcp"):
            whole.pop(noise, None)
        return {"type": "object", **whole}

    def output(self, schema: Any) -> Schema | None:
        """A declared output schema with an object at its root, or None."""
        if not isinstance(schema, dict) or self.projector.kinds(schema) - {"object"}:
            return None
        try:
            return self.root_object(self.projector.project(schema, LEVELS[0].detail, writing=False).schema)
        except TooLarge:
            return {"type": "object"}


def hints_of(definition: Definition) -> Hints:
    """The hints a definition declares; what it leaves open follows from its name, carefully."""
    reads = bool({*words(definition.name)[:1]} & READ_WORDS)

    def said(*names: str, default: bool) -> bool:
        found = [definition.annotations[name] for name in names if isinstance(definition.annotations.get(name), bool)]
        return found[0] if found else default

    read_only = said("readOnlyHint", "readOnly", default=reads)
    return Hints(
        read_only=read_only,
        destructive=said("destructiveHint", "destructive", default=not read_only),
        idempotent=said("idempotentHint", "idempotent", default=read_only),
        open_world=said("openWorldHint", "openWorld", default=True),
    )


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


def bundle(projector: Projector, schema: Any, pointer: str) -> Schema:
    """A schema that stands alone: everything it refers to is under its own `$defs` (2020-12 core, section 9.3)."""
    names: dict[str, str] = {}
    definitions: dict[str, Any] = {}

    def copy(node: Any) -> Any:
        if isinstance(node, list):
            return [copy(item) for item in node]
        if not isinstance(node, dict):
            return node
        out = {key: copy(value) for key, value in node.items() if key not in ("$ref", "$defs", "$id", "$anchor")}
        ref = node.get("$ref")
        if isinstance(ref, str):
            out["$ref"] = target(ref)
        return out

    def target(ref: str) -> str:
        found, at = projector.resolve(ref)
        if at == pointer and pointer:
            return "#"
        if ref not in names:
            stem = re.sub(r"[^A-Za-z0-9_.-]", "_", at.rsplit("/", 1)[-1])[:60] or "schema"
            name = stem if stem not in definitions else f"{stem}_{naming.digest(ref)}"
            names[ref] = name
            definitions[name] = {}
            definitions[name] = copy(found)
        return f"#/$defs/{names[ref]}"

    whole = copy(schema) if isinstance(schema, dict) else {}
    return {**whole, "$defs": definitions} if definitions else dict(whole)


def describe_document(document: Document) -> str:
    """What a document of definitions was recognised as."""
    beside = document.root.get(SOURCES)
    if isinstance(beside, list):
        return f"{len(beside)} documents of tool definitions"
    return visible(shape_of(document.root))


def grouped(tools: list[tuple[str, Tool]], said: dict[str, Any]) -> tuple[Toolset, ...]:
    """Tools by tag, sorted by name, so that a list does not depend on the document's order.

    `said` is what the document tells of its tags, by name. Tools without a tag are in the toolset `general`.
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

"""Tool definitions and JSON Schemas → a server whose tools the user implements.

Understood: an MCP tools list (bare, under `tools`, or a captured JSON-RPC answer), OpenAI function definitions of both API
shapes, Anthropic tools, and JSON Schemas: an object at the root is one tool, a document of `$defs` is one tool for each
definition that no other one refers to. The contract the model sees is the portable projection; what a call is checked
against is the schema itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ..ir import Argument, Hints, Origin, Response, Schema, Server, Skip, Tool, Toolset
from ..text import first_sentence, humanise, plain, shorten, visible, words
from . import describe, naming, select
from .operation import BUDGET, LEVELS, RICH_LEVELS, annotation, size
from .schema import Projector, TooLarge, escape_token

if TYPE_CHECKING:
    from ..config import Config
    from ..load import Document
    from ..problems import Problems

SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")
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


def entries(root: dict[str, Any]) -> list[tuple[Any, str]] | None:
    """The tool definitions of a document with their pointers, or None where it is no list of tools."""
    for keys in (("tools",), ("result", "tools"), ("functions",), ("functionDeclarations",)):
        node: Any = root
        for key in keys:
            node = node.get(key) if isinstance(node, dict) else None
        if isinstance(node, list):
            base = "/" + "/".join(keys)
            found: list[tuple[Any, str]] = []
            for index, entry in enumerate(node):
                inner = entry.get("functionDeclarations") if isinstance(entry, dict) else None
                if isinstance(inner, list):
                    at = f"{base}/{index}/functionDeclarations"
                    found += [(child, f"{at}/{number}") for number, child in enumerate(inner)]
                else:
                    found.append((entry, f"{base}/{index}"))
            return found
    return [(root, "")] if is_definition(root) else None


def is_definition(node: Any) -> bool:
    """Whether a value is one tool definition of a known shape."""
    if not isinstance(node, dict):
        return False
    inner = node.get("function")
    named = inner if isinstance(inner, dict) else node
    return isinstance(named.get("name"), str) and (
        any(key in named for key in SCHEMA_KEYS) or node.get("type") == "function" or "description" in named
    )


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
        self.document, self.config, self.problems = document, config, problems
        stem = PurePosixPath(document.source.name).stem.removesuffix(".schema")
        root_title = plain(document.root.get("title")).split("\n")[0]
        self.stem = stem if re.search(r"[A-Za-z]", stem) else "tools"
        self.title = shorten(config.title or root_title or humanise(self.stem).capitalize(), 100)
        self.name = naming.server_name(config.name or self.title)
        self.projector = Projector(document, problems)
        self.skips: list[Skip] = []

    def server(self) -> Server:
        """Everything together."""
        wanted: list[tuple[Origin, Definition]] = []
        for definition in self.definitions():
            where = Origin(
                method="TOOL", path=definition.pointer or "/", operation_id=definition.name, pointer=definition.pointer
            )
            said = {"x-mcp": definition.extension} if definition.extension else {}
            reason = select.left_out(self.config.selection, where, said)
            if reason is None:
                wanted.append((where, definition))
            else:
                self.skips.append(Skip(origin=where, reason=reason, code="", filtered=True))
        names = self.names(wanted)
        grouped: dict[str, list[Tool]] = {}
        for where, definition in wanted:
            tool = self.tool(where, definition, names[where.path])
            toolset = definition.extension.get("toolset")
            grouped.setdefault(toolset if isinstance(toolset, str) and toolset.strip() else "general", []).append(tool)
        modules = naming.toolset_names(sorted(grouped))
        toolsets = [
            Toolset(
                name=modules[tag],
                title=shorten(plain(tag).capitalize(), 80),
                description="",
                tools=tuple(sorted(tools, key=lambda tool: tool.name)),
            )
            for tag, tools in grouped.items()
        ]
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
            toolsets=tuple(sorted(toolsets, key=lambda toolset: toolset.name)),
            skips=tuple(self.skips),
            document_version=self.document.version,
        )

    def names(self, wanted: list[tuple[Origin, Definition]]) -> dict[str, str]:
        """Pointer → tool name. A definition's own name is kept where it is a portable one."""
        operations = [("TOOL", where.path, definition.name) for where, definition in wanted]
        named = naming.tool_names(operations, self.name, self.config.bindings)
        return {key.partition(" ")[2]: name for key, name in named.items()}

    def definitions(self) -> Iterator[Definition]:
        """Every tool of the document."""
        found = entries(self.document.root)
        if found is None:
            yield from self.schemas()
            return
        for node, pointer in found:
            if not is_definition(node):
                where = Origin(method="TOOL", path=pointer, operation_id=None, pointer=pointer)
                self.skips.append(Skip(origin=where, reason="not a tool definition", code="E0440", filtered=False))
                self.problems.warn(
                    "E0440", "not a tool definition: it needs a `name` and an `inputSchema`", pointer=pointer
                )
                continue
            yield self.definition(node, pointer)

    def definition(self, node: dict[str, Any], pointer: str) -> Definition:
        """One entry of a list of tools, whatever its dialect."""
        inner = node.get("function")
        named = inner if isinstance(inner, dict) else node
        at = f"{pointer}/function" if isinstance(inner, dict) else pointer
        key = next((key for key in SCHEMA_KEYS if key in named), "")
        annotations = named.get("annotations")
        return Definition(
            name=named["name"],
            pointer=pointer or "/",
            schema=self.projector.deref(named.get(key, {}), f"{at}/{key}")[0] if key else {},
            output=named.get("outputSchema"),
            description=plain(named.get("description")),
            title=plain(named.get("title")),
            annotations=annotations if isinstance(annotations, dict) else {},
            extension=select.extension(node),
        )

    def schemas(self) -> Iterator[Definition]:
        """The tools of a JSON Schema document."""
        root = self.document.root
        definitions = root.get("$defs")
        base = self.projector.flatten({key: value for key, value in root.items() if key != "$defs"})
        if "object" in self.projector.kinds(root) or not isinstance(definitions, dict) or not definitions:
            yield self.from_schema(root, self.schema_name(root, self.stem), "/")
            return
        if base.get("type"):
            yield self.from_schema(root, self.schema_name(root, self.stem), "/")
            return
        referred = set(_references(definitions))
        free = [name for name in definitions if f"#/$defs/{escape_token(name)}" not in referred]
        for name in free or list(definitions):
            node = definitions[name]
            if "object" in self.projector.kinds(node):
                yield self.from_schema(node, name, f"/$defs/{escape_token(name)}")

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
        contract = self.contract(definition.schema)
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

    def contract(self, schema: Any) -> Schema:
        """The schema a call is checked against: the document's own, with what it refers to beside it."""
        rooted = self.rooted(schema)
        whole = dict(rooted) if isinstance(rooted, dict) else {}
        definitions = self.document.root.get("$defs")
        needed = _closure(whole, definitions) if isinstance(definitions, dict) else {}
        for noise in ("$schema", "$id", "title", "description", "$comment", "examples", "x-mcp", "$defs"):
            whole.pop(noise, None)
        if needed:
            whole["$defs"] = needed
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


def _references(node: Any) -> Iterator[str]:
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


def _closure(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions a schema needs, directly or by way of others, in the document's order."""
    by_ref = {f"#/$defs/{escape_token(name)}": name for name in definitions}
    needed: set[str] = set()
    pending = [schema]
    while pending:
        for ref in _references(pending.pop()):
            name = next((by_ref[known] for known in by_ref if ref == known or ref.startswith(known + "/")), None)
            if name is not None and name not in needed:
                needed.add(name)
                pending.append(definitions[name])
    return {name: definitions[name] for name in definitions if name in needed}


def describe_document(document: Document) -> str:
    """What a document of definitions was recognised as."""
    return visible(shape_of(document.root))

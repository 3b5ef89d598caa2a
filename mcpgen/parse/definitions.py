"""Tool definitions and JSON Schemas → a server whose tools the user implements.

The input is a dialect of `load.definitions` or a JSON Schema: an object at the root is one tool, a
document of `$defs` is one tool for each definition without a reference to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ..ir import Hints, Origin, Server, Skip
from ..load.definitions import (
    INPUT_KEYS,
    OUTPUT_KEYS,
    SOURCES,
    WRAPPERS,
    cursors,
    entries,
    is_definition,
    schema_of,
    unwrapped,
)
from ..load.values import as_list, as_object, as_text, objects_in, without
from ..runtime.pointer import escape, split
from ..text import ascii_of, humanise, plain, shorten, visible, words
from . import naming, select
from .budget import BUDGET, Draft, own_budget, size, within_budget
from .contract import TEXTS
from .defined_tool import LONGEST_TITLE, DefinedTool, Definition
from .dialects import describe_document
from .models import Models
from .schema import Reader
from .toolsets import toolsets

if TYPE_CHECKING:
    from ..config import Config
    from ..load import Document
    from ..problems import Problems

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""A name that a tool may keep as it is written."""
ALIAS = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""A name under which a client may still call a tool."""
NO_ARGUMENTS = frozenset(("annotations", "_meta", "execution", *OUTPUT_KEYS))
"""Keys of a tool whose objects describe no arguments."""


def definitions_name(document: Document, config: Config) -> str:
    """Return the name of the server a list of tools describes."""
    return config.name or naming.server_name(_title(document, config))


def _title(document: Document, config: Config) -> str:
    title = config.title or plain(document.root.get("title")).split("\n")[0]
    return shorten(title or humanise(stem_of(document.source.name)).capitalize(), 100)


def parse_definitions(document: Document, config: Config, problems: Problems) -> Server:
    """Return the server of a list of tools or a JSON Schema. Raises UsageError for a filter that
    matches nothing.
    """
    title, name = _title(document, config), definitions_name(document, config)
    reader = Reader(document, problems)
    models = Models(reader, config.pinned.models)
    definitions = Definitions(reader, models, config, name)
    tools = within_budget(definitions.drafts())
    select.refuse_unknown(config, definitions.choices)
    description = shorten(plain(document.root.get("description")).split("\n")[0], 300)
    sentence = f"Tools of {title}."
    return Server(
        name=name,
        package=f"{name}_mcp",
        distribution=f"mcp-{name.replace('_', '-')}",
        title=title,
        version="0.1.0",
        description=description,
        instructions=f"{sentence} {description}" if description else sentence,
        env_prefix=config.env_prefix or config.pinned.env_prefix or f"{name.upper()}_MCP",
        base_url=None,
        base_url_note="",
        auth=(),
        security=(),
        toolsets=toolsets(tools, {}, config.pinned.toolsets),
        models=models.schemas,
        model_names=models.names,
        skips=tuple(definitions.skips),
        document_version=document.version,
        aliases=tuple(definitions.aliases.items()),
        recognised=describe_document(document),
    )


def stem_of(name: str) -> str:
    """Return the subject of a file by its name: `weather.schema.json` → `weather`; `tools` without
    a letter.
    """
    stem = PurePosixPath(name.replace("\\", "/")).stem
    for ending in (".schema", ".tools", ".json"):
        stem = stem.removesuffix(ending)
    return stem if re.search(r"[A-Za-z]", stem) else "tools"


class Definitions:
    """The definitions in a document or beside it, on their way to tools."""

    kind = "TOOL"
    """Placeholder for the method in the origins of these tools."""

    def __init__(self, reader: Reader, models: Models, config: Config, server: str) -> None:
        self.reader, self.models = reader, models
        self.config, self.server = config, server
        self.document, self.problems = reader.document, reader.problems
        self.skips: list[Skip] = []
        self.aliases: dict[str, str] = {}
        """The name a definition has, where its tool could not have it → the tool's."""
        self.choices: list[select.Choice] = []
        """Every definition as an operation that a selection chooses from."""

    def drafts(self, reserved: Iterable[str] = ()) -> list[Draft]:
        """Return a draft of every selected tool, and set `aliases`. `reserved` are names of the
        server's other tools.
        """
        reserved = list(reserved)
        selected = self.selected()
        names = self.names([origin for origin, _ in selected], reserved)
        self.report_names(selected, names)
        drafts = []
        aliases: dict[str, str] = {}
        for origin, definition in selected:
            name = names[origin.operation]
            drafts.append(self.draft(origin, definition, name))
            if ALIAS.fullmatch(definition.name):
                aliases.setdefault(definition.name, name)
        names_in_use = {*reserved, *names.values()}
        self.aliases = without(aliases, names_in_use)
        return drafts

    def draft(
        self, origin: Origin, definition: Definition, name: str, larger: int | None = None
    ) -> Draft:
        """Return the draft of a definition's tool, within the user's budget, else `larger`, else
        the profile's.
        """
        own = own_budget(self.config, origin)
        budget = own or larger or BUDGET[self.config.profile]
        hints, profile = hints_of(definition), self.config.profile
        work = DefinedTool(self.reader, definition, origin, hints, profile=profile, budget=budget)
        tool = work.tool(name)
        tag = as_text(definition.extension.get("toolset"))
        again = partial(self.draft, origin, definition, name)
        return Draft(
            tag=tag if tag.strip() else "",
            size=size(tool),
            within=again if work.lacks_room and own is None else None,
            finished=partial(work.finished, tool, self.models),
        )

    def selected(self) -> list[tuple[Origin, Definition]]:
        """Return the definitions that the configuration and the document ask for; the others are
        counted in `skips`, all are added to `choices`.
        """
        definitions = list(self.definitions())
        count = Counter(definition.name for definition in definitions)
        selected: list[tuple[Origin, Definition]] = []
        for definition in definitions:
            # Its place in the list says nothing: a tool is the same when its name is.
            path = definition.name
            if count[path] > 1:
                path = f"{path} {definition.pointer}"
            origin = Origin(
                method=self.kind,
                path=path,
                operation_id=definition.name,
                pointer=definition.pointer,
            )
            extension = {"x-mcp": definition.extension} if definition.extension else {}
            self.choices.append((origin, extension))
            reason = select.left_out(self.config, origin, extension)
            if reason is None:
                selected.append((origin, definition))
            else:
                self.skips.append(Skip(origin=origin, reason=reason, code="", filtered=True))
        return selected

    def names(self, origins: list[Origin], reserved: Iterable[str]) -> dict[str, str]:
        """Return `TOOL name` → tool name: the last run's, else as it is written if clients, files
        and Python can take that, else of its words.
        """
        written = {origin.operation: as_text(origin.operation_id) for origin in origins}
        limit = naming.tool_limit(self.server)
        unusable = {*map(_as_module, reserved), *naming.RESERVED, *naming.WINDOWS_NAMES}
        by_module: dict[str, list[str]] = {}
        for key, name in sorted(written.items()):
            by_module.setdefault(_as_module(name), []).append(key)
        kept: dict[str, str] = {}
        for module, keys in by_module.items():
            if module in unusable:
                continue
            # Of several that share a function's name, the one that is called so keeps it.
            owner = keys[0]
            if len(keys) > 1:
                owner = next((key for key in keys if written[key] == module), "")
            name = written.get(owner, "")
            if NAME.fullmatch(name) and len(name) <= limit:
                kept[owner] = name
            of_numbers = "_".join(["tool", *re.findall("[0-9]+", module)])[:limit]
            is_free = of_numbers not in {*by_module, *kept.values()}
            if is_free and not re.search("[a-z]", ascii_of(module)):
                kept[keys[0]] = of_numbers
        subjects = [
            naming.Subject(method=origin.method, path=origin.path, operation_id=origin.operation_id)
            for origin in origins
        ]
        pinned = self.config.pinned.tools
        names = naming.tool_names(subjects, self.server, {**kept, **pinned}, reserved)
        for key in sorted(names.keys() - pinned.keys() - kept.keys()):
            module = _as_module(written[key])
            if re.fullmatch(f"{re.escape(module)}_[0-9a-f]{{6}}", names[key]):
                # Its case alone tells it from another, which says less than a number
                numbered = (f"{module}_{number}" for number in range(2, 1000))
                names[key] = next(each for each in numbered if each not in names.values())
        return names

    def report_names(
        self, selected: list[tuple[Origin, Definition]], names: dict[str, str]
    ) -> None:
        """Report tools that share a name, and tools listed under a changed name."""
        first: dict[str, str] = {}
        for origin, definition in selected:
            name = names[origin.operation]
            written = visible(definition.name)[:60]
            if definition.name in first:
                self.problems.warn(
                    "E0451",
                    f"two tools are called `{written}`; this one is listed as `{name}`",
                    pointer=definition.pointer,
                    notes=(f"the other one is at {first[definition.name]}",),
                )
            elif name != definition.name and not definition.bare:
                message = (
                    f"`{written}` is listed as `{name}`: clients or files cannot have that name"
                )
                self.problems.note("E0452", message, pointer=definition.pointer)
            first.setdefault(definition.name, definition.pointer)

    def roots(self) -> Iterator[tuple[Any, str, str]]:
        """Yield the root, the pointer and the file's stem of every document of definitions."""
        beside = self.document.root.get(SOURCES)
        if not isinstance(beside, list):
            yield self.document.root, "", stem_of(self.document.source.name)
            return
        for entry in beside:
            root, pointer = self.reader.deref(entry, "")
            if root is not None:
                yield root, pointer, stem_of(split(pointer)[-1])

    def definitions(self) -> Iterator[Definition]:
        """Yield every tool of every document; entries that are no tools are counted in `skips`."""
        self.report_unfinished()
        for root, pointer, stem in self.roots():
            if pointer in self.document.lost:
                self.skip_lost(pointer, stem)
                continue
            listed = entries(root, pointer)
            if listed is None:
                yield from self.schemas(root, pointer, stem)
                continue
            for node, at in listed:
                if at in self.document.lost:
                    self.skip_lost(at, as_text(unwrapped(node, at)[0].get("name")))
                elif is_definition(node):
                    yield self.definition(node, at)
                else:
                    self.skip_entry(node, at)

    def report_unfinished(self) -> None:
        """Warn of a captured list whose last page is missing."""
        pages = [(cursor, at) for root, at, _ in self.roots() for cursor in cursors(root)]
        if pages and all(cursor for cursor, _ in pages):
            message = "the list goes on: it has a `nextCursor`, and its last page is not here"
            self.problems.warn("E0458", message, pointer=pages[-1][1])

    def skip_lost(self, pointer: str, name: str) -> None:
        """Count a tool with a reference that cannot be followed; `load` has reported it."""
        origin = _origin(name, pointer, name)
        code = self.document.lost[pointer]
        reason = "a reference that cannot be followed"
        self.skips.append(Skip(origin=origin, reason=reason, code=code, filtered=False))

    def skip_entry(self, node: Any, pointer: str) -> None:
        """Count an entry of a list of tools that is no definition, with a warning; a tool that a
        model's provider runs, or the answer to another request, is only noted.
        """
        reason = "not a tool definition"
        kind = providers_kind(node)
        if kind:
            reason = f"a tool that the model's provider runs (`{visible(kind)[:60]}`)"
            self.problems.note("E0440", reason, pointer=pointer)
        elif "jsonrpc" in as_object(node):
            reason = "an answer without tools"
            self.problems.note("E0440", reason, pointer=pointer)
        else:
            message = f"{reason}: it needs a `name` and an `inputSchema`"
            self.problems.warn("E0440", message, pointer=pointer)
        origin = _origin(pointer, pointer, None)
        self.skips.append(Skip(origin=origin, reason=reason, code="E0440", filtered=False))

    def definition(self, node: dict[str, Any], pointer: str) -> Definition:
        """Return the definition of one entry of a list of tools, whatever its dialect; a missing
        schema is reported, and is `{}`.
        """
        tool, at = unwrapped(node, pointer)
        schema, schema_pointer = schema_of(tool, at, INPUT_KEYS)
        target = schema
        if schema_pointer:
            target, _ = self.reader.deref(schema, schema_pointer)
        if type(target) not in (dict, bool):
            self.report_no_schema(node, tool, schema, pointer)
            schema = {}
        self.report_task(tool, at)
        annotations = as_object(tool.get("annotations"))
        return Definition(
            name=tool["name"],
            pointer=pointer,
            schema=schema,
            output=schema_of(tool, at, OUTPUT_KEYS)[0],
            description=_written(tool.get("description")),
            title=_written(tool.get("title"), annotations.get("title")),
            annotations=annotations,
            extension=select.extension(node),
            passed_on=passed_on(tool),
        )

    def report_no_schema(
        self, entry: dict[str, Any], tool: dict[str, Any], schema: Any, pointer: str
    ) -> None:
        """Report a tool without a schema: a warning if its arguments may be under an unread key.
        OpenAI's functions without arguments need no schema.
        """
        name = visible(tool["name"])[:60]
        if schema is not None:
            message = f"the schema of `{name}` is no object: read as a tool without arguments"
            self.problems.warn("E0450", message, pointer=pointer)
            return
        if entry.get("type") == "function":
            return
        message = f"`{name}` has no `inputSchema`: read as a tool without arguments"
        unread = [
            key for key, value in tool.items() if type(value) is dict and key not in NO_ARGUMENTS
        ]
        if not unread:
            self.problems.note("E0450", message, pointer=pointer)
            return
        keys = ", ".join(f"`{visible(key)[:40]}`" for key in unread)
        self.problems.warn("E0450", message, pointer=pointer, notes=(f"not read: {keys}",))

    def report_task(self, tool: dict[str, Any], pointer: str) -> None:
        """Note a tool that may run as a task: this server answers every call itself."""
        support = as_object(tool.get("execution")).get("taskSupport")
        if support in ("optional", "required"):
            self.problems.note(
                "E0453",
                f"`{visible(tool['name'])[:60]}` is listed without `taskSupport: {support}`",
                pointer=f"{pointer}/execution",
            )

    def schemas(self, root: Any, pointer: str, stem: str) -> Iterator[Definition]:
        """Yield the tools of a JSON Schema document: its root, or the definitions without a
        reference to them; any that is no object is counted in `skips`.
        """
        if not isinstance(root, dict):
            return
        definitions = as_object(root.get("$defs"))
        rules = root.keys() - TEXTS - {"$defs", "x-mcp"}
        if rules or not definitions:
            yield self.from_schema(root, self.schema_name(root, stem), pointer)
            return
        start = f"{pointer}/$defs/"
        for name in self.tool_definitions(definitions, start):
            node, at = definitions[name], start + escape(name)
            if "object" in self.reader.kinds(node):
                yield self.from_schema(node, name, at)
                continue
            origin = _origin(name, at, name)
            reason = "not an object's schema"
            self.skips.append(Skip(origin=origin, reason=reason, code="", filtered=True))

    def tool_definitions(self, definitions: dict[str, Any], start: str) -> list[str]:
        """Return the names of definitions that are tools: those that no other one refers to. Where
        the configuration names what to include, or all are referred to, every definition is one.
        """
        targets = set(references(definitions))
        free = [name for name in definitions if f"#{start}{escape(name)}" not in targets]
        if self.config.selection.include_operations:
            return list(definitions)
        if not free:
            return list(definitions)
        return free

    def schema_name(self, schema: dict[str, Any], fallback: str) -> str:
        """Return a schema's name: its title of up to six words, else the last part of its `$id`,
        else `fallback`.
        """
        title = plain(schema.get("title")).split("\n")[0]
        if title and len(words(title)) <= 6:
            return title
        last = as_text(schema.get("$id")).rstrip("/#").rsplit("/", 1)[-1]
        last = re.sub(r"(\.schema)?\.json$", "", last)
        return last if words(last) else fallback

    def from_schema(self, node: Any, name: str, pointer: str) -> Definition:
        """Return the definition of a schema by itself, its input."""
        flat = self.reader.flatten(node)
        extension = select.extension(as_object(node))
        hints = extension.get("annotations")
        return Definition(
            name=as_text(extension.get("name")) or name,
            pointer=pointer,
            schema=node,
            output=extension.get("outputSchema"),
            description=_written(extension.get("description"), flat.get("description")),
            title=_written(extension.get("title"), flat.get("title")),
            annotations=hints if isinstance(hints, dict) else extension,
            extension=extension,
            passed_on={},
            bare=True,
        )


def providers_kind(entry: Any) -> str:
    """Return the name of a tool that a model's provider runs: its type (`web_search`) other than
    `custom` and `function`, or the only key of its entry (Gemini's `googleSearch`); empty for any
    other entry.
    """
    entry = as_object(entry)
    kind = as_text(entry.get("type"))
    if kind not in ("", "custom", "function"):
        return kind
    own = without(entry, (*INPUT_KEYS, *WRAPPERS))
    if len(entry) == 1:
        return next((key for key, value in own.items() if type(value) is dict), "")
    return ""


def _written(*texts: Any) -> str:
    """Return the first text that is not blank, without its invisible characters; empty if all are
    blank.
    """
    cleaned = (visible(as_text(text)).strip() for text in texts)
    return next(filter(None, cleaned), "")


def passed_on(tool: dict[str, Any]) -> dict[str, Any]:
    """Return `icons`, `_meta` and the title in `annotations` of an MCP tool (2025-11-25, Tool),
    those that are well formed.
    """
    members: dict[str, Any] = {}
    title = _written(as_object(tool.get("annotations")).get("title"))
    if title:
        members["annotations"] = {"title": title[:LONGEST_TITLE]}
    icons = [icon for icon in as_list(tool.get("icons")) if as_text(as_object(icon).get("src"))]
    if icons:
        members["icons"] = icons
    if as_object(tool.get("_meta")):
        members["_meta"] = tool["_meta"]
    return members


def _origin(path: str, pointer: str, name: str | None) -> Origin:
    return Origin(method="TOOL", path=path, operation_id=name, pointer=pointer)


def _as_module(name: str) -> str:
    """Return the name of a tool's function and file in lower case: two tools must not have the
    same.
    """
    return re.sub(r"\W", "_", name).lower()


def hints_of(definition: Definition) -> Hints:
    """Return the hints a definition declares, else cautious ones: not read-only, destructive, not
    idempotent, open to the world; a read-only tool is idempotent and not destructive.

    Nothing follows from a name: `query` may run any statement (MCP 2025-11-25, ToolAnnotations).
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
    """Return the first of these annotations that is true or false, else `default`."""
    for name in names:
        value = annotations.get(name)
        if isinstance(value, bool):
            return value
    return default


def references(node: Any) -> Iterator[str]:
    """Yield every `$ref` below a value."""
    for current in objects_in(node):
        if isinstance(current.get("$ref"), str):
            yield current["$ref"]

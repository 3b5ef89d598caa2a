"""One operation → one tool.

The tool is said in as much detail as fits its budget: levels of detail are tried from the richest
down.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..ir import Annotation, Argument, Hints, Origin, Request, Response, Schema, Tool
from ..text import escape_token, humanise, plain, shorten, visible, words
from . import body as bodies
from . import describe
from . import parameter as parameters
from . import response as responses
from .models import Models
from .naming import argument_names
from .parameter import Field, Unsayable
from .pattern import PRINTABLE, printable
from .projection import Detail, Projection, TooLarge, project
from .schema import Reader

if TYPE_CHECKING:
    from .security import Requirement, Security

READ_METHODS = frozenset(["GET", "HEAD", "OPTIONS", "QUERY"])
DESTRUCTIVE_WORDS = frozenset("""
    delete remove cancel purge revoke destroy terminate wipe erase drop kill uninstall deactivate
    disable reset truncate unlink discard expire invalidate void clear flush ban block reject
    withdraw close archive
    """.split())
# What a path and a header cannot hold, the server refuses: an empty value and control characters,
# in a header all that
# is not printable ASCII.
SENDABLE = {"path": f"^{PRINTABLE}+$", "header": "^[!-~]([ -~]*[!-~])?$"}
PATH_LITERAL = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*")


@dataclass(frozen=True, slots=True)
class Level:
    """How much of an operation is said: its schemas, the characters of its text, the fields of its
    answer.
    """

    detail: Detail
    text: int
    fields: int


# Within a depth texts are shortened first, then enums; what an object takes is said before how long
# its text is.
LEVELS = (
    Level(Detail(depth=4, text=300, nested_text=120, patterns=False), text=900, fields=40),
    Level(Detail(depth=3, text=200, nested_text=60, enum=300), text=600, fields=30),
    Level(Detail(depth=2, text=140, nested_text=40, enum=300, examples=False), text=400, fields=20),
    Level(
        Detail(depth=2, text=60, nested_text=40, enum=300, examples=False, long_limits=False),
        text=200,
        fields=12,
    ),
    Level(
        Detail(depth=2, text=60, nested_text=40, enum=60, examples=False, long_limits=False),
        text=200,
        fields=12,
    ),
    Level(Detail(depth=1, text=100, nested_text=0, enum=300, examples=False), text=300, fields=12),
    Level(
        Detail(depth=1, text=60, nested_text=0, enum=300, examples=False, long_limits=False),
        text=200,
        fields=8,
    ),
    Level(
        Detail(depth=1, text=60, nested_text=0, enum=60, examples=False, long_limits=False),
        text=200,
        fields=8,
    ),
    Level(
        Detail(depth=0, text=60, nested_text=0, enum=300, examples=False, long_limits=False),
        text=160,
        fields=6,
    ),
    Level(
        Detail(depth=0, text=32, nested_text=0, enum=300, examples=False, long_limits=False),
        text=80,
        fields=0,
    ),
    Level(
        Detail(depth=0, text=32, nested_text=0, enum=120, examples=False, long_limits=False),
        text=80,
        fields=0,
    ),
    Level(
        Detail(depth=0, text=0, nested_text=0, enum=300, examples=False, long_limits=False),
        text=40,
        fields=0,
    ),
    Level(
        Detail(depth=0, text=0, nested_text=0, enum=60, examples=False, long_limits=False),
        text=40,
        fields=0,
    ),
    Level(
        Detail(depth=0, text=0, nested_text=0, enum=20, examples=False, long_limits=False),
        text=0,
        fields=0,
    ),
    Level(
        Detail(depth=0, text=0, nested_text=0, examples=False, long_limits=False, inner_union=1),
        0,
        0,
    ),
    Level(
        Detail(
            depth=0,
            text=0,
            nested_text=0,
            enum=12,
            examples=False,
            long_limits=False,
            nodes=50_000,
            union=2,
        ),
        0,
        0,
    ),
)
RICH_LEVELS = (
    Level(
        Detail(depth=8, text=600, nested_text=300, nodes=4000, patterns=False), text=1500, fields=60
    ),
    *LEVELS,
)
LARGEST = 65_536
"""Bytes of a tool above which there is none: it would cost every conversation more than it can
give.
"""
BUDGET = {"portable": 4096, "rich": LARGEST}


def screen_path(path: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A path key as (template, fixed query); a fragment is dropped. Raises Unsayable where it is
    not a path.
    """
    template, _, fragmentless = path.partition("#")[0].partition("?")
    if not template.startswith("/") or template.startswith("//"):
        raise Unsayable("E0402", "the path does not start with one `/`")
    bare = re.sub(r"\{[^{}/]+\}", "x", template)
    if "{" in bare or "}" in bare:
        raise Unsayable("E0402", "the path's braces do not match")
    template = re.sub(r"\{([^{}:]+):[^{}]*\}", r"{\1}", template)
    bare = "".join(
        (
            char
            if char.isascii()
            else "".join(f"%{octet:02X}" for octet in char.encode("utf-8", "replace"))
        )
        for char in bare
    )
    if not PATH_LITERAL.fullmatch(bare) or visible(bare) != bare:
        raise Unsayable("E0402", "the path has characters a URL cannot have")
    for segment in re.sub(r"%2[eE]", ".", bare.replace("%25", "%")).split("/"):
        if segment in (".", ".."):
            raise Unsayable("E0402", "the path has a dot segment")
    from urllib.parse import parse_qsl

    fixed = tuple(parse_qsl(fragmentless, keep_blank_values=True)) if fragmentless else ()
    return template, fixed


def hints_of(method: str, operation_id: str | None, summary: Any, path: str) -> Hints:
    """The behaviour hints of an operation, from its method and, for POST, from its name (RFC 9110
    §9.2).
    """
    if method in READ_METHODS:
        return Hints(read_only=True, destructive=False, idempotent=True)
    if method in ("PUT", "DELETE"):
        return Hints(read_only=False, destructive=True, idempotent=True)
    if method == "PATCH":
        return Hints(read_only=False, destructive=True, idempotent=False)
    last = [segment for segment in path.split("/") if segment and not segment.startswith("{")][-1:]
    said = {
        *words(operation_id or ""),
        *words(last[0] if last else ""),
        *words(plain(summary).split(" ")[0]),
    }
    return Hints(read_only=False, destructive=bool(said & DESTRUCTIVE_WORDS), idempotent=False)


class Operation:
    """One operation on its way to a tool."""

    def __init__(
        self,
        reader: Reader,
        security: Security,
        origin: Origin,
        path_item: dict[str, Any],
        operation: dict[str, Any],
        *,
        models: Models,
        profile: str,
    ) -> None:
        self.reader, self.security, self.origin, self.operation = (
            reader,
            security,
            origin,
            operation,
        )
        self.models, self.profile = models, profile
        self.template, query = screen_path(origin.path)
        problems = reader.problems
        pointers = (origin.pointer.rpartition("/")[0], origin.pointer)
        found = parameters.collect(reader, path_item, operation, pointers)
        self.fixed_query, found = parameters.templated(query, found, origin.pointer)
        fields = parameters.fields(reader, problems, found, self.template, origin.pointer)
        self.fields, self.requirement = self.without_credentials(fields)
        self.body, body_fields = (
            bodies.fields(reader, operation["requestBody"], f"{origin.pointer}/requestBody")
            if (
                operation.get("requestBody") is not None
                and origin.method not in ("GET", "HEAD", "OPTIONS")
            )
            or self._declares_get_body()
            else (None, [])
        )
        self.fields += body_fields
        self.names = argument_names((item.place, item.wire_name) for item in self.fields)
        self.places = Counter(wire_name for _, wire_name in self.names)
        self.status, self.answer = responses.success(reader, operation, origin.pointer)

    def without_credentials(self, fields: list[Field]) -> tuple[list[Field], Requirement | None]:
        """The fields that are the model's to give, and the operation's security requirement.

        A parameter that a security scheme of the operation fills is the operator's to give. Where
        it is required, its scheme is part of every alternative.
        """
        given = self.security.requirement(
            self.operation.get("security"), f"{self.origin.pointer}/security"
        )
        wanted = self.security.default if given is None else given
        schemes = dict.fromkeys(scheme for alternative in wanted for scheme in alternative)
        kept: list[Field] = []
        needed: list[str] = []
        for item in fields:
            scheme = self.security.filling(item.place, item.wire_name, schemes)
            if scheme is None:
                kept.append(item)
                continue
            self.reader.problems.note(
                "E0407",
                f"parameter `{visible(item.wire_name)[:60]}` ignored: the credential of"
                f" `{scheme}` comes from the environment",
                pointer=self.origin.pointer,
            )
            needed += [scheme] if item.required else []
        if needed:
            given = tuple(
                dict.fromkeys(
                    (*one, *(name for name in needed if name not in one)) for one in wanted
                )
            )
        return kept, given

    def _declares_get_body(self) -> bool:
        """A body on GET has no meaning (RFC 9110 §9.3.1), but where it is required the API wants it
        all the same.
        """
        given, _ = self.reader.deref(self.operation.get("requestBody"), "")
        return (
            isinstance(given, dict)
            and isinstance(given.get("content"), dict)
            and bool(given["content"])
        )

    def tool(self, name: str, *, base_url: str | None) -> Tool:
        """The tool, in the richest detail that fits the budget."""
        levels = RICH_LEVELS if self.profile == "rich" else LEVELS
        budget = BUDGET[self.profile]
        best: Tool | None = None
        for level in levels:
            try:
                tool = self.at_level(name, level)
            except TooLarge:
                continue
            best = tool
            if size(tool) <= budget:
                break
        if best is None or size(best) > LARGEST:
            raise Unsayable("E0420", "the operation takes more values than a tool can say")
        if size(best) > budget:
            self.reader.problems.note(
                "E0801",
                f"tool `{name}` is {size(best):,} bytes, over the {budget:,} that clients like",
                pointer=self.origin.pointer,
                hint="hide arguments it does not need in `mcpgen.toml`",
            )
        request = Request(
            method=self.origin.method,
            path=self.template,
            fixed_query=self.fixed_query,
            body=self.body,
            security=None if self.requirement == self.security.default else self.requirement,
            base_url=base_url,
            accept=responses.accept(self.answer),
        )
        return self.typed(replace(best, request=request))

    def typed(self, tool: Tool) -> Tool:
        """The tool with the types of its arguments and of its answer."""
        schemas = [item.schema for item in self.fields]
        arguments = tuple(
            replace(argument, type=self.models.argument(schema, tool.name, argument.name))
            for argument, schema in zip(tool.arguments, schemas, strict=True)
        )
        has_json, schema = responses.json_schema(self.answer)
        answer = tool.response
        if answer.json and has_json:
            answer = replace(answer, type=self.models.answer(schema, tool.name))
        return replace(tool, arguments=arguments, response=answer)

    def at_level(self, name: str, level: Level) -> Tool:
        """The tool in one level of detail, without its request. Raises TooLarge."""
        detail = level.detail
        properties: dict[str, Schema] = {}
        required: list[str] = []
        arguments: list[Argument] = []
        nullable: list[str] = []
        wire_names: list[tuple[str, str]] = []
        for item in self.fields:
            argument = self.names[item.place, item.wire_name]
            projection = project(self.reader, item.schema, detail)
            pointer = f"/properties/{escape_token(argument)}"
            properties[argument] = self.described(item, projection, argument, detail)
            if projection.accepts_null:
                nullable.append(pointer)
            nullable += [pointer + inner for inner in projection.nullable]
            wire_names += [(pointer + inner, wire) for inner, wire in projection.wire_names]
            if item.required:
                required.append(argument)
            arguments.append(
                Argument(
                    name=argument,
                    wire_name=item.wire_name,
                    place=item.place,
                    annotation=annotation(projection.schema, nullable=projection.accepts_null),
                    required=item.required,
                    encode=item.encode,
                    options=item.options,
                )
            )
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        answer, output = self.output(level.fields)
        headline, rest = describe.headline(self.operation, name, self.origin.method)
        extras = [responses.sentence(self.reader, self.status, self.answer, output), *self.notes()]
        return Tool(
            name=name,
            title=describe.title_of(self.operation, name),
            description=describe.describe(headline, rest, extras, level.text),
            input_schema=schema,
            output_schema=output,
            hints=hints_of(
                self.origin.method,
                self.origin.operation_id,
                self.operation.get("summary"),
                self.origin.path,
            ),
            arguments=tuple(arguments),
            request=None,
            response=answer,
            origin=self.origin,
            nullable=tuple(nullable),
            wire_names=tuple(wire_names),
            deprecated=self.operation.get("deprecated") is True,
            docstring=describe.docstring_of(headline),
        )

    def output(self, fields: int) -> tuple[Response, Schema | None]:
        """How the answer is read and said; a HEAD request has none."""
        if self.origin.method == "HEAD" or self.status == "204":
            return Response(json=False, wrapped=False), None
        return responses.understand(self.reader, self.answer, fields=fields)

    def described(
        self, item: Field, projection: Projection, argument: str, detail: Detail
    ) -> Schema:
        """An argument's schema with a description: the parameter's own text first, else its name's
        words.
        """
        schema = dict(projection.schema)
        said = schema.pop("description", "")
        own = shorten(plain(item.description), detail.text)
        if own and said and (own.startswith(said) or said.startswith(own)):
            own, said = (own, "") if len(own) >= len(said) else (said, "")
        text = "; ".join(part.rstrip(".;") for part in (own, said) if part)
        self.sendable(item, schema)
        if not text and detail.text:
            text = humanise(item.wire_name).capitalize()
        if self.places[item.wire_name] > 1:
            text = f"{text} (`{visible(item.wire_name)[:40]}` in the {item.place})".strip()
        if item.extra.get("deprecated") is True and detail.text:
            text += " (deprecated)"
        return {**schema, "description": text} if text else schema

    def sendable(self, item: Field, schema: Schema) -> None:
        """Narrow an argument's schema to what its place can hold, where a keyword says that."""
        kind = schema.get("type")
        if kind == "string" and item.place in SENDABLE and not schema.keys() & {"enum", "format"}:
            pattern = schema.get("pattern")
            schema["pattern"] = SENDABLE[item.place] if pattern is None else printable(pattern)
        # A list without items is not there at all: nothing in a query or a form says that it is
        # empty.
        written = item.place != "body" or (
            self.body is not None and self.body.kind in ("form", "multipart")
        )
        if kind == "array" and item.required and written and not item.encode.startswith("json_"):
            schema.setdefault("minItems", 1)

    def notes(self) -> list[str]:
        """What a model should know besides: that the operation is deprecated."""
        return ["Deprecated."] if self.operation.get("deprecated") is True else []


def size(tool: Tool) -> int:
    """The bytes of a tool in a list, as compact JSON."""
    shape = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
    }
    # 150: the annotations, which are nearly the same for every tool.
    return len(json.dumps(shape, separators=(",", ":"))) + 150 + len(tool.title)


def annotation(schema: Schema, *, nullable: bool, depth: int = 0) -> Annotation:
    """The Python type of a projected schema, one level deep."""
    scalar = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
    kind = schema.get("type")
    values = schema.get("enum")
    if (
        isinstance(values, list)
        and 0 < len(values) <= 60
        and all(type(value) in (str, int, bool) for value in values)
    ):
        return Annotation(kind="literal", members=tuple(values), nullable=nullable)
    if kind == "array":
        items = schema.get("items", {})
        inner = (
            annotation(items, nullable=False, depth=depth + 1)
            if depth < 2
            else Annotation(kind="any")
        )
        return Annotation(kind="list", members=(inner,), nullable=nullable)
    if kind == "object":
        return Annotation(kind="dict", nullable=nullable)
    if isinstance(kind, str) and kind in scalar:
        return Annotation(kind=scalar[kind], nullable=nullable)
    branches = schema.get("anyOf")
    if isinstance(branches, list) and 1 < len(branches) <= 4 and depth < 2:
        members = dict.fromkeys(
            annotation(branch, nullable=False, depth=depth + 1) for branch in branches
        )
        if all(member.kind != "any" for member in members):
            if len(members) == 1:
                return replace(next(iter(members)), nullable=nullable)
            return Annotation(kind="union", members=tuple(members), nullable=nullable)
    return Annotation(kind="any")

"""One operation → one tool, in the richest detail that fits its budget."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..http import BODILESS_METHODS, SAFE_METHODS
from ..ir import Argument, Body, Hints, Origin, Request, Response, Schema, Tool
from ..load.values import as_object
from ..runtime.pointer import escape
from ..text import humanise, plain, shorten, visible, words
from . import body as bodies
from . import describe
from . import parameter as parameters
from . import response as responses
from .annotations import annotation
from .detail import BUDGET, LARGEST, LEVELS, Detail, fit, size
from .models import Models
from .naming import argument_names
from .parameter import Field
from .path import split_path
from .pattern import PRINTABLE, printable
from .projection import Projection, project
from .unsupported import Unsupported

if TYPE_CHECKING:
    from ..config import Pinned
    from .schema import Reader
    from .security import Requirement, Security

DESTRUCTIVE_WORDS = frozenset("""
    delete remove cancel purge revoke destroy terminate wipe erase drop kill uninstall deactivate
    disable reset truncate unlink discard expire invalidate void clear flush ban block reject
    withdraw close archive
    """.split())
SENDABLE = {"path": f"^{PRINTABLE}+$", "header": "^[!-~]([ -~]*[!-~])?$"}
"""Place → the texts it can hold. The server refuses an empty value and control characters in a
path, and in a header all that is not printable ASCII.
"""


def hints_of(method: str, operation_id: str | None, summary: Any, path: str) -> Hints:
    """The behaviour hints of an operation, from its method and, for POST, from its name (RFC 9110
    §9.2).
    """
    if method in SAFE_METHODS:
        return Hints(read_only=True, destructive=False, idempotent=True)
    if method in ("PUT", "DELETE"):
        return Hints(read_only=False, destructive=True, idempotent=True)
    if method == "PATCH":
        return Hints(read_only=False, destructive=True, idempotent=False)
    literals = [part for part in path.split("/") if part and not part.startswith("{")]
    name_words = {*words(operation_id or ""), *words(plain(summary).split(" ")[0])}
    if literals:
        name_words.update(words(literals[-1]))
    destructive = not DESTRUCTIVE_WORDS.isdisjoint(name_words)
    return Hints(read_only=False, destructive=destructive, idempotent=False)


@dataclass(slots=True)
class _Inputs:
    """The arguments of a tool in one level of detail. Pointers lead into its input schema."""

    properties: dict[str, Schema] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    nullable: list[str] = field(default_factory=list)
    wire_names: list[tuple[str, str]] = field(default_factory=list)

    def schema(self) -> Schema:
        """The input schema."""
        out: Schema = {"type": "object", "properties": self.properties}
        if self.required:
            out["required"] = self.required
        out["additionalProperties"] = False
        return out


class Operation:
    """One operation on its way to a tool. Raises Unsupported where it cannot be one."""

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
        pinned: Pinned,
    ) -> None:
        self.reader, self.security, self.origin = reader, security, origin
        self.operation, self.models, self.profile = operation, models, profile
        self.template, query = split_path(origin.path)
        pointers = (origin.pointer.rpartition("/")[0], origin.pointer)
        declared = parameters.collect(reader, path_item, operation, pointers)
        self.fixed_query, declared = parameters.templated(query, declared, origin.pointer)
        fields = parameters.fields(reader, declared, self.template, origin.pointer)
        self.fields, self.requirement = self.without_credentials(fields)
        self.body, body_fields = self.body_fields()
        self.fields += body_fields
        name = f"{origin.method} {origin.path}"
        self.names = argument_names(
            ((item.place, item.wire_name) for item in self.fields),
            pinned.arguments.get(name),
            pinned.chosen_arguments.get(name),
        )
        self.uses = Counter(wire_name for _, wire_name in self.names)
        """Name on the wire → how many places it stands in."""
        self.status, self.answer = responses.success(reader, operation, origin.pointer)
        self.deprecated = operation.get("deprecated") is True

    def without_credentials(self, fields: list[Field]) -> tuple[list[Field], Requirement | None]:
        """The fields that are the model's to give, and the operation's security requirement.

        A parameter that a security scheme of the operation fills is the operator's to give. Where
        it is required, its scheme is part of every alternative.
        """
        pointer = f"{self.origin.pointer}/security"
        own = self.security.requirement(self.operation.get("security"), pointer)
        alternatives = self.security.default if own is None else own
        schemes = dict.fromkeys(scheme for schemes in alternatives for scheme in schemes)
        model_fields: list[Field] = []
        required_schemes: list[str] = []
        for item in fields:
            scheme = self.security.filling(item.place, item.wire_name, schemes)
            if scheme is None:
                model_fields.append(item)
                continue
            self.report_credential(item, scheme)
            if item.required:
                required_schemes.append(scheme)
        if not required_schemes:
            return model_fields, own
        completed = [tuple(dict.fromkeys([*one, *required_schemes])) for one in alternatives]
        return model_fields, tuple(dict.fromkeys(completed))

    def report_credential(self, item: Field, scheme: str) -> None:
        """Note that a parameter is filled with a credential."""
        self.reader.problems.note(
            "E0407",
            f"parameter `{visible(item.wire_name)[:60]}` ignored: the credential of `{scheme}`"
            " comes from the environment",
            pointer=self.origin.pointer,
        )

    def body_fields(self) -> tuple[Body | None, list[Field]]:
        """The request body and its fields. With a method whose body has no defined meaning, a body
        is sent only if the document describes its content: such an API reads it all the same.
        """
        written = self.operation.get("requestBody")
        if written is None:
            return None, []
        if self.origin.method in BODILESS_METHODS:
            body, _ = self.reader.deref(written, "")
            if not as_object(as_object(body).get("content")):
                return None, []
        return bodies.fields(self.reader, written, f"{self.origin.pointer}/requestBody")

    def tool(self, name: str, *, base_url: str | None) -> Tool:
        """The tool, in the richest detail that fits the budget."""
        budget = BUDGET[self.profile]
        tool = fit(lambda detail: self.in_detail(name, detail), LEVELS[self.profile], budget)
        if tool is None or size(tool) > LARGEST:
            raise Unsupported("E0420", "the operation takes more values than a tool can say")
        if size(tool) > budget:
            self.reader.problems.note(
                "E0801",
                f"tool `{name}` is {size(tool):,} bytes, over the {budget:,} that clients like",
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
        return self.typed(replace(tool, request=request))

    def typed(self, tool: Tool) -> Tool:
        """The tool with the types of its arguments and of its answer."""
        arguments = tuple(
            replace(argument, type=self.models.argument(item.schema, tool.name, argument.name))
            for argument, item in zip(tool.arguments, self.fields, strict=True)
        )
        has_json, schema = responses.json_schema(self.answer)
        answer = tool.response
        if answer.json and has_json:
            answer = replace(answer, type=self.models.answer(schema, tool.name))
        return replace(tool, arguments=arguments, response=answer)

    def in_detail(self, name: str, detail: Detail) -> Tool:
        """The tool in one level of detail, without its request. Raises TooLarge."""
        inputs = self.inputs(detail)
        answer, output = self.output(detail.answer_fields)
        headline, rest = describe.headline(self.operation, name, self.origin.method)
        extras = [responses.sentence(self.reader, self.status, self.answer, output)]
        if self.deprecated:
            extras.append("Deprecated.")
        return Tool(
            name=name,
            title=describe.title_of(self.operation, name),
            description=describe.describe(headline, rest, extras, detail.tool_text),
            input_schema=inputs.schema(),
            output_schema=output,
            hints=hints_of(
                self.origin.method,
                self.origin.operation_id,
                self.operation.get("summary"),
                self.origin.path,
            ),
            arguments=tuple(inputs.arguments),
            request=None,
            response=answer,
            origin=self.origin,
            nullable=tuple(inputs.nullable),
            wire_names=tuple(inputs.wire_names),
            deprecated=self.deprecated,
            docstring=describe.docstring_of(headline),
        )

    def inputs(self, detail: Detail) -> _Inputs:
        """Every field as an argument. Raises TooLarge."""
        inputs = _Inputs()
        for item in self.fields:
            name = self.names[item.place, item.wire_name]
            projection = project(self.reader, item.schema, detail)
            pointer = f"/properties/{escape(name)}"
            inputs.properties[name] = self.argument_schema(item, projection, detail)
            if projection.accepts_null:
                inputs.nullable.append(pointer)
            inputs.nullable += [pointer + inner for inner in projection.nullable]
            inputs.wire_names += [(pointer + inner, key) for inner, key in projection.wire_names]
            if item.required:
                inputs.required.append(name)
            kind = annotation(projection.schema, nullable=projection.accepts_null)
            inputs.arguments.append(
                Argument(
                    name=name,
                    wire_name=item.wire_name,
                    place=item.place,
                    annotation=kind,
                    required=item.required,
                    encode=item.encode,
                    options=item.options,
                )
            )
        return inputs

    def output(self, fields: int) -> tuple[Response, Schema | None]:
        """How the answer is read, and its schema; an answer to HEAD has no content."""
        if self.origin.method == "HEAD" or self.status == "204":
            return Response(json=False, wrapped=False), None
        return responses.understand(self.reader, self.answer, fields=fields)

    def argument_schema(self, item: Field, projection: Projection, detail: Detail) -> Schema:
        """An argument's schema with a description: the parameter's own text first, else the words
        of its name.
        """
        schema = dict(projection.schema)
        inner_text = schema.pop("description", "")
        text = _joined(shorten(plain(item.description), detail.text), inner_text)
        self.narrow(item, schema)
        if not text and detail.text:
            text = humanise(item.wire_name).capitalize()
        if self.uses[item.wire_name] > 1:
            text = f"{text} (`{visible(item.wire_name)[:40]}` in the {item.place})".strip()
        if item.deprecated and detail.text:
            text += " (deprecated)"
        if text:
            schema["description"] = text
        return schema

    def narrow(self, item: Field, schema: Schema) -> None:
        """Narrow an argument's schema to what its place can hold, where a keyword says that."""
        kind = schema.get("type")
        if kind == "string" and item.place in SENDABLE and not schema.keys() & {"enum", "format"}:
            pattern = schema.get("pattern")
            schema["pattern"] = SENDABLE[item.place] if pattern is None else printable(pattern)
        # Without items such a list is not sent at all: nothing in a query or a form says that it is
        # empty.
        if kind == "array" and item.required and self.is_repeated(item):
            schema.setdefault("minItems", 1)

    def is_repeated(self, item: Field) -> bool:
        """Whether a list is written item by item, and not as JSON."""
        if item.encode.startswith("json_"):
            return False
        if item.place != "body":
            return True
        return self.body is not None and self.body.kind in ("form", "multipart")


def _joined(own_text: str, inner_text: str) -> str:
    """The text of a parameter and that of its schema; only the longer one where they begin
    alike.
    """
    if own_text and inner_text:
        if own_text.startswith(inner_text):
            inner_text = ""
        elif inner_text.startswith(own_text):
            own_text = ""
    return "; ".join(part.rstrip(".;") for part in (own_text, inner_text) if part)

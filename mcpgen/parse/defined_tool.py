"""One tool definition or JSON Schema → one tool that the user implements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..ir import Annotation, Argument, Hints, Origin, Response, Schema, Tool
from ..load.values import as_object, texts_in
from ..text import first_sentence, humanise, plain, plural, shorten, visible
from . import describe, naming
from .budget import TEXTS, size
from .contract import bundle, copied, fault, is_open, known_names
from .models import annotation
from .projection import Listing, Nodes, Projection, projection
from .root_schema import InputRoot, loosened, root_object

if TYPE_CHECKING:
    from .models import Models
    from .schema import Reader

INJECTED = ("context", "models")
"""Names that mean something in the module of a tool, besides those of `naming`."""
OBJECT_RULES = frozenset(
    "properties required additionalProperties patternProperties minProperties maxProperties"
    " propertyNames dependentRequired dependentSchemas unevaluatedProperties".split()
)
LONGEST_TITLE = 200
LONGEST_DESCRIPTION = 20_000
DEFAULT_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
}
"""Kind of an annotation → the types of a default for it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool as the document has it."""

    name: str
    pointer: str
    schema: Any
    output: Any
    description: str
    """The author's words as they are, invisible characters replaced."""
    title: str
    annotations: dict[str, Any]
    extension: dict[str, Any]
    passed_on: dict[str, Any]
    """Other keys of the author's that clients get unchanged."""
    bare: bool = False
    """Whether this is a JSON Schema by itself, and no entry of a list of tools."""
    answer: Any = None
    """Type of the answer for readers of the code, if `output` is less precise."""


@dataclass(frozen=True, slots=True)
class _Output:
    """The output of a tool: the schema as clients see it, the exact one, and whether the value is
    put under `result`.
    """

    listed: Schema | None = None
    exact: Schema | None = None
    wrapped: bool = False

    @property
    def contract(self) -> Schema | None:
        """The exact schema if it says more than the listed one, else None."""
        same = None if self.listed is None else without_texts(self.listed)
        return None if self.exact == same else self.exact


class DefinedTool:
    """One definition on its way to a tool.

    `root` is its input schema with an object at the root, `contract` the schema a call is checked
    against, `names` the arguments of the contract with their names in Python.
    """

    def __init__(
        self,
        reader: Reader,
        definition: Definition,
        origin: Origin,
        hints: Hints,
        *,
        profile: str,
        budget: int,
    ) -> None:
        self.reader, self.definition, self.origin, self.hints = reader, definition, origin, hints
        self.texts = replace(TEXTS[profile], written=LONGEST_DESCRIPTION)
        self.budget, self.lacks_room, self.shortened = budget, False, 0
        self.root = self.rooted()
        self.contract = self.exact_input()
        self.names = argument_names(known_names(self.contract))
        self.exact = {
            name: reader.flatten(schema) for name, schema in reader.properties(self.root).items()
        }
        """The properties of the input schema as the document has them, references followed."""
        self.output = self.declared_output()
        self.title = definition.title[:LONGEST_TITLE] or humanise(definition.name).capitalize()
        self.description = shorten(definition.description, LONGEST_DESCRIPTION) or self.title

    def rooted(self) -> Any:
        """Return the input schema with an object at its root: another kind of value is wrapped as
        the argument `value`.

        A schema without a type is an object's in a list of tools, and any value's elsewhere.
        """
        schema = self.definition.schema
        kinds = self.reader.kinds(schema)
        takes_object = "object" in kinds
        if not kinds:
            has_rules = not OBJECT_RULES.isdisjoint(self.reader.flatten(schema))
            takes_object = has_rules or not self.definition.bare
        if takes_object:
            return schema
        return {"type": "object", "properties": {"value": schema}, "required": ["value"]}

    def exact_input(self) -> Schema:
        """Return the schema that checks calls: the document's own, with its references bundled; one
        with the names alone if that is not valid, with a warning.
        """
        schema = bundle(self.reader, self.root)
        if self.is_valid(schema, "the schema of", "is not valid, so calls are checked loosely"):
            return {"type": "object", **schema}
        loose: Schema = {"type": "object", "properties": {name: {} for name in known_names(schema)}}
        required = texts_in(schema.get("required"))
        if required:
            loose["required"] = required
        return loose

    def is_valid(self, schema: Schema, start: str, end: str) -> bool:
        """Return whether a schema can be checked against; reports why not."""
        reason = fault(schema)
        if reason:
            name = visible(self.definition.name)[:60]
            message = f"{start} `{name}` {end}: {visible(reason)}"
            self.reader.problems.warn("E0441", message, pointer=self.definition.pointer)
        return not reason

    def declared_output(self) -> _Output:
        """Return the output schema of the definition; empty without a valid one."""
        schema = self.definition.output
        if not isinstance(schema, dict):
            return _Output()
        kinds = self.reader.kinds(schema)
        wrapped = bool(kinds) and "object" not in kinds
        if wrapped:
            schema = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
        exact = {"type": "object", **bundle(self.reader, schema)}
        if not self.is_valid(exact, "the output schema of", "is not valid and was left out"):
            return _Output()
        listing = Listing(Nodes(self.reader, writing=False), self.budget, self.texts)
        output = projection(listing.of_root(schema))
        self.lacks_room = listing.lacks_room
        listed, _ = root_object(output.schema)
        if output.nullable or output.wire_names:
            # What the portable form cannot say must not refuse a right answer at the client.
            listed = loosened(listed)
        return _Output(listed, exact, wrapped and "result" in listed.get("properties", {}))

    def tool(self, name: str) -> Tool:
        """Return the tool, with as much of its input as its budget holds."""
        empty = InputRoot(Projection({"type": "object"}, [], [], False, False), self.names)
        # A long text of the author's must not be at the expense of the schema
        extra = max(0, len(self.description) - describe.DESCRIPTION)
        room = self.budget + extra - size(self.with_input(name, empty))
        listing = Listing(Nodes(self.reader), room, self.texts)
        root = listing.of_root(self.root)
        self.shortened = listing.shortened()
        self.lacks_room |= listing.lacks_room
        return self.with_input(name, InputRoot(projection(root), self.names))

    def report_shortened(self) -> None:
        """Note texts of arguments for which the budget has no room."""
        if self.shortened:
            name = visible(self.definition.name)[:60]
            texts = plural(self.shortened, "text")
            self.reader.problems.note(
                "E0454",
                f"`{name}` is listed with {texts} of its arguments shortened",
                pointer=self.definition.pointer,
                hint=f"more than `budget = {self.budget}` for this tool lists more",
            )

    def finished(self, tool: Tool, models: Models) -> Tool:
        """Return the tool with the types of its arguments and of its answer, and note its shortened
        texts.
        """
        self.report_shortened()
        schemas = self.reader.properties(self.root)
        arguments = tuple(
            replace(
                argument,
                type=models.argument(schemas.get(argument.wire_name), tool.name, argument.name),
            )
            for argument in tool.arguments
        )
        answer = tool.response
        if answer.json and tool.output_schema is not None:
            schema = self.definition.answer or self.definition.output
            answer = replace(answer, type=models.answer(schema, tool.name))
        return replace(tool, arguments=arguments, response=answer)

    def with_input(self, name: str, root: InputRoot) -> Tool:
        """Return the tool with an input schema, and the contract if it says more."""
        definition, output = self.definition, self.output
        sentence, _ = first_sentence(plain(self.description))
        docstring = describe.docstring_of(shorten(sentence, describe.FIRST_SENTENCE), name)
        same = self.contract == without_texts(root.schema) and not root.wire_names
        return Tool(
            name=name,
            title=self.title,
            description=self.description,
            input_schema=root.schema,
            output_schema=output.listed,
            hints=self.hints,
            arguments=tuple(self.argument(root, *names) for names in self.names.items()),
            request=None,
            response=Response(json=definition.output is not None, wrapped=output.wrapped),
            origin=self.origin,
            nullable=tuple(root.nullable),
            wire_names=tuple(root.wire_names),
            docstring=docstring,
            contract=None if same else self.contract,
            output_contract=output.contract,
            takes_more=is_open(self.contract),
            passed_on=definition.passed_on,
        )

    def argument(self, root: InputRoot, wire_name: str, name: str) -> Argument:
        """Return an argument of the tool's function."""
        schema = root.schema.get("properties", {}).get(name, {})
        kind = annotation(schema, nullable=root.takes_null(name))
        return Argument(
            name=name,
            wire_name=wire_name,
            place="body",
            annotation=kind,
            required=name in root.schema.get("required", ()),
            default=default_of(self.exact.get(wire_name), kind),
        )


def without_texts(schema: Schema) -> Schema:
    """Return a schema without titles, descriptions and other keywords that refuse no value."""
    rules: Schema = copied(schema, lambda ref: ref)
    return rules


def argument_names(wire_names: list[str]) -> dict[str, str]:
    """Return argument of the document → name of a Python keyword, unchanged where it can be."""
    names = naming.argument_names(("body", wire_name) for wire_name in wire_names)
    out: dict[str, str] = {}
    for (_, wire_name), name in names.items():
        out[wire_name] = f"{name}_" if name in INJECTED else name
    return out


def default_of(schema: Any, kind: Annotation) -> tuple[Any, ...]:
    """Return `(default,)` of a schema, or `()` without one that the annotation allows."""
    value = as_object(schema).get("default")
    if kind.kind == "literal":
        fits = (type(value), value) in [(type(item), item) for item in kind.members]
    else:
        fits = type(value) in DEFAULT_TYPES.get(kind.kind, ())
    return (value,) if fits else ()

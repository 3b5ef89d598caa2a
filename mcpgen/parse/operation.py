"""One operation → one tool, with as much of its input listed as its budget holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..ir import (
    CHOOSES_FIELDS,
    Annotation,
    Argument,
    Body,
    Hints,
    Origin,
    Request,
    Response,
    Schema,
    Tool,
)
from ..load.methods import CONTENT_UNDEFINED
from ..load.values import as_object, as_text
from ..runtime.client.settings import ListAnswer
from ..runtime.facts import SAFE
from ..runtime.pointer import escape
from ..runtime.results import PART, fold
from ..text import plain, shortened, visible, words
from . import body as bodies
from . import describe
from . import parameter as parameters
from . import response as responses
from .budget import BUDGET, LARGEST, Texts, size, text_of
from .first_sentences import Opening
from .listing import FIELDS_NAMES, FIELDS_SCHEMA, PART_SCHEMA, asks_for_fields, briefly, listing_of
from .models import Models, annotation
from .naming import argument_names
from .naming.identifiers import ArgumentKey
from .parameter import Field
from .projection import Listing, Whole, projection, size_of
from .repeated import Repeated
from .servers import split_path
from .vocabulary import (
    ADDING,
    ADDITIVE,
    CHANGING_ONE,
    NOUNS,
    READING,
    USUAL_VERBS,
    VERBS,
    one_of,
    same_verb,
)

if TYPE_CHECKING:
    from ..config import Pinned
    from .schema import Reader
    from .security import Requirement, Security

IRREVERSIBLE = re.compile(
    r"irreversib|\bpermanently (?:\w+ )?(?:delet|destroy|eras|los|remov)"
    r"|\b(?:cannot|can['’]t|can not) be (?:undone|reversed|recovered|restored)",
    re.I,
)
"""Words of a text about what cannot be taken back."""
LOOKUPS = frozenset("get list query search".split())
"""Words of a path's last literal that make its POST a question: `/transactions/get`."""
DOING = frozenset("call do execute make perform process request run submit use".split())
"""Verbs of a name that say nothing of what is done: `runSearch`."""
STRONG = USUAL_VERBS | CHANGING_ONE | LOOKUPS
"""Verbs that count in a name though the sentence has another: `Submit a request` by `/cancel`."""
_LITERAL = re.compile(r"[^{}/?#]+(?=/|$|[?#])(?![^{}]*\})")

IN_JSON = ("json_text", "json_part", "json_lines")
"""Functions that write a value as JSON."""
LAYOUT = frozenset({"pretty", "optpretty", "prettyprint"})
"""Folded names of parameters that lay an answer out for people who read it as it comes."""
ANY_ID = re.compile(
    r"(?:the )?(?:unique )?(?:id|identifier)"
    r"(?: (?:of|for) (?:the|this|an?) (?:resource|object|entity|item|record|element))?\.?",
    re.I,
)
"""A text about an id without the name of its owner."""
GONE = re.compile(
    r"\W*(?:deprecated\W+|obsolete\W+)?(?:this|the) (?:\S+ )?(?:parameter|field|option|argument"
    r"|filter|property)(?: \S+)? (?:is|was|has been)"
    r" (?:no longer (?:available|supported)|removed)\b(?! (?:for|if|to|when)\b)",
    re.I,
)
"""The beginning of a text about an argument that the API does not have any more."""
ASKS_FOR_ENCODING = re.compile(r"\b(?:url|uri|percent)[- ]?encod", re.I)


def hints_of(
    method: str,
    operation_id: str | None,
    path: str,
    operation: Mapping[str, Any],
    *,
    status: str = "",
    arguments: Iterable[str] = (),
) -> Hints:
    """Return the behaviour hints of an operation (MCP `ToolAnnotations`), by its method (RFC 9110
    section 9.2) and the document's verbs. POST is additive only if the document says that it adds
    or reads, or has no verb and succeeds with 201; otherwise it may overwrite, as the protocol
    assumes. A POST that only looks something up (`/books/search`) is read-only.

    `status` is the status of success; `arguments` are the texts of the query arguments.
    """
    written = describe.written_sentence(operation)
    if method in SAFE and not describe.changes_something(written, path, arguments):
        return Hints(read_only=True, destructive=False, idempotent=True)
    spoken = {*describe.sentence_verbs(written)}
    described = {*describe.sentence_verbs(describe.described_sentence(operation))}
    told = spoken or described
    end = words(next(reversed(_LITERAL.findall(path)), ""))
    named = {*_named(method, words(as_text(operation_id))), *_named(method, end[:1])}
    verbs = spoken | (named & STRONG)
    if not verbs:
        verbs = named if named else told
    text = f"{plain(operation.get('summary'))} {plain(operation.get('description'))}"
    altering = (described | describe.altering(written)) & describe.ALTERING
    every = told | verbs | (named - DOING) | altering | describe.altering(text)
    if all([method == "POST", told, _asks(end, every)]):
        return Hints(read_only=True, destructive=False, idempotent=True)
    if set() < verbs <= READING:
        verbs = verbs | altering
    adds = _adds(method, verbs, status, item=path.endswith("}") and "requestBody" in operation)
    is_final = IRREVERSIBLE.search(text) is not None
    idempotent = method in ("PUT", "DELETE")
    return Hints(read_only=False, destructive=is_final or not adds, idempotent=idempotent)


def _asks(end: list[str], verbs: set[str]) -> bool:
    """Return whether all verbs read, and the path ends in a lookup (`search`, or `info` beside
    `get`).
    """
    asking = LOOKUPS | {"info"} if {*map(same_verb, verbs)} == {"get"} else LOOKUPS
    return all([verbs <= READING, asking.intersection(end), describe.ALTERING.isdisjoint(end)])


def _adds(method: str, verbs: set[str], status: str, *, item: bool) -> bool:
    """Return whether an operation leaves existing things unchanged. `item`: its body is a single
    thing, which a PUT replaces.
    """
    if method == "PUT":
        return all([verbs, verbs <= ADDING, not item])
    if method in {"PATCH", "DELETE", *SAFE}:
        return False
    return verbs <= ADDITIVE if verbs else status == "201"


def _named(method: str, found: list[str]) -> list[str]:
    """Return the first verb among the words of a name, and one joined to it (`createOrUpdate`). The
    method is no verb.
    """
    verbs = (STRONG | VERBS - NOUNS) - {method.lower()}
    for verb, link, other in zip(found, [*found[1:], ""], [*found[2:], "", ""], strict=False):
        if verb in verbs:
            return [verb, other] if link in ("and", "or") else [verb]
    return []


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
        opening: Opening,
        models: Models,
        whole: Whole,
        repeated: Repeated,
        frequent: frozenset[tuple[str, str]],
        profile: str,
        texts: Texts,
        budget: int,
        pinned: Pinned,
    ) -> None:
        self.opening = opening
        self.reader, self.security, self.origin = reader, security, origin
        self.operation, self.models, self.profile, self.texts = operation, models, profile, texts
        self.whole, self.repeated, self.budget = whole, repeated, budget
        self.frequent = frequent
        self.template, query = split_path(origin.path)
        pointers = (origin.pointer.rpartition("/")[0], origin.pointer)
        declared = parameters.collect(reader, path_item, operation, pointers)
        self.fixed_query, declared = parameters.templated(query, declared, origin.pointer)
        self.written_body = operation.get("requestBody")
        if self.written_body is None:
            self.written_body, declared = parameters.body_of(declared)
        self.constants, declared = parameters.constant_headers(reader, declared)
        name = origin.operation
        kept = pinned.arguments.get(name, {})
        self.fixed_headers, declared = parameters.fixed_headers(reader, declared, kept)
        self.conditional = parameters.validators(reader, path_item)
        fields = parameters.fields(reader, declared, self.template, origin.pointer)
        fields, self.requirement = self.without_credentials(fields)
        self.body, body_fields = self.body_fields(pinned.bodies.get(name, frozenset()))
        self.fields = self.without_layout([*fields, *body_fields], kept)
        keys: list[tuple[str, str]] = [(item.place, item.wire_name) for item in self.fields]
        keys += [key for key in kept if key == CHOOSES_FIELDS]
        self.names = argument_names(keys, kept, pinned.chosen_arguments.get(name, {}))
        self.chooser = self.names.pop(CHOOSES_FIELDS, "")
        self.uses = Counter(wire_name for _, wire_name in self.names)
        """Wire name → number of its places."""
        self.status, self.answer = responses.success(reader, operation, origin.pointer)
        self.deprecated = operation.get("deprecated") is True
        self.headline = self.text = self.description = ""
        self.lacks_room = False
        self.lines: list[str] = []

    def without_credentials(self, fields: list[Field]) -> tuple[list[Field], Requirement | None]:
        """Return the fields that are the model's to give, and the operation's security requirement,
        None where the document's applies.

        A parameter that a security scheme of the operation fills is left out, with a note. If it is
        required, its scheme is part of every alternative.
        """
        pointer = f"{self.origin.pointer}/security"
        own = self.security.requirement(self.operation.get("security"), pointer)
        alternatives = self.security.default if own is None else own
        schemes = dict.fromkeys(scheme for schemes in alternatives for scheme in schemes)
        self.credentials = self.security.names_of(schemes)
        """Folded names of fields that a credential of the operation fills."""
        model_fields: list[Field] = []
        required_schemes: list[str] = []
        for item in fields:
            scheme = self.security.filling(item.place, item.wire_name, schemes)
            if scheme is None:
                model_fields.append(item)
                continue
            self.report_ignored(item, f"the credential of `{scheme}` comes from the environment")
            if item.required:
                required_schemes.append(scheme)
        if not required_schemes:
            return model_fields, own
        completed = [tuple(dict.fromkeys([*one, *required_schemes])) for one in alternatives]
        return model_fields, tuple(dict.fromkeys(completed))

    def without_layout(self, fields: list[Field], kept: Container[ArgumentKey]) -> list[Field]:
        """Return the fields without optional ones that only lay the answer out (`pretty`) or that
        the API has no more; each is noted. Fields that are in the lock (`kept`) stay.
        """
        found = []
        for item in fields:
            if item.required or (item.place, item.wire_name) in kept:
                found.append(item)
            elif GONE.match(item.description or text_of(self.reader, item.schema)):
                self.report_ignored(item, "the document calls it no longer available")
            elif fold(item.wire_name) in LAYOUT:
                self.report_ignored(item, "it changes the layout of the answer alone")
            else:
                found.append(item)
        return found

    def report_ignored(self, item: Field, reason: str) -> None:
        """Note that a parameter is not an argument."""
        message = f"parameter `{visible(item.wire_name)[:60]}` ignored: {reason}"
        self.reader.problems.note("E0407", message, pointer=self.origin.pointer)

    def body_fields(self, kept: Collection[str]) -> tuple[Body | None, list[Field]]:
        """Return the request body and its fields, `(None, [])` without one. With a method whose
        body has no defined meaning, a body is sent only if the document describes its content.
        `kept` are the names of its arguments on the wire at the last run.
        """
        written = self.written_body
        if written is None:
            return None, []
        if self.origin.method in CONTENT_UNDEFINED:
            body, _ = self.reader.deref(written, "")
            if not as_object(as_object(body).get("content")):
                return None, []
        around = parameters.Around(self.origin.method, kept, self.credentials)
        return bodies.fields(self.reader, written, f"{self.origin.pointer}/requestBody", around)

    def tool(self, name: str, *, base_url: str | None, api: str = "") -> Tool:
        """Return the tool, with as much of its input as its budget holds; `base_url` is None for
        the server's.
        """
        tool = self.without_arguments(name)
        listing = self.listed(tool)
        self.lacks_room = listing.lacks_room
        tool = self.with_arguments(replace(tool, description=self.description), listing)
        request = Request(
            method=self.origin.method,
            path=self.template,
            fixed_query=self.fixed_query,
            fixed_headers=self.fixed_headers,
            body=self.body,
            security=None if self.requirement == self.security.default else self.requirement,
            base_url=base_url,
            api=api,
            content_type=self.content_type(),
            accept=self.constants.get("accept", responses.accept(self.answer)),
        )
        return replace(tool, request=request)

    def content_type(self) -> str:
        """Return the documented Content-Type of a request without a body; empty if there is none,
        or a body, which says its own.
        """
        return "" if self.body is not None else self.constants.get("content-type", "")

    def listed(self, tool: Tool) -> Listing:
        """List the arguments within the budget; `description` gets what is left."""
        listing = Listing(self.whole.nodes, self.budget - size(tool), self.texts)
        for written in self.fields:
            item = self.as_listed(written)
            listing.lacks_room |= item.schema is not written.schema
            words = partial(self.words_of, item)
            name = self.names[item.place, item.wire_name]
            level = -1 if item.whole else 0
            schema = item.schema
            if item.place == "body":
                schema = bodies.with_encodings(self.reader, item)
            listing.add(
                name,
                schema,
                level=level,
                nulls=self.can_be_null(item),
                brief=self.is_frequent(item),
                words=words,
            )
        listing.offer("phrase", 0, self.lengthen, listing, self.texts.tool // 4)
        listing.offer("text", 0, self.lengthen, listing, self.texts.tool // 2)
        listing.offer("text", 1, self.lengthen, listing, self.texts.tool)
        listing.spend()
        return listing

    def as_listed(self, item: Field) -> Field:
        """Return a field as it is listed: with a budget of at most 4,096 bytes, a parameter that
        selects fields of the answer is listed without their names.
        """
        return briefly(self.reader, item) if self.budget <= BUDGET["portable"] else item

    def lengthen(self, listing: Listing, limit: int) -> None:
        """Let `description` have up to `limit` characters of the document's text, if the listing
        has room for them.
        """
        text = describe.describe(self.headline, self.text, self.lines, limit)
        if listing.pay(size_of(text) - size_of(self.description)):
            self.description = text

    def with_arguments(self, tool: Tool, listing: Listing) -> Tool:
        """Return the tool with its arguments, and with the whole of its input as `contract` where
        that is not what is listed.
        """
        properties: dict[str, Schema] = {}
        arguments: list[Argument] = []
        nullable: list[str] = []
        wire_names: list[tuple[str, str]] = []
        is_whole = True
        for item in self.fields:
            name = self.names[item.place, item.wire_name]
            listed = projection(listing.arguments[name])
            is_whole &= all([listed.is_whole, self.as_listed(item).schema is item.schema])
            pointer = f"/properties/{escape(name)}"
            properties[name] = self.narrowed(item, listed.schema)
            takes_null = listed.accepts_null or self.is_removed_by_null(item)
            if takes_null:
                nullable.append(pointer)
            nullable += [pointer + inner for inner in listed.nullable]
            wire_names += [(pointer + inner, key) for inner, key in listed.wire_names]
            kind = annotation(listed.schema, nullable=takes_null)
            arguments.append(self.argument(name, item, kind))
        schema = self.input_schema(self.listable(properties))
        left_out = len(properties) - len(schema["properties"].keys() & properties.keys())
        if left_out:
            del schema["additionalProperties"]
            text = f"{tool.description}\nAlso takes {left_out:,} arguments that are not listed."
            tool = replace(tool, description=text)
        tool = replace(tool, input_schema=schema, arguments=tuple(arguments))
        if left_out:
            return self.with_contract(tool)
        if not is_whole:
            return self.with_contract(tool)
        return replace(tool, nullable=tuple(nullable), wire_names=tuple(wire_names))

    def listable(self, properties: dict[str, Schema]) -> dict[str, Schema]:
        """Return the required arguments, and the others as far as about 57,000 bytes hold them."""
        required = self.required_names()
        room = LARGEST - 2 * BUDGET["portable"]
        listed: dict[str, Schema] = {}
        for name, schema in properties.items():
            room -= size_of({name: schema})
            if room > 0 or name in required:
                listed[name] = schema
        return listed

    def with_contract(self, tool: Tool) -> Tool:
        """Return the tool with the whole of its input as `contract`, null among the types."""
        properties: dict[str, Schema] = {}
        names: dict[str, str] = {}
        for item in self.fields:
            name = self.names[item.place, item.wire_name]
            node = self.whole.nodes.node(item.schema)
            null = self.can_be_null(item) and (node.null or self.is_removed_by_null(item))
            node = replace(node, null=null)
            schema = self.whole.schema(node, f"/properties/{escape(name)}", names)
            properties[name] = self.narrowed(item, schema)
        contract = self.input_schema(properties)
        return replace(tool, contract=contract, wire_names=tuple(names.items()))

    def input_schema(self, properties: dict[str, Schema]) -> Schema:
        """Return the schema of an object of these properties, and of the arguments that choose
        fields or a part of the answer; it takes no others.
        """
        chosen = (self.chosen.fields, FIELDS_SCHEMA), (self.chosen.part, PART_SCHEMA)
        properties = {**properties, **{name: dict(schema) for name, schema in chosen if name}}
        schema: Schema = {"type": "object", "properties": properties}
        required = self.required_names()
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        return schema

    def required_names(self) -> list[str]:
        """Return the names of the arguments that a call must have."""
        return [self.names[item.place, item.wire_name] for item in self.fields if item.required]

    def argument(self, name: str, item: Field, kind: Annotation) -> Argument:
        """Return the argument of a field; `kind` is its type in Python."""
        return Argument(
            name=name,
            wire_name=item.wire_name,
            place=item.place,
            annotation=kind,
            required=item.required,
            encode=item.encode,
            options=item.options,
        )

    def typed(self, tool: Tool) -> Tool:
        """Return the tool with the types of its arguments and its answer, and with the header
        fields that are part of the answer.
        """
        arguments = tuple(
            replace(argument, type=self.models.argument(item.schema, tool.name, argument.name))
            for argument, item in zip(tool.arguments, self.fields, strict=True)
        )
        has_json, schema = responses.json_schema(self.answer)
        answer = tool.response
        if answer.json and has_json:
            answer = replace(answer, type=self.models.answer(schema, tool.name))
        told = dict.fromkeys([*responses.headers(self.answer), *self.conditional])
        answer = replace(answer, headers=tuple(told))
        return replace(tool, arguments=arguments, response=answer)

    def without_arguments(self, name: str) -> Tool:
        """Return the tool with its shortest description and no arguments."""
        answer, output = self.output()
        list_answer = self.list_answer(answer)
        hints = self.hints()
        if self.is_asked_on(list_answer, hints):
            list_answer = replace(list_answer, part=PART)
        self.chosen = list_answer
        self.headline, text = self.opening.sentence, self.opening.rest
        self.text = self.distinctive(text)
        said = responses.sentence(
            self.reader, self.status, self.answer, self.headline, list_answer.items
        )
        if responses.is_told(said, f"{self.headline} {self.text}"):
            said = ""
        self.lines = [said]
        if self.body is not None and self.body.is_merge_patch:
            self.lines.append("A field that is null is removed.")
        if self.deprecated:
            self.lines.append("Deprecated.")
        self.description = describe.describe(self.headline, self.text, self.lines, 0)
        return Tool(
            name=name,
            title=describe.title_of(self.operation, name, self.origin.method, self.origin.path),
            description=self.description,
            input_schema=self.input_schema({}),
            output_schema=output,
            hints=hints,
            arguments=(),
            request=None,
            response=answer,
            origin=self.origin,
            deprecated=self.deprecated,
            docstring=describe.docstring_of(self.headline, name),
            listing=list_answer,
        )

    def hints(self) -> Hints:
        """Return the behaviour hints of the tool."""
        return hints_of(
            self.origin.method,
            self.origin.own_id,
            self.origin.path,
            self.operation,
            status=self.status,
            arguments=[item.description for item in self.fields if item.place == "query"],
        )

    def is_asked_on(self, listing: ListAnswer, hints: Hints) -> bool:
        """Return whether a read-only tool lists an argument for a part of the answer: it may be
        long, and the API has no arguments for its rest.
        """
        is_long = responses.is_long_text(self.reader, self.answer)
        is_long |= all([listing.items is not None, not listing.next])
        if listing.items is None:
            _, schema = responses.json_schema(self.answer)
            many = set() if self.template.endswith("}") else {"object"}  # a single thing by its id
            is_long |= responses.is_long_object(self.reader, schema, many, set())
        return all([is_long, hints.read_only, self.has_content(), PART not in self.names.values()])

    def distinctive(self, text: str) -> str:
        """Return a text without what many operations say alike."""
        return self.repeated.distinctive(self.repeated.without(text), self.texts.alike)

    def has_content(self) -> bool:
        """Return whether a successful answer has content: not that of HEAD, nor a 204."""
        return {self.origin.method, self.status}.isdisjoint(("HEAD", "204"))

    def output(self) -> tuple[Response, Schema | None]:
        """Return the mapping of the answer to a result, and the result's schema, the tool's output
        schema; None if the answer is not JSON, or has no content.
        """
        if not self.has_content():
            return Response(json=False, wrapped=False), None
        return responses.understand(self.reader, self.answer, typed=self.profile == "rich")

    def list_answer(self, answer: Response) -> ListAnswer:
        """Return the list in the answer. It gets an argument that chooses fields of its items where
        the API has none, or had none at the last run.
        """
        if not answer.json:
            return ListAnswer()
        listing = listing_of(
            self.reader,
            responses.json_schema(self.answer)[1],
            method=self.origin.method,
            path=self.template,
            fields=self.fields,
        )
        if listing.items is None:
            return listing
        own = () if self.chooser else self.fields
        for item in own:
            if asks_for_fields(self.reader, item):
                return replace(listing, asked=item.wire_name)
        taken = set(self.names.values())
        names = sorted(FIELDS_NAMES, key=lambda name: name != self.chooser)
        return replace(listing, fields=next((name for name in names if name not in taken), ""))

    def words_of(self, item: Field, limit: int, inner_text: str) -> str:
        """Return an argument's description: up to `limit` characters of the parameter's own text,
        then its schema's text. Sentences that many operations repeat are left out. A text that asks
        for URL encoding gets a note that the server encodes.
        """
        own_text = self.repeated.without(plain(item.description), item.wire_name)
        owner = self.owner_of(item) if ANY_ID.fullmatch(own_text) else ""
        if owner:
            own_text = f"ID of the {owner}"
        inner_text = self.repeated.without(inner_text, item.wire_name)
        text = _joined(shortened(own_text, limit), inner_text)
        if ASKS_FOR_ENCODING.search(text) and self.is_encoded(item):
            text += " (URL-encoded once when it is sent)"
        place = "" if item.wire_name.isascii() else "API"
        if self.uses[item.wire_name] > 1:
            place = item.place
        if place:
            text = f"{text} (`{visible(item.wire_name)[:40]}` in the {place})".strip()
        if not limit:
            return text
        if item.deprecated:
            text = f"{text} (deprecated)".strip()
        if item.form:
            text = f"{text}: {item.form}"
        return text

    def owner_of(self, item: Field) -> str:
        """Return the resource whose id a parameter of the path is, by the segment before it: `open
        order` of `/open-orders/{id}`; empty where there is none.
        """
        before, found, _ = self.template.partition(f"/{{{item.wire_name}}}")
        named = words(before.rpartition("/")[2]) if found and item.place == "path" else []
        return " ".join([*named[:-1], *map(one_of, named[-1:])])

    def is_frequent(self, item: Field) -> bool:
        """Return whether dozens of operations have the same text about an argument."""
        text = item.description or text_of(self.reader, item.schema)
        return (item.wire_name, text) in self.frequent

    def narrowed(self, item: Field, schema: Schema) -> Schema:
        """Return an argument's schema, unchanged if it is sent as JSON, else without empty required
        lists and objects.
        """
        if self.is_json(item):
            return schema
        narrowed: Schema = _never_empty(schema, item.required, self.fields_in_json(item))
        return narrowed

    def fields_in_json(self, item: Field) -> set[str]:
        """Return the fields of a form in one argument that are written as JSON."""
        if not item.whole and item.encode != "query_string":
            return set()
        fields = self.reader.properties(item.schema)
        objects = [name for name in fields if self.reader.kinds(fields[name]) == {"object"}]
        writers = dict.fromkeys(objects, "json_text")
        writers |= {name: encode for encode, names in item.options for name in names}
        return {name for name, encode in writers.items() if encode in IN_JSON}

    def is_removed_by_null(self, item: Field) -> bool:
        """Return whether null for an argument removes a field of a merge patch (RFC 7396)."""
        if self.body is None or item.place != "body":
            return False
        return self.body.is_merge_patch and not (item.whole or item.required)

    def can_be_null(self, item: Field) -> bool:
        """Return whether null can be sent: as the whole body or as JSON, not in a query, a form or
        a header.
        """
        if item.whole:
            return True
        return self.is_json(item)

    def is_encoded(self, item: Field) -> bool:
        """Return whether a value is written as a part of a URL or of a form."""
        if item.place == "body":
            return self.body_kind() == "form"
        return item.place in ("path", "query")

    def is_json(self, item: Field) -> bool:
        """Return whether a value is written as JSON, which can say null and an empty list."""
        if item.encode in IN_JSON or (item.encode, item.options) == parameters.JSON_QUERY:
            return True
        if item.place != "body":
            return False
        return self.body_kind() == "json"

    def body_kind(self) -> str:
        """Return the encoding of the request body; empty if there is none."""
        return "" if self.body is None else self.body.kind


def _never_empty(schema: Any, required: bool, in_json: Container[str] = ()) -> Any:
    """A schema whose required lists and objects have something in them, also those inside an
    object: nothing in a query or a form says that one is empty. Fields `in_json` and the items of a
    list may be JSON. `true` and `false` are returned unchanged.
    """
    if isinstance(schema, bool):
        return schema
    out = dict(schema)
    if "properties" in out:
        needed = out.get("required", ())
        out["properties"] = {
            key: child if key in in_json else _never_empty(child, key in needed)
            for key, child in out["properties"].items()
        }
    if "anyOf" in out:
        out["anyOf"] = [_never_empty(branch, required, in_json) for branch in out["anyOf"]]
    if not required:
        return out
    if out.get("type") == "array":
        return {"minItems": 1, **out}
    if out.get("type") == "object" and not out.get("required"):
        return {"minProperties": 1, **out}
    return out


def _joined(own_text: str, inner_text: str) -> str:
    """Join the text of a parameter and the text of its schema by `; `, or return the longer if one
    begins with the other.
    """
    own_text, inner_text = own_text.rstrip(".;"), inner_text.rstrip(".;")
    if own_text.startswith(inner_text):
        inner_text = ""
    elif inner_text.startswith(own_text):
        own_text = ""
    return "; ".join(filter(None, (own_text, inner_text)))

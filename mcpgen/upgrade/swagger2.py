"""Swagger 2.0 → OpenAPI 3.1 objects, in place; the content of schemas is left to `schema.py`.

Sources: Swagger 2.0 ("Parameter Object", "Response Object", "Security Scheme Object") and the same
sections of OpenAPI 3.1. Moves are logged, so that messages point at what the author wrote.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any, TypeAlias

from ..load.document import Document, UnresolvedReference
from ..load.methods import PATH_ITEM
from ..load.values import as_object, as_text, texts_in
from ..problems import Problems
from ..runtime.pointer import escape
from ..text import visible

Node: TypeAlias = dict[str, Any]
Written: TypeAlias = tuple[Node, str]
"""A parameter, and the pointer to its place in the document."""

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

SECTIONS = {
    "/definitions": "/components/schemas",
    "/parameters": "/components/parameters",
    "/responses": "/components/responses",
    "/securityDefinitions": "/components/securitySchemes",
}
"""Old pointer → new pointer of what references point into."""

_NOT_SCHEMA = frozenset(
    "name in description required allowEmptyValue deprecated schema content style explode".split()
)
_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}
_STYLES: dict[str, tuple[str, bool]] = {
    "csv": ("form", False),
    "multi": ("form", True),
    "ssv": ("spaceDelimited", False),
    "pipes": ("pipeDelimited", False),
    "tsv": ("tabDelimited", False),
}
"""`collectionFormat` → `style` and `explode`. OpenAPI 3 has no tabs, and delimiters in a query
alone: `parse` reads them everywhere.
"""
WITHIN = _STYLES.keys() - {"multi"}
"""The formats of a nested list, and of a list in a place without repetition."""


def convert(document: Document, problems: Problems) -> None:
    """Convert a document in place, except its schemas and the references into `SECTIONS`."""
    _Swagger(document, problems).document_object()
    document.forget()


class _Swagger:
    """A document being converted in place: its defaults, and the ids of objects already
    converted.
    """

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.root = document.root
        self.problems = problems
        self.moved = document.moved
        self.schemes = _texts(self.root.get("schemes"))
        self.host = as_text(self.root.get("host")).split("://")[-1].strip("/")
        self.base = f"/{as_text(self.root.get('basePath')).strip('/')}".rstrip("/")
        self.consumes = _texts(self.root.get("consumes"))
        self.produces = _texts(self.root.get("produces"))
        self.done: set[int] = set()

    def document_object(self) -> None:
        paths = self.root.get("paths")
        if type(paths) is dict:
            for path, item in paths.items():
                if not path.startswith("x-"):
                    self.path_item(item, f"/paths/{escape(path)}")
        self.shared()
        self.servers()
        for key in ("swagger", "host", "basePath", "schemes", "consumes", "produces"):
            self.root.pop(key, None)

    def target(self, node: Any, pointer: str) -> tuple[Any, str]:
        """Return (node, pointer), of a reference those of its target; None for a dangling
        reference, which `parse` reports.
        """
        try:
            return self.document.deref(node, pointer)
        except UnresolvedReference:
            return None, pointer

    def once(self, node: Any) -> bool:
        """Return whether a node is an object that is not converted yet, and record it as
        converted.
        """
        if type(node) is not dict or id(node) in self.done:
            return False
        self.done.add(id(node))
        return True

    # Servers and shared objects.

    def servers(self) -> None:
        """Turn `schemes`, `host`, `basePath` into `servers`, https first."""
        if "servers" in self.root:
            return
        if self.host:
            urls = [f"{scheme}://{self.host}{self.base}" for scheme in self.ordered_schemes()]
            self.moved.append(("/servers", "/host"))
        elif self.base:
            urls = [self.base]
            self.moved.append(("/servers", "/basePath"))
        else:
            return
        self.root["servers"] = [{"url": url} for url in urls]

    def ordered_schemes(self) -> list[str]:
        """Return the schemes, https first; without any, that of the URL the document came from
        (section "Swagger Object", `schemes`), else https.
        """
        if self.schemes:
            return sorted(self.schemes, key=lambda scheme: scheme != "https")
        if self.document.source.url is None:
            return ["https"]
        return [self.document.source.url.split(":")[0]]

    def shared(self) -> None:
        """Convert the four sections at the root, and move them into `components`."""
        components = self.root.setdefault("components", {})
        if type(components) is not dict:
            return
        for name, parameter in _members(self.root, "parameters"):
            if not self.is_body(parameter):
                self.parameter(parameter, f"/parameters/{escape(name)}")
        for name, response in _members(self.root, "responses"):
            self.response(response, f"/responses/{escape(name)}", self.produces)
        for name, scheme in _members(self.root, "securityDefinitions"):
            self.security_scheme(scheme, f"/securityDefinitions/{escape(name)}")
        for old, new in SECTIONS.items():
            self.move_section(components, old, new)
        if not components:
            del self.root["components"]

    def move_section(self, components: Node, old: str, new: str) -> None:
        """Move a section to its place under `components`, without parameters that are bodies."""
        members = self.root.pop(old[1:], None)
        if type(members) is not dict:
            return
        if old == "/parameters":
            members = {name: item for name, item in members.items() if not self.is_body(item)}
        name = new.rpartition("/")[2]
        components[name] = {**as_object(components.get(name)), **members}
        self.moved.append((new, old))

    def is_body(self, parameter: Any) -> bool:
        return as_object(parameter).get("in") in ("body", "formData")

    def security_scheme(self, scheme: Any, pointer: str) -> None:
        if not self.once(scheme):
            return
        if scheme.get("type") == "basic":
            scheme["type"] = "http"
            scheme["scheme"] = "basic"
            self.moved.append((f"{pointer}/scheme", f"{pointer}/type"))
            return
        flow = scheme.get("flow")
        if scheme.get("type") == "oauth2" and type(flow) is str:
            del scheme["flow"]
            flow = _FLOWS.get(flow, "")
            details = {
                key: scheme.pop(key)
                for key in ("authorizationUrl", "tokenUrl", "scopes")
                if key in scheme
            }
            details.setdefault("scopes", {})
            scheme["flows"] = {}
            if flow:
                scheme["flows"] = {flow: details}
            self.moved.append((f"{pointer}/flows/{flow}", pointer))

    # Operations.

    def path_item(self, item: Any, pointer: str) -> None:
        item, pointer = self.target(item, pointer)
        if not self.once(item):
            return
        inherited, shifted = self.parameters(item, pointer)
        for method in PATH_ITEM:
            operation = item.get(method)
            if type(operation) is dict:
                self.operation(operation, f"{pointer}/{method}", inherited)
        self.moved += shifted

    def operation(self, operation: Node, pointer: str, inherited: list[Written]) -> None:
        own, shifted = self.parameters(operation, pointer)
        own += _not_overridden(inherited, own)
        consumes = _texts(operation.pop("consumes", None)) or self.consumes
        produces = _texts(operation.pop("produces", None)) or self.produces
        if own and "requestBody" not in operation:
            self.request_body(operation, pointer, own, consumes)
        self.moved += shifted
        self.own_server(operation)
        self.responses(operation, pointer, produces)

    def own_server(self, operation: Node) -> None:
        """Turn `schemes` of an operation into a server of its own, if the document has none of
        them.
        """
        schemes = _texts(operation.pop("schemes", None))
        if all((schemes, self.schemes, self.host)) and set(schemes).isdisjoint(self.schemes):
            operation["servers"] = [{"url": f"{schemes[0]}://{self.host}{self.base}"}]

    def parameters(self, holder: Node, pointer: str) -> tuple[list[Written], list[tuple[str, str]]]:
        """Convert the parameters of an operation or path item, and take out those that are the
        body.

        Returns these, and the moves (new, old pointer) of the rest, to be logged when the body is
        made: until then pointers count all parameters.
        """
        bodies: list[Written] = []
        shifted: list[tuple[str, str]] = []
        parameters = holder.get("parameters")
        if type(parameters) is not list:
            return bodies, shifted
        rest: list[Any] = []
        for index, entry in enumerate(parameters):
            here = f"{pointer}/parameters/{index}"
            parameter, at = self.target(entry, here)
            if self.is_body(parameter):
                # A shared one is used by other operations too, and every body is changed on its
                # own.
                if parameter is not entry:
                    parameter = copy.deepcopy(parameter)
                bodies.append((parameter, at))
                continue
            if parameter is entry or not at.startswith("/parameters/"):
                self.parameter(parameter, at)
            if len(rest) != index:
                shifted.append((f"{pointer}/parameters/{len(rest)}", here))
            rest.append(entry)
        holder["parameters"] = rest
        if not rest:
            del holder["parameters"]
        return bodies, shifted

    def parameter(self, parameter: Any, pointer: str) -> None:
        """Convert a parameter that is no body, or a response header, in place: its type goes into
        `schema`.
        """
        if not self.once(parameter):
            return
        if "$ref" in parameter:
            return
        style = parameter.pop("collectionFormat", None)
        schema = self.lift(parameter, pointer)
        if schema.get("type") == "array":
            self.style(parameter, style, pointer)

    def lift(self, parameter: Node, pointer: str) -> Node:
        """Move the keywords of a type into the parameter's `schema`, and return that; empty for
        none.
        """
        schema = {key: parameter.pop(key) for key in list(parameter) if _is_of_schema(key)}
        if type(parameter.get("schema")) is dict:
            schema = {**schema, **parameter["schema"]}
        elif schema:
            self.moved.append((f"{pointer}/schema", pointer))
        self.lists_within(schema, f"{pointer}/items")
        if schema:
            parameter["schema"] = schema
        return schema

    def lists_within(self, schema: Node, pointer: str) -> None:
        """Fill in `collectionFormat` of lists inside a list: OpenAPI 3 has no such keyword, so
        `parse` reads this one.
        """
        schema.pop("collectionFormat", None)
        items = schema.get("items")
        while type(items) is dict and items.get("type") == "array":
            written = items.get("collectionFormat", "csv")
            items["collectionFormat"] = self.usable(written, WITHIN, pointer)
            items, pointer = items.get("items"), f"{pointer}/items"

    def usable(self, written: Any, names: Collection[str], pointer: str) -> str:
        """Return a `collectionFormat` if it is among these names; else `csv`, with a warning."""
        name = written if type(written) is str else "csv"
        if name in names:
            return name
        self.problems.warn(
            "E0310",
            f"`collectionFormat: {visible(name)[:20]}` cannot be used here; values are joined"
            " with commas",
            pointer=f"{pointer}/collectionFormat",
        )
        return "csv"

    def style(self, parameter: Node, written: Any, pointer: str) -> None:
        """Set `style` and `explode` of a list parameter from its `collectionFormat`. An unknown
        format, and a repeated list where none can be, become `csv` with a warning.
        """
        in_query = parameter.get("in") == "query"
        names = _STYLES.keys() if in_query else WITHIN
        name = self.usable(written, names, pointer)
        if in_query or name != "csv":
            parameter["style"], parameter["explode"] = _STYLES[name]

    # Bodies.

    def request_body(
        self, operation: Node, pointer: str, parameters: list[Written], consumes: list[str]
    ) -> None:
        """Set `requestBody` from `in: body` (one; others give a warning) or `in: formData`
        parameters.
        """
        here = f"{pointer}/requestBody"
        bodies = [item for item in parameters if item[0]["in"] == "body"]
        if bodies and len(parameters) > 1:
            self.problems.warn(
                "E0311",
                "more than one body: `in: body` stands alone; the others are left out",
                pointer=pointer,
                hint="keep one `in: body` parameter, or only `in: formData` ones",
            )
        self.moved.append((here, (bodies or parameters)[0][1]))
        if bodies:
            operation["requestBody"] = self.whole_body(bodies[0], here, consumes)
        else:
            operation["requestBody"] = self.form_body(parameters, here, consumes)

    def whole_body(self, written: Written, here: str, consumes: list[str]) -> Node:
        """Return the request body of an `in: body` parameter, for the pointer `here`."""
        parameter, at = written
        body: Node = {}
        if type(parameter.get("description")) is str:
            body["description"] = parameter["description"]
        schema = parameter.get("schema")
        if "schema" not in parameter:
            schema = self.lift(parameter, at)
        types = consumes or ["application/json"]
        for media_type in types:
            self.moved.append((f"{here}/content/{escape(media_type)}", at))
        body["content"] = _content(types, {"schema": schema})
        if parameter.get("required") is True:
            body["required"] = True
        return body

    def form_body(self, fields: list[Written], here: str, consumes: list[str]) -> Node:
        """Return the request body of `in: formData` parameters, for the pointer `here`."""
        types = self.form_types(fields, consumes)
        required = any(field.get("required") is True for field, _ in fields)
        body: Node = {"content": _content(types, self.form(fields))}
        if required:
            body["required"] = True
        for media_type in types:
            properties = f"{here}/content/{escape(media_type)}/schema/properties"
            for field, at in fields:
                self.moved.append((f"{properties}/{escape(str(field.get('name')))}", at))
        return body

    def form_types(self, fields: list[Written], consumes: list[str]) -> list[str]:
        """Return the media types of a form: possible ones of `consumes`, else multipart if there is
        a file, else URL-encoded.
        """
        has_file = any(field.get("type") == "file" for field, _ in fields)
        possible = [URLENCODED, MULTIPART]
        if has_file:
            possible = [MULTIPART]
        named = [name for name in consumes if name.split(";")[0].strip().lower() in possible]
        return named or possible[:1]

    def form(self, fields: list[Written]) -> Node:
        """Return a Media Type Object for form fields: an object schema, and the encoding of its
        lists.
        """
        properties: Node = {}
        required: list[str] = []
        encoding: Node = {}
        for field, at in fields:
            name = field.get("name")
            if type(name) is not str:
                continue
            style = field.pop("collectionFormat", None)
            schema = self.lift(field, at)
            if type(field.get("description")) is str:
                schema = {"description": field["description"], **schema}
            properties[name] = schema
            if field.get("required") is True and name not in required:
                required.append(name)
            if schema.get("type") == "array":
                holder: Node = {"in": "query"}
                self.style(holder, style, at)
                holds_lists = "collectionFormat" in as_object(schema.get("items"))
                if holds_lists or not holder["explode"]:
                    encoding[name] = {"style": holder["style"], "explode": holder["explode"]}
        media: Node = {"schema": {"type": "object", "properties": properties}}
        if required:
            media["schema"]["required"] = required
        if encoding:
            media["encoding"] = encoding
        return media

    # Answers.

    def responses(self, operation: Node, pointer: str, produces: list[str]) -> None:
        responses = operation.get("responses")
        if type(responses) is not dict:
            return
        for status, entry in responses.items():
            if status.startswith("x-"):
                continue
            here = f"{pointer}/responses/{escape(status)}"
            response, at = self.target(entry, here)
            if response is entry:
                self.response(entry, here, produces)
            elif not at.startswith("/responses/"):
                self.response(response, at, produces)
            elif produces != self.produces and type(response) is dict:
                # A shared response answers in the media types of the operation that uses it.
                own = copy.deepcopy(response)
                self.moved.append((here, at))
                self.response(own, here, produces)
                responses[status] = own

    def response(self, response: Any, pointer: str, produces: list[str]) -> None:
        if not self.once(response):
            return
        if not response.keys().isdisjoint(("$ref", "content")):
            return
        schema = response.pop("schema", None)
        examples = as_object(response.pop("examples", None))
        types = produces
        if not types:
            types = ["application/json"]
            if as_object(schema).get("type") == "file":
                types = ["application/octet-stream"]
        content: Node = {}
        if schema is not None:
            content = _content(types, {"schema": schema})
            for name in types:
                new = f"{pointer}/content/{escape(name)}/schema"
                self.moved.append((new, f"{pointer}/schema"))
        self.examples(examples, types, content, pointer)
        if content:
            response["content"] = content
        for name, header in as_object(response.get("headers")).items():
            self.parameter(header, f"{pointer}/headers/{escape(name)}")

    def examples(self, examples: Node, types: list[str], content: Node, pointer: str) -> None:
        """Move a response's `examples` by media type to `example` of its media types."""
        for name, example in examples.items():
            if name in types or "/" in name:
                content.setdefault(name, {})["example"] = example
                token = escape(name)
                new = f"{pointer}/content/{token}/example"
                self.moved.append((new, f"{pointer}/examples/{token}"))


def _content(types: list[str], media: Node) -> Node:
    """Return media type → Media Type Object: a copy for each, as all are changed in place."""
    content: Node = {}
    for name in types:
        if content:
            media = copy.deepcopy(media)
        content[name] = media
    return content


def _not_overridden(inherited: list[Written], own: list[Written]) -> list[Written]:
    """Return copies of a path's body parameters that an operation does not declare itself."""
    names = [(parameter["in"], parameter.get("name")) for parameter, _ in own]
    places = [place for place, _ in names]
    out: list[Written] = []
    for parameter, at in inherited:
        place = parameter["in"]
        # There is one body, whatever its name.
        overridden = (place, parameter.get("name")) in names
        if place == "body":
            overridden = place in places
        if not overridden:
            out.append((copy.deepcopy(parameter), at))
    return out


def _is_of_schema(key: str) -> bool:
    """Return whether a key of a parameter belongs into its schema."""
    if key.startswith("x-"):
        return key == "x-nullable"
    return key not in _NOT_SCHEMA


def _members(root: Node, section: str) -> list[tuple[str, Any]]:
    return list(as_object(root.get(section)).items())


def _texts(value: Any) -> list[str]:
    """Return the texts of a list, without repeats; a single text is a list, other values are
    empty.
    """
    if type(value) is str:
        return [value]
    return list(dict.fromkeys(texts_in(value)))

"""Recognition of file types. A file that is not a document is named, with what to do instead.

Signatures are data: bytes for binary formats, the first characters for markup, root keys
for JSON and YAML formats.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..problems import DocumentError, Place, Problems
from ..text import visible
from .definitions import (
    SOURCES,
    holds_definitions,
    is_schema,
    is_tools,
    says_arguments,
    with_names,
)
from .text import SourceText

EXPECTED = "an OpenAPI document begins with `openapi: 3.1.0`, `info:` and `paths:`"
TOOLS_EXPECTED = "a list of tools is the `tools` that a server answers to `tools/list`"
SUPPORTED = ("2.0", "3.0.x", "3.1.x", "3.2.x")

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG", "a PNG image", ""),
    (b"\xff\xd8\xff", "a JPEG image", ""),
    (b"GIF8", "a GIF image", ""),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\x1f\x8b", "gzip compressed", "unpack it first: `gunzip`"),
    (b"BZh", "bzip2 compressed", "unpack it first: `bunzip2`"),
    (b"\xfd7zXZ", "xz compressed", "unpack it first: `unxz`"),
    (b"\x28\xb5\x2f\xfd", "zstd compressed", "unpack it first: `unzstd`"),
    (b"%PDF-", "a PDF", "ask the API's owner for the OpenAPI file it was made from"),
    (b"SQLite format 3\x00", "an SQLite database", EXPECTED),
    (b"\x7fELF", "a program", EXPECTED),
    (b"MZ\x90", "a program", EXPECTED),
    (b"\xd0\xcf\x11\xe0", "an old Office file", EXPECTED),
)

_MARKUP: tuple[tuple[str, str, str], ...] = (
    (
        r"<!doctype html|<html|<head|<body|<script",
        "an HTML page",
        (
            "the document is usually at `/openapi.json`, `/swagger.json`"
            " or `/v3/api-docs` of the same host"
        ),
    ),
    (
        r"<[^>]*definitions\b[^>]*wsdl|<wsdl:",
        "a WSDL description of a SOAP service",
        "SOAP is not supported",
    ),
    (r"<[^>]*application\b[^>]*wadl", "a WADL description", "convert it to OpenAPI first"),
    (r"<\?xml|<[a-zA-Z]", "an XML file", "an OpenAPI document is JSON or YAML"),
)

_CAPTURE = "give what the server answers to `tools/list`"
_CONVERT = (
    "convert it first, for example with `npx api-spec-converter --from={} --to=openapi_3 FILE`"
)

_LANGUAGES: tuple[tuple[str, str, str], ...] = (
    (
        r"^\s*(syntax\s*=\s*[\"']proto[23]|message\s+\w+\s*\{|service\s+\w+\s*\{)",
        "a protobuf file",
        "generate OpenAPI from it with `protoc-gen-openapi`",
    ),
    (
        r"^\s*(type|interface|schema|input|enum|scalar|extend|directive|query)\b[^:\n]*\{",
        "a GraphQL schema",
        "GraphQL is not supported",
    ),
    (r"^#%RAML", "a RAML document", _CONVERT.format("raml")),
    (
        r"^FORMAT: 1A|^#+ Group |^#+ .*\[(?:[A-Z]+ )?/|^#+ (?:GET|POST|PUT|DELETE) /",
        "an API Blueprint",
        _CONVERT.format("api_blueprint"),
    ),
    (
        r"^\s*(import |from \w+ import |def |class \w+|const |function |package |#include)",
        "source code",
        EXPECTED,
    ),
    (r"^#{1,6} \S|^```|^[-*] \[", "a Markdown text", "give the OpenAPI file itself"),
    (r"^[^\n:{}\[\]]+(,[^\n:{}\[\]]+){2,}\n[^\n:{}\[\]]+(,[^\n]+){2,}$", "a table (CSV)", EXPECTED),
)

_HEADERS = ("#%RAML", "FORMAT: 1A")
"""First lines of other formats whose text can be read as YAML."""

_ROOTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("asyncapi",),
        "an AsyncAPI document",
        "AsyncAPI is not supported: message APIs have no requests to call",
    ),
    (
        ("arazzo",),
        "an Arazzo description",
        "give the OpenAPI document its `sourceDescriptions` name, and this with `--workflows`",
    ),
    (
        ("overlay", "actions"),
        "an OpenAPI Overlay",
        "give the document it is for, and this with `--overlay`",
    ),
    (("openrpc",), "an OpenRPC document", "OpenRPC is not supported"),
    (
        ("swaggerVersion",),
        "a Swagger 1 document",
        "convert it to OpenAPI 3 first, for example with `api-spec-converter`",
    ),
    (
        ("kind", "discoveryVersion"),
        "a Google API discovery document",
        _CONVERT.format("google"),
    ),
    (("smithy",), "a Smithy model", "convert it with `smithy build` and its OpenAPI plugin"),
    (
        ("log.entries",),
        "an HTTP archive (HAR)",
        "derive an OpenAPI document from it first, for example with `har-to-openapi`",
    ),
    (("info._postman_id",), "a Postman collection", "convert it first: `npx postman-to-openapi`"),
    (("info.schema", "item"), "a Postman collection", "convert it first: `npx postman-to-openapi`"),
    (("_type", "resources"), "an Insomnia export", "export as OpenAPI instead"),
    (("__schema",), "a GraphQL introspection", "GraphQL is not supported"),
    (("data.__schema",), "a GraphQL introspection", "GraphQL is not supported"),
    (("api.url", "name_for_model"), "a plugin manifest", "give the document at its `api.url`"),
    (
        ("schema_version", "runtimes"),
        "a plugin manifest of Microsoft 365 Copilot",
        "give the OpenAPI document that its `runtimes` name",
    ),
    (
        ("instructions", "actions"),
        "a declarative agent of Microsoft 365 Copilot",
        "give the OpenAPI document that the plugins of its `actions` name",
    ),
    (("manifest_version", "server"), "a manifest of a desktop extension (MCPB)", _CAPTURE),
    (("dxt_version", "server"), "a manifest of a desktop extension (DXT)", _CAPTURE),
    (("name", "description", "packages"), "a server.json of the MCP registry", _CAPTURE),
    (("name", "description", "remotes"), "a server.json of the MCP registry", _CAPTURE),
    (("servers", "metadata"), "a list of servers of the MCP registry", _CAPTURE),
    (("registry",), "a catalogue of MCP servers (Docker)", "give the `tools.json` of one of them"),
    (("mcpServers",), "a client configuration", _CAPTURE),
    (("servers", "inputs"), "a client configuration", _CAPTURE),
    (("result.serverInfo",), "an answer to `initialize`", _CAPTURE),
    (("result.prompts",), "an answer to `prompts/list`", _CAPTURE),
    (("result.resources",), "an answer to `resources/list`", _CAPTURE),
    (
        ("capabilities", "skills"),
        "an A2A agent card",
        "an agent takes messages and has no tools; give the OpenAPI document of an API",
    ),
    (
        ("component_type", "provider"),
        "an AutoGen component",
        "its tools are source code; give their schemas as a list",
    ),
    (("nodes", "connections"), "an n8n workflow", EXPECTED),
    (("app.mode", "kind"), "a Dify app", EXPECTED),
    (
        ("identity", "description.llm"),
        "a Dify tool",
        "write it as a Tool of MCP, with `name`, `description` and `inputSchema`",
    ),
    (("apiVersion", "kind", "metadata"), "a Kubernetes manifest", EXPECTED),
    (("services",), "a Compose file", EXPECTED),
    (("dependencies", "name", "version"), "a package.json", EXPECTED),
)


def binary(name: str, raw: bytes) -> None:
    """Raise `DocumentError` for an empty file, and for bytes that are not text."""
    if not raw.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise DocumentError.of("E0106", "the file is empty", EXPECTED, file=name)
    for magic, what, hint in _MAGIC:
        if raw.startswith(magic):
            message = f"this is {what}, not a document"
            raise DocumentError.of("E0107", message, hint, file=name)


def markup(text: SourceText) -> None:
    """Raise `DocumentError` for HTML and XML, which begin with `<` as no document does."""
    start = text.content.lstrip()[:2000]
    if not start.startswith("<"):
        return
    for pattern, what, hint in _MARKUP:
        if re.search(pattern, start, re.I):
            code = "E0110"
            if "HTML" in what:
                code = "E0109"
            message = f"this is {what}, not an OpenAPI document"
            raise DocumentError.of(code, message, hint, file=text.name)


def language(text: SourceText) -> DocumentError | None:
    """The error that names the format of a text that is neither JSON nor YAML, if it is known."""
    start = text.content[:4000]
    for pattern, what, hint in _LANGUAGES:
        if re.search(pattern, start, re.M):
            message = f"this is {what}, not an OpenAPI document"
            return DocumentError.of("E0110", message, hint, file=text.name)
    return None


def describes_api(root: Any) -> bool:
    """Return whether a tree says that it is an OpenAPI or Swagger document."""
    return type(root) is dict and not root.keys().isdisjoint(("openapi", "swagger"))


def _refuse_comments(text: SourceText) -> None:
    """Raise `DocumentError` for an API Blueprint whose every line is a comment in YAML."""
    other_format = language(text)
    if other_format is not None and "Blueprint" in str(other_format):
        raise other_format


def tree(text: SourceText, root: Any) -> dict[str, Any]:
    """The root of an OpenAPI or Swagger document, or of definitions of tools. Raises
    `DocumentError`, which names what the file is, for anything else.
    """
    if root is None:
        _refuse_comments(text)
        raise DocumentError.of("E0106", "the file is empty", EXPECTED, file=text.name)
    if type(root) is list and any(map(holds_definitions, root)):
        return {"tools": root}
    if root == []:
        raise _not_it(text, "E0121", "the list is empty: there is no tool in it", TOOLS_EXPECTED)
    if type(root) is not dict:
        raise _not_an_object(text, root)
    if describes_api(root):
        return root
    has_tools = is_tools(with_names(root))
    if has_tools and says_arguments(root):
        return root
    _refuse_captured_error(text, root)
    if text.content.startswith(_HEADERS):
        raise language(text) or _without_version(text, root)
    _refuse_other_format(text, root)
    if has_tools or is_schema(root):
        return root
    raise _without_version(text, root)


def _refuse_other_format(text: SourceText, root: dict[str, Any]) -> None:
    """Raise `DocumentError` for an object with the keys of another format."""
    for keys, what, hint in _ROOTS:
        if all(_has(root, key) for key in keys):
            message = f"this looks like {what}, not an OpenAPI document"
            raise _not_it(text, "E0110", message, hint)


def _refuse_captured_error(text: SourceText, root: dict[str, Any]) -> None:
    """Raise `DocumentError` for a captured answer that is an error (JSON-RPC 2.0, section 5.1)."""
    if "jsonrpc" in root and type(root.get("error")) is dict:
        reason = visible(str(root["error"].get("message")))[:80]
        message = f"this is an error that a server answered: {reason}"
        raise _not_it(text, "E0121", message, TOOLS_EXPECTED)


_KINDS: dict[type, str] = {
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


def _not_an_object(text: SourceText, root: Any) -> DocumentError:
    """The error for a document whose root is no object."""
    if type(root) is str:
        other_format = language(text)
        if other_format is not None:
            return other_format
    hint = EXPECTED
    if type(root) is list:
        hint = (
            "a list is read where its members are tools: each has a `name` and an `inputSchema`;"
            " of API descriptions, give one document"
        )
    kind = _KINDS.get(type(root), "something else")
    return _not_it(text, "E0121", f"the document is {kind}, not an object", hint)


def _without_version(text: SourceText, root: dict[str, Any]) -> DocumentError:
    """The error for an object without `openapi` and `swagger`. It names a misspelt key, or the
    parts of a document that are there.
    """
    close = difflib.get_close_matches("openapi", [key.lower() for key in root], n=1, cutoff=0.75)
    misspelt = (*close, "swagger", "openapi")
    for key in root:
        if key.lower() in misspelt:
            return _not_it(text, "E0301", f"the root key `{key[:40]}` should be `openapi`")
    message = "neither `openapi` nor `swagger` at the root"
    sections = sorted({"paths", "components", "info"} & root.keys())
    if sections:
        message += ", only " + ", ".join(f"`{key}`" for key in sections)
    return _not_it(text, "E0301", message)


def _not_it(text: SourceText, code: str, message: str, hint: str = EXPECTED) -> DocumentError:
    """The error shown at the first character that is not a space."""
    place = text.place(len(text.content) - len(text.content.lstrip()))
    return DocumentError.of(code, message, hint, place=place)


def _has(root: Mapping[str, Any], path: str) -> bool:
    node: Any = root
    for key in path.split("."):
        if not isinstance(node, Mapping) or key not in node:
            return False
        node = node[key]
    return True


# Versions.

_SUPPORTED_3 = re.compile(r"3\.[012]\.\d+(-[\w.]+)?\Z")


def version(root: dict[str, Any], place: Callable[[str], Place], problems: Problems) -> str:
    """The version of a document, such as `3.1.0`; `tools` and `schema` for a document that does not
    describe an API.

    Raises `DocumentError` for a version that is not supported. Two slips are warnings: `swagger:
    2.0` as a number, and `openapi: "3.1"` without the last part.
    """
    if not describes_api(root):
        return _definitions_version(root)
    if "openapi" in root:
        supported = _openapi_version(root["openapi"], problems)
    else:
        supported = _swagger_version(root["swagger"], problems)
    if supported is None:
        raise _unsupported(root, place)
    return supported


def _definitions_version(root: dict[str, Any]) -> str:
    if SOURCES in root or is_tools(root):
        return "tools"
    return "schema"


def _openapi_version(value: Any, problems: Problems) -> str | None:
    """The version 3 that a value says, or None if it is not supported."""
    if type(value) is not str:
        return None
    written = value.strip()
    if _SUPPORTED_3.match(written):
        return written
    full = _UNFINISHED.get(written)
    if full is not None:
        message = f"`openapi: {value}` lacks its last part"
        problems.warn("E0302", message, pointer="/openapi", hint=f'write `"{full}"`')
    return full


def _swagger_version(value: Any, problems: Problems) -> str | None:
    """Version 2.0 if a value says so, or None."""
    if type(value) is bool or value not in ("2.0", 2.0, "2"):
        return None
    if type(value) is not str:
        message = "`swagger: 2.0` is a number"
        problems.warn("E0303", message, pointer="/swagger", hint='write `swagger: "2.0"`')
    return "2.0"


def _unsupported(root: dict[str, Any], place: Callable[[str], Place]) -> DocumentError:
    """The error for a version that is not supported."""
    key = "swagger"
    if "openapi" in root:
        key = "openapi"
    value = root[key]
    code, hint, notes = _advice(key, value)
    written = value
    if type(value) is not str:
        written = json.dumps(value)
    return DocumentError.of(
        code,
        f"`{key}: {written[:40]}` is not a supported version",
        hint,
        pointer=f"/{key}",
        notes=(*notes, "supported: " + ", ".join(SUPPORTED)),
        place=place(f"/{key}"),
    )


_UNFINISHED = {"3.0": "3.0.3", "3.1": "3.1.1", "3.2": "3.2.0"}


_NUMBERS: dict[float, str] = {
    2: 'swagger: "2.0"',
    3: 'openapi: "3.0.3"',
    3.1: 'openapi: "3.1.1"',
    3.2: 'openapi: "3.2.0"',
}
"""A version written as a number → how it is written."""


def _advice(key: str, value: Any) -> tuple[str, str, tuple[str, ...]]:
    """Code, hint and notes for a version that is not supported."""
    if type(value) in (int, float):
        note = f"`{value}` without quotes is a number; a version is text"
        return "E0303", f"write `{_NUMBERS.get(value, _NUMBERS[3.1])}`", (note,)
    if type(value) is not str:
        return "E0303", f"write `{_NUMBERS[3.1]}`", ("a version is text",)
    text = value.strip().lower().removeprefix("v")
    match text[:1], key:
        case "2", "openapi":
            return "E0302", 'write `swagger: "2.0"`', ("version 2 has the key `swagger`",)
        case "3", "swagger":
            return "E0302", f'write `openapi: "{text}"`', ("version 3 has the key `openapi`",)
        case "1", _:
            return "E0302", "convert the document to OpenAPI 3 first", ()
    nearest = next((full for start, full in _NEAREST if text.startswith(start)), "3.1.1")
    return "E0302", f'the nearest supported one is `openapi: "{nearest}"`', ()


_NEAREST = (
    ("3.0", "3.0.3"),
    ("3.1", "3.1.1"),
    ("3.2", "3.2.0"),
    ("3.", "3.2.0"),
    ("3", "3.0.3"),
    ("4", "3.2.0"),
)

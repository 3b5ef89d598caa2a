"""Recognition of file types. A file that is not a document is named, with the remedy.

The formats are rows of `data/formats.toml`, by their marks: bytes for binary formats, the first
characters for markup and languages, root keys for JSON and YAML formats.
"""

from __future__ import annotations

import difflib
import html
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urljoin

from ..problems import DocumentError, Place, Problems
from ..text import visible
from .definitions import (
    SOURCES,
    holds_definitions,
    is_schema,
    is_tools,
    member,
    says_arguments,
    with_names,
)
from .fetch import may_redirect
from .text import SourceText
from .values import as_object, as_text

EXPECTED = "an OpenAPI document begins with `openapi: 3.1.0`, `info:` and `paths:`"
TOOLS_EXPECTED = "a list of tools is the `tools` that a server answers to `tools/list`"
SUPPORTED = ("2.0", "3.0.x", "3.1.x", "3.2.x")
_HEADERS = ("#%RAML", "FORMAT: 1A")
"""First lines of other formats whose text can be read as YAML."""

Row = Mapping[str, Any]


@cache
def _formats() -> dict[str, list[Row]]:
    """Return the rows of `data/formats.toml` by kind."""
    return tomllib.loads((resources.files("mcpgen") / "data" / "formats.toml").read_text("utf-8"))


def _refuse(row: Row, name: str, document: str = "an OpenAPI document") -> DocumentError:
    """Return the error for a file of another format."""
    message = f"this is {row['what']}, not {document}"
    return DocumentError.of(row.get("code", "E0110"), message, row.get("hint", EXPECTED), file=name)


def binary(name: str, raw: bytes) -> None:
    """Raise `DocumentError` for an empty file, and for a binary format in `data/formats.toml`."""
    if not raw.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise DocumentError.of("E0106", "the file is empty", EXPECTED, file=name)
    for row in _formats()["binary"]:
        if raw.startswith(row["magic"].encode("latin-1")):
            raise _refuse({"code": "E0107", **row}, name, "a document")


def markup(text: SourceText) -> None:
    """Raise `DocumentError` for HTML and XML, which begin with `<` as no document does."""
    start = text.content.lstrip()[:2000]
    if not start.startswith("<"):
        return
    for row in _formats()["markup"]:
        if re.search(row["pattern"], start, re.I):
            raise _refuse(row, text.name)


_SHOWN = re.compile(
    r"""(?:\bspec-url=|\bdata-url=|\bapiDescriptionUrl=|Redoc\.init\(\s*|["']?\burl["']?\s*:\s*)
    ["']([^"'\s<>]+)["']""",
    re.X,
)
"""The address of a document in a page that shows it: Swagger UI (`url:`), ReDoc and RapiDoc
(`spec-url=`), Scalar (`data-url=`), Stoplight Elements.
"""


def shown_document(text: SourceText, url: str) -> str:
    """Return the URL of the document that an HTML page at a URL shows; empty for anything else, and
    for a document of another server.
    """
    if not text.content.lstrip().startswith("<"):
        return ""
    for found in _SHOWN.finditer(text.content):
        shown = urljoin(url, html.unescape(found[1]))
        if all((shown != url, may_redirect(url, shown))):
            return shown
    return ""


def language(text: SourceText) -> DocumentError | None:
    """Return the error that names the format of a text that is neither JSON nor YAML; None if
    unknown.
    """
    start = text.content[:4000]
    for row in _formats()["language"]:
        if re.search(row["pattern"], start, re.M):
            return _refuse(row, text.name)
    return None


def describes_api(root: Any) -> bool:
    """Return whether a tree is an object with the key `openapi` or `swagger`."""
    return not as_object(root).keys().isdisjoint(("openapi", "swagger"))


def _refuse_comments(text: SourceText) -> None:
    """Raise `DocumentError` for an API Blueprint whose every line is a comment in YAML."""
    other_format = language(text)
    if other_format is not None and "Blueprint" in str(other_format):
        raise other_format


def tree(text: SourceText, root: Any) -> dict[str, Any]:
    """Return the root of an OpenAPI or Swagger document, of definitions of tools (a list becomes
    `{"tools": [...]}`), or of a JSON Schema. Raises `DocumentError`, which names the format, for
    anything else.
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
    for row in _formats()["root"]:
        if all(member(root, key.split(".")) is not None for key in row["keys"]):
            message = f"this looks like {row['what']}, not an OpenAPI document"
            raise _not_it(text, "E0110", message, row.get("hint", EXPECTED))


def _refuse_captured_error(text: SourceText, root: dict[str, Any]) -> None:
    """Raise `DocumentError` for a captured answer that is an error (JSON-RPC 2.0, section 5.1)."""
    if "jsonrpc" in root and type(root.get("error")) is dict:
        reason = root["error"].get("message") or json.dumps(root["error"], default=str)
        message = f"this is an error that a server answered: {visible(str(reason))[:80]}"
        raise _not_it(text, "E0121", message, TOOLS_EXPECTED)


_KINDS: dict[type, str] = {
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


def _not_an_object(text: SourceText, root: Any) -> DocumentError:
    """Return the error for a document whose root is no object."""
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
    """Return the error for an object without `openapi` and `swagger`. It names a misspelt key, or
    the parts of a document that are there.
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
    """Return the error shown at the first character that is not a space."""
    place = text.place(len(text.content) - len(text.content.lstrip()))
    return DocumentError.of(code, message, hint, place=place)


# Versions.

_SUPPORTED_3 = re.compile(r"3\.[012]\.\d+(-[\w.]+)?\Z")
_NEAREST = {"3.0": "3.0.3", "3.1": "3.1.1", "3.": "3.2.0", "3": "3.0.3", "4": "3.2.0"}
"""The beginning of a version → the nearest one that is supported."""


def version(root: dict[str, Any], place: Callable[[str], Place], problems: Problems) -> str:
    """Return the version of a document, such as `3.1.0`; `tools` and `schema` for a document that
    does not describe an API.

    Raises `DocumentError` for a version that is not supported. Two slips are warnings: `swagger:
    2.0` as a number, and `openapi: "3.1"` without the last part.
    """
    if not describes_api(root):
        return "tools" if SOURCES in root or is_tools(root) else "schema"
    key, known = ("openapi", _openapi) if "openapi" in root else ("swagger", _swagger)
    supported = known(root[key], problems)
    if supported is None:
        raise _unsupported(key, root[key], place(f"/{key}"))
    return supported


def _openapi(value: Any, problems: Problems) -> str | None:
    """Return the whole version, such as `3.0.3`, or None if it is not supported. `3.1` is
    completed to `3.1.1`, with a warning (E0302).
    """
    written = as_text(value).strip()
    if _SUPPORTED_3.match(written):
        return written
    if not re.fullmatch(r"3\.[012]", written):
        return None
    full, message = _nearest(written), f"`openapi: {value}` lacks its last part"
    problems.warn("E0302", message, pointer="/openapi", hint=f'write `"{full}"`')
    return full


def _swagger(value: Any, problems: Problems) -> str | None:
    """Return `2.0` if a value says so (a number with a warning, E0303), else None."""
    if value not in ("2.0", 2.0, "2"):
        return None
    if type(value) is not str:
        message = "`swagger: 2.0` is a number"
        problems.warn("E0303", message, pointer="/swagger", hint='write `swagger: "2.0"`')
    return "2.0"


def _unsupported(key: str, value: Any, place: Place) -> DocumentError:
    """Return the error for a version that is not supported."""
    code, notes, written = "E0302", [f"supported: {', '.join(SUPPORTED)}"], value
    if type(value) is not str:
        code, written = "E0303", json.dumps(value)
        notes = ["a version is text: write it in quotes", *notes]
    text = str(value).strip().lower().removeprefix("v")
    hint = f'write `openapi: "{_nearest(text)}"`'
    if text.startswith("1"):
        hint = "convert the document to OpenAPI 3 first"
    elif text.startswith("2"):
        hint = 'write `swagger: "2.0"`'
    return DocumentError.of(
        code,
        f"`{key}: {written[:40]}` is not a supported version",
        hint,
        pointer=f"/{key}",
        notes=tuple(notes),
        place=place,
    )


def _nearest(text: str) -> str:
    """Return the supported version 3 nearest to a text: `3.1` → `3.1.1`."""
    if _SUPPORTED_3.match(text):
        return text
    return next((full for start, full in _NEAREST.items() if text.startswith(start)), "3.1.1")

"""Is the document what its OpenAPI version allows? Two answers: the official schema, fast; a
validator, thorough.

`check` compares with the official JSON Schema of the version: a millisecond, structure only.
`validate` runs openapi-spec-validator as well, which also compares defaults and path parameters; it
takes minutes for some documents and stumbles over valid ones, so it has a process of its own,
without network, and a time limit. Findings inform: they are warnings unless the caller is strict.
Both are for a document before `upgrade`, which changes what they look at.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from ..load.definitions import SOURCES
from ..load.document import FILES, Document
from ..problems import Problems, Severity
from ..runtime.pointer import child, escape

LIMIT = 100
"""Findings of one run; a document with more has one mistake many times."""

_CODE = "E0304"
_SHOWN = 60

_FOUND = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
_ARTICLES = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "integer": "an integer",
}


@cache
def _schema(version: str) -> Any:
    """The compiled official schema of a version, from the copies openapi-spec-validator ships."""
    import jsonschema_rs

    folder = resources.files("openapi_spec_validator") / "resources" / "schemas" / f"v{version}"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    return jsonschema_rs.validator_for(
        schema, pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
    )


def check(document: Document, problems: Problems, *, severity: Severity = "warning") -> None:
    """What the official schema of the document's version does not allow."""
    if not document.describes_api:
        return
    root = {key: value for key, value in document.root.items() if key not in (FILES, SOURCES)}
    validator = _schema(document.version[:3])
    try:
        if validator.is_valid(root):
            return
        for count, error in enumerate(validator.iter_errors(root)):
            if count >= LIMIT:
                return
            error = _innermost(error)
            pointer = "".join(f"/{escape(str(part))}" for part in error.instance_path)
            unexpected = _unexpected(error)
            for name in unexpected:
                said = f"`{name[:_SHOWN]}` may not stand here"
                problems.add(_CODE, severity, said, pointer=f"{pointer}/{escape(name)}")
            if not unexpected:
                problems.add(_CODE, severity, _said(error), pointer=pointer)
    except ValueError as error:
        problems.note("E0305", f"the structure could not be checked: {str(error)[:_SHOWN]}")


def _innermost(error: Any) -> Any:
    """The most telling error of alternatives that all failed: the one deepest in the document."""
    while True:
        branches = getattr(error.kind, "context", None)
        inner = [found for branch in branches or () for found in branch]
        # Every object that is no reference also fails to be one.
        inner = [found for found in inner if getattr(found.kind, "property", None) != "$ref"]
        if not inner:
            return error
        error = max(inner, key=lambda found: len(found.instance_path))


def _said(error: Any) -> str:
    """A validation error in the user's words."""
    kind, value = error.kind.name, error.instance
    detail = error.kind.as_dict()
    if kind == "required":
        return f"`{detail.get('property', '?')}` is missing"
    if kind == "type":
        types = detail.get("types") or detail.get("type") or []
        return f"{_subject(error)}must be {_any_of(types)}, not {_kind_of(value)}"
    if kind == "enum":
        options = detail.get("options")
        if not isinstance(options, list):
            return f"{_short(value)} is not allowed"
        return f"{_short(value)} is not one of {', '.join(f'`{item}`' for item in options[:10])}"
    if kind == "pattern":
        return f"{_short(value)} does not match `{str(detail.get('pattern', ''))[:_SHOWN]}`"
    if kind in _ALTERNATIVES:
        return f"{_short(value)} is nothing that may stand here"
    return str(error.message)[:200]


_ALTERNATIVES = ("oneOf", "anyOf", "oneOfNotValid", "oneOfMultipleValid", "falseSchema", "not")


def _any_of(types: Any) -> str:
    """Types of JSON Schema as a reader says them: `an object or null`."""
    names = [types] if isinstance(types, str) else list(types)
    return " or ".join(_ARTICLES.get(str(name), f"a {name}") for name in names)


def _kind_of(value: Any) -> str:
    return _FOUND.get(type(value), "a number")


def _unexpected(error: Any) -> list[str]:
    """The keys that should not be there, when that is the error."""
    if error.kind.name not in ("additionalProperties", "unevaluatedProperties"):
        return []
    return [str(name) for name in error.kind.as_dict().get("unexpected", ())]


def _subject(error: Any) -> str:
    """The key that has the wrong value, when it has one."""
    last = error.instance_path[-1] if error.instance_path else None
    return f"`{last[:_SHOWN]}` " if isinstance(last, str) else ""


def _short(value: Any) -> str:
    if type(value) in (dict, list):
        return _FOUND[type(value)]
    return f"`{json.dumps(value, ensure_ascii=False)[:_SHOWN]}`"


# The thorough one.


def validate(
    document: Document, problems: Problems, *, seconds: float, severity: Severity = "warning"
) -> None:
    """What `check` finds, and what openapi-spec-validator finds within `seconds`."""
    check(document, problems, severity=severity)
    if not document.describes_api:
        return
    before = {problem.pointer for problem in problems if problem.code == _CODE}
    hidden = {key for key in document.root if key.startswith("x-") and key != FILES} | {SOURCES}
    root = {key: value for key, value in document.root.items() if key not in hidden}
    for finding in _in_child({"version": document.version[:3], "root": root}, seconds):
        if "failed" in finding:
            problems.note("E0305", f"the full check did not finish: {finding['failed'][:200]}")
        elif finding["pointer"] not in before:
            problems.add(_CODE, severity, finding["message"], pointer=finding["pointer"])


def _in_child(job: dict[str, Any], seconds: float) -> Iterator[dict[str, str]]:
    """The findings of a child process, which is ended when its time is over."""
    # The package is found however this one was: installed, or from a checkout.
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen.lint.structure"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths},
    )
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        out, _ = process.communicate(json.dumps(job).encode())
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
            process.wait()
    for line in out.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
    if late.is_set():
        yield {"failed": f"its {seconds:g} seconds were over"}
    elif process.returncode:
        yield {"failed": "the validator gave up"}


def _work() -> None:
    """The child: one JSON line for each finding."""
    sys.addaudithook(_no_network)
    job = json.loads(sys.stdin.buffer.read())
    import openapi_spec_validator as osv

    kind = {
        "2.0": osv.OpenAPIV2SpecValidator,
        "3.0": osv.OpenAPIV30SpecValidator,
        "3.1": osv.OpenAPIV31SpecValidator,
        "3.2": osv.OpenAPIV32SpecValidator,
    }[job["version"]]
    offline = type("Offline", (kind,), {"resolver_handlers": {}})
    try:
        for count, error in enumerate(offline(job["root"]).iter_errors()):
            if count >= LIMIT:
                break
            path = tuple(map(str, error.absolute_path))
            if error.validator is not None and path and _follow(job["root"], path) is not _NOTHING:
                continue  # what the official schema does not allow, which `check` has said
            pointer = _locate(job["root"], path, error)
            message = str(error.message).split("\n")[0]
            print(json.dumps({"pointer": pointer, "message": message[:160]}), flush=True)
    except (
        Exception
    ) as error:  # it stumbles in many ways: over valid recursion, dangling references, odd shapes
        print(json.dumps({"failed": f"{type(error).__name__} in the validator"}), flush=True)


_NOTHING: Any = object()


def _follow(node: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        try:
            node = child(node, part)
        except (LookupError, ValueError):
            return _NOTHING
    return node


def _locate(root: Any, path: tuple[str, ...], error: Any) -> str:
    """Where a finding belongs. The validator counts paths from a schema it does not name, or names
    the operation.
    """
    named = re.search(r"for '(\w+)' operation in '(.*?)'", str(error.message))
    if named:
        return f"/paths/{escape(named[2])}/{named[1]}"
    if error.instance is None or isinstance(error.instance, dict):
        return ""
    path = path or ("default",)
    stack: list[tuple[Any, str]] = [(root, "")]
    while stack:
        node, pointer = stack.pop()
        if type(node) is dict:
            if _follow(node, path) == error.instance:
                return pointer + "".join("/" + escape(part) for part in path)
            stack += [(value, f"{pointer}/{escape(key)}") for key, value in node.items()]
        elif type(node) is list:
            stack += [(item, f"{pointer}/{index}") for index, item in enumerate(node)]
    return ""


def _no_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook. The validator opens its own schemas by `file:` URLs; nothing else may be
    fetched.
    """
    if (
        event == "urllib.Request"
        and "openapi_spec_validator" in str(arguments[0]).partition("file:")[2]
    ):
        return
    if event in ("socket.connect", "socket.getaddrinfo", "urllib.Request"):
        raise RuntimeError("no network here")


if __name__ == "__main__":
    _work()

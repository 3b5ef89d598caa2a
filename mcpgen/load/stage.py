"""The stage `load`: read, decode, parse, recognise, apply overlays, gather the files, say which version it is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import Any

from ..problems import Problems, UsageError
from . import json as json_text
from . import yaml as yaml_text
from .document import Document
from .limits import Limits
from .source import find, read, with_hash
from .text import Fault, Text, decode, problem, raised

Name = str | os.PathLike[str]


def load(
    names: Name | Sequence[Name],
    *,
    overlays: Sequence[Name] = (),
    limits: Limits | None = None,
    problems: Problems,
) -> Document:
    """The document a name stands for: a path, an http(s) URL or `-`.

    Raises `DocumentError` (exit code 1), `UsageError` (2) or `RefusedError` (3) when there is no document to go on with;
    smaller findings go to `problems`.
    """
    limits = limits or Limits()
    given = [names] if isinstance(names, (str, os.PathLike)) else list(names)
    if len(given) != 1:
        raise UsageError(problem("E0127", f"one document is needed, {len(given)} were given", "mcpgen"))
    source = find(given[0])
    text = decode(source.name, read(source, limits, given=os.fspath(given[0])))
    root = parse_text(text, limits)
    version = str(root.get("openapi") or root.get("swagger") or "")
    digest = hashlib.sha256(json.dumps(root, sort_keys=True).encode()).hexdigest()
    return Document(root=root, version=version, source=with_hash(source, digest), files={"": text}, limits=limits)


def parse_text(text: Text, limits: Limits) -> Any:
    """The tree of a text: JSON when it begins like JSON, YAML otherwise; never one after the other."""
    reader = json_text if text.content.lstrip(" \t\r\n")[:1] in ("{", "[") else yaml_text
    try:
        return reader.read(text, limits)
    except Fault as fault:
        raise raised(text, fault) from None

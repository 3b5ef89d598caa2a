"""Documents of many files: the others are read, embedded, and every reference is made local.

References are followed inside the folder of the main document and nowhere else: no network, no
absolute paths, no way out through `..` or a symbolic link (a document that could name any file or
host would let whoever wrote it read them). A document given as a URL may refer to files in its own
folder on its own server. `$id` names a schema; nothing is ever fetched because of it.
"""

from __future__ import annotations

import copy
import os
import posixpath
import re
import urllib.parse
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ..problems import McpgenError, Problem, Problems, RefusedError
from ..runtime.pointer import escape
from . import json as json_text
from . import yaml as yaml_text
from .document import FILES, Document, UnresolvedReference
from .fetch import Downloads, too_large
from .json import too_many_nodes
from .limits import Limits
from .source import read_file
from .text import Fault, LimitFault, TagFault, Text, decode, note_surrogates, raised

Chain: TypeAlias = "tuple[Chain, str] | None"

_SUSPECT = re.compile(
    r"""\$ref(?!["']?\s*:\s*["']\#/) | \$(id|anchor|dynamicRef)\b | \bmapping\b
      | \\(?:x|u00|U000000)(?:24|72|65|66) | \\\n""",
    re.X,
)
"""Texts without a match have only references of the form `#/...`, and need no walk.

In YAML `#` begins a comment unless it is quoted, and a quoted key may be escaped or folded.
"""

_NAMES = frozenset(
    "properties patternProperties $defs definitions dependentSchemas dependencies headers"
    " parameters responses schemas examples requestBodies links callbacks securitySchemes"
    " securityDefinitions pathItems mediaTypes content encoding variables paths webhooks x-webhooks"
    " x-ms-paths additionalOperations scopes".split()
)
"""Keys whose value maps names the author chose to objects: there, `example` or `x-rate` is a
name.
"""

_DATA = frozenset(("example", "default", "const", "enum", "value", "externalDocs"))
"""Keys whose value is data, in which `$ref` is a word like any other (unless it is all there
is).
"""

_STRUCTURE = frozenset(("x-webhooks", "x-ms-paths"))
"""The extensions in which references are references."""

_INLINED = frozenset(("description", "summary", "title", "example", "default", "value"))
"""Keys with plain values, which some authors keep in files: the value is put in place of the
reference.
"""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLAIN_TEXT = (".md", ".markdown", ".txt", ".html", ".rst")


def parse_text(text: Text, limits: Limits) -> Any:
    """The tree of a text: JSON when it begins like JSON, YAML otherwise; never one after the other.
    Raises `Fault`.
    """
    reader = json_text if text.content.lstrip(" \t\r\n")[:1] in ("{", "[") else yaml_text
    return reader.read(text, limits)


def suspicious(text: Text) -> bool:
    """Whether a text may hold a reference that is not of the form `#/...`."""
    return _SUSPECT.search(text.content) is not None


def gather(
    document: Document, problems: Problems, downloads: Downloads, folder: Path | None = None
) -> None:
    """Embed every file the document refers to, and make all references local, in place.

    `folder` is how far references may reach; the main document's own folder unless the user said
    more. Raises `RefusedError` for references that lead out of it.
    """
    _Gatherer(document, problems, downloads, folder).run()


class _Gatherer:
    def __init__(
        self,
        document: Document,
        problems: Problems,
        downloads: Downloads,
        folder: Path | None,
    ) -> None:
        self.document = document
        self.problems = problems
        self.downloads = downloads
        self.limits = document.limits
        self.refused: list[tuple[str, str, str, str]] = []
        self.queue: list[str] = []
        self.trees: dict[str, Any] = {}
        self.embedded_trees: dict[str, Any] = {}
        self.inline: list[tuple[dict[str, Any], str]] = []
        self.bytes = len(document.files[""].content)
        self.nodes = 0
        self.ids: dict[str, str] = {}
        self.anchors: dict[tuple[str, str], str] = {}
        source = document.source
        self.url = source.url
        self.root: Path | None = None
        self.main = ""
        if source.path is not None:
            here = Path(os.path.realpath(source.path.parent))
            self.root = Path(os.path.realpath(folder)) if folder is not None else here
            if not here.is_relative_to(self.root):
                self.root = here
            self.main = (here / source.path.name).relative_to(self.root).as_posix()
        elif self.url is not None:
            self.main = posixpath.basename(urllib.parse.urlsplit(self.url).path)

    def run(self) -> None:
        root = self.document.root
        root.pop(FILES, None)
        self.count(root)
        self.learn(root, "", "", "", "")
        self.visit(root, "", None, names=False, base="", resource="")
        if self.trees:
            root[FILES] = self.embedded_trees
        while self.queue:
            name = self.queue.pop(0)
            self.visit(
                self.trees[name], name, ((None, FILES), name), names=False, base="", resource=""
            )
        if self.refused:
            self.refuse()
        for holder, key in self.inline:
            try:
                value, _ = self.document.resolve(holder[key]["$ref"])
            except UnresolvedReference:
                continue
            holder[key] = copy.deepcopy(value)

    def refuse(self) -> None:
        problems = [
            Problem(
                code=code,
                severity="error",
                message=message,
                pointer=pointer,
                hint=hint,
                place=self.document.place(pointer),
            )
            for code, message, pointer, hint in self.refused
        ]
        raise RefusedError(*problems)

    # The walk.

    def learn(self, node: Any, file: str, pointer: str, base: str, key: str) -> None:
        """Note every `$id` and `$anchor` of a tree: names a reference may use instead of a
        pointer.
        """
        if type(node) is dict:
            identity = node.get("$id")
            if type(identity) is str and key not in _NAMES:
                base = urllib.parse.urljoin(base, identity.rstrip("#"))
                self.ids.setdefault(base, pointer)
            for word in ("$anchor", "$dynamicAnchor"):
                if type(node.get(word)) is str and key not in _NAMES:
                    self.anchors.setdefault((file, node[word]), pointer)
            for name, value in node.items():
                if type(value) is dict or type(value) is list:
                    self.learn(
                        value,
                        file,
                        f"{pointer}/{escape(name)}",
                        base,
                        name if key not in _NAMES else "",
                    )
        elif type(node) is list:
            for index, item in enumerate(node):
                if type(item) is dict or type(item) is list:
                    self.learn(item, file, f"{pointer}/{index}", base, "")

    def visit(
        self, node: Any, file: str, at: Chain, *, names: bool, base: str, resource: str
    ) -> None:
        """Rewrite the references of a node and below. `base` and `resource` are the nearest `$id`
        and its pointer.
        """
        if type(node) is list:
            for index, item in enumerate(node):
                if type(item) is dict or type(item) is list:
                    self.visit(
                        item, file, (at, str(index)), names=False, base=base, resource=resource
                    )
            return
        if type(node) is not dict:
            return
        if not names:
            if type(node.get("$id")) is str:
                base = urllib.parse.urljoin(base, node["$id"].rstrip("#"))
                resource = _pointer(at)
            self.references(node, file, at, base, resource)
        for key, value in node.items():
            if type(value) is not dict and type(value) is not list:
                continue
            below = (at, key)
            if names:
                self.visit(value, file, below, names=False, base=base, resource=resource)
            elif key in _DATA or _is_data(key, value):
                if (
                    key in _INLINED
                    and type(value) is dict
                    and len(value) == 1
                    and type(value.get("$ref")) is str
                ):
                    self.references(value, file, below, base, resource)
                    self.inline.append((node, key))
            elif key == "mapping" and type(node.get("propertyName")) is str:
                self.mapping(value, file, below, base, resource)
            else:
                if key in _INLINED and type(value) is dict and type(value.get("$ref")) is str:
                    self.inline.append((node, key))
                self.visit(value, file, below, names=key in _NAMES, base=base, resource=resource)

    def references(
        self, node: dict[str, Any], file: str, at: Chain, base: str, resource: str
    ) -> None:
        """The keywords of one object that refer to something."""
        if type(node.get("$ref")) is str:
            node["$ref"] = self.local(node["$ref"], file, (at, "$ref"), base, resource)
        if type(node.get("$dynamicRef")) is str:
            # Without an extension of it a dynamic reference is a plain one (2020-12 core section
            # 8.2.3.2).
            target = self.local(node.pop("$dynamicRef"), file, (at, "$dynamicRef"), base, resource)
            node.setdefault("$ref", target)
        for key in ("externalValue", "operationRef"):
            if type(node.get(key)) is str and _leads_away(node[key]):
                self.problems.note(
                    "E0207",
                    f"`{key}` names a resource elsewhere: it is not fetched",
                    pointer=_pointer((at, key)),
                )

    def mapping(self, mapping: Any, file: str, at: Chain, base: str, resource: str) -> None:
        """`discriminator.mapping`: names of schemas, or references (OpenAPI 3.1 section 4.8.25)."""
        if type(mapping) is not dict:
            return
        for key, value in mapping.items():
            if type(value) is str and (
                value.startswith("#") or re.search(r"[/\\:]|\.(json|ya?ml)\b", value)
            ):
                mapping[key] = self.local(value, file, (at, key), base, resource)

    # One reference.

    def local(self, ref: str, file: str, at: Chain, base: str, resource: str) -> str:
        """The local form of a reference written in `file`."""
        address, _, fragment = ref.strip().partition("#")
        here = f"/{FILES}/{escape(file)}" if file else ""
        if not address:
            if fragment and not fragment.startswith("/"):
                anchor = self.anchors.get((file, urllib.parse.unquote(fragment)))
                return _local(anchor, "") if anchor is not None else ref
            if resource and fragment and self.exists(resource, fragment):
                here = resource
            return _local(here, fragment) if here else "#" + fragment
        if base:
            known = self.ids.get(urllib.parse.urljoin(base, address))
            if known is not None:
                return _local(known, fragment)
        if address in self.ids:
            return _local(self.ids[address], fragment)
        if base and _SCHEME.match(base) and not _leads_away(address):
            address = urllib.parse.urljoin(base, address)
        name = self.name(address, file, at)
        if name is None:
            return ref
        if name == self.main:
            return _local("", fragment)
        if name not in self.trees:
            self.read(name, at)
        return self.embedded(name, fragment)

    def embedded(self, name: str, fragment: str) -> str:
        """A reference into an embedded file."""
        if fragment and not fragment.startswith("/"):
            fragment = self.anchors.get(
                (name, urllib.parse.unquote(fragment)), "/" + fragment
            ).removeprefix(f"/{FILES}/{escape(name)}")
        return _local(f"/{FILES}/{escape(name)}", fragment)

    def exists(self, resource: str, fragment: str) -> bool:
        """Whether a fragment leads somewhere within the schema that its `$id` makes a resource of
        its own.
        """
        try:
            self.document.resolve_one(_local(resource, fragment))
        except UnresolvedReference:
            return False
        return True

    def name(self, address: str, file: str, at: Chain) -> str | None:
        """The name of the file an address leads to, relative to the folder; None, and a refusal,
        for all else.
        """
        if _leads_away(address):
            if _SCHEME.match(address) and re.match(r"(?i)file:|[a-z]:[\\/]", address):
                return self.forbid(
                    "E0202", "a reference to a file outside the document's folder", at
                )
            return self.forbid("E0201", "a reference to another host", at)
        if self.root is None and self.url is None:
            return self.forbid(
                "E0202",
                "a reference to another file from standard input",
                at,
                "give the file's path instead of `-`",
            )
        path = urllib.parse.unquote(address).replace("\\", "/")
        if "\0" in path or path.startswith("/") or _leads_away(path):
            return self.forbid("E0202", "a reference to a file outside the document's folder", at)
        start = posixpath.dirname(file or self.main)
        name = posixpath.normpath(
            posixpath.join(start, path.partition("?")[0] if self.url else path)
        )
        if name == ".." or name.startswith("../"):
            return self.forbid("E0202", "a reference to a file outside the document's folder", at)
        if self.root is not None:
            real = Path(os.path.realpath(self.root / name))
            if not real.is_relative_to(self.root):
                return self.forbid(
                    "E0202", "a reference through a symbolic link out of the document's folder", at
                )
        return name

    def forbid(self, code: str, message: str, at: Chain, hint: str = "") -> str | None:
        """Note a reference that is refused. Never a name."""
        remedies = {
            "E0201": "download it and use a relative path",
            "E0202": "move the file beside the document, or allow a folder above with `--ref-root`",
        }
        self.refused.append((code, message, _pointer(at), hint or remedies[code]))
        return None

    def read(self, name: str, at: Chain) -> None:
        """Read a file once; what is wrong with it is a problem of the reference, or of a place in
        the file.
        """
        self.trees[name] = _MISSING
        if len(self.trees) > self.limits.files:
            self.refused.append(
                (
                    "E0205",
                    f"more than {self.limits.files:,} files",
                    _pointer(at),
                    "bundle the document",
                )
            )
            self.queue.clear()
            self.refuse()
        shown, raw = name, b""
        try:
            if self.url is not None:
                shown = urllib.parse.urljoin(self.url, urllib.parse.quote(name))
                raw = self.downloads.fetch(shown)
            else:
                assert self.root is not None
                path = self.root / name
                shown = self.shown(path)
                raw = read_file(path, shown, self.limits)
            self.bytes += len(raw)
            if self.bytes > self.limits.bytes:
                raise too_large(shown, self.limits)
            text = decode(shown, raw)
            tree: Any = (
                text.content if name.endswith(_PLAIN_TEXT) else parse_text(text, self.limits)
            )
            self.count(tree)
            note_surrogates(text, self.problems)
        except RefusedError:
            raise
        except Fault as fault:
            error = raised(text, fault)
            if isinstance(fault, (LimitFault, TagFault)):
                raise error from None
            self.problems.items.extend(error.problems)
            return
        except McpgenError as error:
            self.problems.items.append(_of_reference(error.problems[0], _pointer(at)))
            return
        self.trees[name] = self.embedded_trees[name] = tree
        self.document.files[name] = text
        self.learn(tree, name, f"/{FILES}/{escape(name)}", "", "")
        self.queue.append(name)

    def shown(self, path: Path) -> str:
        """How messages name a file: from where the user stands, as they named the main one."""
        assert self.document.source.path is not None and self.root is not None
        main = self.document.source.path.parent
        from_main = os.path.relpath(path, os.path.realpath(main))
        if str(main) == ".":
            return from_main
        return os.path.normpath(main / from_main)

    def count(self, tree: Any) -> None:
        self.nodes += json_text.size(tree)
        if self.nodes > self.limits.nodes:
            raise raised(self.document.files[""], too_many_nodes(self.limits))


_UNREADABLE = ("E0101", "E0102", "E0103", "E0122")


def _of_reference(problem: Problem, pointer: str) -> Problem:
    """A file that cannot be opened is a problem of the reference to it; any other stays its own."""
    if problem.code not in _UNREADABLE:
        return problem
    message = f"`$ref`: {problem.message}"
    return replace(problem, code="E0204", message=message, pointer=pointer, place=None)


_MISSING: Any = object()
"""What stands for a file that could not be read: references into it point to nothing."""


def _is_data(key: str, value: Any) -> bool:
    """Whether the value of a key is data by its shape: an extension, or the `examples` of a
    schema.
    """
    return (key.startswith("x-") and key not in _STRUCTURE) or (
        key == "examples" and type(value) is list
    )


def _leads_away(address: str) -> bool:
    """Whether an address names a host, a scheme, a drive or an absolute path."""
    address = address.strip()
    return bool(_SCHEME.match(address)) or address.startswith(("//", "\\\\"))


def _pointer(at: Chain) -> str:
    parts = []
    while at is not None:
        at, key = at
        parts.append("/" + escape(key))
    return "".join(reversed(parts))


def _local(pointer: str, fragment: str) -> str:
    """`#` and a pointer, in which a percent sign of a file's name does not begin an escape."""
    return "#" + pointer.replace("%", "%25") + fragment

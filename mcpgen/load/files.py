"""Documents of many files: the other files are read and embedded, and every reference is made
local.

References are followed only inside the folder of the main document: no network, no absolute paths,
no way out through `..` or a symbolic link. A document given as a URL may refer to files in its own
folder on its own server. An `$id` is never fetched. URLs with a prefix mapped to a folder are read
there.

A reference of an API description to a missing file costs only the parts that depend on it.
"""

from __future__ import annotations

import contextlib
import copy
import os
import posixpath
import re
import urllib.parse
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from ..problems import DocumentError, McpgenError, Problem, Problems, RefusedError
from ..runtime.pointer import child, escape, split
from ..text import visible
from . import json as json_text
from . import yaml as yaml_text
from .definitions import SOURCES, schemas, unwrapped
from .document import FILES, Document, UnresolvedReference
from .fetch import Downloads, too_large
from .identifiers import NAMES, Identifiers, meta_schema
from .json import too_many_nodes
from .source import Copies, is_url, read_file
from .text import Fault, Limits, SourceText, decode, raised, tell_slips
from .values import as_text

Chain: TypeAlias = "tuple[Chain, str] | None"
"""The keys that lead to a node, the last one outermost: a pointer is made of them when needed."""

_SUSPECT = re.compile(
    r"""\$ref(?!["']?\s*:\s*(?:["']\#/|\{)) | \$(id|anchor|dynamicRef|recursiveRef)\b
      | json-schema\.org/draft-04/
      | mapping["']?\s*:(?!\s*\{(?:\s*"[^"\\]*"\s*:\s*"\#/[^"\\]*"\s*(?:,|(?=\})))*\})
      | \\(?:x|u00|U000000)(?:24|72|65|66) | \\\n""",
    re.X,
)
"""Texts without a match have only references of the form `#/...`, and need no walk; so has a
`mapping` in JSON whose values are all of that form, and a `$ref` that is an object is a property of
that name. Every alternative begins with a character of its own: with `\b` before `mapping` a search
takes ten times as long, 0.6 s for 13 MB.

In YAML `#` begins a comment unless it is quoted, and a quoted key may be escaped or folded.
"""

_IDENTIFIES = re.compile(r"\$(id|anchor|dynamicAnchor)\b|draft-04|\\(x|u00|U000000)24|\\\n")
"""Texts without a match have no `$id` and no anchor."""

_DATA = frozenset(("example", "default", "const", "enum", "value", "externalDocs"))
"""Keys whose value is data: `$ref` is an ordinary key there, unless it is the only key."""

_STRUCTURE = frozenset(("x-webhooks", "x-ms-paths"))
"""The extensions in which references are references."""

_INLINED = frozenset(("description", "summary", "title", "example", "default", "value"))
"""Keys with plain values, which some authors keep in files: the value replaces the reference."""

_INLINES = re.compile(rf"""(?:{"|".join(sorted(_INLINED))})["']?\s*:\s*\{{?\s*["']?\$ref""")
"""Texts with a match may hold such a reference."""

COLLECTIONS = NAMES | {"components", "info", "security", "servers", "tags"}
"""Keys whose value is a collection or the document's own. OpenAPI knows no reference in its place,
but many authors keep it in a file, and bundlers read it so.
"""

_LEADS_AWAY = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\)")
"""An address that begins with a scheme, a host, a drive or a network share."""
_FILE_ADDRESS = re.compile(r"file:|[a-z]:[\\/]", re.I)
_MAPPED_REFERENCE = re.compile(r"\A#|[/\\:]|\.(json|ya?ml)\b")
"""A value of `discriminator.mapping` that is a reference and not a schema's name."""
_PLAIN_TEXT = (".md", ".markdown", ".txt", ".html", ".rst")
_UNREADABLE = ("E0101", "E0102", "E0103", "E0122")

_OWN = "./"
"""Beginning of the name of a file in the project of a document that lies outside of it: no name of
a folder that the project lies in is a part of the names that are made of it.
"""

_OTHER_HOST = "a reference to another host, which is not followed"
_OUTSIDE = "a reference to a file outside the document's folder"
_REMEDIES = {
    "E0201": "download it and use a relative path",
    "E0202": "move the file beside the document, or allow a folder above",
    "E0204": "add the file, or correct the path: it is relative to the file with the reference",
}


def parse_text(text: SourceText, limits: Limits) -> Any:
    """Return the tree of a text: of JSON if it is read as JSON, else of YAML. Raises `Fault`."""
    if text.is_json:
        return json_text.read(text, limits)
    return yaml_text.read(text, limits)


def suspicious(text: SourceText, *, has_tools: bool) -> bool:
    """Return whether a text may hold a reference that is not local already, or one that a value
    replaces. In a list of tools `#/...` is not local: it begins at the schema of its tool.
    """
    if has_tools and "$ref" in text.content:
        return True
    return any(pattern.search(text.content) for pattern in (_SUSPECT, _INLINES))


def gather(
    document: Document,
    problems: Problems,
    downloads: Downloads,
    copies: Copies,
    folder: Path | None,
    mapped: Mapping[str, Path],
) -> None:
    """Embed every file the document refers to, also through other files, and make all references
    local, in place. Without a file, an API description gets a warning, a list loses the tool.

    `folder`: the limit of references, by default the main document's folder. `mapped`: beginning
    of URLs → the folder with their files. Raises `RefusedError` for references out of a folder,
    and `DocumentError` with the errors of all files that are unreadable in another way.
    """
    _Gatherer(document, problems, downloads, copies, folder, mapped).run()


@dataclass(frozen=True, slots=True)
class _Scope:
    """The base for resolving a reference.

    `file` holds the reference. `home` and `resource` are pointers: of the whole schema (the file's
    root, or the schema of one tool), and of the nearest schema with an `$id`. `origin` and `base`
    are the `$id`s of these two. `tool` is the pointer of the tool that is dropped with an
    unresolved reference; None if the whole run fails. With `is_data` a missing file is no error:
    the text may be an example that looks like a reference. If a schema `is_before_2019`, its `$ref`
    is not relative to the `$id` beside it.
    """

    file: str
    home: str
    resource: str
    origin: str = ""
    base: str = ""
    tool: str | None = None
    is_data: bool = False
    is_before_2019: bool = False


class _Forbidden(Exception):
    """A reference that must not be followed."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint or _REMEDIES[code]


class _Elsewhere(_Forbidden):
    """A reference to a URL; the file may have a copy on this machine."""

    def __init__(self, url: str) -> None:
        prefix = visible(urllib.parse.urljoin(url, "."))[:80]
        hint = f"copy the files into a folder, and name it: `--ref-map {prefix}=FOLDER`"
        super().__init__("E0201", _OTHER_HOST, hint)


class _Gatherer:
    """`refused` and `errors` collect what ends the run once every file has been visited, `lost` the
    dropped tools of a list: pointer → problem.
    """

    def __init__(
        self,
        document: Document,
        problems: Problems,
        downloads: Downloads,
        copies: Copies,
        folder: Path | None,
        mapped: Mapping[str, Path],
    ) -> None:
        self.mapped = {url: Path(os.path.realpath(home)) for url, home in mapped.items()}
        self.missing: list[Problem] = []
        """The references of an API description that lead to no file."""
        self.document = document
        self.problems = problems
        self.downloads = downloads
        self.copies = copies
        self.limits = document.limits
        self.refused: list[Problem] = []
        self.errors: list[Problem] = []
        self.lost: dict[str, Problem] = {}
        self.unreadable: dict[str, Problem] = {}
        self.queue: deque[tuple[Any, Chain, _Scope]] = deque()
        """Trees and targets in extensions whose references are not followed yet."""
        self.visited: set[int] = set()
        """The `id` of each object whose references are local."""
        self.requested: set[str] = set()
        self.former: dict[str, str] = {}
        """Missing path → the note about the file that is read instead (see `in_this_clone`)."""
        self.embedded: dict[str, Any] = {}
        self.inline: list[tuple[dict[str, Any], Chain]] = []
        self.bytes = len(document.files[""].content)
        self.nodes = 0
        self.identifiers = Identifiers()
        self.dynamic = ["$dynamicRef"]
        dialect = str(document.root.get("$schema"))
        contents = [text.content for text in document.files.values()]
        if any("json-schema.org/draft-04/" in text for text in [dialect, *contents]):
            self.identifiers.has_draft_4 = True
        if not document.describes_api:  # in an API `#` is the document, and no schema
            self.dynamic.append("$recursiveRef")
        self.tools: dict[str, str] = {}
        """The schemas of tools, by pointer: the pointer of the tool."""
        self.url = document.source.url
        self.root: Path | None = None
        self.main = self.here = ""
        """The name of the document's file, and the path from `root` to its folder."""
        self.own = ""
        """The path from `root` to the project, if the document is not in the project."""
        if document.source.path is not None:
            self.root, self.here, self.main = _root_and_name(document.source.path, folder)
            self.own = _way_to(copies.folder, self.root)
            if f"{self.here}/".startswith(self.own):
                self.own = ""
        elif self.url is not None:
            self.main = posixpath.basename(urllib.parse.urlsplit(self.url).path)

    def run(self) -> None:
        root = self.document.root
        root.pop(FILES, None)
        self.count(root)
        if not self.document.describes_api:
            self.collect_tools(root, "")
        contents = [text.content for text in self.document.files.values()]
        if self.identifiers.has_draft_4 or any(map(_IDENTIFIES.search, contents)):
            self.identifiers.collect(root, "")
        sources = root.pop(SOURCES, None)
        if sources is not None:
            self.visit(sources, (None, SOURCES), _Scope("", "", ""))
            for name, tree in self.embedded.items():
                self.collect_tools(tree, _home(name))
                self.identify(name, tree)
        self.visit(root, None, _Scope("", "", ""))
        if sources is not None:
            root[SOURCES] = sources
        root[FILES] = self.embedded
        while self.queue:
            self.visit(*self.queue.popleft())
        if not self.embedded:
            del root[FILES]
        self.report()
        self.inline_values()

    def report(self) -> None:
        """Raise RefusedError for refused references, or if no tool is left, and DocumentError for
        unreadable files; else warn about missing files and lost tools.
        """
        for message in self.former.values():
            self.problems.note("E0128", message)
        if self.refused:
            raise RefusedError(*self.refused)
        if self.errors:
            raise DocumentError(*self.errors)
        by_file: defaultdict[str, list[Problem]] = defaultdict(list)
        for problem in self.missing:
            by_file[problem.message.partition("#")[0]].append(problem)
        for found in by_file.values():
            count = "" if len(found) == 1 else f", in {len(found):,} places"
            self.problems.items.append(
                replace(found[0], severity="warning", message=f"{found[0].message}{count}")
            )
        tools = set(self.tools.values())
        if self.lost and not self.document.describes_api and tools == self.lost.keys():
            raise RefusedError(*self.lost.values())
        for pointer, problem in self.lost.items():
            self.document.lost[pointer] = problem.code
            self.problems.warn(
                problem.code, problem.message, pointer=problem.pointer, hint=problem.hint
            )

    def collect_tools(self, tree: Any, pointer: str) -> None:
        """Note the schemas of a document's tools, or the root of an embedded file without tools:
        each is a document of its own.
        """
        for schema, at, tool in schemas(tree, pointer):
            if at:
                self.identifiers.starts[id(schema)] = at
                self.tools[at] = tool

    def count(self, tree: Any) -> None:
        self.nodes += json_text.measured(tree)[0]
        if self.nodes > self.limits.nodes:
            raise raised(self.document.files[""], too_many_nodes(self.limits))

    def inline_values(self) -> None:
        """Replace the references in `inline` by copies of their targets, dangling ones excepted.
        Files read last come first, because earlier files may contain them.
        """
        for holder, at in reversed(self.inline):
            assert at is not None
            _, key = at
            try:
                value, written = self.document.resolve(holder[key]["$ref"])
            except UnresolvedReference:
                continue
            self.count(value)
            holder[key] = copy.deepcopy(value)
            self.document.forget()
            if key in COLLECTIONS:
                self.document.moved.append((_pointer(at), written))
                message = f"`{key}` has no reference in OpenAPI: what it names is read in its place"
                self.problems.note("E0304", message, pointer=f"{_pointer(at)}/$ref")

    def refuse(
        self, at: Chain, scope: _Scope, code: str, message: str, hint: str, *, missing: bool = False
    ) -> None:
        """Note a reference that is not followed, as an error; `missing`: in an API description as a
        warning.
        """
        pointer = _pointer(at)
        place = self.document.place(pointer)
        problem = Problem(
            code=code, severity="error", message=message, pointer=pointer, hint=hint, place=place
        )
        ends_run = self.refused
        if missing and self.document.describes_api:
            ends_run = self.missing
        self.lose(problem, replace(scope, is_data=False), ends_run)

    def lose(self, problem: Problem, scope: _Scope, ends_run: list[Problem]) -> None:
        """Note a fault: for data a note, in a tool the loss of the tool, else an item of
        `ends_run`.
        """
        if scope.is_data:
            self.problems.note(
                problem.code,
                f"an example is left as it is: {problem.message}",
                pointer=problem.pointer,
                place=problem.place,
            )
        elif scope.tool is None:
            ends_run.append(problem)
        elif scope.tool not in self.lost:
            message = f"the tool `{self.name_of(scope.tool)}` is left out: {problem.message}"
            self.lost[scope.tool] = replace(problem, message=message)

    def tolerates(self, problem: Problem) -> bool:
        """Return whether an unreadable file costs only the parts that refer to it."""
        return self.document.describes_api and problem.code == "E0204"

    def name_of(self, pointer: str) -> str:
        """Return the name of the tool at a pointer, or without a name the pointer's last key."""
        node: Any = {"": self.document.root, FILES: self.embedded}
        tokens = split(pointer)
        if tokens[0] != FILES:
            tokens.insert(0, "")
        for token in tokens:
            node = child(node, token)
        name = unwrapped(node, pointer)[0].get("name")
        if type(name) is not str:
            name = tokens[-1]
        return visible(name)[:60]

    # The walk.

    def visit(self, node: Any, at: Chain, scope: _Scope) -> None:
        """Make the references of a node and of all below it local, in place, and read the files
        they name: `$ref`, `$dynamicRef` and discriminator mappings. Data is skipped (`example`,
        `enum`, `x-…`).
        """
        if isinstance(node, list):
            for index, item in enumerate(node):
                if isinstance(item, (dict, list)):
                    self.visit(item, (at, str(index)), scope)
        elif isinstance(node, dict):
            if id(node) in self.visited:
                return
            scope = self.scope_of(node, scope)
            inner = self.scope_in(node, at, scope)
            if not scope.is_before_2019:
                scope = inner
            self.rewrite(node, at, scope)
            for key, value in node.items():
                if isinstance(value, (dict, list)):
                    self.visit_member(node, key, (at, key), inner)

    def scope_of(self, node: dict[str, Any], scope: _Scope) -> _Scope:
        """Return the scope of an object: a new one for a whole schema, or with the draft of its
        `$schema`.
        """
        start = self.identifiers.starts.get(id(node))
        if start is not None:
            scope = _Scope(scope.file, start, start, tool=self.tools[start])
        draft = node.get("$schema")
        if type(draft) is str:
            scope = replace(scope, is_before_2019="json-schema.org/draft-0" in draft)
        return scope

    def scope_in(self, node: dict[str, Any], at: Chain, scope: _Scope) -> _Scope:
        """Return the scope of what an object holds, with its `$id` as the base if it has one."""
        address, _ = self.identifiers.identity(node)
        if not address:
            return scope
        base = urllib.parse.urljoin(scope.base, address)
        origin = scope.origin
        if not origin:
            origin = base
        return replace(scope, base=base, origin=origin, resource=_pointer(at))

    def visit_member(self, node: dict[str, Any], key: str, at: Chain, scope: _Scope) -> None:
        value = node[key]
        if id(value) in self.identifiers.starts:
            self.visit(value, at, scope)
        elif _is_inlined(key, value):
            self.rewrite(value, at, replace(scope, is_data=key in _DATA))
            self.inline.append((node, at))
        elif key in COLLECTIONS and _is_reference(value):
            self.rewrite(value, at, scope)
            self.inline.append((node, at))
        elif _is_data(key, value):
            return
        elif key == "mapping" and type(node.get("propertyName")) is str:
            self.rewrite_mapping(value, at, scope)
        elif key in NAMES and isinstance(value, dict):
            for name, item in value.items():
                self.visit(item, (at, name), scope)
        else:
            self.visit(value, at, scope)

    def rewrite(self, node: dict[str, Any], at: Chain, scope: _Scope) -> None:
        """Make the references of one object local, in place, and note an `externalValue` or
        `operationRef` that leads away.
        """
        if id(node) in self.visited:
            return
        self.visited.add(id(node))
        if type(node.get("$ref")) is str:
            node["$ref"] = self.local(node["$ref"], (at, "$ref"), scope)
            if not scope.is_data:
                self.enter(node["$ref"], scope)
        for key in self.dynamic:
            if type(node.get(key)) is str:
                target = self.dynamic_target(node.pop(key), (at, key), scope)
                node.setdefault("$ref", target)
        for key in filter(node.__contains__, ("externalValue", "operationRef")):
            if _LEADS_AWAY.match(as_text(node.get(key))):
                message = f"`{key}` names a resource elsewhere: it is not fetched"
                self.problems.note("E0207", message, pointer=_pointer((at, key)))

    def enter(self, ref: str, scope: _Scope) -> None:
        """Queue the extension that a reference leads into, as `#/x-schemas/A`, so that its
        references are followed.
        """
        if "/x-" not in ref:
            return
        keys = [*map(urllib.parse.unquote, split(ref.removeprefix("#")))]
        node: Any = self.document.root
        at: Chain = None
        file = ""
        if keys[:1] == [FILES]:
            file, *keys = keys[1:] or [""]
            node, at = self.embedded.get(file), ((None, FILES), file)
        if not any(map(_is_extension, keys)):
            return
        with contextlib.suppress(LookupError):
            for key in keys:
                node, at = child(node, key), (at, key)
            home = _home(file)
            self.queue.append((node, at, replace(scope, file=file, home=home, resource=home)))

    def dynamic_target(self, ref: str, at: Chain, scope: _Scope) -> str:
        """Return the local form of a dynamic reference, resolved for the schema around it; an
        ambiguous one gets a warning (E0208).
        """
        name = ref.partition("#")[2]
        target = self.local(ref, at, scope)
        if not self.identifiers.is_dynamic(target.removeprefix("#"), name):
            return target
        outermost = self.identifiers.outermost(name, scope.resource, scope.home)
        if outermost is not None:
            return _local(outermost, "")
        message = f"`{visible(ref)[:60]}` may mean several schemas: read as the nearest"
        self.problems.warn("E0208", message, pointer=_pointer(at))
        return target

    def rewrite_mapping(self, mapping: Any, at: Chain, scope: _Scope) -> None:
        """Make references in a `discriminator.mapping` local, in place; names of schemas stay."""
        if type(mapping) is not dict:
            return
        for key, value in mapping.items():
            if _MAPPED_REFERENCE.search(as_text(value)):
                mapping[key] = self.local(value, (at, key), scope)

    # One reference.

    def local(self, ref: str, at: Chain, scope: _Scope) -> str:
        """Return the local form of a reference, its file read and embedded; a refused one stays
        unchanged.
        """
        address, _, fragment = ref.strip().partition("#")
        if fragment == "/":  # meant as the whole file; it is its key "" (RFC 6901 section 5)
            ref, fragment = f"{address}#", ""
        if not address:
            return self.within_file(ref, fragment, scope)
        uri = urllib.parse.urljoin(scope.base, address)
        for identity in (uri, address):
            resource = self.identifiers.resource(scope.home, identity)
            if resource is not None:
                return self.within(resource, scope.home, fragment)
        if self.is_meta_schema(uri):
            return self.within(_home(uri), _home(uri), fragment)
        try:
            name = self.mapped_name(address, uri, scope) or self.file_name(
                self.neighbour(address, uri, scope), scope.file
            )
        except _Forbidden as reason:
            message = f"{reason.message}: `{visible(ref)[:120]}`"
            is_url_of_file = isinstance(reason, _Elsewhere)
            self.refuse(at, scope, reason.code, message, reason.hint, missing=is_url_of_file)
            return ref
        if name == self.main:
            name = ""
        elif name not in self.requested:
            self.read(name, at, scope)
        if name in self.unreadable:
            problem = self.unreadable[name]
            self.lose(problem, scope, self.missing if self.tolerates(problem) else [])
            return ref
        return self.within(_home(name), _home(name), fragment)

    def within_file(self, ref: str, fragment: str, scope: _Scope) -> str:
        """Return the local form of a reference into its own file: a place in the schema around it
        if there is such a place, else in the file; an unknown anchor unchanged.
        """
        if fragment.startswith(f"/{FILES}/"):
            return ref  # It is local: it lies in an extension that two references lead into.
        if _is_anchor(fragment):
            pointer = self.identifiers.anchor(scope.resource, scope.home, fragment)
            if pointer is None:
                return ref
            return _local(pointer, "")
        for pointer in (scope.resource, scope.home):
            if pointer and self.exists(pointer, fragment):
                return _local(pointer, fragment)
        return _local(_home(scope.file), fragment)

    def within(self, resource: str, home: str, fragment: str) -> str:
        """Return the local form of a reference into the schema at the pointer `resource`."""
        if not _is_anchor(fragment):
            return _local(resource, fragment)
        pointer = self.identifiers.anchor(resource, home, fragment)
        if pointer is None:
            return _local(resource, "/" + fragment)
        return _local(pointer, "")

    def is_meta_schema(self, uri: str) -> bool:
        """Return whether an address is a meta-schema's, and embed it if so."""
        if uri not in self.embedded:
            tree = meta_schema(uri)
            if tree is None:
                return False
            self.embed(uri, tree)
        return True

    def neighbour(self, address: str, uri: str, scope: _Scope) -> str:
        """Return the address of the file that an address in a schema with an `$id` means: files lie
        beside each other as their `$id`s do. Any other address is unchanged.
        """
        if not _LEADS_AWAY.match(scope.origin):
            return address
        origin, target = urllib.parse.urlsplit(scope.origin), urllib.parse.urlsplit(uri)
        if origin[:2] != target[:2]:
            return address
        path = posixpath.relpath(target.path, posixpath.dirname(origin.path) or "/")
        if _LEADS_AWAY.match(address) and not self.is_file(path, scope.file):
            return address
        return path

    def is_file(self, path: str, file: str) -> bool:
        """Return whether there is a file at a path that a reference in `file` may name."""
        if self.root is None:
            return False
        try:
            return os.path.isfile(self.root / self.here / self.file_name(path, file))
        except _Forbidden:
            return False

    def exists(self, resource: str, fragment: str) -> bool:
        """Return whether a fragment points to something within the schema at the pointer
        `resource`.
        """
        try:
            self.document.resolve_one(_local(resource, fragment))
        except UnresolvedReference:
            return False
        return True

    def file_name(self, address: str, file: str) -> str:
        """Return the name (see `way`) of the file that an address in `file` means. Raises
        `_Forbidden` for a URL or a path out of the folder.
        """
        if _FILE_ADDRESS.match(address):
            raise _Forbidden("E0202", _OUTSIDE)
        if _LEADS_AWAY.match(address):
            if is_url(address.strip()):
                raise _Elsewhere(address.strip())
            raise _Forbidden("E0201", _OTHER_HOST)
        if self.root is None and self.url is None:
            message = "a reference to another file from standard input"
            raise _Forbidden("E0202", message, "give the file's path instead of `-`")
        path = urllib.parse.unquote(address).replace("\\", "/")
        if "\0" in path or path.startswith("/") or _LEADS_AWAY.match(path):
            raise _Forbidden("E0202", _OUTSIDE)
        if self.url is not None:
            path = path.partition("?")[0]
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self.way(file)), path))
        if f"{name}/".startswith("../"):
            raise _Forbidden("E0202", _OUTSIDE, self.remedy(name))
        if self.root is not None:
            name = self.in_this_clone(name)
            target = Path(os.path.realpath(self.root / name))
            if not target.is_relative_to(self.root):
                message = "a reference through a symbolic link out of the document's folder"
                raise _Forbidden("E0202", message)
        return self.file_at(name)

    def file_at(self, way: str) -> str:
        """Return the name of a file (see `way`) for its path from `root`."""
        own = way.removeprefix(self.own)
        if own != way:
            return _OWN + own
        return posixpath.relpath(way, self.here or ".")

    def way(self, file: str) -> str:
        """Return the path of a file from `root`, the folder that limits references. `file` is
        relative to the document's folder, or to the project if it begins with `./`.
        """
        folder = self.own if file.startswith(_OWN) else self.here
        return posixpath.join(folder, file)

    def in_this_clone(self, name: str) -> str:
        """Return the path of a file from `root`. If the file is missing because a folder above the
        document has another name in this clone, return the path through the present folder, and
        note it.
        """
        assert self.root is not None
        parts, here = name.split("/"), [*filter(None, self.here.split("/"))]
        depth = len(posixpath.commonprefix([parts, here]))
        if depth >= min(len(parts) - 1, len(here)):
            return name
        other = "/".join([*here[: depth + 1], *parts[depth + 1 :]])
        found = [self.copies.has(os.path.realpath(self.root / each)) for each in (name, other)]
        if found != [False, True]:
            return name
        message = f"`{self.label(self.root / name)}` is not here: `{other}` is, and is read"
        self.former.setdefault(name, message)
        return other

    def mapped_name(self, address: str, uri: str, scope: _Scope) -> str:
        """Return the URL meant by an address if a mapped folder has its files; else empty. Raises
        `_Forbidden`.
        """
        if is_url(scope.file):
            address = urllib.parse.urljoin(scope.file, address)
        return next((url for url in (address, uri) if self.mapped_path(url) is not None), "")

    def mapped_path(self, url: str) -> Path | None:
        """Return the path of the file that a URL is mapped to; None for any other. Raises
        `_Forbidden` for a path out of the folder.
        """
        for prefix, home in self.mapped.items():
            if f"{url}/".startswith(f"{prefix.rstrip('/')}/"):
                rest = urllib.parse.unquote(url.removeprefix(prefix)).lstrip("/")
                path = Path(os.path.realpath(home / rest.replace("\0", "")))
                if not path.is_relative_to(home):
                    raise _Forbidden("E0202", _OUTSIDE)
                return path
        return None

    def remedy(self, name: str) -> str:
        """Return the hint for a path out of the folder: the folder that would hold it; empty for a
        URL.
        """
        if self.root is None:
            return ""
        above = os.path.commonpath([self.root, os.path.normpath(self.root / name)])
        return f"{_REMEDIES['E0202']}: `--ref-root {self.label(Path(above))}`"

    # One file.

    def read(self, name: str, at: Chain, scope: _Scope) -> None:
        """Read and embed a file. Raises RefusedError; notes any other fault as the reference's."""
        self.requested.add(name)
        if len(self.requested) > self.limits.files:
            message = f"more than {self.limits.files:,} files"
            self.refuse(at, replace(scope, tool=None), "E0205", message, "bundle the document")
            raise RefusedError(*self.refused)
        try:
            text = self.text(name)
            tree = _tree(name, text, self.limits)
        except RefusedError:
            raise
        except McpgenError as error:
            problem = self.unreadable[name] = self.of_reference(error.problems[0], at)
            if not self.tolerates(problem):
                self.lose(problem, scope, self.errors)
            return
        tell_slips(text, self.problems)
        self.document.files[name] = text
        self.embed(name, tree)

    def embed(self, name: str, tree: Any) -> None:
        """Add a tree to the document; its own references are followed later."""
        self.count(tree)
        self.embedded[name] = tree
        self.identify(name, tree)
        home = _home(name)
        scope = _Scope(name, home, home, tool=self.tools.get(home))
        self.queue.append((tree, ((None, FILES), name), scope))

    def identify(self, name: str, tree: Any) -> None:
        """Note the `$id`s and anchors of an embedded tree."""
        text = self.document.files.get(name)
        if text is None or _IDENTIFIES.search(text.content):
            self.identifiers.collect(tree, _home(name))

    def text(self, name: str) -> SourceText:
        """Return the text of a file. Raises McpgenError, also for too many bytes in all files
        together.
        """
        mapped = self.mapped_path(name)
        if mapped is not None:
            label = os.path.relpath(mapped)
            raw = self.copies.read(str(mapped), lambda: read_file(mapped, label, self.limits))
        elif self.url is not None:
            label = urllib.parse.urljoin(self.url, urllib.parse.quote(name))
            raw = self.copies.read(label, lambda: self.downloads.fetch(label))
        else:
            assert self.root is not None
            path = Path(os.path.normpath(self.root / self.way(name)))
            label = self.label(path)
            raw = self.copies.read(str(path), lambda: read_file(path, label, self.limits))
        self.bytes += len(raw)
        if self.bytes > self.limits.bytes:
            raise too_large(label, self.limits)
        return decode(label, raw)

    def label(self, path: Path) -> str:
        """Return a file's path for messages: relative if the main document's path is."""
        assert self.document.source.path is not None
        folder = self.document.source.path.parent
        return os.path.normpath(folder / os.path.relpath(path, os.path.realpath(folder)))

    def of_reference(self, problem: Problem, at: Chain) -> Problem:
        """Return the problem as E0204 at the reference if the file could not be opened; any other
        problem unchanged.
        """
        if problem.code not in _UNREADABLE:
            return problem
        pointer = _pointer(at)
        return replace(
            problem,
            code="E0204",
            message=f"`$ref`: {problem.message}",
            hint=problem.hint or _REMEDIES["E0204"],
            pointer=pointer,
            place=self.document.place(pointer),
        )


def _root_and_name(path: Path, folder: Path | None) -> tuple[Path, str, str]:
    """Return the folder that references may not leave (`folder`, or the document's folder if it
    lies outside `folder`), the path from there to the document's folder, empty if they are the
    same, and the document's name.
    """
    home = Path(os.path.realpath(path.parent))
    root = home
    if folder is not None:
        root = Path(os.path.realpath(folder))
    if not home.is_relative_to(root):
        root = home
    return root, home.relative_to(root).as_posix().removeprefix("."), path.name


def _way_to(project: Path | None, root: Path) -> str:
    """Return the relative path from a folder to a project in it, with a slash at its end; empty
    without a project, or if the project is not below the folder.
    """
    if project is None:
        return ""
    way = PurePath(os.path.relpath(os.path.realpath(project), root))
    if way.parts[:1] in ((), ("..",)):
        return ""
    return f"{way.as_posix()}/"


def _tree(name: str, text: SourceText, limits: Limits) -> Any:
    """Return the tree of a file, or the text itself of a `.md`, `.txt` or the like. Raises
    McpgenError.
    """
    if name.endswith(_PLAIN_TEXT):
        return text.content
    try:
        return parse_text(text, limits)
    except Fault as fault:
        raise raised(text, fault) from None


def _is_inlined(key: str, value: Any) -> bool:
    """Return whether a member is a `$ref` to a plain value, which replaces it: of a key in
    `_INLINED`.
    """
    if key not in _INLINED:
        return False
    if type(value) is not dict:
        return False
    if type(value.get("$ref")) is not str:
        return False
    return key not in _DATA or len(value) == 1


def _is_reference(value: Any) -> bool:
    """Return whether a value is a reference and nothing else."""
    if type(value) is not dict:
        return False
    return value.keys() == {"$ref"} and type(value["$ref"]) is str


def _is_data(key: str, value: Any) -> bool:
    """Return whether a member is data: its key is in `_DATA` or an extension, or it lists
    `examples`.
    """
    if _is_extension(key):
        return True
    if key == "examples":
        return type(value) is list
    return key in _DATA


def _is_extension(key: str) -> bool:
    return key.startswith("x-") and key not in _STRUCTURE


def _is_anchor(fragment: str) -> bool:
    return fragment[:1] not in ("", "/")


def _home(file: str) -> str:
    """Return the pointer of an embedded file; empty for the main document."""
    if not file:
        return ""
    return f"/{FILES}/{escape(file)}"


def _pointer(at: Chain) -> str:
    parts = []
    while at is not None:
        at, key = at
        parts.append("/" + escape(key))
    return "".join(reversed(parts))


def _local(pointer: str, fragment: str) -> str:
    """Return `#`, the pointer with each `%` escaped as `%25`, and the fragment, unchanged."""
    return "#" + pointer.replace("%", "%25") + fragment

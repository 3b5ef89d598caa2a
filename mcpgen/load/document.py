"""A loaded document: a tree of plain JSON values with local references, the reports on dangling
references, and the places of its nodes.
"""

from __future__ import annotations

import bisect
import difflib
import re
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..ir import WITHOUT_API
from ..problems import Place, Problems
from ..runtime.pointer import child, escape, split, unescape
from ..text import Progress, silent, visible
from .source import Source
from .text import Limits, SourceText
from .values import as_object

if TYPE_CHECKING:
    from .places import NodeFinder

_SLASH = re.compile("%2F", re.I)
FILES = "x-mcpgen-files"
"""Root key of the other files of a multi-file document."""


def home_of_api(name: str) -> str:
    """Return the pointer to a further API's document; empty for the first API, which has an empty
    name.
    """
    return f"/{FILES}/api:{name}" if name else ""


class UnresolvedReference(Exception):
    """A `$ref` that cannot be followed, for the `reason` given: no target, a circle, a chain that
    is too long, or another file. `suggestions` are existing references, the likeliest first.
    """

    def __init__(
        self,
        ref: str,
        suggest: Callable[[], tuple[str, ...]] = tuple,
        reason: str = "points to nothing",
    ) -> None:
        super().__init__(f"`$ref` {reason}: {ref[:200]}")
        self.ref = ref
        self.reason = reason
        self._suggest = suggest

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Existing references, the likeliest first; slow, as it compares names."""
        return self._suggest()


@dataclass(slots=True)
class Document:
    """A document from `load` to `parse`.

    `version`: `2.0`, `3.0.3`; `tools`, `schema` without an API. `files` maps places to texts:
    "" is the main file, `shared/pet.yaml` is under `/x-mcpgen-files/shared~1pet.yaml`. `moved` logs
    each move of a node as (new pointer, old pointer), oldest first; an old pointer under
    `/x-mcpgen-files/` may lead into a file outside the tree, such as an overlay. `originals` are
    the bytes of every file read, by URL, absolute path, or `-` (see `copies`).
    """

    root: dict[str, Any]
    version: str
    source: Source
    files: dict[str, SourceText]
    moved: list[tuple[str, str]] = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)
    tell: Progress = silent
    """Called with messages about the progress of the stages."""
    lost: dict[str, str] = field(default_factory=dict)
    """Tools lost to a reference in them: pointer → code of the problem."""
    workflows: list[str] = field(default_factory=list)
    """The Arazzo documents among the embedded files, by their names in the tree."""
    originals: dict[str, bytes] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    """Files with descriptions of further APIs → names of the APIs."""
    pages: dict[str, str] = field(default_factory=dict)
    """URLs of HTML pages → URLs of the documents shown there and read."""
    apis: dict[str, Document] = field(default_factory=dict)
    """The documents of further APIs by their names."""
    places: dict[int, tuple[int, Any]] = field(default_factory=dict, repr=False)
    """`id()` of a property's schema → its index among the properties as the author wrote them, and
    the schema, which is kept so that no other object gets this `id()`.
    """
    _resolved: dict[str, tuple[Any, str]] = field(default_factory=dict, repr=False)
    _finders: dict[str, NodeFinder] = field(default_factory=dict, repr=False)
    _log: dict[str, list[int]] = field(default_factory=dict, repr=False)
    _log_size: int = field(default=0, repr=False)
    _log_longest: int = field(default=0, repr=False)
    """Characters of the longest pointer in the log."""

    @property
    def describes_api(self) -> bool:
        """Whether this is an OpenAPI document, and not a list of tools or a JSON Schema."""
        return self.version not in WITHOUT_API

    def resolve(self, ref: str) -> tuple[Any, str]:
        """Resolve a local reference, through chains of references, to a node and its pointer.

        Raises `UnresolvedReference` if it points to nothing, is circular, or is a chain
        longer than the limit.
        """
        target = self._resolved.get(ref)
        if target is None:
            target = self._resolve(ref)
            self._resolved[ref] = target
        return target

    def _resolve(self, ref: str) -> tuple[Any, str]:
        current, seen = ref, {ref}
        while True:
            node, pointer = self.resolve_one(current, len(seen))
            if not _is_reference(node):
                return node, pointer
            current = node["$ref"]
            if current in seen:
                raise UnresolvedReference(ref, reason="is circular")
            seen.add(current)
            if len(seen) > self.limits.hops:
                reason = f"is a chain of more than {self.limits.hops} references"
                raise UnresolvedReference(ref, reason=reason)

    def resolve_one(self, ref: str, hops: int = 0) -> tuple[Any, str]:
        """Return the target of a reference and its pointer, after one step: the target may be a
        reference again. Raises `UnresolvedReference`.

        A reference within the path (`#/components/responses/Gone/description` where `Gone` is a
        reference) is followed; `hops` are the steps before, which count for the limit.
        """
        if not ref.startswith("#"):
            raise UnresolvedReference(ref, reason="leads out of the document")
        fragment = ref[1:]
        if _SLASH.search(fragment) is not None:
            # `%2F` is a slash between keys (RFC 6901 section 6); many mean one in a key.
            try:
                return self._at_keys(ref, split(urllib.parse.unquote(fragment)), hops)
            except UnresolvedReference:
                return self._at_keys(ref, [*map(urllib.parse.unquote, split(fragment))], hops)
        if "%" in fragment:
            fragment = urllib.parse.unquote(fragment)
        if fragment[:1] not in ("", "/"):
            raise UnresolvedReference(ref, lambda: self._suggest(fragment))
        return self._at_keys(ref, split(fragment), hops)

    def _at_keys(self, ref: str, keys: list[str], hops: int) -> tuple[Any, str]:
        """Return the node at a path of keys, references followed, and its pointer. Raises
        `UnresolvedReference`.
        """
        fragment = urllib.parse.unquote(ref[1:])
        node: Any = self.root
        pointer = ""
        for key in keys:
            try:
                node = child(node, key)
            except (LookupError, ValueError):
                if hops >= self.limits.hops or not _is_reference(node):
                    raise UnresolvedReference(ref, lambda: self._suggest(fragment)) from None
                # Every step costs one of the hops, so that a circle ends.
                key = escape(key).replace("%", "%25")
                node, pointer = self.resolve_one(f"{node['$ref']}/{key}", hops + 1)
            else:
                pointer += "/" + escape(key)
        return node, pointer

    def deref(self, node: Any, pointer: str) -> tuple[Any, str]:
        """Return the node and its pointer, or the end of its chain of `$ref`s, without the keys
        beside them. Raises `UnresolvedReference`.
        """
        if _is_reference(node):
            return self.resolve(node["$ref"])
        return node, pointer

    def forget(self) -> None:
        """Clear the cache of `resolve`: to be called after the tree has changed."""
        self._resolved.clear()

    def _suggest(self, fragment: str) -> tuple[str, ...]:
        """Return at most three existing references whose names resemble the last key of a dangling
        fragment, first those from its own section.
        """
        section, _, name = f"/{fragment.removeprefix('/')}".rpartition("/")
        sections: list[tuple[str, Any]] = []
        if section:
            sections.append((section, self.at(section)))
        components = self.root.get("components")
        if type(components) is dict:
            for kind, members in components.items():
                sections.append((f"/components/{escape(kind)}", members))
        sections.append(("/definitions", self.root.get("definitions")))
        return tuple(_closest(unescape(name), sections)[:3])

    def at(self, pointer: str) -> Any:
        """Return the node at a pointer, or None; no reference is followed."""
        node: Any = self.root
        for key in split(pointer):
            try:
                node = child(node, key)
            except (LookupError, ValueError):
                return None
        return node

    # Places.

    def place(self, pointer: str) -> Place:
        """Locate a node in the author's text: file, line and column, with an excerpt.

        A node the author did not write has the place of its nearest ancestor that they did; a node
        that is not found, only the file.
        """
        api, inner = self._api_of(pointer)
        if api is not None:
            return api.place(inner)
        written = self.written(pointer)
        name, inner = self._file_of(written)
        text = self.files.get(name)
        if text is None:
            return Place(file=self.source.name, pointer=written)
        if name not in self._finders:
            from .places import finder  # late: most documents have no problems

            self._finders[name] = finder(text)
        try:
            offset, width = self._finders[name].find(split(inner))
        except Exception:  # no message may be lost because its place cannot be determined
            return Place(file=text.name, pointer=inner)
        return text.place(offset, width, inner)

    def written(self, pointer: str) -> str:
        """Return the pointer of a node before anything moved: the log of moves undone, newest
        first.
        """
        api, inner = self._api_of(pointer)
        if api is not None:
            return api.written(inner)
        if self._log_size != len(self.moved):
            self._log = {}
            for index, (new, _) in enumerate(self.moved):
                self._log.setdefault(new, []).append(index)
            self._log_size = len(self.moved)
            self._log_longest = max(map(len, self._log), default=0)
        before = len(self.moved)
        while True:
            newest, length = self._last_move(pointer, before)
            if newest < 0:
                return pointer
            pointer = self.moved[newest][1] + pointer[length:]
            before = newest

    def reference(self, ref: str) -> str:
        """Return a reference `#/…` as its author may have written it: before anything moved, and
        with its file unless that is the main one. Any other is unchanged.
        """
        if not ref.startswith("#/"):
            return ref
        api, inner = self._api_of(ref[1:])
        if api is not None:
            return api.reference(f"#{inner}")
        file, pointer = self._file_of(self.written(ref[1:]))
        return f"{urllib.parse.unquote(file)}#{pointer}"

    def _api_of(self, pointer: str) -> tuple[Document | None, str]:
        """Return the document of the further API that a pointer leads into, None without one, and
        the pointer in it.
        """
        start = home_of_api(":")[:-1]
        if not pointer.startswith(start):
            return None, pointer
        name, slash, inner = pointer[len(start) :].partition("/")
        return self.apis.get(name), slash + inner

    def _last_move(self, pointer: str, before: int) -> tuple[int, int]:
        """Find the last move before the index `before` of a node or an ancestor. Return the index
        of the move, -1 if nothing moved, and the length of the moved node's pointer.
        """
        newest, length, end = -1, 0, len(pointer)
        if end > self._log_longest:
            end = pointer.rfind("/", 0, self._log_longest + 1)
        while end > 0:
            entries = self._log.get(pointer[:end], [])
            index = bisect.bisect_left(entries, before) - 1
            if index >= 0 and entries[index] > newest:
                newest, length = entries[index], end
            end = pointer.rfind("/", 0, end)
        return newest, length

    def _file_of(self, pointer: str) -> tuple[str, str]:
        """Return the file a pointer leads into, empty for the main file, and the pointer in the
        file.
        """
        start = f"/{FILES}/"
        if not pointer.startswith(start):
            return "", pointer
        name, _, inner = pointer[len(start) :].partition("/")
        if inner:
            inner = "/" + inner
        return unescape(name), inner


def _is_reference(node: Any) -> bool:
    return type(node) is dict and type(node.get("$ref")) is str


def _closest(name: str, sections: list[tuple[str, Any]]) -> list[str]:
    """Return `#/section/name` for similar names: first all names that differ only in case, then up
    to three of each section by `difflib`, in the order of the sections.
    """
    folded = name.lower()
    same, close = [], []
    for prefix, members in sections:
        if type(members) is not dict:
            continue
        names = [key for key in members if type(key) is str][:20_000]
        same += [f"#{prefix}/{escape(key)}" for key in names if key.lower() == folded]
        lowered = {key.lower(): key for key in names}
        for match in difflib.get_close_matches(folded, list(lowered), n=3, cutoff=0.7):
            close.append(f"#{prefix}/{escape(lowered[match])}")
    return list(dict.fromkeys(same + close))


class References:
    """Follows the references of a document, and reports dangling ones as warnings (E0203)."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self._resolved: dict[str, tuple[Any, str]] = {}

    def resolve(self, ref: str) -> tuple[Any, str]:
        """Return the target of a local reference after one step, and its pointer; `({}, "")`, with
        a warning, for a dangling reference.
        """
        if ref not in self._resolved:
            try:
                self._resolved[ref] = self.document.resolve_one(ref)
            except UnresolvedReference as error:
                self.report_dangling(error, "")
                self._resolved[ref] = ({}, "")
        return self._resolved[ref]

    def deref(self, node: Any, pointer: str) -> tuple[Any, str]:
        """Return a node and its pointer, or the end of its chain of references; `(None, pointer)`,
        with a warning, for a dangling reference.
        """
        try:
            return self.document.deref(node, pointer)
        except UnresolvedReference as error:
            self.report_dangling(error, pointer)
            return None, pointer

    def peek(self, node: Any) -> dict[str, Any]:
        """Return an object or the target of its `$ref`; empty, without a warning, if there is no
        object.
        """
        try:
            return as_object(self.document.deref(node, "")[0])
        except UnresolvedReference:
            return {}

    def report_dangling(self, error: UnresolvedReference, pointer: str) -> None:
        """Warn of a dangling reference (E0203). `pointer` is the object with the reference, empty
        if unknown.
        """
        self.problems.warn(
            "E0203",
            self.reason(error),
            pointer=f"{pointer or self.holder(error.ref)}/$ref",
            hint=self.suggestion(error),
        )

    def reason(self, error: UnresolvedReference) -> str:
        return f"`$ref` {error.reason}: {self._written(error.ref)}"

    def suggestion(self, error: UnresolvedReference) -> str:
        """Return a question with at most three similar references; empty if there are none."""
        names = [self._written(name) for name in error.suggestions][:3]
        if not names:
            return ""
        return f"did you mean {' or '.join(names)}?"

    def _written(self, ref: str) -> str:
        """Return a reference in backticks as its author wrote it, before moves; at most 120
        characters.
        """
        return f"`{visible(self.document.reference(ref))[:120]}`"

    def holder(self, ref: str) -> str:
        """Return the pointer of the first object that holds a reference, empty if there is none;
        slow, so only for reports.
        """
        pending: list[tuple[Any, str]] = [(self.document.root, "")]
        seen: set[int] = set()
        while pending:
            node, pointer = pending.pop()
            members: list[tuple[Any, str]] = []
            if id(node) in seen:
                continue
            if isinstance(node, dict):
                seen.add(id(node))
                if node.get("$ref") == ref:
                    return pointer
                members = [(value, escape(key)) for key, value in node.items()]
            elif isinstance(node, list):
                members = [(item, str(index)) for index, item in enumerate(node)]
            pending += [(member, f"{pointer}/{token}") for member, token in reversed(members)]
        return ""

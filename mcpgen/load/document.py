"""A loaded document: one tree of plain JSON values in which every reference is local, and the
places of its nodes.
"""

from __future__ import annotations

import bisect
import difflib
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..ir import WITHOUT_API
from ..problems import Place
from ..runtime.pointer import child, escape, split, unescape
from .limits import Limits
from .places import Finder, finder
from .source import Source
from .text import Text

FILES = "x-mcpgen-files"
"""The root key under which the other files of a multi-file document stand."""


class UnresolvedReference(Exception):
    """A `$ref` that points to nothing. `suggestions` are references that exist, the likeliest
    first.
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
        """Looked for only when shown: comparing names is slow."""
        return self._suggest()


@dataclass(slots=True)
class Document:
    """A document from `load` to `parse`.

    `version` is what the author wrote (`2.0`, `3.0.3`). `files` are the texts by their place in the
    tree: "" is the main file, `shared/pet.yaml` stands under `/x-mcpgen-files/shared~1pet.yaml`.
    `moved` is the log of everything that no longer stands where it was written, (new pointer, old
    pointer), oldest first; an old pointer under `/x-mcpgen-files/` may lead into a file that is no
    part of the tree, such as an overlay.
    """

    root: dict[str, Any]
    version: str
    source: Source
    files: dict[str, Text] = field(default_factory=dict)
    moved: list[tuple[str, str]] = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)
    _resolved: dict[str, tuple[Any, str]] = field(default_factory=dict, repr=False)
    _finders: dict[str, Finder] = field(default_factory=dict, repr=False)
    _log: dict[str, list[int]] = field(default_factory=dict, repr=False)
    _log_size: int = field(default=0, repr=False)

    @property
    def describes_api(self) -> bool:
        """Whether this is an OpenAPI document, and not a list of tools or a JSON Schema."""
        return self.version not in WITHOUT_API

    def resolve(self, ref: str) -> tuple[Any, str]:
        """What a local reference points to, through chains of references, and its pointer.

        Raises `UnresolvedReference` when there is nothing, when the chain is a circle, or is longer
        than the limit.
        """
        found = self._resolved.get(ref)
        if found is None:
            found = self._resolve(ref)
            self._resolved[ref] = found
        return found

    def _resolve(self, ref: str) -> tuple[Any, str]:
        current, seen = ref, {ref}
        while True:
            node, pointer = self.resolve_one(current, len(seen))
            if type(node) is not dict or type(node.get("$ref")) is not str:
                return node, pointer
            current = node["$ref"]
            if current in seen:
                raise UnresolvedReference(ref, reason="leads in a circle")
            seen.add(current)
            if len(seen) > self.limits.hops:
                raise UnresolvedReference(
                    ref, reason=f"leads through more than {self.limits.hops} references"
                )

    def resolve_one(self, ref: str, hops: int = 0) -> tuple[Any, str]:
        """One step of a reference: what it points to, be that a reference again.

        A reference on the way (`#/components/responses/Gone/description` where `Gone` is a
        reference) is followed.
        """
        if not ref.startswith("#"):
            raise UnresolvedReference(ref, reason="leads out of the document")
        fragment = ref[1:]
        if "%" in fragment:
            fragment = urllib.parse.unquote(fragment)
        if fragment and not fragment.startswith("/"):
            raise UnresolvedReference(ref, lambda: self._suggest(fragment))
        node: Any = self.root
        pointer = ""
        for key in split(fragment):
            try:
                node = child(node, key)
            except (LookupError, ValueError):
                if (
                    hops >= self.limits.hops
                    or type(node) is not dict
                    or type(node.get("$ref")) is not str
                ):
                    raise UnresolvedReference(ref, lambda: self._suggest(fragment)) from None
                # Too deep a chain ends here: every step costs one of the hops.
                node, pointer = self.resolve_one(
                    f"{node['$ref']}/{escape(key).replace('%', '%25')}", hops + 1
                )
            else:
                pointer += "/" + escape(key)
        return node, pointer

    def deref(self, node: Any, pointer: str) -> tuple[Any, str]:
        """The node itself, or what its `$ref` points to; what stands beside the `$ref` is left
        out.
        """
        if type(node) is dict and type(node.get("$ref")) is str:
            return self.resolve(node["$ref"])
        return node, pointer

    def forget(self) -> None:
        """The tree has changed: resolve references anew."""
        self._resolved.clear()

    def _suggest(self, fragment: str) -> tuple[str, ...]:
        """Existing references close to one that points to nothing: in its section first, whatever
        the case.
        """
        parts = split(fragment if fragment.startswith("/") else "/" + fragment)
        name = parts[-1] if parts else ""
        sections: list[tuple[str, Any]] = []
        if len(parts) > 1:
            try:
                node: Any = self.root
                for part in parts[:-1]:
                    node = child(node, part)
                sections.append(("/" + "/".join(map(escape, parts[:-1])), node))
            except (LookupError, ValueError):
                pass
        components = self.root.get("components")
        if type(components) is dict:
            sections += [
                (f"/components/{escape(kind)}", members) for kind, members in components.items()
            ]
        sections.append(("/definitions", self.root.get("definitions")))
        return tuple(_closest(name, sections)[:3])

    # Places.

    def place(self, pointer: str) -> Place:
        """Where the author wrote the node: file, line and column, with an excerpt.

        Nothing is positioned until this is asked; then the text is scanned again. A node the author
        did not write is shown at the nearest one above it that they did.
        """
        written = self.written(pointer)
        name, inner = self._file_of(written)
        text = self.files.get(name)
        if text is None:
            return Place(file=self.source.name, pointer=written)
        if name not in self._finders:
            self._finders[name] = finder(text)
        try:
            offset, width = self._finders[name].find(split(inner))
        except Exception:  # a position is a courtesy: no message may be lost over it
            return Place(file=text.name, pointer=inner)
        return text.place(offset, width, inner)

    def written(self, pointer: str) -> str:
        """The pointer of a node before anything moved: the log of moves undone, newest first."""
        if self._log_size != len(self.moved):
            self._log = {}
            for index, (new, _) in enumerate(self.moved):
                self._log.setdefault(new, []).append(index)
            self._log_size = len(self.moved)
        before = len(self.moved)
        while True:
            newest, length, end = -1, 0, len(pointer)
            while end > 0:
                entries = self._log.get(pointer[:end])
                if entries:
                    at = bisect.bisect_left(entries, before) - 1
                    if at >= 0 and entries[at] > newest:
                        newest, length = entries[at], end
                end = pointer.rfind("/", 0, end)
            if newest < 0:
                return pointer
            pointer = self.moved[newest][1] + pointer[length:]
            before = newest

    def _file_of(self, pointer: str) -> tuple[str, str]:
        """The file a pointer leads into, and the pointer within it."""
        start = f"/{FILES}/"
        if not pointer.startswith(start):
            return "", pointer
        name, _, inner = pointer[len(start) :].partition("/")
        return unescape(name), "/" + inner if inner else ""


def _closest(name: str, sections: list[tuple[str, Any]]) -> list[str]:
    """`#/section/name` for the names most like `name`: the same but for case, then by edit
    distance.
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

"""Positions of nodes in a valid text.

Both finders give the offset and the width of a node, or of its nearest ancestor in the text: of a
scalar itself, of the key of an object or array.
"""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Protocol

import yaml
from yaml._yaml import CParser
from yaml.constructor import BaseConstructor
from yaml.resolver import BaseResolver

from .json import SPACE
from .text import SourceText


class NodeFinder(Protocol):
    """Finds nodes by the keys on the path to them."""

    def find(self, parts: list[str]) -> tuple[int, int]:
        """Return the offset and the width of a node, or of its nearest ancestor."""
        ...


def finder(text: SourceText) -> NodeFinder:
    """Return the finder for a text that was read without a fault."""
    if text.is_json:
        return JsonPlaces(text)
    return YamlPlaces(text)


class JsonPlaces:
    """Finds the nodes of a valid JSON text by descending to them."""

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._content = text.content
        self._scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
        self._members: dict[int, dict[str, tuple[int, int, int]]] = {}

    def find(self, parts: list[str]) -> tuple[int, int]:
        """Return the offset and the width of the node, or of its nearest ancestor."""
        start = self._skip(0)
        key, end = start, start + 1
        for part in parts:
            if not self._is_container(start):
                break
            members = self._children(start)
            if part not in members:
                break
            key, start, end = members[part]
        if not self._is_container(start):
            return start, max(1, end - start)
        if self._content[key] != '"':
            return key, 1
        return key, scanstring(self._content, key + 1, True)[1] - key

    def _is_container(self, at: int) -> bool:
        return self._content.startswith(("{", "["), at)

    def _skip(self, at: int) -> int:
        return SPACE.match(self._content, at).end()  # type: ignore[union-attr]

    def _children(self, start: int) -> dict[str, tuple[int, int, int]]:
        """Return name (or index) → offsets of key, value and end, of each member of the container
        at `start`.
        """
        if start in self._members:
            return self._members[start]
        content, skip = self._content, self._skip
        members: dict[str, tuple[int, int, int]] = {}
        is_object = content[start] == "{"
        at = skip(start + 1)
        index = 0
        while content[at : at + 1] not in ("}", "]", ""):
            key_at = at
            name = str(index)
            if is_object:
                name, at = scanstring(content, at + 1, True)
                at = skip(skip(at) + 1)
            _, end = self._scan(content, at)
            members[name] = (key_at, at, end)
            index += 1
            at = skip(end)
            if content[at : at + 1] == ",":
                at = skip(at + 1)
        self._members[start] = members
        return members


class _Composer(CParser, BaseConstructor, BaseResolver):
    """Makes the nodes of a YAML text, with their positions and without values."""

    def __init__(self, content: str) -> None:
        CParser.__init__(self, content)
        BaseConstructor.__init__(self)
        BaseResolver.__init__(self)


class YamlPlaces:
    """Finds the nodes of a valid YAML text in the tree that libyaml makes of it."""

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._root: Any = None

    def find(self, parts: list[str]) -> tuple[int, int]:
        """Return the offset and the width of the node, or of its nearest ancestor."""
        if self._root is None:
            self._root = _Composer(self._text.content).get_single_node()
        node = self._root
        start = end = node.start_mark
        for part in parts:
            child = _child(node, part)
            if child is None:
                break
            key, node = child
            start, end = key.start_mark, key.end_mark
            if key is node:
                end = start
        if isinstance(node, yaml.ScalarNode):
            start, end = node.start_mark, node.end_mark
        first = self._text.offset(start.line, start.column)
        return first, max(1, self._text.offset(end.line, end.column) - first)


def _child(node: yaml.Node, part: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the key and the value of a member, or an item twice; None if there is none. Members of
    merged mappings come last.
    """
    if isinstance(node, yaml.SequenceNode):
        items = [(item, item) for item in node.value]
        return dict(zip(map(str, range(len(items))), items, strict=True)).get(part)
    if not isinstance(node, yaml.MappingNode):
        return None
    for key, value in node.value:
        if key.value == part:
            return key, value
    return next(filter(None, (_child(each, part) for each in _merged(node))), None)


def _merged(node: yaml.MappingNode) -> list[yaml.Node]:
    """Return the mappings that the merge key `<<` of a mapping names; empty without the key."""
    for key, value in node.value:
        if key.value == "<<" and not key.style:
            return value.value if isinstance(value, yaml.SequenceNode) else [value]
    return []

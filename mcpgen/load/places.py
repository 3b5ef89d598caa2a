"""Positions of nodes in a valid text. Nothing here runs until a place is to be shown.

Both finders give the offset and the width of a node, or of its nearest ancestor in the
text: of a scalar itself, of the key of an object or array.
"""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Protocol

import yaml

from .json import SPACE
from .text import SourceText
from .yaml import Event, YamlParser, is_merge_key


class NodeFinder(Protocol):
    """Finds nodes by the keys that lead to them."""

    def find(self, parts: list[str]) -> tuple[int, int]:
        """Offset and width of a node, or of its nearest ancestor."""
        ...


def finder(text: SourceText) -> NodeFinder:
    """The finder for a text that was read without a fault."""
    if text.is_json:
        return JsonPlaces(text)
    return YamlPlaces(text)


class JsonPlaces:
    """Finds the nodes of a valid JSON text by descending to them; the C scanner skips the rest."""

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._content = text.content
        self._scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
        self._members: dict[int, dict[str, tuple[int, int, int]]] = {}

    def find(self, parts: list[str]) -> tuple[int, int]:
        """Offset and width of the node, or of its nearest ancestor."""
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
        """Key offset, value offset and value end of every member of the container at `start`."""
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


class _Spot:
    """A node in the text: its own span, and for every child the span of its key."""

    __slots__ = ("children", "collection", "end", "start")

    def __init__(self, start: tuple[int, int], end: tuple[int, int], collection: bool) -> None:
        self.start = start
        self.end = end
        self.collection = collection
        self.children: dict[str, tuple[tuple[int, int], tuple[int, int], _Spot]] = {}


class YamlPlaces:
    """The places of all nodes of a valid YAML text, found in one pass over its events."""

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._root: _Spot | None = None
        self._anchors: dict[str, _Spot] = {}

    def find(self, parts: list[str]) -> tuple[int, int]:
        """Offset and width of the node, or of its nearest ancestor."""
        if self._root is None:
            parser: Any = YamlParser(self._text.content)
            parser.get_event()
            parser.get_event()
            self._root = self._spot(parser, parser.get_event())
        spot = self._root
        key = (spot.start, spot.start)
        for part in parts:
            if part not in spot.children:
                break
            start, end, spot = spot.children[part]
            key = (start, end)
        if spot.collection:
            return self._span(*key)
        return self._span(spot.start, spot.end)

    def _span(self, start: tuple[int, int], end: tuple[int, int]) -> tuple[int, int]:
        first, last = self._text.offset(*start), self._text.offset(*end)
        return first, max(1, last - first)

    def _spot(self, parser: Any, event: Event) -> _Spot:
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._anchors.get(event.anchor) or _span_of(event, False)
        spot = _span_of(event, kind is not yaml.ScalarEvent)
        if kind is yaml.MappingStartEvent:
            self._mapping(parser, spot)
        elif kind is yaml.SequenceStartEvent:
            self._sequence(parser, spot)
        if event.anchor:
            self._anchors[event.anchor] = spot
        return spot

    def _sequence(self, parser: Any, spot: _Spot) -> None:
        event = parser.get_event()
        while type(event) is not yaml.SequenceEndEvent:
            child = self._spot(parser, event)
            at = (event.start_mark.line, event.start_mark.column)
            spot.children[str(len(spot.children))] = (at, at, child)
            event = parser.get_event()

    def _mapping(self, parser: Any, spot: _Spot) -> None:
        event = parser.get_event()
        while type(event) is not yaml.MappingEndEvent:
            key_span = _span_of(event, False)
            child = self._spot(parser, parser.get_event())
            if is_merge_key(event):
                _merge(spot, child)
            else:
                key = getattr(event, "value", "")
                spot.children[key] = (key_span.start, key_span.end, child)
            event = parser.get_event()


def _merge(spot: _Spot, merged: _Spot) -> None:
    """Add the children of a merged mapping, or of a list of them, to those of a mapping."""
    sources = [merged]
    if "0" in merged.children:
        sources = [item for _, _, item in merged.children.values()]
    for source in sources:
        for name, entry in source.children.items():
            spot.children.setdefault(name, entry)


def _span_of(event: Event, collection: bool) -> _Spot:
    start, end = event.start_mark, event.end_mark
    return _Spot((start.line, start.column), (end.line, end.column), collection)

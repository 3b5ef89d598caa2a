"""YAML text → tree, within bounds (YAML 1.2.2, core schema).

libyaml's *events* only: its composer and PyYAML's constructors follow YAML 1.1 (`no` is false,
`22:30` is 1350), build objects from tags, expand aliases without limit, and die on deep nesting
where no `except` can help. Here depth, nodes and aliases are counted while the events come in.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from .json import bad_number, repeated, too_many_nodes
from .text import Fault, LimitFault, Limits, SourceText
from .yaml_faults import character_fault, syntax_fault

try:
    from yaml._yaml import CParser
except ImportError as _error:  # pragma: no cover - PyYAML built without libyaml
    raise ImportError("mcpgen needs PyYAML with libyaml: reinstall PyYAML from a wheel") from _error

YamlParser: Any = CParser
"""libyaml's parser: a text in, events out with `get_event`."""

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_NULLS = ("", "~", "null", "Null", "NULL")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(_NULLS, None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAYBE = frozenset("0123456789+-.~nNtTfF")
"""First characters of every plain scalar that may be something else than text."""

_TAB_LINE = re.compile(r"^ *\t[ \t]*(?=#|\r?$)", re.M)
"""The tabs of a line without content, which YAML allows (sections 6.6 and 6.7) and libyaml does
not.
"""

_TOO_DEEP = "exceeded maximum nesting depth"
"""The refusal of libyaml from 0.2.6 on, which reads ahead of the events."""
_CORE = "tag:yaml.org,2002:"
_TAGGED = {"int": (int,), "float": (float, int), "bool": (bool,), "null": (type(None),)}
"""Tag of the core schema → the types of the values it allows."""

Event = Any
"""One of PyYAML's events; they are compared by exact type, which is what keeps the loop fast."""


def scalar(value: str, limits: Limits) -> Any:
    """Return the value of a plain scalar in the core schema (YAML 1.2.2 section 10.3.2). Raises
    `ValueError` for a number that JSON cannot hold, or that has too many digits.
    """
    if value and value[0] not in _MAYBE:
        return value
    if value in _WORDS:
        return _WORDS[value]
    if _INTEGER.match(value):
        return _integer(value, 10, limits)
    if _FLOAT.match(value):
        number = float(value)
        if math.isinf(number):
            raise ValueError(value)
        return number
    if _OCTAL_OR_HEX.match(value):
        return _integer(value, 0, limits)
    if _NOT_FINITE.match(value):
        raise ValueError(value)
    return value


def _integer(value: str, base: int, limits: Limits) -> int:
    if len(value) > limits.integer_digits:
        raise ValueError(value)
    return int(value, base)


def is_merge_key(event: Event) -> bool:
    """Return whether a key is an unquoted `<<`."""
    if type(event) is not yaml.ScalarEvent or event.value != "<<":
        return False
    return not event.style and event.implicit[0]


class _Reader:
    """One pass over the events of one text."""

    def __init__(self, text: SourceText, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.parser: Any = YamlParser(text.content)
        self.nodes = 0
        self.expanded = 0
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.open_anchors: set[str] = set()

    def offset(self, mark: Any) -> int:
        return self.text.offset(mark.line, mark.column)

    def fault(self, code: str, message: str, mark: Any, *, hint: str = "", width: int = 1) -> Fault:
        return Fault(code, message, self.offset(mark), hint=hint, width=width)

    def document(self) -> Any:
        next_event = self.parser.get_event
        next_event()  # StreamStart
        event = next_event()
        if type(event) is yaml.StreamEndEvent:
            return None
        tree = self.node(next_event(), 1)
        next_event()  # DocumentEnd
        event = next_event()
        if type(event) is not yaml.StreamEndEvent:
            raise self.fault(
                "E0120",
                "a second YAML document begins here",
                event.start_mark,
                hint="a file holds exactly one document: split it at `---`",
            )
        return tree

    def node(self, event: Event, depth: int) -> Any:
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self.alias(event)
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise too_many_nodes(self.limits)
        if kind is not yaml.ScalarEvent:
            return self.collection(event, depth)
        value = self.scalar(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        return value

    def collection(self, event: Event, depth: int) -> Any:
        if depth > self.limits.depth:
            offset = self.offset(event.start_mark)
            raise LimitFault("E0115", f"nesting deeper than {self.limits.depth}", offset)
        before = self.nodes - 1
        anchor = event.anchor
        if anchor:
            self.open_anchors.add(anchor)
        value: Any
        if type(event) is yaml.MappingStartEvent:
            self.check_tag(event, "map")
            value = self.mapping(depth)
        else:
            self.check_tag(event, "seq")
            value = self.sequence(depth)
        if anchor:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = (value, self.nodes - before)
        return value

    def sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        append, next_event, node = items.append, self.parser.get_event, self.node
        event = next_event()
        while type(event) is not yaml.SequenceEndEvent:
            append(node(event, depth + 1))
            event = next_event()
        return items

    def mapping(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        merges: list[Any] = []
        next_event, node = self.parser.get_event, self.node
        marks: dict[str, Any] = {}
        event = next_event()
        while type(event) is not yaml.MappingEndEvent:
            key = self.key(event)
            if key == "<<" and is_merge_key(event):
                merges.append((event.start_mark, node(next_event(), depth + 1)))
            else:
                mark = event.start_mark
                self.nodes += 1
                value = node(next_event(), depth + 1)
                if key in members:
                    at = self.offset(marks[key]), self.offset(mark)
                    repeated(self.text, key, at, (members[key], value), len(key))
                marks[key] = mark
                members[key] = value
            event = next_event()
        if merges:
            return self.merged(members, merges)
        return members

    def key(self, event: Event) -> str:
        """Return a key as text: a number stays as it is written. Raises `Fault` for null and for a
        collection.
        """
        value = None
        if type(event) is yaml.AliasEvent:
            value = self.alias(event)
        elif type(event) is yaml.ScalarEvent:
            value = event.value
            if event.anchor:
                self.anchors[event.anchor] = (value, 1)
            if value in _NULLS and not event.style:
                value = None
        if type(value) is str:
            return value
        hint = 'write it in quotes: `"~":`, `"null":`'
        raise self.fault("E0114", "a key must be text", event.start_mark, hint=hint)

    def scalar(self, event: Event) -> Any:
        value: str = event.value
        tag = event.tag
        if event.style or not event.implicit[0]:
            if tag in (None, "!", _CORE + "str"):
                return value
            return self.tagged(event, value)
        try:
            return scalar(value, self.limits)
        except ValueError:
            raise self.bad_number(event, value) from None

    def bad_number(self, event: Event, value: str) -> Fault:
        return bad_number(value, self.offset(event.start_mark), self.limits)

    def tagged(self, event: Event, value: str) -> Any:
        """Return the value of a scalar with a tag. Raises `Fault` for an unknown tag, and for a
        value of another type than the tag says.
        """
        name = str(event.tag).removeprefix(_CORE)
        if name in _TAGGED:
            try:
                result = scalar(value, self.limits)
            except ValueError:
                raise self.bad_number(event, value) from None
            if type(result) in _TAGGED[name]:
                if name == "float":
                    return float(result)
                return result
        self.check_tag(event, "str")
        return value

    def check_tag(self, event: Event, natural: str) -> None:
        """Raise `Fault` for a tag other than `natural`, the one the node has without a tag."""
        if event.tag in (None, "!", _CORE + natural):
            return
        tag = str(event.tag).replace(_CORE, "!!")
        raise self.fault(
            "E0119",
            f"the YAML tag `{tag[:80]}` has no meaning here",
            event.start_mark,
            hint="remove the tag: a document holds plain JSON values",
        )

    def alias(self, event: Event) -> Any:
        """Return a copy of the value that an alias repeats. Raises `Fault`, and `LimitFault` if it
        is too large.
        """
        name = event.anchor
        if name in self.anchors:
            value, size = self.anchors[name]
            self.expand(size, event.start_mark)
            return _copy(value)
        reason = "repeats nothing"
        if name in self.open_anchors:
            reason = "is inside the value it repeats"
        message = f"the alias `*{name[:80]}` {reason}"
        raise self.fault("E0117", message, event.start_mark, width=len(name) + 1)

    def expand(self, size: int, mark: Any) -> None:
        """Count the nodes that an alias adds. Raises `LimitFault`."""
        written = self.nodes - self.expanded + 1
        self.nodes += size
        self.expanded += size
        limits = self.limits
        allowed = max(limits.alias_floor, limits.alias_ratio * written)
        if self.nodes > limits.nodes or self.expanded > allowed:
            raise LimitFault(
                "E0117",
                f"aliases make the document more than {limits.alias_ratio} times as large as it is"
                " written",
                self.offset(mark),
                hint="write the values out, or use `$ref`",
            )

    def merged(self, members: dict[str, Any], merges: list[Any]) -> dict[str, Any]:
        """Return a mapping with the members of its merge key (`<<`, YAML 1.1): its own keys win,
        then the merged mappings in their order. Raises `Fault` for two merge keys or another value
        than mappings.
        """
        if len(merges) > 1:
            message, hint = "the merge key `<<` comes twice", "write `<<: [*a, *b]`"
            raise self.fault("E0113", message, merges[1][0], hint=hint, width=2)
        mark, value = merges[0]
        sources = [value]
        if type(value) is list:
            sources = value
        result = dict(members)
        for source in sources:
            if type(source) is not dict:
                message = "the merge key `<<` needs a mapping, or a list of mappings"
                raise self.fault("E0114", message, mark, width=2)
            for key, item in source.items():
                result.setdefault(key, item)
        return result


def _copy(node: Any) -> Any:
    """Return a deep copy of a node."""
    if type(node) is dict:
        return {key: _copy(value) for key, value in node.items()}
    if type(node) is list:
        return [_copy(item) for item in node]
    return node


def read(text: SourceText, limits: Limits) -> Any:
    """Return the tree of a YAML text. Raises `Fault` or `LimitFault`. If libyaml refuses the tabs
    of lines without content, `text.content` gets spaces instead; repeated keys are noted in the
    text.
    """
    try:
        return _read(text, limits)
    except yaml.MarkedYAMLError as error:
        spaced = _TAB_LINE.sub(lambda line: " " * len(line[0]), text.content)
        if spaced == text.content:
            raise syntax_fault(text, error) from None
    text.content = spaced
    try:
        return _read(text, limits)
    except yaml.MarkedYAMLError as error:
        raise syntax_fault(text, error) from None


def _read(text: SourceText, limits: Limits) -> Any:
    text.repeats.clear()
    try:
        return _Reader(text, limits).document()
    except yaml.reader.ReaderError:
        raise character_fault(text) from None
    except yaml.scanner.ScannerError as error:
        if error.problem != _TOO_DEEP:
            raise
        raise LimitFault("E0115", f"nesting deeper than {limits.depth}", 0) from None
    except RecursionError:
        raise LimitFault("E0115", f"nesting deeper than {limits.depth}", 0) from None
    except (IndexError, OverflowError, ValueError) as error:
        raise Fault("E0112", f"YAML that cannot be read: {str(error)[:80]}", 0) from None

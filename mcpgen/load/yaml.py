"""YAML text → tree, within bounds, and the places of its nodes (YAML 1.2.2, core schema).

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
from .limits import Limits
from .text import Fault, LimitFault, TagFault, Text
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
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAYBE = frozenset("0123456789+-.~nNtTfF")
"""First characters of every plain scalar that is not simply text."""

_CORE = "tag:yaml.org,2002:"

Event = Any
"""One of PyYAML's events; they are compared by exact type, which is what keeps the loop fast."""


def scalar(value: str, limits: Limits) -> Any:
    """The value of a plain scalar in the core schema (YAML 1.2.2 section 10.3.2). `ValueError` for
    NaN and such.
    """
    if not value or value[0] in _MAYBE:
        if value in _WORDS:
            return _WORDS[value]
        if _INTEGER.match(value):
            if len(value) > limits.integer_digits:
                raise ValueError(value)
            return int(value)
        if _FLOAT.match(value):
            number = float(value)
            if math.isinf(number):
                raise ValueError(value)
            return number
        if _OCTAL_OR_HEX.match(value):
            if len(value) > limits.integer_digits:
                raise ValueError(value)
            return int(value, 0)
        if _NOT_FINITE.match(value):
            raise ValueError(value)
    return value


class _Reader:
    """One pass over the events of one text."""

    def __init__(self, text: Text, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.parser: Any = YamlParser(text.content)
        self.nodes = 0
        self.expanded = 0
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.open_anchors: set[str] = set()

    def fault(self, code: str, message: str, mark: Any, *, hint: str = "", width: int = 1) -> Fault:
        return Fault(
            code, message, self.text.offset(mark.line, mark.column), hint=hint, width=width
        )

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
        if kind is yaml.ScalarEvent:
            self.nodes += 1
            if self.nodes > self.limits.nodes:
                raise too_many_nodes(self.limits)
            value = self.scalar(event)
            if event.anchor:
                self.anchors[event.anchor] = (value, 1)
            return value
        if kind is yaml.AliasEvent:
            return self.alias(event)
        if depth > self.limits.depth:
            offset = self.text.offset(event.start_mark.line, event.start_mark.column)
            raise LimitFault("E0115", f"nesting deeper than {self.limits.depth}", offset)
        before = self.nodes
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise too_many_nodes(self.limits)
        anchor = event.anchor
        if anchor:
            self.open_anchors.add(anchor)
        if event.tag:
            self.check_tag(event, "map" if kind is yaml.MappingStartEvent else "seq")
        value = self.mapping(depth) if kind is yaml.MappingStartEvent else self.sequence(depth)
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
            if key == "<<" and not event.style and event.implicit[0]:
                merges.append((event.start_mark, node(next_event(), depth + 1)))
            else:
                if key in members:
                    first, second = marks[key], event.start_mark
                    raise repeated(
                        self.text,
                        key,
                        self.text.offset(first.line, first.column),
                        self.text.offset(second.line, second.column),
                        len(key),
                    )
                marks[key] = event.start_mark
                self.nodes += 1
                members[key] = node(next_event(), depth + 1)
            event = next_event()
        return self.merged(members, merges) if merges else members

    def key(self, event: Event) -> str:
        """Keys are text: what looks like a number stays as written, null and collections are
        errors.
        """
        if type(event) is yaml.AliasEvent:
            value = self.alias(event)
        elif type(event) is yaml.ScalarEvent:
            value = event.value
            if event.anchor:
                self.anchors[event.anchor] = (value, 1)
            if not event.style and value in _WORDS and _WORDS[value] is None:
                value = None
        else:
            value = None
        if type(value) is not str:
            raise self.fault(
                "E0114",
                "a key must be text",
                event.start_mark,
                hint='write it in quotes: `"~":`, `"null":`',
            )
        return value

    def scalar(self, event: Event) -> Any:
        value: str = event.value
        tag = event.tag
        if event.style or not event.implicit[0]:
            if tag is None or tag == "!" or tag == _CORE + "str":
                return value
            return self.tagged(event, value)
        if value and value[0] not in _MAYBE:
            return value
        try:
            return scalar(value, self.limits)
        except ValueError:
            raise self.bad_number(event, value) from None

    def bad_number(self, event: Event, value: str) -> Fault:
        at = self.text.offset(event.start_mark.line, event.start_mark.column)
        return bad_number(value, at, self.limits)

    def tagged(self, event: Event, value: str) -> Any:
        """A scalar with an explicit tag of the core schema: it must be what the tag says."""
        wanted = {"int": (int,), "float": (float, int), "bool": (bool,), "null": (type(None),)}
        name = str(event.tag).removeprefix(_CORE)
        if name in wanted:
            try:
                result = scalar(value, self.limits)
            except ValueError:
                raise self.bad_number(event, value) from None
            if type(result) in wanted[name]:
                return float(result) if name == "float" else result
        self.check_tag(event, "str")
        return value

    def check_tag(self, event: Event, natural: str) -> None:
        if event.tag not in (None, "!", _CORE + natural):
            tag = str(event.tag).replace(_CORE, "!!")
            raise TagFault(
                "E0119",
                f"the YAML tag `{tag[:80]}` has no meaning here",
                self.text.offset(event.start_mark.line, event.start_mark.column),
                hint="remove the tag: a document holds plain JSON values",
            )

    def alias(self, event: Event) -> Any:
        """What an alias stands for, as a copy of its own, paid for from the budget."""
        name = event.anchor
        if name not in self.anchors:
            what = (
                "stands inside what it repeats" if name in self.open_anchors else "repeats nothing"
            )
            raise self.fault(
                "E0117", f"the alias `*{name[:80]}` {what}", event.start_mark, width=len(name) + 1
            )
        value, size = self.anchors[name]
        self.pay(size, event.start_mark)
        return _copy(value)

    def pay(self, size: int, mark: Any) -> None:
        written = self.nodes - self.expanded + 1
        self.nodes += size
        self.expanded += size
        limits = self.limits
        if self.nodes > limits.nodes or (
            self.expanded > limits.alias_floor and self.expanded > limits.alias_ratio * written
        ):
            raise LimitFault(
                "E0117",
                f"aliases make the document more than {limits.alias_ratio} times as large as it is"
                " written",
                self.text.offset(mark.line, mark.column),
                hint="write the values out, or use `$ref`",
            )

    def merged(self, members: dict[str, Any], merges: list[Any]) -> dict[str, Any]:
        """Merge keys (`<<`, YAML 1.1 but widespread): own keys win, then the mappings in their
        order.
        """
        if len(merges) > 1:
            raise self.fault(
                "E0113",
                "the merge key `<<` comes twice",
                merges[1][0],
                hint="write `<<: [*a, *b]`",
                width=2,
            )
        mark, value = merges[0]
        result = dict(members)
        for source in value if type(value) is list else [value]:
            if type(source) is not dict:
                raise self.fault(
                    "E0114", "the merge key `<<` needs a mapping, or a list of them", mark, width=2
                )
            for key, item in source.items():
                result.setdefault(key, item)
        return result


def _copy(node: Any) -> Any:
    """A tree of its own, so that nobody changes two places at once."""
    if type(node) is dict:
        return {key: _copy(value) for key, value in node.items()}
    if type(node) is list:
        return [_copy(item) for item in node]
    return node


def read(text: Text, limits: Limits) -> Any:
    """The tree of a YAML text. Raises `Fault` or `LimitFault`."""
    reader = _Reader(text, limits)
    try:
        return reader.document()
    except yaml.MarkedYAMLError as error:
        raise syntax_fault(text, error) from None
    except yaml.reader.ReaderError:
        raise character_fault(text) from None
    except RecursionError:
        raise LimitFault("E0115", f"nesting deeper than {limits.depth}", 0) from None
    except (IndexError, OverflowError, ValueError) as error:
        raise Fault("E0112", f"YAML that cannot be read: {str(error)[:80]}", 0) from None

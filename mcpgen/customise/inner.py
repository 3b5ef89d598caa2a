"""Fields inside an argument (`body.author.name`): their places in a tool's schemas, and the user's
settings for them.

The schemas are the listed schema and, for a shortened tool, the full schema. A path goes through
references, the branches of unions and the items of lists.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..config import ArgumentConfig
from ..ir import Argument, Schema, Server, Tool
from ..load.values import as_list, as_object
from ..parse.contract import fault_of
from ..runtime.pointer import escape, referred_to, unescape

LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES = ("items", "then", "else")
"""Keywords whose schemas are about the same place, or about the items of a list there."""
PAGING = ("asked", "next", "back", "size")
"""Keys of a `ListAnswer` that name an argument, or a field in one."""
TEXTS = frozenset(("title", "description", "default", "examples", "deprecated"))


@dataclass(slots=True)
class _Root:
    """One input schema of a tool; references along a path are expanded in it, in place.

    `places` are (pointer, wire name) of properties in the definitions; the name is None for a
    nullable value. `written` are the `places` inside the expanded parts.
    """

    schema: Schema
    definitions: dict[str, Schema]
    places: Sequence[tuple[str, str | None]]
    written: list[tuple[str, str | None]] = field(default_factory=list)

    def containers(self, argument: str, path: list[str]) -> list[Schema]:
        """Return the schemas at a path inside an argument, one for each branch with the path."""
        schema = as_object(self.schema.get("properties")).get(argument)
        return list(self._containers(schema, f"/properties/{escape(argument)}", path))

    def objects(self, argument: str, path: list[str]) -> Iterator[Schema]:
        """Yield the schemas at a path, with all inside them that apply to the value or a list's
        items.
        """
        for container in self.containers(argument, path):
            for each, _ in self._level(container, "", frozenset(self.definitions)):
                yield each

    def _containers(self, schema: Any, pointer: str, path: list[str]) -> Iterator[Schema]:
        level = list(self._level(schema, pointer, frozenset()))
        if not path:
            yield from (node for node, _ in level[:1])
            return
        for node, place in level:
            child = as_object(node.get("properties")).get(path[0])
            at = f"{place}/properties/{escape(path[0])}"
            yield from self._containers(child, at, path[1:])

    def _level(
        self, schema: Any, pointer: str, through: frozenset[str]
    ) -> Iterator[tuple[Schema, str]]:
        """Yield a schema and those inside it that apply to the same value (`allOf`, `anyOf` and so
        on), with their pointers. `through` are the definitions on the way here: a recursive
        definition is not expanded again.
        """
        if not isinstance(schema, dict):
            return
        name = unescape(str(schema.get("$ref", "")).removeprefix("#/$defs/"))
        if name in self.definitions.keys() - through:
            through |= {name}
            self._write_out(schema, pointer, name)
        yield schema, pointer
        for key in LISTS:
            for index, part in enumerate(as_list(schema.get(key))):
                yield from self._level(part, f"{pointer}/{key}/{index}", through)
        for key in SINGLES:
            yield from self._level(schema.get(key), f"{pointer}/{key}", through)

    def _write_out(self, schema: Schema, pointer: str, name: str) -> None:
        """Replace a reference by its definition, in place; beside rules other than texts, the
        definition goes into `allOf`.
        """
        del schema["$ref"]
        written = copy.deepcopy(self.definitions[name])
        before, after = f"/$defs/{escape(name)}/", f"{pointer}/"
        if TEXTS.issuperset(schema):
            schema |= written | schema
        else:
            parts = schema.setdefault("allOf", [])
            after = f"{pointer}/allOf/{len(parts)}/"
            parts.append(written)
        inside = [(place, wire) for place, wire in self.places if place.startswith(before)]
        self.written += [(after + place.removeprefix(before), wire) for place, wire in inside]

    def fault(self, schema: Schema, value: Any) -> str:
        """Explain why a schema of this root forbids a value; empty if it allows the value."""
        return fault_of(value, {**schema, "$defs": referred_to(schema, self.definitions)})


class Inner:
    """A field inside an argument of a tool (`word`: `body.author.name`), with copies of the tool's
    schemas.
    """

    def __init__(self, tool: Tool, argument: Argument, word: str, server: Server) -> None:
        self.tool, self.argument, self.word = tool, argument, word
        _, *self.path, self.name = word.split(".")
        listed = copy.deepcopy(tool.input_schema)
        places = [*tool.wire_names, *((place, None) for place in tool.nullable)]
        self.listed = self.whole = _Root(listed, as_object(listed.get("$defs")), places)
        if tool.contract is not None:
            names = server.definition_names
            self.whole = _Root(copy.deepcopy(tool.contract), server.definitions, names)
        self.fields = [*self._objects(self.whole)]
        """The objects that have the field."""

    def fault(self, config: ArgumentConfig, key: str) -> str:
        """Explain why the field cannot be what its table asks for; empty if it can. `key` is
        `value` or `default`.
        """
        objects = self.whole.objects(self.argument.name, self.path)
        needed = any(self.name in each.get("required", ()) for each in objects)
        if config.name is not None:
            return f"cannot rename `{self.word}`: it is a field of an argument"
        if config.description is not None and not any(self._objects(self.listed)):
            return f"cannot describe `{self.word}`: its list is cut, and does not name it"
        if getattr(config, key) is None:
            if needed and config.hidden:
                return f"cannot hide `{self.word}`: the API requires it, and there is no `value`"
            return ""
        if self.tool.request is None:
            return f"cannot give `{self.word}` a {key}: its function is yours"
        containers = self.whole.containers(self.argument.name, self.path)
        if not all(each for one in containers for each in _naming(one, self.name)):
            return f"cannot give `{self.word}` a {key}: an alternative has no such field"
        return ""

    def fault_of_value(self, value: Any) -> str:
        """Explain why an object with the field forbids it a value; empty if all allow it."""
        schemas = [each["properties"][self.name] for each in self.fields]
        return next(filter(None, (self.whole.fault(each, value) for each in schemas)), "")

    def changed(self, config: ArgumentConfig, value: Any) -> Tool:
        """Return the tool with the field changed by its table. `value`: the fixed value if the
        field is hidden, else the default; None without either.
        """
        for root in (self.listed, self.whole):
            for parent in root.objects(self.argument.name, self.path):
                if config.hidden:
                    as_object(parent.get("properties")).pop(self.name, None)
                if value is not None:
                    _demand_no_more(parent, self.name)
        told = {"description": config.description, "default": config.default}
        for parent in self._objects(self.listed):
            parent["properties"][self.name] |= {
                key: told[key] for key in told if told[key] is not None
            }
        tool = self._with_schemas()
        pointer = self._pointer(tool, self.word)
        if config.hidden:
            hidden = self.argument.wire_name + pointer.replace("/", ".")
            paging: dict[str, Any] = {
                key: "" for key in PAGING if getattr(tool.listing, key) == hidden
            }
            tool = replace(tool, listing=replace(tool.listing, **paging))
        if value is None:
            return tool
        given = (pointer, value)
        old = self.argument
        if config.hidden:
            return tool.with_argument(old, replace(old, fixed_fields=(*old.fixed_fields, given)))
        return tool.with_argument(old, replace(old, default_fields=(*old.default_fields, given)))

    def made(self) -> Tool:
        """Return the tool that adds the object around the field if a call leaves it out; unchanged
        if the object needs more than its fixed fields.
        """
        containers = self.whole.containers(self.argument.name, self.path)
        if any(self.whole.fault(each, {}) for each in containers):
            return self.tool
        argument = self.argument
        for root in (self.listed, self.whole):
            for above in self.path[-1:]:
                for parent in root.objects(argument.name, self.path[:-1]):
                    _demand_no_more(parent, above)
        tool = self._with_schemas()
        pointer = self._pointer(tool, self.word.rpartition(".")[0])
        if pointer:
            defaults = {pointer: {}} | dict(argument.default_fields)
            made = replace(argument, default_fields=tuple(defaults.items()))
            return tool.with_argument(argument, made)
        _demand_no_more(self.listed.schema, argument.name)
        _demand_no_more(self.whole.schema, argument.name)
        made = replace(argument, required=False, default=argument.default or ({},))
        return tool.with_argument(argument, made)

    def _with_schemas(self) -> Tool:
        written = self.whole.written
        tool = replace(
            self.tool,
            input_schema=self.listed.schema,
            wire_names=(*self.tool.wire_names, *((at, name) for at, name in written if name)),
            nullable=(*self.tool.nullable, *(at for at, name in written if name is None)),
        )
        if tool.contract is None:
            return tool
        return replace(tool, contract=self.whole.schema)

    def _pointer(self, tool: Tool, word: str) -> str:
        """Return the JSON Pointer of a field inside an argument's value, by names on the wire."""
        wire_names = {
            tuple(re.findall("/properties/([^/]+)", place)): wire for place, wire in tool.wire_names
        }
        keys = (self.argument.name, *word.split(".")[1:])
        names = [wire_names.get(keys[: at + 1], keys[at]) for at in range(1, len(keys))]
        return "".join(f"/{escape(name)}" for name in names)

    def _objects(self, root: _Root) -> list[Schema]:
        """Return the schemas of objects with the field."""
        objects = root.objects(self.argument.name, self.path)
        return [each for each in objects if _names(each, self.name)]


def _names(schema: Schema, name: str) -> bool:
    return isinstance(as_object(schema.get("properties")).get(name), dict)


def _naming(schema: Any, name: str) -> list[bool]:
    """Return, for each alternative of a schema that names fields, whether it has the field; empty
    if none names fields.
    """
    schema = as_object(schema)
    parts = as_list(schema.get("allOf"))
    if any(_names(part, name) for part in (schema, *map(as_object, parts))):
        return [True]
    ways: list[bool] = []
    found = [False] * bool(schema.get("properties"))
    others = [*as_list(schema.get("anyOf")), *as_list(schema.get("oneOf")), schema.get("items")]
    for part in filter(None, (*parts, *others)):
        ways += _naming(part, name)
    return ways or found


def _demand_no_more(schema: Schema, name: str) -> None:
    """Make a property optional in a schema, in place."""
    for names in map(as_list, as_object(schema.get("dependentRequired")).values()):
        names[:] = filter(name.__ne__, names)
    schema["required"] = list(filter(name.__ne__, as_list(schema.get("required"))))
    if not schema["required"]:
        del schema["required"]


def with_made_objects(tool: Tool, word: str, server: Server) -> Tool:
    """Return the tool that adds the objects around a fixed field if a call leaves them out."""
    for place in re.finditer(r"\.[^.]+", word):
        argument = tool.argument(word.partition(".")[0])
        assert argument is not None
        tool = Inner(tool, argument, word[: place.end()], server).made()
    return tool

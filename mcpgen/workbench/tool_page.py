"""The content of a tool's page: both contracts, omissions, fields to edit, and the form."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import yaml

from ..catalogue.model import Row
from ..config import Config, Selection
from ..config.keys import BY_NAME, Key
from ..config.model import AnswerConfig, ToolConfig
from ..customise.bindings import every
from ..ir import Schema, Tool
from ..render.facts import wire
from ..render.sample import Sampler
from ..render.stage import function_text
from .bench import Bench
from .cut import cuts

MOST_CUTS = 200
HINTS = BY_NAME["tools.*.hints"].keys
MOST_LINES = 400
"""Lines of a document's operation that are shown."""
DEEPEST = 3
"""Levels of objects that are fields of the form; below them is JSON."""
UNIONS = frozenset({"oneOf", "anyOf", "allOf", "$ref"})
CONTROLS = {"string": "text", "integer": "number", "number": "number", "boolean": "flag"}
EDITED = ("name", "title", "description", "toolset")
BESIDES = ("aliases", "confirm", "budget")
SETTINGS = ("", "source", "auth", "answers", "select")
DEFAULTS = {"select": Selection(), "tools.*": ToolConfig(), "tools.*.answer": AnswerConfig()}
OF_MANY = ("toolset", "enabled", "confirm")
OF_AN_API = ("path", "url", "prefix", "base_url", "auth", "headers", "toolset", "allow_origins")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditableKey:
    """A key of `mcpgen.toml` to edit: its path in the file or in the tool's table, its value there
    or None, and `usual`, the value that holds without it.
    """

    path: tuple[str, ...]
    key: Key
    value: Any
    usual: str = ""

    @property
    def label(self) -> str:
        """The key's name in words."""
        return self.key.name.replace("_", " ")

    @property
    def path_text(self) -> str:
        """The path as JSON, for the script."""
        return json.dumps(self.path)

    @property
    def value_text(self) -> str:
        """The value as it is typed: texts on a line each, others as JSON."""
        if self.value is None or isinstance(self.value, str):
            return self.value or ""
        if self.key.kind == "texts":
            return "\n".join(self.value)
        return json.dumps(self.value, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One field of the form for a tool's arguments."""

    path: tuple[str, ...]
    """The argument, and the keys that lead to the field in it."""
    kind: str
    required: bool
    description: str
    choices: tuple[str, ...]
    sample: str
    """JSON to begin with."""
    fields: tuple[FormField, ...] = ()
    """The fields of an object."""

    @property
    def path_text(self) -> str:
        """The path as JSON, for the script."""
        return json.dumps(self.path)


def tool_page(bench: Bench, row: Row) -> dict[str, Any]:
    """Return the facts for the template of a tool's page, by name."""
    tool = bench.tool(row)
    place = bench.document.place(row.tool.origin.pointer)
    places = cuts(bench, tool)
    return {
        "row": row,
        "tool": tool,
        "chosen": row.number in bench.chosen,
        "listed": wire(tool),
        "tokens": bench.tokens(row),
        "documented": _documented(bench, tool),
        "documented_at": f"{place.file}:{place.line}",
        "cuts": places[:MOST_CUTS],
        "more_cuts": max(0, len(places) - MOST_CUTS),
        "customised": tool != row.tool,
        "function": function_text(bench.server, tool, row.toolset),
    }


class _Blocks(yaml.SafeDumper):
    """YAML as people write it: texts of several lines are blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
        text = "\n".join(line.rstrip() for line in text.splitlines())
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Blocks.add_representer(str, _text)


def _documented(bench: Bench, tool: Tool) -> str:
    """Return the operation as in the document, in YAML, cut after `MOST_LINES`; empty without
    one.
    """
    operation = bench.catalogue.operations.get(tool.origin.operation)
    if operation is None:
        return ""
    # Through JSON: nodes that are shared would be written as anchors
    node = json.loads(json.dumps(operation.node, default=str))
    text = yaml.dump(node, Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=100)
    lines = text.splitlines()
    rest = [f"… {len(lines) - MOST_LINES:,} more lines"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *rest])


def inputs(schema: Schema) -> Iterator[FormField]:
    """Yield the fields of the form for an input schema, the required ones first."""
    return _inputs(schema, Sampler(schema), ())


def _inputs(schema: Schema, sampler: Sampler, above: tuple[str, ...]) -> Iterator[FormField]:
    """Yield the fields of an object at a path."""
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    for name in sorted(properties, key=lambda name: name not in required):
        inner = properties[name]
        choices = [json.dumps(item, ensure_ascii=False) for item in inner.get("enum", ())]
        kind, path = _kind(inner, bool(choices), len(above)), (*above, name)
        yield FormField(
            path=path,
            kind=kind,
            fields=tuple(_inputs(inner, sampler, path)) if kind == "object" else (),
            required=name in required,
            description=str(inner.get("description", "")),
            choices=tuple(choices),
            sample=json.dumps(sampler.value(inner, plain=True), indent=2, ensure_ascii=False),
        )


def _kind(schema: Mapping[str, Any], has_choices: bool, depth: int) -> str:
    """Return the form control of a value: `choice`, `text`, `number`, `flag`, `object` or `json`.
    An object with properties and nothing besides gets a field for each property.
    """
    if has_choices:
        return "choice"
    closed = not schema.get("additionalProperties") and not UNIONS.intersection(schema)
    if schema.get("type") == "object" and schema.get("properties") and closed:
        return "object" if depth < DEEPEST else "json"
    return CONTROLS.get(str(schema.get("type")), "json")


def fields_of(
    table: str, values: Mapping[str, Any], path: tuple[str, ...], names: Collection[str] = ()
) -> list[EditableKey]:
    """Return the keys of a table, all or those of `names`. `path` leads to the table in
    `values`.
    """
    for name in path:
        values = values.get(name, {})
    keys = [key for key in BY_NAME[table].keys if not names or key.name in names]
    return [
        EditableKey(
            path=(*path, key.name), key=key, value=values.get(key.name), usual=_usual(table, key)
        )
        for key in keys
    ]


def _usual(table: str, key: Key) -> str:
    """Return the default of a flag or a choice, as text; empty for other keys."""
    default = getattr(DEFAULTS.get(table, Config()), key.target, None)
    if isinstance(default, bool):
        return json.dumps(default)
    return str(default) if key.choices and isinstance(default, str) else ""


def settings_fields(bench: Bench) -> Iterator[tuple[str, str, list[EditableKey]]]:
    """Yield (header, text, keys) of each table for the whole server, one API or many tools."""
    written = tomllib.loads(bench.text)
    for name in SETTINGS:
        path = (name,) if name else ()
        kept = [key.name for key in BY_NAME[name].keys if key.name != "overlays"]
        yield BY_NAME[name].header, BY_NAME[name].text, fields_of(name, written, path, kept)
    for api in bench.document.apis:
        yield f"[apis.{api}]", "", fields_of("apis.*", written, ("apis", api), OF_AN_API)
    for many in every(bench.config):
        keys = fields_of("tools.*", written, many.path, OF_MANY)
        hints = fields_of("tools.*.hints", written, (*many.path, "hints"))
        yield many.header.strip("`"), "", [*keys, *hints]


def tool_fields(bench: Bench, row: Row) -> dict[str, Any]:
    """Return the keys of a tool's own table. `fields`: name, texts, toolset and hints; `groups`,
    heading → title → keys: `More` (names, answer), and `Arguments` by the argument's name.
    """
    key = bench.table_key(row)
    written = tomllib.loads(bench.text).get("tools", {}).get(key, {})
    tool = row.tool
    usual = {"name": tool.name, "title": tool.title, "description": tool.description}
    usual |= {each.name: json.dumps(getattr(tool.hints, each.name)) for each in HINTS}
    fields = fields_of("tools.*", written, (), EDITED)
    fields += fields_of("tools.*.hints", written, ("hints",))
    answer = fields_of("tools.*.answer", written, ("answer",))
    others = {"names, confirm, budget": fields_of("tools.*", written, (), BESIDES)}
    groups = {"More": {**others, "answer": answer}, "Arguments": dict(_arguments(tool, written))}
    known = [replace(each, usual=usual.get(each.key.name, row.toolset)) for each in fields]
    return {"fields": known, "groups": groups}


def _arguments(tool: Tool, written: Mapping[str, Any]) -> Iterator[tuple[str, list[EditableKey]]]:
    """Yield each argument's name with the keys of its table."""
    properties = tool.input_schema.get("properties", {})
    for argument in tool.arguments:
        word = argument.name
        if argument.wire_name in written.get("arguments", {}):
            word = argument.wire_name
        text = str(properties.get(argument.name, {}).get("description", ""))
        usual = {"name": argument.name, "description": text}
        keys = fields_of("tools.*.arguments.*", written, ("arguments", word))
        yield argument.name, [replace(key, usual=usual.get(key.key.name, "")) for key in keys]

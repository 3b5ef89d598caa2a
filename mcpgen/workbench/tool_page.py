"""The content of a tool's page: both contracts, omissions, fields to edit, and the form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from ..catalogue.model import Row
from ..config.keys import BY_NAME, Key
from ..config.model import ArgumentConfig, ToolConfig
from ..ir import Schema, Tool
from ..render.facts import wire
from ..render.sample import Sampler
from ..render.stage import function_text
from .bench import Bench
from .cut import cuts

MOST_CUTS = 200
MOST_LINES = 400
"""Lines of a document's operation that are shown."""
CONTROLS = {"string": "text", "integer": "number", "number": "number", "boolean": "flag"}
EDITED = ("name", "title", "description", "toolset")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditableKey:
    """One key of `mcpgen.toml` to edit: its path in the tool's table, its value there (None where
    it has none), and what holds without it.
    """

    path: tuple[str, ...]
    key: Key
    value: Any
    usual: str

    @property
    def label(self) -> str:
        """The key's name in words."""
        return self.key.name.replace("_", " ")

    @property
    def path_text(self) -> str:
        """The path for the script."""
        return json.dumps(self.path)

    @property
    def value_text(self) -> str:
        """The value as it is typed."""
        if self.value is None or isinstance(self.value, str):
            return self.value or ""
        return json.dumps(self.value, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One argument of the form: how it is asked for."""

    name: str
    kind: str
    required: bool
    description: str
    choices: tuple[str, ...]
    sample: str
    """JSON to begin with."""


def tool_page(bench: Bench, row: Row) -> dict[str, Any]:
    """Return what the page of a tool shows, by the row of the tool."""
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
        "function": function_text(bench.server, tool),
    }


class _Blocks(yaml.SafeDumper):
    """YAML as people write it: texts of several lines stand as they are."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
        text = "\n".join(line.rstrip() for line in text.splitlines())
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Blocks.add_representer(str, _text)


def _documented(bench: Bench, tool: Tool) -> str:
    """The operation as the document says it, in YAML."""
    operation = bench.catalogue.operations.get(tool.origin.operation)
    if operation is None:
        return ""
    # Through JSON: nodes that are shared would be written as anchors
    node = json.loads(json.dumps(operation.node, default=str))
    text = yaml.dump(node, Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=100)
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES:,} more lines"]
    return "\n".join(lines)


def inputs(schema: Schema) -> Iterator[FormField]:
    """The fields of the form, the required ones first."""
    sampler = Sampler(schema)
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    for name in sorted(properties, key=lambda name: name not in required):
        inner = properties[name]
        choices = [json.dumps(item, ensure_ascii=False) for item in inner.get("enum", ())]
        yield FormField(
            name=name,
            kind=_kind(inner, bool(choices)),
            required=name in required,
            description=str(inner.get("description", "")),
            choices=tuple(choices),
            sample=json.dumps(sampler.value(inner, plain=True), indent=2, ensure_ascii=False),
        )


def _kind(schema: Mapping[str, Any], has_choices: bool) -> str:
    """Return the form control of a value: `choice`, `text`, `number`, `flag` or `json`."""
    kind = schema.get("type")
    if has_choices:
        return "choice"
    return CONTROLS.get(kind, "json") if isinstance(kind, str) else "json"


def tool_fields(bench: Bench, row: Row) -> list[EditableKey]:
    """The keys of a tool's own table."""
    config = bench.config.tools.get(bench.table_key(row), ToolConfig())
    tool = row.tool
    usual = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "toolset": row.toolset,
    }
    fields = [
        EditableKey(
            path=(key.name,), key=key, value=getattr(config, key.target), usual=usual[key.name]
        )
        for key in BY_NAME["tools.*"].keys
        if key.name in EDITED
    ]
    for key in BY_NAME["tools.*.hints"].keys:
        usual_hint, value = json.dumps(getattr(tool.hints, key.name)), getattr(config, key.target)
        fields.append(EditableKey(path=("hints", key.name), key=key, value=value, usual=usual_hint))
    return fields


def argument_fields(bench: Bench, row: Row) -> dict[str, list[EditableKey]]:
    """Argument → the keys of its table."""
    config = bench.config.tools.get(bench.table_key(row), ToolConfig())
    properties = row.tool.input_schema.get("properties", {})
    fields = {}
    for argument in row.tool.arguments:
        word = argument.name
        if argument.wire_name in config.arguments:
            word = argument.wire_name
        values = config.arguments.get(word, ArgumentConfig())
        usual = {
            "name": argument.name,
            "description": str(properties.get(argument.name, {}).get("description", "")),
        }
        fields[argument.name] = [
            EditableKey(
                path=("arguments", word, key.name),
                key=key,
                value=getattr(values, key.target) or None,
                usual=usual.get(key.name, ""),
            )
            for key in BY_NAME["tools.*.arguments.*"].keys
        ]
    return fields

"""The portable profile, read off `tools/list` alone: twelve rules, each a function from the list to
what breaks it.

Written apart from mcpgen, which is meant to keep these rules by construction: nothing here is
imported from there. A complaint is `(tool, what is wrong)`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

Tools = list[dict[str, Any]]
Complaint = tuple[str, str]
Rule = Callable[[Tools, str], Iterator[Complaint]]

NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
ROOT_KEYS = {"type", "properties", "required", "additionalProperties", "description", "$defs"}
KEYWORDS = ROOT_KEYS | set("""
    items enum default format pattern anyOf oneOf title uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum
    multipleOf minLength maxLength minItems maxItems minProperties maxProperties $ref
    """.split())
CHILD = ("items", "additionalProperties")
CHILDREN = ("anyOf", "oneOf")
MAPS = ("properties", "$defs")
# Words that no sentence with its verb in front starts with.
NOT_VERBS = set("""
    a an the this that these those it its there here api endpoint method operation returns: information details list:
    note important deprecated warning if when for in on at by with from to of and or all your our my new you we
    """.split())


def walk(schema: Any, path: str = "", depth: int = 0) -> Iterator[tuple[dict[str, Any], str, int]]:
    """Every schema of a schema with its place and the number of properties above it."""
    if not isinstance(schema, dict):
        return
    yield schema, path, depth
    for keyword in MAPS:
        members = schema.get(keyword)
        for key, child in members.items() if isinstance(members, dict) else ():
            yield from walk(child, f"{path}/{keyword}/{key}", depth + 1)
    for keyword in CHILD:
        yield from walk(schema.get(keyword), f"{path}/{keyword}", depth)
    for keyword in CHILDREN:
        for index, child in enumerate(schema.get(keyword) or ()):
            yield from walk(child, f"{path}/{keyword}/{index}", depth)


def inputs(tools: Tools) -> Iterator[tuple[str, dict[str, Any], str, int]]:
    """Every schema of every tool's input: the tool's name, the schema, its place, its depth."""
    for tool in tools:
        for schema, path, depth in walk(tool["inputSchema"]):
            yield tool["name"], schema, path, depth


def rule_1(tools: Tools, server: str) -> Iterator[Complaint]:
    """Names are what every client takes, the longest prefix counted."""
    for tool in tools:
        name = tool["name"]
        if not NAME.fullmatch(name):
            yield name, "name"
        if len(f"mcp__{server}__{name}") > 64:
            yield name, "combined name is too long"


def rule_2(tools: Tools, server: str) -> Iterator[Complaint]:
    """Names are unique, whatever the case."""
    count = Counter(tool["name"].lower() for tool in tools)
    for name, times in count.items():
        if times > 1:
            yield name, f"occurs {times} times"


def rule_3(tools: Tools, server: str) -> Iterator[Complaint]:
    """The root is a plain object."""
    for tool in tools:
        schema = tool["inputSchema"]
        if schema.get("type") != "object":
            yield tool["name"], f"root type {schema.get('type')}"
        if set(schema) - ROOT_KEYS:
            yield tool["name"], f"root keys {sorted(set(schema) - ROOT_KEYS)}"
        output = tool.get("outputSchema")
        if output is not None and (
            output.get("type") != "object" or {"anyOf", "oneOf", "allOf", "$ref"} & set(output)
        ):
            yield tool["name"], "output root"


def rule_4(tools: Tools, server: str) -> Iterator[Complaint]:
    """References are local and lead somewhere."""
    for tool in tools:
        for root in (tool["inputSchema"], tool.get("outputSchema") or {}):
            for schema, path, _ in walk(root):
                ref = schema.get("$ref")
                if ref is not None and (
                    not str(ref).startswith("#/$defs/") or str(ref)[8:] not in root.get("$defs", {})
                ):
                    yield tool["name"], f"$ref {ref} at {path}"


def rule_5(tools: Tools, server: str) -> Iterator[Complaint]:
    """No keyword that clients refuse, no tuple, no union of one or of the same."""
    for name, schema, path, _ in inputs(tools):
        refused = "not if then else patternProperties prefixItems allOf dependentSchemas".split()
        for keyword in filter(schema.__contains__, refused):
            yield name, f"{keyword} at {path}"
        if isinstance(schema.get("items"), list):
            yield name, f"tuple at {path}"
        for keyword in CHILDREN:
            branches = schema.get(keyword)
            if branches is None:
                continue
            if not isinstance(branches, list) or len(branches) < 2:
                yield name, f"{keyword} of fewer than two at {path}"
            elif len({json.dumps(branch, sort_keys=True) for branch in branches}) < len(branches):
                yield name, f"{keyword} says the same twice at {path}"


def rule_6(tools: Tools, server: str) -> Iterator[Complaint]:
    """`type` is one string, and never null."""
    for name, schema, path, _ in inputs(tools):
        kind = schema.get("type")
        if kind is not None and kind not in "object array string integer number boolean".split():
            yield name, f"type {kind!r} at {path}"


def rule_7(tools: Tools, server: str) -> Iterator[Complaint]:
    """Arrays have typed items; enums have values, each once."""
    for name, schema, path, _ in inputs(tools):
        items = schema.get("items")
        if schema.get("type") == "array" and not (
            isinstance(items, dict) and {"type", "anyOf", "oneOf", "enum", "$ref"} & set(items)
        ):
            yield name, f"untyped items at {path}"
        values = schema.get("enum")
        if values is not None:
            told = (
                [json.dumps(value, sort_keys=True) for value in values]
                if isinstance(values, list)
                else []
            )
            if not told or len(set(told)) != len(told):
                yield name, f"enum at {path}"
            kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
            kind = kinds.get(schema.get("type", ""))
            if kind and not all(isinstance(value, kind) for value in values):
                yield name, f"enum of another type at {path}"
            if "" in values and len(values) == 1:
                yield name, f"enum of the empty text at {path}"


def rule_8(tools: Tools, server: str) -> Iterator[Complaint]:
    """Property keys are what every client takes, at every level."""
    for name, schema, path, _ in inputs(tools):
        keys = list(schema.get("properties") or ())
        for key in keys:
            if not KEY.fullmatch(key):
                yield name, f"key {key!r} at {path}"
        for key in schema.get("required") or ():
            if key not in keys:
                yield name, f"requires {key!r}, which it does not describe, at {path}"


def rule_9(tools: Tools, server: str) -> Iterator[Complaint]:
    """Descriptions say something, no client cuts them, and they start with a short sentence that
    starts with a verb.
    """
    for tool in tools:
        text = tool.get("description") or ""
        if not 1 <= len(text) <= 1900:
            yield tool["name"], f"description of {len(text)} characters"
            continue
        sentence = re.split(r"(?<=[.!?])\s|\n", text)[0]
        if len(sentence) > 120:
            yield tool["name"], f"first sentence of {len(sentence)} characters"
        first, second, *_ = [*sentence.lower().split(" "), ""]
        first = first.removeprefix("(re)").strip(".,:;")
        if (first in NOT_VERBS and second != "para") or not first[:1].isalpha():  # not in English
            yield tool["name"], f"first word {first!r}"
        for schema, path, _ in walk(tool["inputSchema"]):
            said = schema.get("description")
            if said is not None and (
                not isinstance(said, str) or not said.strip() or len(said) > 1900
            ):
                yield tool["name"], f"description at {path}"


def rule_10(tools: Tools, server: str) -> Iterator[Complaint]:
    """Tools are small and shallow: four kilobytes; four levels of what may be left out."""
    for tool in tools:
        size = len(json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode())
        if size > 4096:
            yield tool["name"], f"{size} bytes"
        optional = _optional_depth(tool["inputSchema"])
        if optional > 5:
            yield tool["name"], f"optional properties {optional} levels deep"


def _optional_depth(schema: Any) -> int:
    """The deepest level at which a property may be left out."""
    deepest = 0
    for child, _, depth in walk(schema):
        if set(child.get("properties") or ()) - set(child.get("required") or ()):
            deepest = max(deepest, depth + 1)
    return deepest


def rule_11(tools: Tools, server: str) -> Iterator[Complaint]:
    """Keywords come from the allow-list."""
    for name, schema, path, _ in inputs(tools):
        other = set(schema) - KEYWORDS
        if other:
            yield name, f"keywords {sorted(other)} at {path}"
    for tool in tools:
        other = set(tool) - {
            "name", "title", "description", "inputSchema", "outputSchema", "annotations",
        }  # fmt: skip
        if other:
            yield tool["name"], f"keys {sorted(other)}"
        hints = tool.get("annotations") or {}
        wanted = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        if not tool.get("title") or not all(isinstance(hints.get(hint), bool) for hint in wanted):
            yield tool["name"], "title or hints missing"


def rule_12(tools: Tools, server: str) -> Iterator[Complaint]:
    """Lists do not depend on chance: `required` follows `properties`, and nothing is said twice."""
    for name, schema, path, _ in inputs(tools):
        required = schema.get("required")
        if required is not None:
            order = [key for key in schema.get("properties") or () if key in required]
            if sorted(required) != sorted(set(required)) or (
                sorted(order) == sorted(required) and order != required
            ):
                yield name, f"order of required at {path}"


RULES: tuple[Rule, ...] = (
    rule_1, rule_2, rule_3, rule_4, rule_5, rule_6, rule_7, rule_8, rule_9, rule_10, rule_11,
    rule_12,
)  # fmt: skip


def complaints(tools: Tools, server: str) -> list[tuple[int, str, str]]:
    """Everything that breaks the profile, as (rule, tool, what)."""
    return [
        (number, tool, what)
        for number, rule in enumerate(RULES, 1)
        for tool, what in rule(tools, server)
    ]

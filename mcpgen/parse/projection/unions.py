"""Unions: `oneOf`, `anyOf` and several types, said with as few branches as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...load.values import as_object, texts_in
from ..schema import merge
from .scalars import distinct

if TYPE_CHECKING:
    from ...ir import Schema
    from .run import Run

ABOUT_THE_UNION = ("description", "title", "default", "discriminator", "example", "examples")
"""Keywords beside a union that are about the whole of it and not about each branch."""


def union(run: Run, base: dict[str, Any], branches: list[Any], depth: int, pointer: str) -> Schema:
    """`oneOf`/`anyOf`: one schema where it can be said so, else `anyOf` of the branches merged with
    the base.
    """
    discriminator = base.get("discriminator")
    options = []
    for branch in branches:
        option = merge(base, run.reader.flatten(branch))
        for keyword in ABOUT_THE_UNION:
            if keyword in base:
                option.pop(keyword, None)
        if isinstance(discriminator, dict):
            option = _discriminated(run, option, branch, discriminator)
        options.append(option)
    return alternatives(run, options, depth, pointer)


def _discriminated(
    run: Run, option: dict[str, Any], branch: Any, discriminator: dict[str, Any]
) -> dict[str, Any]:
    """A branch whose discriminator property can only have the branch's own values (OpenAPI 3.1
    §4.8.25).
    """
    name = discriminator.get("propertyName")
    ref = as_object(branch).get("$ref")
    properties = option.get("properties")
    if not (isinstance(name, str) and isinstance(ref, str) and isinstance(properties, dict)):
        return option
    tag = run.reader.flatten(properties.get(name, {}))
    values = tag.get("enum")
    if "const" in tag or (isinstance(values, list) and len(values) == 1):
        return option
    tag = {**tag, "type": "string", "enum": _tags(ref, discriminator)}
    required = texts_in(option.get("required"))
    if name not in required:
        required.append(name)
    return {**option, "properties": {**properties, name: tag}, "required": required}


def _tags(ref: str, discriminator: dict[str, Any]) -> list[str]:
    """The values that a discriminator has for a branch: those of its mapping, else the name of the
    component.
    """
    component = ref.rsplit("/", 1)[-1]
    mapping = as_object(discriminator.get("mapping"))
    tags = [tag for tag, target in mapping.items() if target in (ref, component)]
    return tags or [component]


def alternatives(run: Run, options: list[dict[str, Any]], depth: int, pointer: str) -> Schema:
    """The shortest schema that accepts what any of `options` accepts."""
    branches = _distinct(run, options, depth, pointer)
    branches = _with_one_text(branches)
    branches = _with_one_enum(branches)
    objects = [branch for branch in branches if branch.get("type") == "object"]
    if len(objects) > _most_objects(run):
        _forget(run, f"{pointer}/anyOf/")
        others = [branch for branch in branches if branch.get("type") != "object"]
        branches = [_in_common(objects), *others]
    if len(branches) == 1:
        _lift(run, pointer)
        return dict(branches[0])
    if not branches:
        return {}
    return {"anyOf": branches}


def _distinct(run: Run, options: list[dict[str, Any]], depth: int, pointer: str) -> list[Schema]:
    """The options projected, without those that differ from another in their description only."""
    branches: list[Schema] = []
    without_texts: list[Schema] = []
    for option in options:
        if option.get("not") == {}:
            continue
        nullable, wire_names = len(run.nullable), len(run.wire_names)
        branch, _ = run.schema(option, depth, f"{pointer}/anyOf/{len(branches)}")
        rules = {key: value for key, value in branch.items() if key != "description"}
        if rules in without_texts:
            del run.nullable[nullable:], run.wire_names[wire_names:]
            continue
        branches.append(branch)
        without_texts.append(rules)
    return branches


def _with_one_text(branches: list[Schema]) -> list[Schema]:
    """Any text makes the other texts of a union superfluous; their values become examples."""
    texts = [branch for branch in branches if branch.get("type") == "string"]
    takes_any = any(branch.keys() <= {"type", "description"} for branch in texts)
    if len(texts) < 2 or not takes_any:
        return branches
    any_text: Schema = {"type": "string"}
    values = [str(value) for branch in texts for value in branch.get("enum", ())][:20]
    if values:
        any_text["description"] = f"e.g. {', '.join(values)}"
    return [any_text, *(branch for branch in branches if branch.get("type") != "string")]


def _with_one_enum(branches: list[Schema]) -> list[Schema]:
    """Enums of one type become one enum."""
    if len(branches) < 2 or not all(_is_enum(branch) for branch in branches):
        return branches
    if len({branch.get("type") for branch in branches}) > 1:
        return branches
    joined: Schema = {}
    if "type" in branches[0]:
        joined["type"] = branches[0]["type"]
    joined["enum"] = _values_of(branches)
    return [joined]


def _is_enum(branch: Schema) -> bool:
    return "enum" in branch and branch.keys() <= {"type", "enum", "description"}


def _values_of(enums: list[Schema]) -> list[Any]:
    return distinct(value for schema in enums for value in schema["enum"])


def _most_objects(run: Run) -> int:
    """Objects that this union may have before they are said as one."""
    if run.unions < 2:
        return run.detail.union
    return min(run.detail.union, run.detail.inner_union)


def _in_common(objects: list[Schema]) -> Schema:
    """One open object for many: what all of them require, with every value that any of them gives
    an enum.
    """
    out: Schema = {"type": "object", "description": f"one of {len(objects)} shapes"}
    required = [
        key
        for key in objects[0].get("required", ())
        if all(key in schema.get("required", ()) for schema in objects)
    ]
    if not required:
        return out
    properties: dict[str, Schema] = {}
    for key in required:
        schemas = [schema.get("properties", {}).get(key, {}) for schema in objects]
        properties[key] = {}
        if all("enum" in schema for schema in schemas):
            name = schemas[0].get("type", "string")
            properties[key] = {"type": name, "enum": _values_of(schemas)}
    return {**out, "properties": properties, "required": required}


def _forget(run: Run, prefix: str) -> None:
    """Drop what was remembered of the branches of a union."""
    run.nullable[:] = [at for at in run.nullable if not at.startswith(prefix)]
    run.wire_names[:] = [entry for entry in run.wire_names if not entry[0].startswith(prefix)]


def _lift(run: Run, pointer: str) -> None:
    """Pointers into a one-branch union become pointers into its only branch."""
    prefix = f"{pointer}/anyOf/0"

    def lifted(at: str) -> str:
        if at.startswith(f"{prefix}/"):
            return pointer + at[len(prefix) :]
        return at

    run.nullable[:] = [lifted(at) for at in run.nullable if at != prefix]
    run.wire_names[:] = [(lifted(at), wire_name) for at, wire_name in run.wire_names]

"""A process of its own for the two slow libraries: `python worker.py types|format`, JSON on stdin,
JSON on stdout.

Stands alone, so that it starts without the rest of mcpgen and so that whatever goes wrong in it
goes wrong in it alone.

`types`: a list of shapes → for each the types of its fields as trees (see `catalogue`), or null
where there are none. `format`: a list of Python texts → the texts as black formats them, or null.
"""

from __future__ import annotations

import ast
import json
import sys
from typing import Any

WIDTH = 100
TOGETHER = 200
"""Fields in one question to the library."""


def types(shapes: list[list[list[Any]]]) -> list[list[Any] | None]:
    """The types of the fields of every shape. A shape is a list of (required, JSON Schema) pairs.

    Fields that are alike are asked for once: an API has thousands of them and a few hundred kinds.
    """
    kinds: dict[str, Any] = {}
    keys = [[json.dumps(schema) for _, schema in shape] for shape in shapes]
    for shape, names in zip(shapes, keys, strict=True):
        kinds.update((name, schema) for name, (_, schema) in zip(names, shape, strict=True))
    schemas = list(kinds.values())
    trees = [
        tree
        for start in range(0, len(schemas), TOGETHER)
        for tree in _trees(schemas[start : start + TOGETHER])
    ]
    found = dict(zip(kinds, trees, strict=True))
    fields = ([found[name] for name in names] for names in keys)
    return [None if None in each else each for each in fields]


def _trees(schemas: list[Any]) -> list[Any]:
    """The type of every schema, as a tree; None where there is none."""
    try:
        return _asked(schemas)
    except ImportError:
        raise
    except (
        Exception
    ):  # the library fails in many ways: ask for half as much until the culprit is alone
        if len(schemas) == 1:
            return [None]
        half = len(schemas) // 2
        return _trees(schemas[:half]) + _trees(schemas[half:])


def _asked(schemas: list[Any]) -> list[Any]:
    from datamodel_code_generator import generate
    from datamodel_code_generator.enums import DataModelType, InputFileType
    from datamodel_code_generator.format import PythonVersion
    from datamodel_code_generator.parser import LiteralType

    definitions: dict[str, Any] = {}
    for reference in range(_references(schemas)):
        definitions[f"R{reference}"] = {"type": "object", "properties": {"f0": {"type": "string"}}}
    names = [f"f{index}" for index in range(len(schemas))]
    definitions["C0"] = {
        "type": "object",
        "properties": dict(zip(names, schemas, strict=True)),
        "required": names,
    }
    source = generate(
        json.dumps({"$defs": definitions}),
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.TypingTypedDict,
        target_python_version=PythonVersion.PY_311,
        enum_field_as_literal=LiteralType.All,
        use_union_operator=True,
        use_standard_collections=True,
        disable_timestamp=True,
        allow_remote_refs=False,
        formatters=[],
    )
    models = {
        node.name: node for node in ast.parse(str(source)).body if isinstance(node, ast.ClassDef)
    }
    return _fields(models["C0"], len(schemas))


def _references(node: Any) -> int:
    """One more than the highest `R<number>` that a schema refers to."""
    if isinstance(node, dict):
        own = int(node["$ref"].removeprefix("#/$defs/R")) + 1 if "$ref" in node else 0
        return max([own, *map(_references, node.values())])
    return max(map(_references, node), default=0) if isinstance(node, list) else 0


def _fields(model: ast.ClassDef, count: int) -> list[Any]:
    """The trees of a TypedDict's fields `f0 f1 ...`, None for one that is not understood."""
    found = {
        node.target.id: _tree(node.annotation)
        for node in model.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return [found.get(f"f{index}") for index in range(count)]


def _tree(node: ast.expr) -> Any:
    """An annotation as a tree; None where it is not understood. `NotRequired` is not part of the
    type.
    """
    match node:
        case ast.Constant(value=None):
            return "None"
        case ast.Name(id=name) if name in ("str", "int", "float", "bool", "Any"):
            return name
        case ast.Name(id=name) if name[:1] == "R" and name[1:].isdigit():
            return ["model", name]
        case ast.Subscript(value=ast.Name(id="NotRequired"), slice=inner):
            return _tree(inner)
        case ast.Subscript(value=ast.Name(id="list"), slice=inner):
            return _whole(["list", _tree(inner)])
        case ast.Subscript(
            value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), inner])
        ):
            return _whole(["dict", _tree(inner)])
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=values)):
            return _whole(
                [
                    "literal",
                    *(item.value if isinstance(item, ast.Constant) else None for item in values),
                ]
            )
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Constant(value=str(text))):
            return ["literal", text]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _whole(["union", _tree(left), _tree(right)])
    return None


def _whole(tree: list[Any]) -> list[Any] | None:
    return None if None in tree else tree


def formatted(texts: list[str]) -> list[str | None]:
    """The texts as black formats them; null for one it cannot read."""
    from black import format_str
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput

    mode = Mode(line_length=WIDTH, target_versions={TargetVersion.PY311})
    found: list[str | None] = []
    for text in texts:
        try:
            found.append(format_str(text, mode=mode))
        except (InvalidInput, ValueError, RecursionError):
            found.append(None)
    return found


def main() -> None:
    """Answer the one question on stdin."""
    sys.setrecursionlimit(5000)
    question = json.load(sys.stdin)
    answer = types(question) if sys.argv[1] == "types" else formatted(question)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()

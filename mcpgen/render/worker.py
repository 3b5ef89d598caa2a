"""A process of its own for the two slow libraries: `python worker.py types|format`, JSON on stdin, JSON on stdout.

Stands alone, so that it starts without the rest of mcpgen and so that whatever goes wrong in it goes wrong in it alone.

`types`: a list of shapes → for each the types of its fields as trees (see `catalogue`), or null where there are none.
`format`: a list of Python texts → the texts as black formats them, or null.
"""

from __future__ import annotations

import ast
import json
import sys
from typing import Any

WIDTH = 120


def types(shapes: list[list[list[Any]]]) -> list[list[Any] | None]:
    """The types of the fields of every shape. A shape is a list of (required, JSON Schema) pairs."""
    try:
        return _types(shapes)
    except ImportError:
        raise
    except Exception:  # the library fails in many ways: ask for half as much until the culprit is alone
        if len(shapes) == 1:
            return [None]
        half = len(shapes) // 2
        return types(shapes[:half]) + types(shapes[half:])


def _types(shapes: list[list[list[Any]]]) -> list[list[Any] | None]:
    from datamodel_code_generator import generate
    from datamodel_code_generator.enums import DataModelType, InputFileType
    from datamodel_code_generator.format import PythonVersion
    from datamodel_code_generator.parser import LiteralType

    definitions: dict[str, Any] = {}
    for reference in range(max((_references(shape) for shape in shapes), default=0)):
        definitions[f"R{reference}"] = {"type": "object", "properties": {"f0": {"type": "string"}}}
    for number, shape in enumerate(shapes):
        definitions[f"C{number}"] = {
            "type": "object",
            "properties": {f"f{index}": schema for index, (_, schema) in enumerate(shape)},
            "required": [f"f{index}" for index, (required, _) in enumerate(shape) if required],
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
    found = {node.name: node for node in ast.parse(str(source)).body if isinstance(node, ast.ClassDef)}
    return [_fields(found.get(f"C{number}"), len(shape)) for number, shape in enumerate(shapes)]


def _references(node: Any) -> int:
    """One more than the highest `R<number>` that a schema refers to."""
    if isinstance(node, dict):
        own = int(node["$ref"].removeprefix("#/$defs/R")) + 1 if "$ref" in node else 0
        return max([own, *map(_references, node.values())])
    return max(map(_references, node), default=0) if isinstance(node, list) else 0


def _fields(model: ast.ClassDef | None, count: int) -> list[Any] | None:
    """The trees of a TypedDict's fields `f0 f1 ...`; None unless all are there and understood."""
    if model is None:
        return None
    found = {
        node.target.id: _tree(node.annotation)
        for node in model.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    trees = [found.get(f"f{index}") for index in range(count)]
    return None if None in trees else trees


def _tree(node: ast.expr) -> Any:
    """An annotation as a tree; None where it is not understood. `NotRequired` is not part of the type."""
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
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), inner])):
            return _whole(["dict", _tree(inner)])
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=values)):
            return _whole(["literal", *(item.value if isinstance(item, ast.Constant) else None for item in values)])
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

"""The types of a server: the module `models` of its package (a TypedDict for each object that
arguments and answers hold, for type checkers alone), and annotations that name them.

datamodel-code-generator writes the module from one JSON Schema. Class names in it are made by
`parse.models`; keys and values that are no plain words are tokens while the library works, so that
nothing in a document can become code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from ..ir import Argument, Schema, Server, Tool
from ..problems import McpgenError, Problem
from ..runtime.pointer import referred_to
from .literal import is_field, py_ident, py_literal, subscript, union

SCALARS: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
"""JSON type → Python type."""
HEADER: Final = '"""Types of the objects in arguments and answers. Only type checkers read them."""'
ROOT: Final = "Zz"
"""The name of the schema that holds the models; no class has it."""
PLAIN: Final = re.compile(r"(?!.*zz)[A-Za-z0-9][A-Za-z0-9_.:/ -]{0,80}")
"""Keys and values that the library may read."""
TOKEN: Final = re.compile(r"""(['"])zz (\d+)\1|\bzz_(\d+)_\b""")
CLASS: Final = re.compile(r"^(?:class )?(\w+)(?: = TypedDict\(|\(TypedDict\))", re.M)
READ_IN_A_CLASS: Final = frozenset(
    {"Any", "Literal", "NotRequired", "dict", "list", *SCALARS.values()}
)
"""Names read inside a class of types: a field of such a name would hide them."""


class LibraryFailed(McpgenError):
    """datamodel-code-generator does not work: the installation is broken, not the document."""

    def __init__(self, reason: object) -> None:
        super().__init__(
            Problem(
                code="E1208",
                severity="error",
                message=f"`datamodel-code-generator` does not run: {str(reason)[:300]}",
                hint="install mcpgen again in a fresh environment",
            )
        )


class Types:
    """The types of a server's arguments and answers, as annotations and as one JSON Schema."""

    def __init__(self, server: Server) -> None:
        roots = [schema for tool in server.tools for schema in _types_of(tool)]
        models = referred_to(roots, server.models)
        self.models = {name: model for name, model in models.items() if _properties(model)}

    def argument(self, argument: Argument) -> list[str]:
        """Return the operands of an argument's type, null not included; empty if its annotation
        says everything.
        """
        return [] if argument.type is None else self._operands(argument.type)

    def answer(self, tool: Tool) -> str | None:
        """Return the type of a tool's answer; None if it holds no model."""
        schema = tool.response.type
        return None if schema is None else union(self._operands(schema))

    def source(self) -> str:
        """Return the source of the module for `written`, as JSON; empty without models."""
        if not self.models:
            return ""
        words: list[Any] = []
        definitions = {
            py_ident(name): self._model(model, words) for name, model in self.models.items()
        }
        return json.dumps({"words": words, "schema": {"$defs": definitions}})

    def _operands(self, schema: Schema) -> list[str]:
        """Return a type as the operands of a union; `Any` if unknown."""
        match schema:
            case {"$ref": str(reference)}:
                name = reference.rpartition("/")[2]
                return [f"models.{py_ident(name)}" if name in self.models else "dict[str, Any]"]
            case {"enum": values}:
                return [subscript("Literal", *map(py_literal, values))]
            case {"anyOf": members}:
                return [operand for member in members for operand in self._operands(member)]
            case {"type": "array", "items": items}:
                return [subscript("list", union(self._operands(items)))]
            case {"type": "object"}:
                values = self._operands(schema.get("additionalProperties", {}))
                return [subscript("dict", "str", union(values))]
            case {"type": "null"}:
                return ["None"]
        return [SCALARS.get(str(schema.get("type")), "Any")]

    def _model(self, model: Schema, words: list[Any]) -> Schema:
        """Return the schema of a model as the library reads it."""
        required = model.get("required", ())
        keys = {key: _key(key, words) for key in _properties(model)}
        return {
            "type": "object",
            "properties": {
                keys[key]: self._guarded(item, words) for key, item in _properties(model).items()
            },
            "required": [word for key, word in keys.items() if key in required],
        }

    def _guarded(self, schema: Schema, words: list[Any]) -> Schema:
        """Return a type as the library reads it. An object without properties is a plain
        dictionary.
        """
        match schema:
            case {"$ref": str(reference)}:
                return schema if reference.rpartition("/")[2] in self.models else {"type": "object"}
            case {"enum": values}:
                return {"enum": [_value(value, words) for value in values]}
            case {"anyOf": members}:
                return {"anyOf": [self._guarded(member, words) for member in members]}
        return {
            keyword: item if keyword == "type" else self._guarded(item, words)
            for keyword, item in schema.items()
            if keyword in ("type", "items", "additionalProperties")
        }


def _key(key: str, words: list[Any]) -> str:
    """Return a plain key unchanged; any other is added to `words` and its token returned: `zz_3_`
    (its index) if the key can be a field, else `zz 3`.
    """
    if key in READ_IN_A_CLASS:
        return _token(key, words)
    if PLAIN.fullmatch(key):
        return key
    return f"zz_{_number(key, words)}_" if is_field(key) else _token(key, words)


def _value(value: Any, words: list[Any]) -> Any:
    """Return a plain value unchanged; any other is added to `words`, and its token returned: `zz
    3`, with the index.
    """
    match value:
        case int() if abs(value) < 2**53:
            return value
        case str() if PLAIN.fullmatch(value):
            return value
    return _token(value, words)


def _token(value: Any, words: list[Any]) -> str:
    return f"zz {_number(value, words)}"


def _number(value: Any, words: list[Any]) -> int:
    words.append(value)
    return len(words) - 1


def written(source: str) -> str:
    """Return the module of types as datamodel-code-generator writes it for a `Types.source`. Raises
    LibraryFailed.
    """
    data = json.loads(source)
    text = _generated(json.dumps(data["schema"]))
    missing = data["schema"]["$defs"].keys() - set(CLASS.findall(text))
    if missing:
        raise LibraryFailed(f"it wrote no type `{min(missing)}`")
    return TOKEN.sub(lambda found: _spelt(found, data["words"]), text)


@lru_cache(maxsize=4)
def _generated(schema: str) -> str:
    """Return the library's module for a JSON Schema. Raises LibraryFailed."""
    try:
        from datamodel_code_generator import generate
        from datamodel_code_generator.enums import DataModelType, InputFileType
        from datamodel_code_generator.format import PythonVersion
        from datamodel_code_generator.parser import LiteralType

        return str(
            generate(
                schema,
                input_file_type=InputFileType.JsonSchema,
                output_model_type=DataModelType.TypingTypedDict,
                target_python_version=PythonVersion.PY_311,
                enum_field_as_literal=LiteralType.All,
                use_union_operator=True,
                use_standard_collections=True,
                disable_timestamp=True,
                allow_remote_refs=False,
                class_name=ROOT,
                skip_root_model=True,
                custom_file_header=HEADER,
                formatters=[],
            )
        )
    except Exception as error:  # the library has no base class of its own for what goes wrong
        raise LibraryFailed(error) from error


def _spelt(token: re.Match[str], words: list[Any]) -> str:
    """Return the key or value that a token refers to, as Python."""
    if token[3]:
        return str(words[int(token[3])])
    return py_literal(words[int(token[2])])


def _types_of(tool: Tool) -> Iterator[Schema]:
    """Yield the types in a tool's signature that hold models."""
    for argument in tool.arguments:
        if argument.type is not None and not argument.fixed:
            yield argument.type
    if tool.response.type is not None:
        yield tool.response.type


def _properties(model: Schema) -> dict[str, Schema]:
    properties: dict[str, Schema] = model.get("properties", {})
    return properties

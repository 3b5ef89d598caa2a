"""Convert the arguments and the result of a typed function: JSON Schema, and Python values.

Both go through pydantic, so an annotation may be anything that pydantic understands. It makes the
values that the function expects (a date, an enumeration, a dataclass, a model) and decides what a
call may hold; the schemas refuse the rest in the same words as for every other tool.
"""

from __future__ import annotations

import inspect
import json
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from ...arguments import place, show
from ...arguments.checker import BadArguments
from ...results import Answered
from ...results.content import (
    Audio,
    Context,
    Image,
    Resource,
    ResourceLink,
    Structured,
    Text,
    ToolError,
)

_PREFIX = "argument_"
"""Before the names of the model's fields: an argument may be called `json` or `model_config`."""
_CLIENT = f"{__package__.rsplit('.', 2)[0]}.client.api"
_INJECTED = ("api", "context")
_CONTENT = (Answered, Audio, Image, Resource, ResourceLink, Structured, Text)
"""Types that are content already: functions with these return types have no output schema."""
_UNTYPED = (Any, None, type(None), list, list[Any])
"""Return types that do not name their items, which may be content."""
_ADVICE = (
    "content is returned alone or in a list: say so, for example `-> list[Image | Text]`, and put"
    " data beside it as text"
)
_GENERATORS = (inspect.isgeneratorfunction, inspect.isasyncgenfunction)


class BadSignature(Exception):
    """Raised for a function that cannot be a tool; the text says what to change."""


class _Schemas(GenerateJsonSchema):
    """Generator of schemas without titles that only repeat the name of a field."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: no title is made of a field's name."""
        return False


class Signature:
    """Signature of one function as a tool: its schemas and values. Raises BadSignature."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if any(yields(inspect.unwrap(function)) for yields in _GENERATORS):
            raise BadSignature("it yields, and a tool has one result: return a list")
        self.injected: dict[str, str] = {}
        """`api` or `context` -> its parameter."""
        self.takes_more = False
        """Whether there is a `**parameter` for further arguments."""
        self._further: Any = Any
        """The type of each of them."""
        self._is_wrapped = False
        """Whether the output schema has what the function returns as `result`."""
        self.lost = ""
        """The reason why a typed result has no output schema."""
        self._hints = _hints(inspect.unwrap(function))
        self._parameters = dict(self._arguments(inspect.signature(function)))
        self._model = self._arguments_model(function)

    def _arguments(self, signature: inspect.Signature) -> Iterator[tuple[str, inspect.Parameter]]:
        """Yield name and parameter for those that callers fill in. Raises BadSignature."""
        for name, parameter in signature.parameters.items():
            injected = _injected(parameter, self._hints.get(name))
            if injected:
                self.injected[injected] = name
            elif parameter.kind is parameter.VAR_KEYWORD:
                self.takes_more = True
                self._further = self._hints.get(name, Any)
            elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
                raise BadSignature(f"callers name every argument, which `{name}` does not allow")
            else:
                yield name, parameter

    def _arguments_model(self, function: Callable[..., Any]) -> type[BaseModel]:
        """Return a pydantic model of the arguments. Raises BadSignature for a bad annotation."""
        fields: dict[str, Any] = {}
        for name, parameter in self._parameters.items():
            default = parameter.default
            if default is parameter.empty:
                default = Field()  # required, unless the annotation has a `Field` with a default
            fields[_PREFIX + name] = (self._hints.get(name, Any), default)
        config = ConfigDict(
            alias_generator=lambda field: field.removeprefix(_PREFIX),
            arbitrary_types_allowed=False,
            extra="allow" if self.takes_more else "forbid",
        )
        further = {"__pydantic_extra__": dict[str, self._further]}  # type: ignore[name-defined]
        namespace = {"__module__": function.__module__, "model_config": config}
        try:
            base = type("Base", (BaseModel,), {**namespace, "__annotations__": further})
            return create_model(
                "Arguments", __base__=base, __module__=function.__module__, **fields
            )
        except (PydanticUserError, TypeError) as error:
            raise BadSignature(_first_line(error)) from error

    def input_schema(self, descriptions: dict[str, str]) -> dict[str, Any]:
        """Return the schema of the arguments; `descriptions` (by parameter) fill in missing ones.

        Raises BadSignature for an annotation without a JSON Schema.
        """
        try:
            schema = self._model.model_json_schema(schema_generator=_Schemas)
        except PydanticUserError as error:
            raise BadSignature(_first_line(error)) from error
        del schema["title"]
        properties = schema.setdefault("properties", {})
        for name in self._parameters:
            text = _text_beside(self._hints.get(name)) or descriptions.get(name)
            if text:
                properties[self._key(name)].setdefault("description", text)
        return schema

    def _key(self, name: str) -> str:
        """Return the name of an argument for callers: its alias, if `Field` gives it one."""
        field = self._model.model_fields[_PREFIX + name]
        return str(field.validation_alias or field.alias)

    def keywords(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Convert checked arguments to the values that the function expects, by parameter.

        An argument that was not given is left to the function's own default. Raises BadArguments
        for what a type refuses beyond its schema.
        """
        try:
            model = self._model.model_validate(arguments)
        except ValidationError as error:
            raise BadArguments(_explained(tool, error)) from error
        keywords = dict(model.model_extra or {})
        for name, parameter in self._parameters.items():
            field = _PREFIX + name
            if field in model.model_fields_set or _has_default_of_field(parameter):
                keywords[name] = getattr(model, field)
        return keywords

    def accepts(self, arguments: dict[str, Any]) -> bool:
        """Return whether the types take these arguments."""
        with suppress(ValidationError):
            return bool(self._model.model_validate(arguments))
        return False

    @cached_property
    def _result(self) -> TypeAdapter[Any] | None:
        """Adapter of the return type; None if this is untyped or content. Raises BadSignature."""
        annotation = self._hints.get("return", Any)
        if annotation in _UNTYPED:
            return None
        if _misplaces_content(annotation):
            raise BadSignature(_ADVICE)
        if _is_content(annotation):
            return None
        try:
            return TypeAdapter(annotation)
        except PydanticUserError as error:
            self.lost = _first_line(error)
            return None

    def output_schema(self, description: str) -> dict[str, Any] | None:
        """Return the schema of structured results, which are objects: any other value becomes the
        member `result` of an object. None for content, or a type without schema (`lost` says why).
        """
        if self._result is None:
            return None
        try:
            schema = self._result.json_schema(mode="serialization", schema_generator=_Schemas)
        except PydanticUserError as error:
            self.lost = _first_line(error)
            return None
        definitions = schema.pop("$defs", {})
        if "$ref" in schema:
            schema = dict(definitions[schema["$ref"].rpartition("/")[2]])
        self._is_wrapped = schema.get("type") != "object"
        if self._is_wrapped:
            schema = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
        if definitions:
            schema["$defs"] = definitions
        if description:
            schema.setdefault("description", description)
        return schema

    def data(self, value: Any) -> Any:
        """Return a function's return value as JSON data in the form of its return type; unchanged
        are content, and a value not of that type. Raises ToolError for content inside of data.
        """
        is_content = isinstance(value, _CONTENT)
        if self._result is None and isinstance(value, list | tuple):
            is_content = all(isinstance(item, (*_CONTENT, str)) for item in value)
        if not is_content and _holds_content(value):
            raise ToolError(f"this tool returns content inside of data: {_ADVICE}")
        if is_content or self._result is None:
            return value
        try:
            data = self._result.dump_python(value, mode="json", by_alias=True, warnings="error")
        except ValueError:
            return value
        return {"result": data} if self._is_wrapped and isinstance(data, dict) else data


def _has_default_of_field(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter without an argument gets the value of its `Field`."""
    return parameter.default is parameter.empty or isinstance(parameter.default, FieldInfo)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function by parameter, and `return`. Raises BadSignature."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise BadSignature(
            f"the annotation `{error.name}` is not there when the server runs: import it outside of"
            " `if TYPE_CHECKING:`"
        ) from error
    except Exception as error:
        raise BadSignature(f"its annotations cannot be read: {error}") from error


def _injected(parameter: inspect.Parameter, annotation: Any) -> str:
    """Return `api` or `context` for a parameter that the server fills in; else an empty text."""
    types = (annotation, *typing.get_args(annotation))  # also `Context | None`
    if Context in types:
        return "context"
    client = sys.modules.get(_CLIENT)  # loaded by the annotation that names its class
    if client is not None and client.Api in types:
        return "api"
    if annotation is None and parameter.name in _INJECTED:
        return parameter.name
    return ""


def _is_content(annotation: Any) -> bool:
    """Return whether a return type is or holds a content helper."""
    if isinstance(annotation, type) and issubclass(annotation, _CONTENT):
        return True
    return any(_is_content(inner) for inner in typing.get_args(annotation))


def _misplaces_content(annotation: Any, *, inside: bool = False) -> bool:
    """Return whether a return type has a content helper in a mapping, or in a list within a
    list.
    """
    if not _is_content(annotation):
        return False
    origin = typing.get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return True
    is_list = isinstance(origin, type) and issubclass(origin, Iterable)
    return any(
        _misplaces_content(inner, inside=inside or is_list) or (inside and is_list)
        for inner in typing.get_args(annotation)
    )


def _holds_content(value: Any) -> bool:
    """Return whether data has a content helper anywhere in it."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return any(map(_holds_content, value))
    return isinstance(value, _CONTENT)


def _explained(tool: str, error: ValidationError) -> str:
    """Return pydantic's validation errors as text, a line each, like every other refusal."""
    lines = [f"Invalid arguments for `{tool}`:"]
    for fault in error.errors(include_url=False):
        reason = fault["msg"].replace("Input should be", "must be", 1)
        reason = reason.removeprefix("Value error, ").removeprefix("Assertion failed, ")
        lines.append(f"{place(fault['loc'])} {reason}, got {show(fault['input'])}")
    return "\n- ".join(lines)


def _text_beside(annotation: Any) -> str:
    """Return the description in `Annotated[int, "how many"]`; else an empty text."""
    for item in getattr(annotation, "__metadata__", ()):
        if isinstance(item, str):
            return item
    return ""


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


Schema = dict[str, Any]

_KEPT = frozenset("""
    type title description default enum format pattern required uniqueItems minimum maximum
    exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties
    maxProperties
    """.split())
_DEEPEST = 4
_ROOM = 4096
"""The characters up to which models inside of models are listed with their fields."""
_LONGEST_EXAMPLE = 120
"""Characters of an example that is listed."""
_ANYTHING = [{"type": kind} for kind in ("string", "number", "boolean", "object")]


def portable(schema: Schema, *, takes_null: bool) -> Schema:
    """Return a schema without references, inlined as deep as `_ROOM` allows, in keywords that every
    client knows. Without `takes_null`, null becomes a word of the description.
    """
    definitions = schema.get("$defs", {})
    listed = _Profile(definitions, takes_null, 1).of(schema)
    for depth in range(2, _DEEPEST + 1):
        deeper = _Profile(definitions, takes_null, depth).of(schema)
        if len(json.dumps(deeper)) > _ROOM:
            break
        listed = deeper
    return listed


@dataclass(frozen=True, slots=True)
class _Profile:
    """Maker of portable schemas: models keep their fields up to `depth` inside of each other."""

    definitions: dict[str, Schema]
    takes_null: bool
    depth: int

    def of(self, exact: Any, above: tuple[str, ...] = ()) -> Schema:
        """Return a schema's portable form; a reference to `above`, or a deep one: type and text."""
        if not isinstance(exact, dict):
            return {}
        schema = exact if self.takes_null else _without_null(exact)
        found = {key: schema[key] for key in schema if key in _KEPT and schema[key] is not None}
        if "const" in schema:
            found["enum"] = [schema["const"]]
        if "properties" in schema:
            fields = schema["properties"].items()
            found["properties"] = {key: self.of(field, above) for key, field in fields}
        if "additionalProperties" in schema:
            more = schema["additionalProperties"]
            found["additionalProperties"] = self.of(more, above) or more is not False
        if found.get("type") == "array":
            found["items"] = self._items(schema, above)
        branches = schema.get("oneOf", schema.get("anyOf", ()))
        found = {**self._definition(schema, above), **self._union(branches, above), **found}
        notes = [_example(schema), "" if schema is exact else "may be null"]
        if any(notes):
            text = found.get("description", "").rstrip(".")
            found["description"] = "; ".join(filter(None, (text, *notes)))
        return found

    def _items(self, schema: Schema, above: tuple[str, ...]) -> Schema:
        """Return the portable items of an array; of a tuple, the union of its items."""
        exact = [*schema.get("prefixItems", ()), schema.get("items")]
        items = self._union([each for each in exact if each is not None], above)
        if not self.takes_null and items.keys().isdisjoint(("type", "anyOf", "enum")):
            items["anyOf"] = _ANYTHING
        return items

    def _union(self, branches: Any, above: tuple[str, ...]) -> Schema:
        """Return the union of the portable forms; a single form as it is, and `{}` for none."""
        found = [self.of(branch, above) for branch in branches]
        distinct = {json.dumps(each, sort_keys=True): each for each in found}
        if len(distinct) > 1:
            return {"anyOf": list(distinct.values())}
        return next(iter(found), {})

    def _definition(self, schema: Schema, above: tuple[str, ...]) -> Schema:
        """Return a `$ref`'s target (repeated or deep: type, text, field names), or `{}` without."""
        name = schema.get("$ref", "").removeprefix("#/$defs/")
        target = self.definitions.get(name, {})
        models = [each for each in above if "properties" in self.definitions[each]]
        is_deep = "properties" in target and len(models) >= self.depth
        if name not in above and not is_deep:
            return self.of(target, (*above, name)) if target else {}
        text = target.get("description") or target.get("title") or name
        fields = ", ".join(target.get("properties", ()))
        if fields:
            text = f"{text.rstrip('.')}; fields: {fields}"
        cut = {"type": target.get("type"), "description": text}
        return {key: value for key, value in cut.items() if value is not None}


def _example(schema: Schema) -> str:
    """Return `e.g. ` and the first short example; empty without, or with values or a default."""
    examples = schema.get("examples", ())
    if any(map(schema.get, ("const", "default", "enum"))):
        return ""
    texts = (each if isinstance(each, str) else json.dumps(each) for each in examples)
    return next((f"e.g. {text}" for text in texts if len(text) <= _LONGEST_EXAMPLE), "")


def _without_null(exact: Schema) -> Schema:
    """Return a schema without null in `anyOf`, `oneOf` and `enum`, and without the type `null`; a
    list of types is kept. The same object if nothing changes.
    """
    schema = dict(exact)
    for keyword in ("anyOf", "oneOf", "enum"):
        values = [each for each in exact.get(keyword, ()) if each not in (None, {"type": "null"})]
        schema[keyword] = values
        if not values:
            del schema[keyword]
    if exact.get("type") == "null":
        schema = {key: schema[key] for key in schema if key not in ("type", "const")}
    return exact if schema == exact else schema

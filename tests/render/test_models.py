"""The module of TypedDicts, and what signatures say of them."""

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any, get_args, get_type_hints

import datamodel_code_generator
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.ir import Annotation, Response, Schema, Tool
from mcpgen.problems import McpgenError
from mcpgen.render import models
from mcpgen.render.gate import GateError

from .servers import (
    argument,
    body,
    files_of,
    function_of,
    models_of,
    module_of,
    reference,
    server,
    tool,
)

OBJECT = Annotation(kind="dict")
PRICE: Schema = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "currency": {"enum": ["EUR", "USD"]}},
    "required": ["amount"],
}
MODELS = {"Price": PRICE}
WORDS = st.text(st.sampled_from("abz_09 .-:'\"\\\n\u00e9$#{"), max_size=8) | st.sampled_from(
    "zz zz_0_ class list Any None True __x _x id field copy a-b a_b 1st".split()
)


def taking(annotation: Annotation = OBJECT) -> Tool:
    """A tool whose body has one field, a `Price`."""
    price = argument("price", "body", annotation, required=True, type=reference("Price"))
    return tool("add_book", price, method="POST", body=body())


def answering(schema: Schema) -> Tool:
    """A tool whose answer has that type."""
    return tool("get_book", response=Response(json=True, wrapped=False, type=schema))


def types_of(thing: Schema) -> models.Types:
    """The types of a server whose answer is that model."""
    return models.Types(server(answering(reference("Thing")), models={"Thing": thing}))


def classes(*tools: Tool, models: dict[str, Schema]) -> str:
    """The module of types after its imports."""
    text = models_of(*tools, models=models)
    return re.split(r"^from typing import .*\n", text, flags=re.M)[1].lstrip("\n")


def field(schema: Schema, **models: Schema) -> str:
    """How a field of that type is declared in the model `Thing`."""
    thing = {"type": "object", "properties": {"field": schema}, "required": ["field"]}
    text = classes(answering(reference("Thing")), models={"Thing": thing, **models})
    return text.partition("class Thing(TypedDict):\n    field: ")[2].split("\n\n")[0].strip()


def test_an_object_is_a_typed_dict_of_its_own_name() -> None:
    assert "price: models.Price" in function_of(taking(), models=MODELS)
    assert models_of(taking(), models=MODELS) == textwrap.dedent('''\
        """Types of the objects in arguments and answers. Only type checkers read them."""

        from __future__ import annotations

        from typing import Literal, NotRequired, TypedDict


        class Price(TypedDict):
            amount: float
            currency: NotRequired[Literal["EUR", "USD"]]
        ''')


def test_types_are_imported_for_type_checkers_alone() -> None:
    expected = "if TYPE_CHECKING:\n    from .. import models\n"
    assert expected in module_of(taking(), models=MODELS)


@pytest.mark.parametrize(("schema", "annotation"), [
    ({"type": "array", "items": reference("Price")}, "list[models.Price]"),
    ({"type": "object", "additionalProperties": reference("Price")}, "dict[str, models.Price]"),
    ({"anyOf": [reference("Price"), {"type": "string"}]}, "models.Price | str"),
])  # fmt: skip
def test_an_answer_that_holds_objects_is_typed(schema: Schema, annotation: str) -> None:
    assert f"-> Answer[{annotation}]:" in module_of(answering(schema), models=MODELS)


def test_an_answer_without_a_type_is_any() -> None:
    assert "-> Answer[Any]:" in module_of(tool("get_book"))


@pytest.mark.parametrize(("schema", "annotation"), [
    ({"type": "string"}, "str"), ({"type": "integer"}, "int"), ({"type": "number"}, "float"),
    ({"type": "boolean"}, "bool"), ({"type": "null"}, "None"), ({}, "Any"),
    ({"type": "object"}, "dict[str, Any]"), ({"type": "array", "items": {}}, "list[Any]"),
    ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
     "list[list[int]]"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}, "str | int | None"),
    ({"enum": ["a", "b"]}, 'Literal["a", "b"]'), ({"enum": [1, -2, True]}, "Literal[1, -2, True]"),
    ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, 'Literal["a"] | None'),
    (reference("Thing"), "Thing"),
    ({"anyOf": [reference("Thing"), {"type": "null"}]}, "Thing | None"),
    ({"anyOf": [{"enum": ["v1"]}, {"type": "integer"}]}, 'Literal["v1"] | int'),
])  # fmt: skip
def test_every_form_of_a_type_has_an_annotation(schema: Schema, annotation: str) -> None:
    assert field(schema) == annotation


def test_null_of_an_argument_is_said_once() -> None:
    function = function_of(taking(Annotation(kind="dict", nullable=True)), models=MODELS)
    assert "price: models.Price | None" in function


def test_a_type_written_as_a_call_can_be_evaluated() -> None:
    """Also where it refers to itself, and to a type that refers to it."""
    thing: Schema = {
        "type": "object",
        "properties": {
            "unit-price": {"anyOf": [reference("Price"), {"type": "string"}, {"type": "null"}]},
            "others": {"type": "array", "items": reference("Thing")},
            "next-one": {"anyOf": [reference("Other"), {"type": "null"}]},
        },
    }
    other: Schema = {"type": "object", "properties": {"a-b": reference("Thing")}}
    known = {"Thing": thing, "Other": other, **MODELS}
    text = classes(answering(reference("Thing")), models=known)
    assert '"unit-price": NotRequired[Price | str | None],' in text
    names: dict[str, Any] = {}
    exec(compile("from typing import *\n\n" + text, "models.py", "exec"), names)
    assert {*names["Thing"].__annotations__} == {"unit-price", "others", "next-one"}


@settings(derandomize=True, max_examples=10, deadline=None)
@given(
    st.dictionaries(
        WORDS,
        st.lists(WORDS | st.integers() | st.booleans(), min_size=1, max_size=3),
        min_size=1,
        max_size=4,
    )
)
def test_every_key_and_value_is_that_of_the_document(given: dict[str, list[Any]]) -> None:
    values = {
        key: list({(type(item), item): item for item in items}.values())
        for key, items in given.items()
    }
    thing: Schema = {
        "type": "object",
        "properties": {key: {"enum": items} for key, items in values.items()},
        "required": list(values),
    }
    text = models.written(types_of(thing).source())
    sys.modules["written"] = module = ModuleType("written")
    exec(compile(text, "models.py", "exec"), vars(module))
    assert text.isascii()
    types = get_type_hints(module.Thing)
    assert {key: [*get_args(found)] for key, found in types.items()} == values


@pytest.mark.parametrize("key", ["class", "a b", "__x", "é", "", "x\n", "list", "Any"])
def test_a_key_no_class_can_have_makes_a_call(key: str) -> None:
    thing: Schema = {"type": "object", "properties": {key: {}}}
    assert "Thing = TypedDict(" in classes(answering(reference("Thing")), models={"Thing": thing})


@pytest.mark.parametrize("key", ["_links", "match", "items", "print"])
def test_other_keys_are_fields_of_a_class(key: str) -> None:
    thing: Schema = {"type": "object", "properties": {key: {}}}
    assert "class Thing(" in classes(answering(reference("Thing")), models={"Thing": thing})


def test_models_that_nothing_refers_to_are_left_out() -> None:
    other: Schema = {"type": "object", "properties": {"x": {}}}
    assert "Other" not in models_of(taking(), models={**MODELS, "Other": other})
    assert "src/bookshop_mcp/models.py" not in files_of(tool(), models=MODELS)


def test_an_object_without_fields_is_a_plain_dictionary() -> None:
    files = files_of(taking(), models={"Price": {"type": "object", "properties": {}}})
    assert "price: dict[str, Any]" in files["src/bookshop_mcp/tools/books.py"]
    assert "src/bookshop_mcp/models.py" not in files


@pytest.mark.parametrize("word", ["evil()", "a\nb", "$ref", "{x}", "\u202e"])
def test_the_library_reads_plain_words_alone(word: str) -> None:
    thing: Schema = {"type": "object", "title": word, "properties": {word: {"enum": [word]}}}
    source = json.loads(types_of(thing).source())
    assert word not in repr(source["schema"])
    assert word in source["words"]


@pytest.fixture(autouse=True)
def fresh_library() -> Iterator[None]:
    """Nothing that a test put into the library's mouth is left."""
    yield
    models._generated.cache_clear()


def test_what_the_library_writes_passes_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes out of the library, what is no type does not become a file."""
    evil = "class Price(TypedDict):\n    amount: evil()\n"
    models._generated.cache_clear()
    monkeypatch.setattr(datamodel_code_generator, "generate", lambda *_, **__: evil)
    with pytest.raises(GateError):
        files_of(taking(), models=MODELS)


def test_a_type_the_library_leaves_out_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    models._generated.cache_clear()
    monkeypatch.setattr(datamodel_code_generator, "generate", lambda *_, **__: "")
    with pytest.raises(McpgenError, match="it wrote no type `Price`"):
        files_of(taking(), models=MODELS)


def test_a_library_that_fails_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise RuntimeError("no module named x")

    models._generated.cache_clear()
    monkeypatch.setattr(datamodel_code_generator, "generate", fail)
    with pytest.raises(McpgenError) as raised:
        files_of(taking(), models=MODELS)
    (problem,) = raised.value.problems
    assert problem.message == "`datamodel-code-generator` does not run: no module named x"
    assert problem.hint

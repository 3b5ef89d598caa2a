"""TypedDicts for the objects that functions take and answers hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from mcpgen.ir import Annotation, Response, Schema, Tool
from mcpgen.problems import McpgenError
from mcpgen.render import cache, catalogue, process

from .servers import argument, body, files_of, function_of, models_of, module_of, tool

OBJECT = Annotation(kind="dict")
PRICE: Schema = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
    },
    "required": ["amount"],
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.getbasetemp() / "types-cache"
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(folder))
    return folder


def taking(schema: Schema, annotation: Annotation = OBJECT, **more: Any) -> Tool:
    """A tool whose body has one field, `price`."""
    given = argument("price", "body", annotation, required=True)
    return tool("add_book", given, method="POST", body=body(), properties={"price": schema}, **more)


def answering(schema: Schema, **more: Any) -> Tool:
    """A tool with such an answer."""
    return tool("get_book", response=Response(json=True, wrapped=False, schema=schema, **more))


def classes(*tools: Tool) -> str:
    """The module of types after its imports."""
    return re.split(r"^from typing import .*\n", models_of(*tools), flags=re.M)[1].lstrip("\n")


def test_an_object_argument_has_a_typed_dict() -> None:
    assert "price: models.AddBookPrice" in function_of(taking(PRICE))
    assert models_of(taking(PRICE)) == textwrap.dedent('''\
        """Types of the toolset `books`, for type checkers."""

        from __future__ import annotations

        from typing import Literal, NotRequired, TypedDict


        class AddBookPrice(TypedDict):
            amount: float
            currency: NotRequired[Literal["EUR", "USD"]]
        ''')


def test_types_are_imported_for_type_checkers_alone() -> None:
    assert "if TYPE_CHECKING:\n    from ..models import books as models\n" in module_of(
        taking(PRICE)
    )


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array", "items": PRICE}, "list[models.GetBookAnswerItem]"),
        ({"type": "object", "additionalProperties": PRICE}, "dict[str, models.GetBookAnswer]"),
        ({"anyOf": [PRICE, {"type": "string"}]}, "models.GetBookAnswer | str"),
        ({"type": "array", "items": {"type": "string"}}, "Any"),
        ({"type": "object"}, "Any"),
    ],
)
def test_an_answer_is_typed_where_it_holds_an_object(schema: Schema, said: str) -> None:
    assert f"-> Answer[{said}]:" in module_of(answering(schema))


def test_an_answer_is_called_what_the_document_calls_it() -> None:
    assert "Answer[models.Price]" in module_of(answering(PRICE, name="price"))
    assert "Answer[list[models.BookPrice]]" in module_of(
        answering({"type": "array", "items": PRICE}, name="book.Price")
    )
    assert "Answer[models.Model2fa]" in module_of(answering(PRICE, name="2fa"))
    assert "Answer[models.Any2]" in module_of(answering(PRICE, name="any"))
    assert "Answer[models.Item]" in module_of(answering(PRICE, name="价格"))


def test_equal_objects_share_a_type_and_others_get_a_number() -> None:
    other = {"type": "object", "properties": {"x": {"type": "string"}}}
    found = classes(taking(PRICE), answering(PRICE, name="Money"))
    assert found.count("class ") == 1
    found = classes(
        answering(PRICE, name="A"),
        tool("b", response=Response(json=True, wrapped=False, schema=other, name="A")),
    )
    assert "class A(" in found and "class A2(" in found


def test_objects_in_objects_are_named_after_their_place() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {"unit-price": PRICE, "others": {"type": "array", "items": PRICE}},
    }
    assert classes(answering(schema)) == textwrap.dedent("""\
        class GetBookAnswerUnitPrice(TypedDict):
            amount: float
            currency: NotRequired[Literal["EUR", "USD"]]


        GetBookAnswer = TypedDict(
            "GetBookAnswer",
            {
                "unit-price": NotRequired["GetBookAnswerUnitPrice"],
                "others": NotRequired[list["GetBookAnswerUnitPrice"]],
            },
        )
        """)


def test_a_type_written_as_a_call_can_be_evaluated() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {"unit-price": {"anyOf": [PRICE, {"type": "string"}]}},
    }
    text = "from typing import *\n\n" + classes(answering(schema))
    assert 'Union["GetBookAnswerUnitPrice", str]' in text
    exec(compile(text, "models.py", "exec"), {})


def test_keys_are_the_ones_on_the_wire_and_null_is_said_where_it_is_meant() -> None:
    found = taking(
        PRICE,
        wire_names=(("/properties/price/properties/currency", "cur[0]"),),
        nullable=("/properties/price", "/properties/price/properties/amount"),
    )
    assert '"cur[0]": NotRequired[' in classes(found) and '"amount": float | None' in classes(found)


def test_null_of_an_argument_is_said_once() -> None:
    found = taking(PRICE, Annotation(kind="dict", nullable=True), nullable=("/properties/price",))
    assert "price: models.AddBookPrice | None" in function_of(found)


def test_an_object_without_known_properties_is_a_plain_dictionary() -> None:
    files = files_of(taking({"type": "object", "additionalProperties": {"type": "string"}}))
    assert "price: dict[str, Any]" in files["src/bookshop_mcp/tools/books.py"]
    assert "src/bookshop_mcp/models/books.py" not in files


def test_objects_nested_without_end_stop_at_a_plain_dictionary() -> None:
    schema: Schema = PRICE
    for _ in range(12):
        schema = {"type": "object", "properties": {"inner": schema}}
    found = classes(answering(schema))
    assert found.count("(TypedDict)") == 6 and "inner: NotRequired[dict[str, Any]]" in found


def test_keys_no_class_can_have_make_a_call() -> None:
    for key in ("class", "a b", "__x", "é", ""):
        assert "GetBookAnswer = TypedDict(" in classes(
            answering({"type": "object", "properties": {key: {}}})
        )
    for key in ("_links", "match", "items", "print"):
        assert "class GetBookAnswer(" in classes(
            answering({"type": "object", "properties": {key: {}}})
        )


def test_the_library_never_sees_a_word_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Listening(process.Question):
        def __init__(self, task: Any, data: Any) -> None:
            asked.append(json.dumps(data))
            super().__init__(task, data)

    monkeypatch.setattr(catalogue, "Question", Listening)
    monkeypatch.setattr(cache, "recall", lambda kind, name: None)
    schema = {
        "type": "object",
        "title": "zqz",
        "description": "zqz",
        "properties": {"zqz": {"enum": ["zqz"]}},
    }
    assert 'zqz: NotRequired[Literal["zqz"]]' in classes(answering(schema, name="zqz"))
    assert asked and "zqz" not in "".join(asked)


def test_the_second_time_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    first = files_of(taking(PRICE), answering({"type": "array", "items": PRICE}))

    def refuse(*given: Any) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(catalogue, "Question", refuse)
    assert files_of(taking(PRICE), answering({"type": "array", "items": PRICE})) == first


def test_without_a_cache_it_works_as_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    expected = files_of(taking(PRICE))
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path / "file"))
    assert files_of(taking(PRICE)) == expected


@pytest.mark.parametrize(
    "stored",
    ["{", "null", "[]", '[["__import__"], ["evil()"]]', '[[["model", "R9"]], [["literal", "v9"]]]'],
)
def test_a_spoilt_cache_makes_no_code(stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that does not fit is none: the library is asked again."""
    expected = files_of(taking(PRICE))
    answers = iter([json.loads(stored) if stored != "{" else None])
    monkeypatch.setattr(cache, "recall", lambda kind, name: next(answers, None))
    assert files_of(taking(PRICE)) == expected


def test_a_shape_the_library_fails_on_keeps_its_plain_annotation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path))

    class Failing(process.Question):
        def answer(self) -> Any:
            return [None for _ in super().answer()]

    monkeypatch.setattr(catalogue, "Question", Failing)
    files = files_of(taking(PRICE), answering(PRICE))
    assert "price: dict[str, Any]" in files["src/bookshop_mcp/tools/books.py"]
    assert "Answer[Any]" in files["src/bookshop_mcp/tools/books.py"]
    assert "src/bookshop_mcp/models/books.py" not in files


def test_a_worker_that_does_not_run_is_an_error_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path))
    (tmp_path / "broken.py").write_text("raise SystemExit('no module named x')")
    monkeypatch.setattr(process, "WORKER", tmp_path / "broken.py")
    with pytest.raises(McpgenError) as raised:
        files_of(taking(PRICE))
    (problem,) = raised.value.problems
    assert (
        problem.message == "`datamodel-code-generator` does not run: no module named x"
        and problem.hint
    )


SLOW = ("black", "datamodel_code_generator", "pydantic", "isort")
CACHED = """
import sys
sys.path[:0] = {path!r}
from render.test_models import taking, PRICE
from render.servers import files_of
files_of(taking(PRICE))
print([name for name in {slow!r} if name in sys.modules])
"""


def test_the_slow_libraries_are_never_imported_here(own_cache: Path) -> None:
    here = Path(__file__).parents[1]
    script = CACHED.format(
        path=[str(here), str(here.parent)], slow=[name for name in SLOW if name != "pydantic"]
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_current_folder_is_not_where_a_worker_imports_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("json", "black", "datamodel_code_generator"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert "class AddBookPrice" in classes(taking(PRICE))


def test_old_answers_are_forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "ENTRIES", 20)
    for number in range(60):
        cache.remember("types", f"0{number}", number)
    assert len(list((tmp_path / "types").iterdir())) <= 20 and cache.recall("types", "059") == 59

"""The gate refuses, on the final text, whatever a fault elsewhere might let into a module."""

import ast

import pytest

from mcpgen.render import formatting
from mcpgen.render.gate import ENCODERS, GateError, check
from mcpgen.render.stage import RUNTIME, render
from mcpgen.runtime.client import wire
from mcpgen.runtime.client.wire import FUNCTIONS

from .servers import argument, models_of, module_of, reference, server, tool
from .syntax import syntax

GOOD = module_of(tool("list_books", argument("genre"), argument("size")))
TYPES = models_of(
    tool("add", argument("meta", "body", type=reference("A"))),
    tool("put", argument("meta", "body", type=reference("B"))),
    models={
        "A": {"type": "object", "properties": {"a": {}, "b c": reference("B")}},
        "B": {"type": "object", "properties": {"a": {}}},
    },
)


def test_what_is_generated_passes() -> None:
    check("tools", GOOD, "books.py")
    check("models", TYPES, "books.py")


def function(
    returned: str = "await api.request('GET', '/')", parameters: str = "", top: str = ""
) -> str:
    """A function as tools have it, but for what is given."""
    return f"{top}async def f(api: Api{parameters}) -> Answer[Any]:\n    'x'\n    return {returned}"


WIRE = "from .. import wire\n\n"


@pytest.mark.parametrize("line", [
    "import os", "import os as wire", "from os import system", "from .. import Secret",
    "from .. import settings", "from .. import Api as Answer", "from . import books",
    "from ..models import books as wire", "x = 1", "print('x')", "__import__('os')",
    "'a second docstring'", "if TYPE_CHECKING:\n    import os", "if True:\n    from .. import models",
    "class A: pass", "def f(api: Api) -> Answer[Any]: ...",
    "async def f(api: Api) -> Answer[Any]:\n    return await api.request('GET', '/')",
    function().replace("'x'", "'x'\n    'y'"), function().replace(" -> Answer[Any]", ""),
    function().replace("Answer[Any]", "models._Book"), function("await api.close('GET', '/')"),
    function("api.request('GET', '/')"), function("await other.request('GET', '/')"),
    *(function(f"await api.request('GET', {said})") for said in (
        "eval('1')", "os", "api.__class__", "f'{api}'", "lambda: 1", "[x for x in 'x']", "(y := 1)",
        "wire.csv.__globals__",
    )),
    *(function("await api.request('G', a)", parameters) for parameters in (
        ", *, a: str = print('x')", ", *, a", ", *, a: evil()", ", a: str", ", *a: str", ", **a: str",
    )),
    *(function(f"await api.request('GET', '/', {said})", ", *, a: str", WIRE) for said in (
        "query={'a': wire.quote(a)}", "query={'a': api.key}", "query={**a}", "**a", "query={'a': f'{a}'}",
    )),
    function("await api.request('G', wire)", ", *, wire: str"),
    *(function(top=f"{top}\n") for top in (
        "@evil", "@wire.sends(names=evil)", "@wire.sends()\n@wire.sends()", "@wire.csv('x')",
    )),
    "x = 'é'", "x = (", "x = '\0'",
])  # fmt: skip
def test_a_module_of_tools_holds_nothing_else(line: str) -> None:
    with pytest.raises(GateError):
        check("tools", f"{GOOD}\n\n{line}\n", "books.py")


def test_a_function_that_is_nothing_else_passes() -> None:
    check("tools", f"{GOOD}\n\n\n{function(parameters=', *, a: str')}\n", "books.py")


@pytest.mark.parametrize("line", [
    "import os", "x = 1", "X = TypedDict('X', {'a': evil()})", "X = dict(a=1)",
    "X = Y = TypedDict('X', {})", "class A(Base):\n    a: int",
    "class A(TypedDict, total=False):\n    a: int", "@evil\nclass A(TypedDict):\n    a: int",
    "class A(TypedDict):\n    a: int = 1", "class A(TypedDict):\n    a = 1",
    "class A(TypedDict):\n    a: evil()", "class A(TypedDict):\n    def f(self): ...",
    "def f(): ...", "x: int = 1",
])  # fmt: skip
def test_a_module_of_types_holds_nothing_else(line: str) -> None:
    with pytest.raises(GateError):
        check("models", f"{TYPES}\n\n{line}\n", "books.py")


@pytest.mark.parametrize("text", ["from __future__ import annotations\n", ""])
def test_a_module_starts_with_its_docstring(text: str) -> None:
    with pytest.raises(GateError):
        check("tools", text, "books.py")


def test_the_gate_sees_the_text_that_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}
    monkeypatch.setattr(formatting, "check", lambda _, text, path: seen.update({path: text}))
    path = "x" * 130
    files = render(server(tool("list_books", path=f"/{path}")))
    assert seen and all(files[name] == text for name, text in seen.items())


@pytest.mark.parametrize(("change", "to"), [
    ('"genre": genre', '"genre": size'), ("genre: str", "genre: int"), ("= OMIT", "= None"),
    ('"GET"', "3"), ("query=", "headers="), ("api.request", "api.other"),
])  # fmt: skip
def test_the_shape_tells_syntax_apart(change: str, to: str) -> None:
    changed = GOOD.replace(change, to, 1)
    assert changed != GOOD
    # Which argument goes where is a question of names, and names are masked.
    assert (syntax(changed) == syntax(GOOD)) is (to == '"genre": size')


def test_the_shape_of_a_typed_dict_does_not_depend_on_its_spelling() -> None:
    assert syntax("class A(TypedDict):\n    a: int\n") == syntax(
        'B = TypedDict("B", {"a-b": int})\n'
    )
    assert syntax("class A(TypedDict):\n    a: int\n") != syntax(
        'B = TypedDict("B", {"a-b": str})\n'
    )


WRITERS = ("wire.py", "wire_files.py", "wire_styles.py")


def test_the_gate_knows_every_encoder_of_the_runtime() -> None:
    """What a document can ask for is written by a function that the gate lets through."""
    sources = [(RUNTIME / "client" / name).read_text("utf-8") for name in WRITERS]
    nodes = [node for source in sources for node in ast.parse(source).body]
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    assert functions >= ENCODERS >= FUNCTIONS.keys()
    for name in FUNCTIONS:
        assert getattr(wire, name).__module__ == f"{wire.__name__}_{FUNCTIONS[name]}"

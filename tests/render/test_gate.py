"""The gate refuses, on the final text, whatever a fault elsewhere might let into a module."""

from __future__ import annotations

import ast

import pytest

from mcpgen.render import formatting
from mcpgen.render.gate import ENCODERS, GateError, check_models, check_tools
from mcpgen.render.stage import RUNTIME, render

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
    check_tools(GOOD, "books.py")
    check_models(TYPES, "books.py")


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "import os as wire",
        "from os import system",
        "from .. import Secret",
        "from .. import settings",
        "from .. import Api as Answer",
        "from . import books",
        "from ..models import books as wire",
        "x = 1",
        "print('x')",
        "__import__('os')",
        "'a second docstring'",
        "if TYPE_CHECKING:\n    import os",
        "if True:\n    from .. import models",
        "class A: pass",
        "def f(api: Api) -> Answer[Any]: ...",
        "async def f(api: Api) -> Answer[Any]:\n    return await api.request('GET', '/')",
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    'y'\n    return await"
            " api.request('GET', '/')"
        ),
        "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.close('GET', '/')",
        "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return api.request('GET', '/')",
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await other.request('GET',"
            " '/')"
        ),
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET',"
            " eval('1'))"
        ),
        "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET', os)",
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET',"
            " api.__class__)"
        ),
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET',"
            " f'{api}')"
        ),
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET',"
            " lambda: 1)"
        ),
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET', [x"
            " for x in 'x'])"
        ),
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET', (y"
            " := 1))"
        ),
        (
            "async def f(api: Api) -> Answer[Any]:\n    'x'\n    return await api.request('GET',"
            " wire.csv.__globals__)"
        ),
        (
            "async def f(api: Api, *, a: str = print('x')) -> Answer[Any]:\n    'x'\n    return"
            " await api.request('G', a)"
        ),
        (
            "async def f(api: Api, *, a) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('G', a)"
        ),
        (
            "async def f(api: Api, *, a: evil()) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('G', a)"
        ),
        (
            "async def f(api: Api, *, wire: str) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('G', wire)"
        ),
        (
            "async def f(api: Api, a: str) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('G', a)"
        ),
        (
            "async def f(api: Api, *a: str) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('G', a)"
        ),
        (
            "async def f(api: Api, **a: str) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('G', a)"
        ),
        "async def f(api: Api):\n    'x'\n    return await api.request('GET', '/')",
        (
            "@evil\nasync def f(api: Api) -> Answer[Any]:\n    'x'\n    return await"
            " api.request('GET', '/')"
        ),
        (
            "@wire.sends(names=evil)\nasync def f(api: Api) -> Answer[Any]:\n    'x'\n    return"
            " await api.request('G')"
        ),
        (
            "@wire.sends()\n@wire.sends()\nasync def f(api: Api) -> Answer[Any]:\n    'x'\n"
            "    return await api.request('GET', '/')"
        ),
        (
            "@wire.csv('x')\nasync def f(api: Api) -> Answer[Any]:\n    'x'\n"
            "    return await api.request('GET', '/')"
        ),
        (
            "async def f(api: Api, *, a: str) -> Answer[Any]:\n    'x'\n"
            "    return await api.request('GET', '/', query={'a': wire.quote(a)})"
        ),
        (
            "async def f(api: Api, *, a: str) -> Answer[Any]:\n    'x'\n"
            "    return await api.request('GET', '/', query={**a})"
        ),
        (
            "async def f(api: Api, *, a: str) -> Answer[Any]:\n    'x'\n"
            "    return await api.request('GET', '/', **a)"
        ),
        (
            "async def f(api: Api, *, a: str) -> Answer[Any]:\n    'x'\n"
            "    return await api.request('GET', '/', query={'a': f'{a}'})"
        ),
        "async def f(api: Api) -> models._Book:\n    'x'\n    return await api.request('GET', '/')",
        "x = 'é'",
        "x = (",
        "x = '\0'",
    ],
)
def test_a_module_of_tools_holds_nothing_else(line: str) -> None:
    with pytest.raises(GateError):
        check_tools(f"{GOOD}\n\n{line}\n", "books.py")


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "x = 1",
        "X = TypedDict('X', {'a': evil()})",
        "X = dict(a=1)",
        "X = Y = TypedDict('X', {})",
        "class A(Base):\n    a: int",
        "class A(TypedDict, total=False):\n    a: int",
        "@evil\nclass A(TypedDict):\n    a: int",
        "class A(TypedDict):\n    a: int = 1",
        "class A(TypedDict):\n    a = 1",
        "class A(TypedDict):\n    a: evil()",
        "class A(TypedDict):\n    def f(self): ...",
        "def f(): ...",
        "x: int = 1",
    ],
)
def test_a_module_of_types_holds_nothing_else(line: str) -> None:
    with pytest.raises(GateError):
        check_models(f"{TYPES}\n\n{line}\n", "books.py")


def test_a_module_starts_with_its_docstring() -> None:
    with pytest.raises(GateError):
        check_tools("from __future__ import annotations\n", "books.py")
    with pytest.raises(GateError):
        check_tools("", "books.py")


def test_the_gate_sees_the_text_that_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}
    monkeypatch.setattr(
        formatting,
        "CHECKS",
        {"tools": lambda text, path: seen.update({path: text}), "models": print},
    )
    path = "x" * 130
    files = render(server(tool("list_books", path=f"/{path}")))
    assert seen and all(files[name] == text for name, text in seen.items())


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ('"genre": genre', '"genre": size'),
        ("genre: str", "genre: int"),
        ("= OMIT", "= None"),
        ('"GET"', "3"),
        ("query=", "headers="),
        ("api.request", "api.other"),
    ],
)
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


def test_the_gate_knows_every_encoder_of_the_runtime() -> None:
    """What a document can ask for is written by a function that the gate lets through."""
    sources = [(RUNTIME / "client" / name).read_text("utf-8") for name in ("wire.py", "parts.py")]
    nodes = [node for source in sources for node in ast.parse(source).body]
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    assert functions >= ENCODERS

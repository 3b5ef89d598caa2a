"""Changes of the tools that the user's code makes, between two states of a project."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcpgen.compare.servers import diff
from mcpgen.compare.sides import Side, side_of_project
from mcpgen.lock import dump, read_lock
from mcpgen.project.own_tools import own_tools
from tests.commands import Command

from .shop import project

TYPES = "class Size(StrEnum):\n    S = 's'\n    L = 'l'\n\n\nGenre = Literal['poetry', 'prose']\nJson = list['Json'] | str\n"
BOX = "@dataclass\nclass Box:\n    size: Size\n    inner: 'Box | None' = None\n"
OTHER = "src/shop_mcp/custom/types.py"


@pytest.fixture(scope="module")
def side(tmp_path_factory: pytest.TempPathFactory) -> Side:
    """A project without code of its own."""
    return side_of_project(project(tmp_path_factory.mktemp("own")))


def function(signature: str, options: str = "", types: str = "") -> dict[str, bytes]:
    """A module with one function `pack`, and one with types that it imports."""
    text = f"{types}\n\n@tool{options}\nasync def pack{signature}:\n    '''Pack.'''\n"
    return {"src/shop_mcp/custom/pack.py": text.encode(), OTHER: TYPES.encode()}


def told(side: Side, old: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str, str]]:
    sides = (replace(side, own=own_tools(files)) for files in (old, new))
    return [(change.kind, change.tool, change.text) for change in diff(*sides).changes]


@pytest.mark.parametrize(("old", "new", "kind", "text"), [
    ("(a: int)", "(b: int)", "breaking", "`a` is gone"),
    ("(a: int)", "(a: int, b: int)", "breaking", "`b` is new and required"),
    ("(a: int)", "(a: int, b: int = 1)", "additive", "`b` is new"),
    ("(a: int = 1)", "(a: int = 2)", "breaking", "the default of `a` is `2` instead of `1`"),
    ("(a: int)", "(a: str)", "breaking", "`a` must be string instead of integer"),
    ("(a: int)", "(a: int | None)", "additive", "`a` may be integer or null instead of integer"),
    ("(a: int | str | None)", "(a: int | float | str | None)", "additive",
     "`a` may be integer or null or number or string instead of integer or null or string"),
    ("(a: Optional[int])", "(a: int)", "breaking", "`a` must be integer instead of integer or null"),
    ("(a: Literal['x', 'y'])", "(a: Literal['x'])", "breaking", "`a` no longer allows `y`"),
    ("(a: list[int])", "(a: list[str])", "breaking", "`a[]` must be string instead of integer"),
    ("(a: dict[str, int])", "(a: dict[str, bool])", "breaking", "`a.*` must be boolean instead of integer"),
    ("(a: Annotated[int, Field(ge=1)])", "(a: Annotated[int, Field(ge=2)])", "breaking", "`a` must be at least 2 instead of 1"),
    ("(a: int = Field(..., le=9))", "(a: int = Field(3, le=9))", "additive", "`a` is optional now"),
    ("(a: Genre)", "(a: Literal['poetry'])", "breaking", "`a` no longer allows `prose`"),
    ("(a: Size)", "(a: Literal['s'])", "breaking", "`a` no longer allows `l`"),
    ("(a: elsewhere.Book)", "(a: elsewhere.Volume)", "breaking",
     "`a` must have the format `elsewhere.Volume` instead of `elsewhere.Book`"),
    ("(a: dict[...])", "(a: list[...])", "breaking", "`a` must be array instead of object"),
    ("(**more: int)", "()", "breaking", "`**more` is gone"),
    ("(a: Json)", "(a: list[Json])", "breaking", "`a` must be array"),
    ("(a: int = 1, /)", "(a: int = 2, /)", "breaking", "the default of `a` is `2` instead of `1`"),
    ("() -> dict[str, int]", "() -> dict[str, int | None]", "breaking",
     "`*` of the answer is integer or null instead of integer"),
    ("() -> int", "() -> Image", "breaking", "answers are no longer structured"),
])  # fmt: skip
def test_signatures_are_compared(side: Side, old: str, new: str, kind: str, text: str) -> None:
    assert (kind, "pack", text) in told(side, function(old), function(new))
    assert told(side, function(new), function(new)) == []


def test_the_fields_of_a_class_are_compared_wherever_they_are(side: Side) -> None:
    narrowed = BOX.replace("    inner:", "    label: str\n    inner:")
    changes = told(side, function("(a: Box)", types=BOX), function("(a: Box)", types=narrowed))
    assert changes == [("breaking", "pack", "`a.label` is new and required")]
    old, new = function("(a: Box)", types=BOX), function("(a: Box)", types=BOX)
    new[OTHER] = TYPES.replace("    L = 'l'\n", "").encode()
    assert told(side, old, new) == [("breaking", "pack", "`a.size` no longer allows `l`")]


def test_a_class_has_the_fields_of_all_its_bases_and_their_defaults(side: Side) -> None:
    types = (
        "class A(BaseModel):\n    x: int\nclass B(A):\n    y: int = 1\nclass C(B):\n    z: str\n"
    )
    old = function("(a: C)", types=types)
    for before, after, text in (
        ("x: int", "x: float", "`a.x` "), ("z: str", "x: int = 1", "`a.x` is optional now"),
        ("class A(", "class A(C, ", ""),
    ):  # fmt: skip
        found = told(side, old, function("(a: C)", types=types.replace(before, after)))
        assert bool(found) == bool(text) and text in str(found)


def test_an_alias_inside_a_class_says_the_same_wherever_it_is_read_first(side: Side) -> None:
    types = "Tags = list['Tag']\nclass Tag(BaseModel):\n    below: 'Tags'\n"
    first, later = (function(f"(a: {name})", types=types) for name in ("Tags", "list[Tag]"))
    assert told(side, first, later) == []


def test_what_the_server_fills_in_is_no_argument(side: Side) -> None:
    new = function("(api, a: int, where: Context)")
    assert told(side, function("(a: int)"), new) == []


def test_hints_and_tools_that_come_and_go_are_told(side: Side) -> None:
    old, new = function("()", "(read_only=True)"), function("()", "(idempotent=True)")
    assert told(side, old, new) == [
        ("breaking", "pack", "it is no longer read-only"),
        ("breaking", "pack", "it is now destructive"),
    ]
    assert told(side, new, function("()", "(open_world=False)")) == [
        ("breaking", "pack", "it is no longer idempotent"),
        ("additive", "pack", "it is no longer open-world"),
    ]
    assert told(side, old, {}) == [("breaking", "pack", "is gone from `custom/`")]
    assert told(side, {}, old) == [("additive", "pack", "is new in `custom/`")]


def contract(name: str, **properties: Any) -> dict[str, bytes]:
    """A file with the contract of one tool that has these arguments."""
    schema = {"type": "object", "properties": properties}
    text = json.dumps([{"name": name, "inputSchema": schema}])
    return {f"src/shop_mcp/custom/{name}.json": text.encode()}


def test_a_contract_is_compared_in_place_of_its_generated_namesake(side: Side) -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    for name in ("list_books", "count_words"):
        changes = told(side, contract(name, a=text), contract(name, a=number))
        assert changes == [("breaking", name, "`a` must be integer instead of string")]
    assert ("breaking", "list_books", "`genre` is gone") in told(side, {}, contract("list_books"))


def test_a_revision_is_compared_with_its_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command
) -> None:
    folder = project(tmp_path)
    monkeypatch.chdir(folder)
    path = next(Path("src").glob("*/custom")) / "pack.py"
    head = "from .. import tool\n\n\n@tool"
    path.write_text(
        f"{head}(read_only=True)\nasync def pack(box: str, size: int = 1) -> str: ...\n"
    )
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *settings, *words], check=True)
    assert mcpgen("diff", "--against", "HEAD").code == 0
    path.write_text(
        f"{head}(destructive=True)\nasync def pack(crate: str, width: int = 1) -> str: ...\n"
    )
    ended = mcpgen("diff", "--against", "HEAD", "--format", "markdown")
    assert ended.code == 12
    for phrase in ("`box` is gone", "`size` is gone", "it is now destructive"):
        assert phrase in ended.said
    path.unlink()
    assert "`pack` is gone from" in mcpgen("diff", "--against", "HEAD").said


def write(folder: Path, files: dict[str, bytes]) -> None:
    custom = next(folder.glob("src/*/custom"))
    for path, content in files.items():
        head = b"from .. import tool\n" * (b"@tool" in content)
        (custom / Path(path).name).write_bytes(head + content)


@pytest.mark.parametrize(("name", "old", "new", "told"), [
    ("pack", function("(box: str)"), function("(crate: str)"), "`box` is gone"),
    ("list_books", contract("list_books", a={"type": "string"}),
     contract("list_books", a={"type": "integer"}), "`a` must be integer instead of string"),
])  # fmt: skip
def test_the_lock_remembers_tools_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command,
    name: str, old: dict[str, bytes], new: dict[str, bytes], told: str,
) -> None:  # fmt: skip
    folder = project(tmp_path)
    monkeypatch.chdir(folder)
    write(folder, old)
    assert f"`{name}` " in mcpgen("diff").said
    mcpgen("generate")
    write(folder, new)
    assert mcpgen("diff").code == 12 and told in mcpgen("diff").said
    assert f"the tool `{name}` of `custom/` changed" in mcpgen("check").said
    assert told in mcpgen("generate").said
    assert mcpgen("diff").code == 0 and told not in mcpgen("generate").said


def test_a_lock_that_does_not_say_tools_of_ones_own_is_compared_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command
) -> None:
    folder = project(tmp_path)
    monkeypatch.chdir(folder)
    write(folder, contract("count_words", a={"type": "string"}))
    lock = read_lock(folder)
    assert lock is not None and lock.own == {}
    Path("mcpgen.lock").write_text(dump(replace(lock, own=None)))
    assert mcpgen("diff").code == 0 and "What changes" not in mcpgen("generate").said

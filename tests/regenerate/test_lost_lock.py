"""A lock that is missing, damaged or newer: each has a way out that works as it is printed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.lock import salvaged_lock
from mcpgen.problems import OutputConflictError, Problems
from mcpgen.project.check import check
from mcpgen.project.run import CommandInput, run
from mcpgen.project.save import save as save_run
from mcpgen.project.verify import verify

from .shop import DOCUMENT, contents, generate, package, project, save, tools

ADOPT = "mcpgen generate --adopt"


def adopt(folder: Path) -> None:
    """`mcpgen generate --adopt`."""
    save_run(run(CommandInput(folder=folder, adopt=True), Problems()), adopt=True)


def shorter() -> dict[str, Any]:
    """The document with an operation less, and another description."""
    document = copy.deepcopy(DOCUMENT)
    document["paths"]["/books"]["get"]["description"] = "All of them, oldest first."
    del document["paths"]["/orders"]
    return document


def test_a_lock_that_was_deleted_is_written_again_byte_for_byte(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = contents(folder)
    (folder / "mcpgen.lock").unlink()
    generate(folder)
    assert contents(folder) == before


def test_without_the_lock_the_way_out_is_adopt(tmp_path: Path) -> None:
    folder = project(tmp_path)
    save(shorter(), tmp_path / "shop.json")
    (folder / "mcpgen.lock").unlink()
    with pytest.raises(OutputConflictError) as error:
        generate(folder)
    assert all(ADOPT in problem.hint for problem in error.value.problems)
    adopt(folder)
    assert set(tools(folder)) == {"list_books", "add_book", "get_book"}
    assert not (package(folder) / "tools" / "orders.py").exists()
    assert check(folder, Problems()).passed
    assert verify(folder) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"lock": 1}', '{"lock": 1, "files": {}}'])
def test_a_damaged_lock_has_the_same_way_out(tmp_path: Path, text: str) -> None:
    folder = project(tmp_path)
    (folder / "mcpgen.lock").write_text(text)
    save(shorter(), tmp_path / "shop.json")
    with pytest.raises(OutputConflictError) as error:
        generate(folder)
    assert ADOPT in error.value.problems[0].hint
    adopt(folder)
    assert "list_books" in tools(folder)
    assert check(folder, Problems()).passed


@pytest.mark.parametrize("broken", ["ours", "theirs"])
def test_an_unresolved_merge_of_the_lock_goes_on_from_either_side(
    tmp_path: Path, broken: str
) -> None:
    folder = project(tmp_path)
    text = (folder / "mcpgen.lock").read_text()
    line = next(line for line in text.splitlines(keepends=True) if '"document"' in line)
    other = line.replace('": "', '": "0')
    sides = {"ours": line, "theirs": other}
    sides[broken] = f"\xff{line}"
    both = f"<<<<<<< ours\n{sides['ours']}=======\n{sides['theirs']}>>>>>>> theirs\n"
    (folder / "mcpgen.lock").write_text(text.replace(line, both), "latin-1")
    assert salvaged_lock(folder) is not None
    with pytest.raises(OutputConflictError) as error:
        generate(folder)
    assert ADOPT in error.value.problems[0].hint
    before = tools(folder)
    adopt(folder)
    assert tools(folder) == before
    assert verify(folder) == []


def test_a_lock_of_a_later_format_is_never_adopted(tmp_path: Path) -> None:
    folder = project(tmp_path)
    data = json.loads((folder / "mcpgen.lock").read_text())
    (folder / "mcpgen.lock").write_text(json.dumps({**data, "lock": 2, "generator": "9.1"}))
    with pytest.raises(OutputConflictError, match="format is 2") as error:
        adopt(folder)
    assert "mcpgen 9.1" in error.value.problems[0].hint


def test_adopting_takes_no_file_of_the_user(tmp_path: Path) -> None:
    folder = project(tmp_path)
    own = [
        folder / "tests" / "test_mine.py",
        package(folder) / "custom" / "mine.py",
        package(folder) / "mine.py",
        folder / "document" / "notes.txt",
    ]
    for path in own:
        path.write_text("mine = 1\n")
    (folder / "mcpgen.lock").unlink()
    adopt(folder)
    assert all(path.read_text() == "mine = 1\n" for path in own)


def test_the_types_of_a_tool_with_a_chosen_name_keep_theirs(tmp_path: Path) -> None:
    folder = project(tmp_path, config='[tools.listBooks]\nname = "find_books"')
    before = (package(folder) / "models.py").read_text()
    assert "ListBooksAnswer" in before
    (folder / "mcpgen.lock").unlink()
    adopt(folder)
    assert "find_books" in tools(folder)
    assert (package(folder) / "models.py").read_text() == before


def test_a_lock_that_is_a_link_or_unreadable_is_never_adopted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path)
    lock = folder / "mcpgen.lock"
    lock.rename(tmp_path / "elsewhere.lock")
    lock.symlink_to(tmp_path / "elsewhere.lock")
    with pytest.raises(OutputConflictError, match="symbolic link") as error:
        adopt(folder)
    assert error.value.problems[0].hint == "move that away; mcpgen follows no link"

    def refused(*_: Any) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("mcpgen.lock.text.read_plain", refused)
    with pytest.raises(OutputConflictError, match="Permission denied") as error:
        adopt(folder)
    assert error.value.problems[0].hint == "make it readable"

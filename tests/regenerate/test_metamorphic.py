"""Changes of the document × edits of the user: nothing of the user is lost, the result is what a
fresh run gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mcpgen.problems import OutputConflictError, Problems
from mcpgen.project.check import check
from mcpgen.project.own_tools import own_files
from mcpgen.project.verify import verify

from .shop import (
    DOCUMENT,
    Change,
    Document,
    add,
    both,
    changed,
    contents,
    cut,
    generate,
    get,
    lock_of,
    package,
    project,
    save,
    set_in,
    tools,
    users_files,
)

Edit = Callable[[Path], None]

# -- what the API does


BOOKS = ("paths", "/books", "get")


def rename_operation(document: Document) -> None:
    operation = document["paths"]["/books/{bookId}"].pop("get")
    document["paths"]["/volumes/{bookId}"] = {
        "parameters": document["paths"].pop("/books/{bookId}")["parameters"],
        "get": {**operation, "operationId": "fetchVolume", "summary": "Fetch a volume"},
    }


def move_path(document: Document) -> None:
    document["paths"]["/v2/books"] = document["paths"].pop("/books")


def reorder(document: Document) -> None:
    document["paths"] = dict(reversed(document["paths"].items()))
    for item in document["paths"].values():
        for method in list(item):
            item[method] = item.pop(method)


CHANGES: dict[str, Change] = {
    "nothing": lambda document: None,
    "add an operation": set_in("paths", "/orders", "post", to=get("placeOrder", tags=["orders"])["get"]),
    "add a tag": set_in("paths", "/status", to=get("getStatus", tags=["shop"])),
    "remove an operation": cut("paths", "/books", "post"),
    "remove a tag": cut("paths", "/orders"),
    "rename an operation": rename_operation,
    "rename an operationId": set_in(*BOOKS, "operationId", to="books/list-all"),
    "move a path": move_path,
    "change a type": set_in(*BOOKS, "parameters", 1, "schema", to={"type": "string"}),
    "require an argument": set_in(*BOOKS, "parameters", 0, "required", to=True),
    "change a description": set_in(*BOOKS, "description", to="Sorted by title."),
    "change the title": set_in("info", "title", to="The Grand Emporium"),
    "reorder": reorder,
    "move a tag": set_in(*BOOKS, "tags", to=["catalogue"]),
    # As GitHub did with `projects/list-for-org`: the old operation stays
    "give the operationId to another": both(
        set_in(*BOOKS, "operationId", to="classic-listBooks"),
        set_in("paths", "/v2/books", to=get("listBooks", tags=["books"]))),
    "swap operationIds": both(
        set_in(*BOOKS, "operationId", to="listOrders"),
        set_in("paths", "/orders", "get", "operationId", to="listBooks")),
}  # fmt: skip
HARMLESS = {"nothing", "reorder"}

# -- what the user does


def leave(_: Path) -> None: ...


def customise(folder: Path) -> None:
    add(
        folder,
        """# mine
[tools.listBooks]   # the catalogue
name = "find_books"
aliases = ["list_books"]
description = "Search the catalogue."
[tools.listBooks.hints]
open_world = false
[tools.listBooks.arguments.tenant]
hidden = true
value = "acme"
[tools.listBooks.answer]
keep = ["items"]
[tools."GET /orders"]
enabled = true
title = "Orders"
""",
    )
    generate(folder)


def customise_unseen(folder: Path) -> None:
    """Edited, and not generated since."""
    add(folder, '[tools.getBook]\ntitle = "One book"')


def custom_tool(folder: Path) -> None:
    own = package(folder) / "custom"
    (own / "reports.json").write_text(
        json.dumps([{"name": "count_books", "description": "Count."}])
    )
    (own / "reports.py").write_text("async def count_books(api):\n    return 1\n")


def hook(folder: Path) -> None:
    (package(folder) / "hooks.py").write_text("def before(call):\n    call.arguments['x'] = 1\n")


def strangers(folder: Path) -> None:
    (folder / "notes.md").write_text("mine\r\n")
    (package(folder) / "tools" / "mine.txt").write_text("mine")
    (package(folder) / "tools" / "extra.py").write_text("mine = 1\n")
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / "test_mine.py").write_text("mine = 1\n")


def own_readme(folder: Path) -> None:
    (folder / "README.md").write_text("# Mine\n")
    (folder / "pyproject.toml").write_text((folder / "pyproject.toml").read_text() + "\n# mine\n")


def delete_generated(folder: Path) -> None:
    (package(folder) / "tools" / "books.py").unlink()
    (package(folder) / "runtime" / "app.py").unlink()
    (folder / "document" / "VARIABLES.md").unlink()


def delete_own(folder: Path) -> None:
    (folder / "Makefile").unlink()


def check_out_with_crlf(folder: Path) -> None:
    for path in (*lock_of(folder).files, "mcpgen.lock"):
        (folder / path).write_bytes((folder / path).read_bytes().replace(b"\n", b"\r\n"))


def edit_generated(folder: Path) -> None:
    path = package(folder) / "tools" / "books.py"
    path.write_text(path.read_text() + "\nMINE = 1\n")


def edit_generated_list(folder: Path) -> None:
    path = package(folder) / "tools" / "orders.json"
    path.write_text(path.read_text().replace("List orders", "List my orders"))


PEACEFUL = [
    leave, customise, customise_unseen, custom_tool, hook, strangers, own_readme, delete_generated, delete_own,
    check_out_with_crlf,
]  # fmt: skip
CONFLICTS = [edit_generated, edit_generated_list]


def operations(folder: Path) -> dict[str, str]:
    """The operation of each tool."""
    return {tool.name: tool.operation for tool in lock_of(folder).tools}


def lf(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files with the line ends of a fresh run."""
    return {path: text.replace(b"\r\n", b"\n") for path, text in files.items()}


def fresh(folder: Path) -> dict[str, bytes]:
    """What a run gives in a folder without generated files: with the same configuration, the same
    tools of one's own, and the names of the last run.
    """
    # The lock says of each file that was written once whether it is as a run would write it today.
    # What the last run kept of the document stays while the document says the same.
    names = {"mcpgen.toml", "mcpgen.lock", *lock_of(folder).once, *own_files(folder)}
    files = contents(folder).items()
    kept = [file for file in files if file[0] in names or file[0].startswith("document/")]
    return _fresh((folder.parent / "shop.json").read_bytes(), tuple(sorted(kept)))


@cache
def _fresh(document: bytes, kept: tuple[tuple[str, bytes], ...]) -> dict[str, bytes]:
    with TemporaryDirectory() as place:
        folder = Path(place, "project")
        for name, content in (*kept, ("../shop.json", document)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        generate(folder, accept=True)
        return contents(folder)


@pytest.mark.parametrize("edit", PEACEFUL, ids=lambda edit: edit.__name__)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_api_costs_users_nothing(tmp_path: Path, change: str, edit: Edit) -> None:
    folder = project(tmp_path)
    edit(folder)
    mine = users_files(folder)
    save(changed(CHANGES[change]), tmp_path / "shop.json", indent=4)
    expected = fresh(folder)

    changes, _ = generate(folder, accept=True)

    now = contents(folder)
    assert {path: now[path] for path in mine} == mine
    assert {path: text for path, text in lf(now).items() if path not in mine} == {
        path: text for path, text in lf(expected).items() if path not in mine
    }
    assert generate(folder)[0].empty
    assert contents(folder) == now
    assert verify(folder) == []
    assert (
        change not in HARMLESS
        or edit not in (leave, custom_tool, hook, strangers, own_readme)
        or changes.empty
    )


@pytest.mark.parametrize("edit", CONFLICTS, ids=lambda edit: edit.__name__)
@pytest.mark.parametrize("change", CHANGES)
def test_an_edit_of_a_generated_file_is_refused_before_anything_is_written(
    tmp_path: Path, change: str, edit: Edit
) -> None:
    folder = project(tmp_path)
    edit(folder)
    save(changed(CHANGES[change]), tmp_path / "shop.json", indent=4)
    before, mine = contents(folder), users_files(folder)
    with pytest.raises(OutputConflictError):
        generate(folder, accept=True)
    assert contents(folder) == before
    assert verify(folder) != []
    expected = fresh(folder)
    generate(folder, force=True, accept=True)
    assert contents(folder) == {**expected, **mine}
    assert generate(folder)[0].empty


@pytest.mark.parametrize("change", CHANGES)
def test_check_says_when_the_document_moved_on_and_is_content_after_generating(
    tmp_path: Path, change: str
) -> None:
    folder = project(tmp_path)
    assert check(folder, Problems()).passed
    save(changed(CHANGES[change]), tmp_path / "shop.json", indent=4)
    assert check(folder, Problems()).passed == (change in HARMLESS)
    generate(folder, accept=True)
    assert check(folder, Problems()).passed


STEADY = [
    "rename an operationId", "move a path", "reorder", "change the title", "change a description",
]  # fmt: skip


@pytest.mark.parametrize("change", STEADY)
def test_names_and_customisations_stay_with_the_operation(tmp_path: Path, change: str) -> None:
    folder = project(tmp_path)
    customise(folder)
    names = set(tools(folder))
    for turn in range(3):
        document = changed(CHANGES[change])
        if change == "rename an operationId":
            document["paths"]["/books"]["get"]["operationId"] += f"-{turn}"
        if change == "move a path":
            document["paths"][f"/v{turn + 3}/books"] = document["paths"].pop("/v2/books")
        save(document, tmp_path / "shop.json")
        generate(folder, accept=True)
        assert set(tools(folder)) == names
        assert tools(folder)["find_books"]["description"] == "Search the catalogue."
        assert "tenant" not in tools(folder)["find_books"]["inputSchema"]["properties"]


def test_a_table_whose_operation_is_gone_fails_the_check_until_it_is_removed(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path, config='[tools.addBook]\ntitle = "Add"')
    save(changed(CHANGES["remove an operation"]), tmp_path / "shop.json")
    _, problems = generate(folder)
    assert [problem.code for problem in problems if problem.code.startswith("E11")] == ["E1114"]
    for _ in range(2):
        report = check(folder, Problems())
        assert not report.passed
        assert [problem.code for problem in report.problems] == ["E1114"]
        generate(folder)


def test_an_operation_that_comes_back_finds_its_customisation(tmp_path: Path) -> None:
    folder = project(tmp_path, config='[tools.addBook]\nname = "donate_book"')
    save(changed(CHANGES["remove an operation"]), tmp_path / "shop.json")
    generate(folder)
    save(DOCUMENT, tmp_path / "shop.json")
    generate(folder)
    assert "donate_book" in tools(folder)


def test_a_disabled_operation_stays_disabled_under_its_new_name(tmp_path: Path) -> None:
    folder = project(tmp_path, config="[tools.listBooks]\nenabled = false")
    assert "list_books" not in tools(folder)
    save(changed(CHANGES["rename an operationId"]), tmp_path / "shop.json")
    generate(folder)
    assert set(tools(folder)) == {"add_book", "get_book", "list_orders"}


def test_a_new_operation_never_takes_the_name_of_an_old_one(tmp_path: Path) -> None:
    folder = project(tmp_path)
    twin = set_in("paths", "/archive", to=get("list-books", tags=["books"]))
    save(changed(twin), tmp_path / "shop.json")
    generate(folder)
    assert operations(folder)["list_books"] == "GET /books"
    assert len(operations(folder)) == 5


@pytest.mark.parametrize("change", ["rename an operationId", "give the operationId to another"])
def test_a_table_for_an_operation_with_a_new_name_says_so(tmp_path: Path, change: str) -> None:
    folder = project(tmp_path)
    customise(folder)
    save(changed(CHANGES[change]), tmp_path / "shop.json")
    _, problems = generate(folder)
    assert [problem.code for problem in problems if problem.code.startswith("E11")] == ["E1111"]
    assert operations(folder)["find_books"] == "GET /books"
    assert tools(folder)["find_books"]["description"] == "Search the catalogue."
    assert check(folder, Problems()).passed
    assert generate(folder)[0].empty


def test_two_operations_that_swap_their_operation_ids_keep_their_tools(tmp_path: Path) -> None:
    folder = project(tmp_path)
    save(changed(CHANGES["swap operationIds"]), tmp_path / "shop.json")
    generate(folder)
    assert operations(folder)["list_books"] == "GET /books"


def test_taking_back_a_new_name_gives_the_old_one_back(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = contents(folder)
    add(folder, '[tools.listBooks]\nname = "find_books"')
    generate(folder)
    assert "find_books" in tools(folder)
    (folder / "mcpgen.toml").write_bytes(before["mcpgen.toml"])
    generate(folder)
    assert contents(folder) == before

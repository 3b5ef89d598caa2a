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
from mcpgen.project.verify import verify
from mcpgen.write import read_lock

from .shop import (
    DOCUMENT,
    Document,
    add,
    changed,
    contents,
    generate,
    package,
    project,
    save,
    tools,
)

# -- what the API does
# ------------------------------------------------------------------------------------------------


def nothing(_: Document) -> None: ...


def add_operation(document: Document) -> None:
    document["paths"]["/orders"]["post"] = {
        "operationId": "placeOrder",
        "tags": ["orders"],
        "responses": {"201": {"description": "placed"}},
    }


def add_tag(document: Document) -> None:
    document["paths"]["/status"] = {"get": {
        "operationId": "getStatus", "tags": ["shop"], "responses": {"200": {"description": "ok"}},
    }}  # fmt: skip


def remove_operation(document: Document) -> None:
    del document["paths"]["/books"]["post"]


def remove_tag(document: Document) -> None:
    del document["paths"]["/orders"]


def rename_operation(document: Document) -> None:
    operation = document["paths"]["/books/{bookId}"].pop("get")
    document["paths"]["/volumes/{bookId}"] = {
        "parameters": document["paths"].pop("/books/{bookId}")["parameters"],
        "get": {**operation, "operationId": "fetchVolume", "summary": "Fetch a volume"},
    }


def rename_operation_id(document: Document) -> None:
    document["paths"]["/books"]["get"]["operationId"] = "books/list-all"


def move_path(document: Document) -> None:
    document["paths"]["/v2/books"] = document["paths"].pop("/books")


def change_type(document: Document) -> None:
    document["paths"]["/books"]["get"]["parameters"][1]["schema"] = {"type": "string"}


def require_argument(document: Document) -> None:
    document["paths"]["/books"]["get"]["parameters"][0]["required"] = True


def change_description(document: Document) -> None:
    document["paths"]["/books"]["get"]["description"] = "Sorted by title."


def change_title(document: Document) -> None:
    document["info"]["title"] = "The Grand Emporium"


def reorder(document: Document) -> None:
    document["paths"] = dict(reversed(document["paths"].items()))
    for item in document["paths"].values():
        for method in list(item):
            item[method] = item.pop(method)


def move_tag(document: Document) -> None:
    document["paths"]["/books"]["get"]["tags"] = ["catalogue"]


def give_the_operation_id_to_another(document: Document) -> None:
    """As GitHub did with `projects/list-for-org`: the old operation stays, and another one gets its
    operationId.
    """
    document["paths"]["/books"]["get"]["operationId"] = "classic-listBooks"
    document["paths"]["/v2/books"] = {"get": {
        "operationId": "listBooks", "tags": ["books"], "responses": {"200": {"description": "ok"}},
    }}  # fmt: skip


def swap_operation_ids(document: Document) -> None:
    first, second = document["paths"]["/books"]["get"], document["paths"]["/orders"]["get"]
    first["operationId"], second["operationId"] = second["operationId"], first["operationId"]


CHANGES = [
    nothing, add_operation, add_tag, remove_operation, remove_tag, rename_operation, rename_operation_id, move_path,
    change_type, require_argument, change_description, change_title, reorder, move_tag,
    give_the_operation_id_to_another, swap_operation_ids,
]  # fmt: skip
HARMLESS = {nothing, reorder}

# -- what the user does
# -----------------------------------------------------------------------------------------------


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
    lock = read_lock(folder)
    assert lock is not None
    for path in (*lock.files, "mcpgen.lock"):
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


def users_files(folder: Path) -> dict[str, bytes]:
    """Everything that is not mcpgen's."""
    lock = read_lock(folder)
    owned = set(lock.files) if lock else set()
    return {
        path: text
        for path, text in contents(folder).items()
        if path not in owned and path != "mcpgen.lock"
    }


def lf(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files with the line ends of a fresh run."""
    return {path: text.replace(b"\r\n", b"\n") for path, text in files.items()}


def fresh(folder: Path) -> dict[str, bytes]:
    """What a run gives in a folder without generated files: with the same configuration, and the
    names of the last run.
    """
    lock = read_lock(folder)
    assert lock is not None
    # The lock says of each file that was written once whether it is as a run would write it today.
    # What the last run kept of the document stays while the document says the same.
    names = {"mcpgen.toml", "mcpgen.lock", *lock.once}
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
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_of_the_api_costs_the_user_nothing(
    tmp_path: Path, change: Callable[[Document], None], edit: Callable[[Path], None]
) -> None:
    folder = project(tmp_path)
    edit(folder)
    mine = users_files(folder)
    save(changed(change), tmp_path / "shop.json", indent=4)
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
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_edit_of_a_generated_file_is_refused_before_anything_is_written(
    tmp_path: Path, change: Callable[[Document], None], edit: Callable[[Path], None]
) -> None:
    folder = project(tmp_path)
    edit(folder)
    save(changed(change), tmp_path / "shop.json", indent=4)
    before, mine = contents(folder), users_files(folder)
    with pytest.raises(OutputConflictError):
        generate(folder, accept=True)
    assert contents(folder) == before
    assert verify(folder) != []
    expected = fresh(folder)
    generate(folder, force=True, accept=True)
    assert contents(folder) == {**expected, **mine}
    assert generate(folder)[0].empty


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_check_says_when_the_document_moved_on_and_is_content_after_generating(
    tmp_path: Path, change: Callable[[Document], None]
) -> None:
    folder = project(tmp_path)
    assert check(folder, Problems()).passed
    save(changed(change), tmp_path / "shop.json", indent=4)
    assert check(folder, Problems()).passed == (change in HARMLESS)
    generate(folder, accept=True)
    assert check(folder, Problems()).passed


@pytest.mark.parametrize(
    "change", [rename_operation_id, move_path, reorder, change_title, change_description]
)
def test_names_and_customisations_stay_with_the_operation(
    tmp_path: Path, change: Callable[[Document], None]
) -> None:
    folder = project(tmp_path)
    customise(folder)
    names = set(tools(folder))
    for round_ in range(3):
        document = changed(lambda document, turn=round_: again(document, change, turn))
        save(document, tmp_path / "shop.json")
        generate(folder, accept=True)
        assert set(tools(folder)) == names
        assert tools(folder)["find_books"]["description"] == "Search the catalogue."
        assert "tenant" not in tools(folder)["find_books"]["inputSchema"]["properties"]


def again(document: Document, change: Callable[[Document], None], round_: int) -> None:
    """A change, and every time another one of its kind."""
    change(document)
    for path, item in list(document["paths"].items()):
        for operation in item.values():
            if (
                change is rename_operation_id
                and isinstance(operation, dict)
                and operation["operationId"][:5] == "books"
            ):
                operation["operationId"] += f"-{round_}"
        if change is move_path and path.startswith("/v2"):
            document["paths"][f"/v{round_ + 3}/books"] = document["paths"].pop(path)


def test_a_table_for_an_operation_with_a_new_name_says_so(tmp_path: Path) -> None:
    folder = project(tmp_path)
    customise(folder)
    save(changed(rename_operation_id), tmp_path / "shop.json")
    _, problems = generate(folder)
    assert [problem.code for problem in problems if problem.code.startswith("E11")] == ["E1111"]
    assert check(folder, Problems()).passed


def test_a_table_whose_operation_is_gone_warns_and_fails_the_check_until_it_is_removed(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path, config='[tools.addBook]\ntitle = "Add"')
    save(changed(remove_operation), tmp_path / "shop.json")
    _, problems = generate(folder)
    assert [problem.code for problem in problems if problem.code.startswith("E11")] == ["E1114"]
    for _ in range(2):
        report = check(folder, Problems())
        assert not report.passed
        assert [problem.code for problem in report.problems] == ["E1114"]
        generate(folder)


def test_an_operation_that_comes_back_finds_its_customisation(tmp_path: Path) -> None:
    folder = project(tmp_path, config='[tools.addBook]\nname = "donate_book"')
    save(changed(remove_operation), tmp_path / "shop.json")
    generate(folder)
    save(DOCUMENT, tmp_path / "shop.json")
    generate(folder)
    assert "donate_book" in tools(folder)


def test_a_disabled_operation_stays_disabled_under_its_new_name(tmp_path: Path) -> None:
    folder = project(tmp_path, config="[tools.listBooks]\nenabled = false")
    assert "list_books" not in tools(folder)
    save(changed(rename_operation_id), tmp_path / "shop.json")
    generate(folder)
    assert set(tools(folder)) == {"add_book", "get_book", "list_orders"}


def test_a_new_operation_never_takes_the_name_of_an_old_one(tmp_path: Path) -> None:
    folder = project(tmp_path)

    def twin(document: Document) -> None:
        document["paths"]["/archive"] = {"get": {
            "operationId": "list-books", "tags": ["books"],
            "responses": {"200": {"description": "ok"}},
        }}  # fmt: skip

    save(changed(twin), tmp_path / "shop.json")
    generate(folder)
    lock = read_lock(folder)
    assert lock is not None
    assert {tool.operation for tool in lock.tools if tool.name == "list_books"} == {"GET /books"}
    assert len(lock.tools) == 5


def test_a_tool_never_calls_something_else_because_its_operation_id_was_given_away(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path)
    customise(folder)
    save(changed(give_the_operation_id_to_another), tmp_path / "shop.json")
    _, problems = generate(folder)
    assert [problem.code for problem in problems if problem.code.startswith("E11")] == ["E1111"]
    lock = read_lock(folder)
    assert lock is not None
    assert {tool.operation: tool.name for tool in lock.tools}["GET /books"] == "find_books"
    assert tools(folder)["find_books"]["description"] == "Search the catalogue."
    assert check(folder, Problems()).passed
    assert generate(folder)[0].empty


def test_two_operations_that_swap_their_operation_ids_keep_their_tools(tmp_path: Path) -> None:
    folder = project(tmp_path)
    save(changed(swap_operation_ids), tmp_path / "shop.json")
    generate(folder)
    lock = read_lock(folder)
    assert lock is not None
    assert {tool.name: tool.operation for tool in lock.tools}["list_books"] == "GET /books"


def test_taking_back_a_new_name_gives_the_old_one_back(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = contents(folder)
    add(folder, '[tools.listBooks]\nname = "find_books"')
    generate(folder)
    assert "find_books" in tools(folder)
    (folder / "mcpgen.toml").write_bytes(before["mcpgen.toml"])
    generate(folder)
    assert contents(folder) == before


def test_a_new_title_moves_neither_the_package_nor_the_environment_variables(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path)
    where = package(folder)
    save(changed(change_title), tmp_path / "shop.json")
    generate(folder)
    assert package(folder) == where
    assert json.loads((where / "api.json").read_text())["title"] == "The Grand Emporium"

"""What the workbench writes is what the commands write."""

import html
import io
import json
import signal
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn

from mcpgen.cli import run
from mcpgen.cli.interrupts import ending_in_order, left_to_the_parent
from mcpgen.config import read_config
from mcpgen.config.file import parse_config
from mcpgen.config.options import edit
from mcpgen.problems import McpgenError

from .browser import workbench
from .conftest import BOOKSHOP, Pages


def saved(pages: Pages) -> str:
    assert pages.post("/save")["status"] == 200
    return (pages.bench.folder / "mcpgen.toml").read_text("utf-8")


def test_the_first_file_is_the_one_that_generate_writes(bookshop: Pages) -> None:
    text = saved(bookshop)
    (bookshop.bench.folder / "mcpgen.toml").unlink()
    bookshop.bench.folder.rmdir()
    assert run(["generate", str(BOOKSHOP), "--quiet"]) == 0
    assert (bookshop.bench.folder / "mcpgen.toml").read_text("utf-8") == text


def test_suggest_keeps_what_the_command_proposes(
    bookshop: Pages, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["suggest", str(BOOKSHOP), "--limit", "5", "--quiet"]) == 0
    proposed = parse_config(capsys.readouterr().out).selection
    assert bookshop.post("/suggest", limit=5)["status"] == 200
    assert parse_config(saved(bookshop)).selection == proposed and len(bookshop.kept()) == 5


def test_a_saved_file_generates_what_was_chosen(bookshop: Pages) -> None:
    number = bookshop.number("list_books")
    changes = [
        [["name"], "find_books"],
        [["description"], 'Look for "books".\nNewest first.'],
        [["hints", "open_world"], False],
        [["arguments", "page_size", "default"], 20],
        [["arguments", "genre", "hidden"], True],
    ]
    assert bookshop.post("/change", number=number, changes=changes)["status"] == 200
    out = [bookshop.number("remove_book"), bookshop.number("cancel_order")]
    assert bookshop.post("/choose", action="out", numbers=out, facet=None)["status"] == 200
    saved(bookshop)
    assert bookshop.post("/generate", accepted=[])["status"] == 200
    assert run(["check", str(bookshop.bench.folder), "--quiet"]) == 0
    config = read_config(bookshop.bench.folder)
    assert config.tools["listBooks"].name == "find_books"
    assert config.tools["listBooks"].description == 'Look for "books".\nNewest first.'
    assert config.selection.exclude_operations == ("removeBook", "cancelOrder")
    listed = {row.tool.name for row in bookshop.pages.view().rows}
    assert "find_books" in listed and not {"remove_book", "cancel_order", "list_books"} & listed


def test_closing_and_opening_again_shows_the_same(
    bookshop: Pages, open_pages: Callable[..., Pages]
) -> None:
    number = bookshop.number("list_books")
    bookshop.post("/change", number=number, changes=[[["title"], "Look at the books"]])
    bookshop.post("/choose", action="out", numbers=[bookshop.number("get_status")], facet=None)
    saved(bookshop)
    again = open_pages(bookshop.bench.folder)
    assert again.bench.text == bookshop.bench.text and again.kept() == bookshop.kept()
    assert 'value="Look at the books"' in again.get(f"/edit/{number}")
    assert again.get("/tools") == bookshop.get("/tools")


def test_comments_and_order_stay(open_pages: Callable[..., Pages], tmp_path: Path) -> None:
    assert run(["generate", str(BOOKSHOP), "--quiet", "-o", "shop"]) == 0
    path = tmp_path / "shop" / "mcpgen.toml"
    path.write_text(
        "# mine\n"
        'name = "bookshop"  # as our clients know it\n'
        "\n[source]\n"
        f"path = '{BOOKSHOP}'\n"
        "\n[select]\n"
        "exclude_operations = [\n"
        '  "removeBook",  # never\n'
        "]\n"
        "# the rest is fine\n"
        "\n[tools.listBooks]\n"
        "# short\n"
        'title = "Books"\n'
    )
    pages = open_pages(tmp_path / "shop")
    number = pages.number("list_books")
    pages.post("/change", number=number, changes=[[["description"], "All books."]])
    pages.post("/choose", action="out", numbers=[pages.number("cancel_order")], facet=None)
    before = path.read_text()
    expected = before.replace(
        '  "removeBook",  # never\n]', '  "removeBook",  # never\n  "cancelOrder",\n]'
    ).replace('title = "Books"\n', 'title = "Books"\ndescription = "All books."\n')
    assert saved(pages) == expected


def test_undo_goes_back_step_by_step_to_the_file(bookshop: Pages) -> None:
    first = bookshop.bench.text
    number = bookshop.number("list_books")
    bookshop.post("/change", number=number, changes=[[["name"], "find_books"]])
    second = bookshop.bench.text
    bookshop.post("/choose", action="out", numbers=[0], facet=None)
    bookshop.post("/undo")
    assert bookshop.bench.text == second
    bookshop.post("/undo")
    assert bookshop.bench.text == first
    bookshop.post("/undo")
    assert bookshop.bench.text == first and bookshop.bench.pending().lines == ()


def test_a_key_that_is_emptied_leaves_no_trace(bookshop: Pages) -> None:
    first = bookshop.bench.text
    number = bookshop.number("list_books")
    for path, value in ((["name"], "find_books"), (["hints", "read_only"], True)):
        bookshop.post("/change", number=number, changes=[[path, value]])
        bookshop.post("/change", number=number, changes=[[path, None]])
    assert tomllib.loads(bookshop.bench.text) == tomllib.loads(first)


@pytest.mark.parametrize(("changes", "code"), [
    ([[["name"], "Find Books!"]], "E1115"), ([[["name"], "get_book"]], "E1116"),
    ([[["nane"], "x"]], "E1102"), ([[["hints", "read_only"], "yes"]], "E1103"),
    ([[["arguments", "nothing", "default"], 3]], "E1118"),
    ([[["arguments", "genre", "value"], "poetry"]], "E1104"),
])  # fmt: skip
def test_what_generate_would_refuse_is_refused_at_once(
    bookshop: Pages, changes: list[object], code: str
) -> None:
    before = bookshop.bench.text
    answer = bookshop.post("/change", number=bookshop.number("list_books"), changes=changes)
    assert answer["status"] == 422 and code in answer["error"] and bookshop.bench.text == before


def test_a_method_left_out_is_one_line(bookshop: Pages) -> None:
    rows = [row for row in bookshop.bench.catalogue.rows if row.tool.origin.method == "DELETE"]
    numbers = [row.number for row in rows]
    bookshop.post("/choose", action="out", numbers=numbers, facet=["method", "DELETE"])
    assert bookshop.bench.config.selection.exclude_methods == ("delete",)
    assert not {row.tool.name for row in rows} & bookshop.kept()
    bookshop.post("/choose", action="back", numbers=numbers, facet=["method", "DELETE"])
    assert bookshop.bench.config.selection.exclude_methods == () and len(bookshop.kept()) == 13


def test_ticks_keep_a_list_that_is_included_by_name(bookshop: Pages) -> None:
    one, other = bookshop.number("list_books"), bookshop.number("get_book")
    bookshop.post("/choose", action="only", numbers=[one], facet=None)
    assert bookshop.kept() == {"list_books"}
    bookshop.post("/choose", action="back", numbers=[other], facet=None)
    assert bookshop.kept() == {"list_books", "get_book"}
    assert bookshop.bench.config.selection.include_operations == ("listBooks", "getBook")
    bookshop.post("/choose", action="out", numbers=[one], facet=None)
    assert bookshop.kept() == {"get_book"}


def test_a_server_keeps_at_least_one_tool(bookshop: Pages) -> None:
    everything = list(range(13))
    for action, numbers in (("out", everything), ("only", [])):
        before = bookshop.bench.text
        answer = bookshop.post("/choose", action=action, numbers=numbers, facet=None)
        assert (answer["status"], "E0832" in answer["error"]) == (422, True)
        assert bookshop.bench.text == before
    bookshop.post("/choose", action="only", numbers=[0], facet=None)
    answer = bookshop.post("/choose", action="out", numbers=[0], facet=None)
    assert "E0832" in answer["error"]


def test_a_pattern_that_leaves_a_tool_out_is_named(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    assert run(["generate", str(BOOKSHOP), "-q", "-o", "shop", "--exclude-path", "/orders*"]) == 0
    pages = open_pages(tmp_path / "shop")
    number = pages.number("list_orders")
    answer = pages.post("/choose", action="back", numbers=[number], facet=None)
    assert answer["status"] == 422 and "E0833" in answer["error"] and "/orders*" in answer["error"]


def test_edits_are_applied_to_a_file_that_somebody_else_changed_and_saved_when_they_were_seen(
    bookshop: Pages,
) -> None:
    saved(bookshop)
    path = bookshop.bench.folder / "mcpgen.toml"
    hand = path.read_text() + "# by hand\n[tools.getBook]\ntitle = 'One'\n"
    path.write_text(hand)
    for name in ("list_books", "get_book"):
        changes = [[["description"], f"About {name}."]]
        bookshop.post("/change", number=bookshop.number(name), changes=changes)
    answer = bookshop.post("/save")
    assert answer["status"] == 422 and "E0834" in answer["error"] and path.read_text() == hand
    assert "About get_book." in json.loads(bookshop.get("/state"))["pending"]
    tools = parse_config(saved(bookshop)).tools
    assert (tools["getBook"].title, tools["getBook"].description) == ("One", "About get_book.")
    assert tools["listBooks"].description == "About list_books." and "# by hand" in path.read_text()
    path.write_text("[broken")
    bookshop.post("/change", number=0, changes=[[["title"], "Every book"]])
    assert bookshop.post("/save")["status"] == 422 and "Every book" in bookshop.bench.text


def test_a_folder_that_cannot_be_written_is_named(bookshop: Pages, tmp_path: Path) -> None:
    bookshop.post("/change", number=0, changes=[[["title"], "Every book"]])
    bookshop.bench.folder.write_text("a file in the place of the folder")
    answer = bookshop.post("/save")
    assert (answer["status"], "mcp-bookshop" in answer["error"]) == (422, True)
    assert "Every book" in json.loads(bookshop.get("/state"))["pending"]


def test_the_workbench_wants_a_document_it_can_read_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["workbench", "-", "--no-browser"]) == 2 and "E0831" in capsys.readouterr().err


def test_nothing_stays_behind_when_the_workbench_is_ended(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with workbench(BOOKSHOP, tmp_path, TMPDIR=str(temporary)):
        assert len(list(temporary.iterdir())) == 1
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_the_server_ends_even_where_the_exception_of_its_signal_is_lost(name: str) -> None:
    server, number = uvicorn.Server(uvicorn.Config(lambda: None)), getattr(signal, name)
    with pytest.raises(SystemExit), ending_in_order() as first:
        first.append(partial(setattr, server, "should_exit", True))
        signal.raise_signal(number)
    assert server.should_exit


def test_a_thread_has_no_interrupt_to_leave_and_loses_no_error() -> None:
    seen: list[str] = []

    def start() -> None:
        try:
            with left_to_the_parent():
                seen.append("in the block")
                raise ValueError("of the block")
        except ValueError as error:
            seen.append(str(error))

    thread = Thread(target=start)
    thread.start()
    thread.join()
    assert seen == ["in the block", "of the block"]


def test_what_cannot_be_undone_now_can_be_later(bookshop: Pages) -> None:
    bench, saved_text = bookshop.bench, bookshop.bench.text
    bookshop.post("/change", number=bookshop.number("list_books"), changes=[[["title"], "x"]])
    kept, bench.history = bench.text, ["[source"]
    with pytest.raises(McpgenError):
        bench.undo()
    assert (bench.text, bench.history) == (kept, ["[source"])
    bench.history = [saved_text]
    bench.undo()
    assert (bench.text, bench.history) == (saved_text, [])


def test_a_new_key_stands_with_the_keys_of_its_table() -> None:
    text = "[select]\ndeprecated = true\n# about tools\n\n[tools.a]\nname = 'b' # why\n"
    changes = {("select", "exclude_tags"): ["x"], ("tools", "a", "title"): "T"}
    assert edit(text, changes) == (
        '[select]\ndeprecated = true\nexclude_tags = ["x"]\n# about tools\n\n'
        "[tools.a]\nname = 'b' # why\ntitle = \"T\"\n"
    )


def test_a_table_for_many_tools_leaves_them_out_until_they_are_chosen(bookshop: Pages) -> None:
    bookshop.bench.change({("tools", "list_*", "enabled"): False})
    assert not {"list_books", "list_orders"} & bookshop.kept()
    back = bookshop.number("list_books")
    assert bookshop.post("/choose", action="in", numbers=[back], facet=None)["status"] == 200
    assert "list_books" in bookshop.kept() and "list_orders" not in bookshop.kept()
    config = parse_config(saved(bookshop))
    assert config.tools["listBooks"].enabled and not config.globs["list_*"].enabled


def test_a_tool_is_called_with_what_tables_for_many_say_of_it(
    bookshop: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "a-secret-of-the-test")
    hidden = ("tools", "*", "arguments", "bookId")
    bookshop.bench.change(
        {(*hidden, "hidden"): True, (*hidden, "value"): "bk_1", ("tools", "l*", "title"): "A list"}
    )
    author: dict[str, Any] = {"authorId": "au_1"}
    for name, arguments, path in (("get_book", {}, "books/bk_1"), ("get_author", author, "au_1")):
        number = bookshop.number(name)
        answer = bookshop.post("/call", number=number, arguments=arguments, dry_run=True)
        assert path in answer["html"]


def test_settings_of_the_server_are_edited_and_show_at_once(bookshop: Pages) -> None:
    page = html.unescape(bookshop.get("/settings"))
    assert 'data-path="["code"]"' in page and 'data-path="["select", "include_tags"]"' in page
    for path, value in ((["code"], True), (["parts"], ["audit"]), (["auth", "scheme"], "bearer")):
        assert bookshop.post("/change", number=None, changes=[[path, value]])["status"] == 200
    assert 'parts = ["audit"]\n' in bookshop.bench.text
    assert "BOOKSHOP_MCP_TOKEN" in bookshop.get("/part/overview")
    kept = bookshop.bench.text
    for path, value in ((["base_url"], "ftp://x"), (["profile"], "none"), (["nothing"], 1)):
        assert bookshop.post("/change", number=None, changes=[[path, value]])["status"] == 422
    assert bookshop.bench.text == kept
    bookshop.post("/undo")
    assert "BOOKSHOP_MCP_API_KEY" in bookshop.get("/part/overview")


def test_the_source_is_edited_and_read_at_once(bookshop: Pages, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(BOOKSHOP.read_text().replace("Get one book", "Read one book"))
    path, before = ["source", "path"], bookshop.bench.text
    answer = bookshop.post("/change", number=None, changes=[[path, "nothing.yaml"]])
    assert (answer["status"], "nothing.yaml" in answer["error"]) == (422, True)
    assert bookshop.bench.text == before and len(bookshop.kept()) == 13
    assert bookshop.post("/change", number=None, changes=[[path, "../other.yaml"]])["status"] == 200
    assert "Read one book" in bookshop.get("/tools") and "other.yaml" in bookshop.get("/")
    bookshop.post("/undo")
    assert "Get one book" in bookshop.get("/tools")


def test_a_table_for_many_tools_is_edited_where_there_is_one(bookshop: Pages) -> None:
    bookshop.bench.change({("tools", "*_book", "confirm"): True})
    page = html.unescape(bookshop.get("/settings"))
    assert '<h2>[tools."*_book"]</h2>' in page
    path = ["tools", "*_book", "hints", "open_world"]
    assert f'data-path="{json.dumps(path)}"' in page
    assert bookshop.post("/change", number=None, changes=[[path, False]])["status"] == 200
    tool = bookshop.bench.tool(bookshop.bench.row(bookshop.number("get_book")))
    assert (tool.hints.open_world, tool.confirm) == (False, True)


def test_a_project_made_of_standard_input_has_every_page(
    open_pages: Callable[..., Pages], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BOOKSHOP.read_bytes())))
    assert run(["generate", "-", "-o", "shop", "--quiet"]) == 0
    pages = open_pages(tmp_path / "shop")
    for path in ("/", "/tools", "/tool/1", "/settings", "/part/problems", "/part/changes"):
        assert "no document was named" not in pages.get(path)
    assert pages.post("/change", number=None, changes=[[["title"], "Books"]])["status"] == 200
    assert pages.post("/save")["status"] == 200
    assert "1 updated" in pages.post("/generate", accepted=[])["html"]


def test_budget_aliases_and_answers_of_a_tool_are_edited(bookshop: Pages) -> None:
    number = bookshop.number("list_books")
    values = {("budget",): 700, ("aliases",): ["books"], ("answer", "keep"): ["items.id"]}
    tokens = bookshop.bench.tokens(bookshop.bench.row(number))
    for path, value in values.items():
        state = bookshop.post("/change", number=number, changes=[[path, value]])
    assert state["row"]["tokens"] < tokens
    page = html.unescape(bookshop.get(f"/edit/{number}"))
    assert ">items.id</textarea>" in page and ">books</textarea>" in page and 'value="700"' in page


def test_edits_that_do_not_fit_a_new_document_stay_and_can_be_taken_back(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    document = tmp_path / "shop.yaml"
    document.write_text(BOOKSHOP.read_text())
    pages = open_pages(document)
    kept = pages.bench.text
    changes = [[["title"], "Read a book"]]
    pages.post("/change", number=pages.number("get_book"), changes=changes)
    document.write_text(BOOKSHOP.read_text().replace("operationId: getBook", "operationId: other"))
    document.write_text(document.read_text().replace("/books/{bookId}:", "/tomes/{bookId}:"))
    refused = pages.client.get("/state")
    assert refused.status_code == 422 and "Read a book" in pages.bench.text
    assert "Read a book" in json.loads(pages.get("/state"))["pending"]
    assert pages.post("/undo")["status"] == 200 and pages.bench.text == kept


def test_a_choice_that_is_refused_takes_no_earlier_change_back(bookshop: Pages) -> None:
    kept = bookshop.bench.text
    bookshop.bench.change({("select", "exclude_paths"): ["*"]})
    answer = bookshop.post("/choose", action="out", numbers=[0], facet=None)
    assert answer["status"] == 422 and "E0832" in answer["error"]
    assert bookshop.post("/undo")["status"] == 200 and bookshop.bench.text == kept

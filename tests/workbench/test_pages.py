"""What the pages show, asked without a browser."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.catalogue.pages import TEMPLATES, environment
from mcpgen.catalogue.treemap import treemap
from mcpgen.cli import run
from mcpgen.lock import dump, read_lock
from mcpgen.score import score_source, tools_of_source
from mcpgen.text import visible
from mcpgen.workbench.cut import cuts
from tests.live.conftest import StandIn

from .conftest import BOOKSHOP, Pages
from .hostile import HOSTILE, hostile_document

FAULTY = BOOKSHOP.parent / "faulty.yaml"


def uncoloured(page: str) -> str:
    """A page without the colours of JSON."""
    return re.sub(r'<span class="(?:key|string|value)">([^<]*)</span>', r"\1", page)


def text_of(page: str) -> str:
    """A page as people read it."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", uncoloured(page))).split())


def test_the_overview_holds_the_law_and_every_tool(bookshop: Pages) -> None:
    page = bookshop.get("/")
    assert "13 operations = 13 tools + 0 left out by choice + 0 skipped" in page
    assert page.count('class="leaf') == 13
    bookshop.post("/choose", action="out", numbers=[0, 1], facet=None)
    page = bookshop.get("/")
    assert "13 operations = 11 tools + 2 left out by choice + 0 skipped" in page
    part = text_of(bookshop.get("/part/overview"))
    assert "Cursor 11 / 80" in " ".join(part.split()) and "BOOKSHOP_MCP_API_KEY" in part
    assert "https://api.bookshop.example/v1" in part


def test_scores_are_those_of_the_command(bookshop: Pages) -> None:
    expected = score_source(BOOKSHOP)
    data = json.loads(bookshop.get("/scores"))
    assert data["score"] == expected.score
    rows = {row.tool.name: data["rows"][str(row.number)] for row in bookshop.bench.catalogue.rows}
    assert rows == {tool.name: tool.score for tool in expected.tools}


def test_a_tool_is_shown_as_the_model_gets_it_beside_the_document(bookshop: Pages) -> None:
    number = bookshop.number("list_books")
    page = html.unescape(uncoloured(bookshop.get(f"/tool/{number}")))
    listed = tools_of_source(BOOKSHOP).by_name()["list_books"]
    assert json.dumps(listed, indent=2, ensure_ascii=False) in page
    assert "operationId: listBooks" in page and "async def list_books(" in page and '"GET"' in page


def of_one(open_pages: Callable[..., Pages], folder: Path, **operation: Any) -> Pages:
    """A workbench on an API of one operation."""
    operation["responses"] = {"204": {"description": "done"}}
    document = {
        "openapi": "3.1.0", "info": {"title": "One", "version": "1"},
        "servers": [{"url": "https://one.example"}], "paths": {"/one": {"post": operation}},
    }  # fmt: skip
    (folder / "one.json").write_text(json.dumps(document))
    return open_pages(folder / "one.json")


def body_of(**properties: Any) -> dict[str, Any]:
    """A request body of an object."""
    return {"content": {"application/json": {"schema": {"properties": properties}}}}


def test_what_was_cut_is_named(open_pages: Callable[..., Pages], tmp_path: Path) -> None:
    field = {"type": "string", "description": "A text " + "of many words " * 9}
    fields = {f"field_{number}": field for number in range(600)}
    body = body_of(wide={"type": "object", "properties": fields})
    page = of_one(open_pages, tmp_path, requestBody=body).get("/tool/0")
    listed = page.partition("As the model sees it")[2].partition("</pre>")[0]
    cut = page.partition("<h2>What was cut")[2].partition("<h2>The generated")[0]
    for name in fields:
        assert (f"<mark>wide.{name}</mark>" in cut) != (f"&#34;{name}&#34;" in listed), name
    assert "<mark>wide.field_99</mark>" in cut


def test_a_tool_is_edited_and_tried_beside_its_contract_from_its_present_words(
    bookshop: Pages,
) -> None:
    page = bookshop.get(f"/tool/{bookshop.number('get_book')}")
    title = bookshop.bench.row(bookshop.number("get_book")).tool.title
    assert f'data-usual="{title}" value="{title}"' in page
    places = [
        page.index(f'id="{name}"') for name in ("edit", "try", "contracts", "cut", "function")
    ]
    assert places == sorted(places)


def test_sentences_and_values_that_were_cut_are_marked(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    text = "The colour of the cover. " + "It is said in a word. " * 30 + "Grey is the usual one."
    values = [f"a colour that has the number {number}" for number in range(800)]
    text_of_tool = "Paint a cover. " + "It takes a while, in which nobody reads. " * 40
    colour = {"schema": {"type": "string", "enum": values}, "description": text}
    size = {"schema": {"type": "integer"}}
    fields = ({"name": "colour", **colour}, {"name": "size", **size})
    parameters = [{"in": "query", **field} for field in fields]
    text_of_tool = f"{text_of_tool}Call it last."
    pages = of_one(open_pages, tmp_path, description=text_of_tool, parameters=parameters)
    bench = pages.bench
    rows = {cut.path: cut for cut in cuts(bench, bench.tool(bench.row(0)))}
    assert {path: cut.kind for path, cut in rows.items()} == {"": "text", "colour": "values"}
    assert rows[""].sentences[0] == ("Paint a cover.", True)
    assert rows[""].sentences[-1] == ("Call it last.", False)
    assert rows["colour"].sentences[-1] == ("Grey is the usual one.", False)
    assert len(rows["colour"].values) == 800
    page = html.unescape(pages.get("/tool/0"))
    assert "<mark>Call it last.</mark>" in page
    assert '<mark>"a colour that has the number 799"</mark>' in page
    assert "<mark>Paint a cover.</mark>" not in page


def test_what_cannot_be_sent_is_not_cut(open_pages: Callable[..., Pages], tmp_path: Path) -> None:
    owner = {"id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}}
    body = body_of(owner={"type": "object", "properties": owner})
    bench = of_one(open_pages, tmp_path, requestBody=body).bench
    assert cuts(bench, bench.tool(bench.row(0))) == []


def test_tokens_and_score_follow_an_edit_before_it_is_saved(bookshop: Pages) -> None:
    number = bookshop.number("list_books")
    before = json.loads(bookshop.get("/scores"))["rows"][str(number)]
    text = "Books. " + "Nobody knows more about it than that. " * 9
    state = bookshop.post("/change", number=number, changes=[[["description"], text]])
    after = json.loads(bookshop.get("/scores"))["rows"][str(number)]
    assert f"{state['row']['tokens']} tokens" in text_of(bookshop.get(f"/tool/{number}"))
    assert f'data-tokens="{state["row"]["tokens"]}"' in bookshop.get("/tools")
    assert bookshop.post("/save")["status"] == 200
    assert bookshop.post("/generate", accepted=[])["status"] == 200
    scored = {tool.name: tool for tool in score_source(bookshop.bench.folder).tools}["list_books"]
    assert scored.score == after and before != after


def test_a_request_is_shown_before_it_is_sent(
    bookshop: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = bookshop.number("list_books")
    bookshop.post("/change", number=number, changes=[[["name"], "find_books"]])
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "a-secret-of-the-test")
    answer = bookshop.post(
        "/call", number=number, arguments={"genre": "poetry", "page_size": 2}, dry_run=True
    )
    shown = text_of(answer["html"])
    assert shown.startswith("Request, not sent") and "a-secret" not in shown
    assert "GET https://api.bookshop.example/v1/books?genre=poetry&page-size=2" in shown


def test_a_wrong_argument_is_answered_as_the_model_is(bookshop: Pages) -> None:
    number = bookshop.number("list_books")
    answer = bookshop.post("/call", number=number, arguments={"genre": "x"}, dry_run=False)
    assert "The call failed." in answer["html"] and "science" in answer["html"]


def test_the_ranking_is_that_of_the_server(bookshop: Pages) -> None:
    from mcpgen.render.search import search_facts
    from mcpgen.runtime.parts.search.index import Index

    question = "change the price of a book"
    names = [row.tool.name for row in bookshop.bench.catalogue.rows]
    expected = Index(search_facts(bookshop.bench.server)).search(question, 20, names).names
    page = bookshop.get(f"/find?q={question}")
    assert (
        re.findall(r'href="[^"]*/tool/\d+">(\w+)<', page) == expected and "of the question" in page
    )


def test_a_problem_comes_with_its_place_and_a_repair_that_mends_it(
    open_pages: Callable[..., Pages],
) -> None:
    pages = open_pages(FAULTY)
    before = len(pages.bench.problems)
    assert "faulty.yaml:" in pages.get("/part/problems")
    kinds, _ = pages.pages.mending().kinds()
    ready = [number for kind in kinds for number in kind.ready]
    assert ready and all(len({mend.number for mend in kind.mends}) for kind in kinds if kind.ready)
    assert pages.post("/repair", numbers=ready)["status"] == 200
    assert not any(kind.ready for kind in pages.pages.mending().kinds()[0])
    state = json.loads(pages.get("/state"))
    assert "repairs.overlay.yaml" in state["pending"] and pages.post("/save")["status"] == 200
    overlay = yaml.safe_load((pages.bench.folder / "repairs.overlay.yaml").read_text())
    assert [action["target"] for action in overlay["actions"]]
    assert len(pages.bench.problems) < before
    assert run(["lint", str(pages.bench.folder / "repairs.overlay.yaml"), "--quiet"]) != 70


def test_a_repair_with_a_gap_wants_its_author(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    document = tmp_path / "shop.yaml"
    wrong = '      deprecated: "no"\n'  # another problem of the operation
    document.write_text(BOOKSHOP.read_text().replace("      summary: Get one book\n", wrong))
    pages = open_pages(document)
    kinds, others = pages.pages.mending().kinds()
    (gap,) = [mend for kind in others for mend in kind.mends if mend.asks]
    assert not [mend for kind in kinds for mend in kind.mends if mend.number == gap.number]
    answer = pages.post("/repair", numbers=[gap.number], text=" ")
    assert (answer["status"], "E0880" in answer["error"]) == (422, True)
    pages.post("/repair", numbers=[gap.number], text="Read one book of the catalogue")
    assert pages.post("/save")["status"] == 200
    tool = pages.bench.catalogue.rows[pages.number("get_book")].tool
    assert tool.description.startswith("Read one book of the catalogue.")


def test_problems_of_one_kind_stand_together_and_are_mended_at_once(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    document = yaml.safe_load(BOOKSHOP.read_text())
    for item in document["paths"].values():
        for operation in item.values():
            if "responses" in operation:
                operation["responses"] = {"204": {}}
    (tmp_path / "shop.json").write_text(json.dumps(document))
    pages = open_pages(tmp_path / "shop.json")
    part = pages.get("/part/problems")
    (numbers,) = re.findall(r'data-mend="([^"]*)"', part)
    assert part.count("<h2>") == 1 and part.count("why it matters") == 1
    assert re.findall("<summary>([0-9]+) more", part) == ["10"]
    assert pages.post("/repair", numbers=json.loads(numbers))["status"] == 200
    for _ in range(2):  # what was written once is not written again
        assert pages.post("/save")["status"] == 200
        text = (pages.bench.folder / "repairs.overlay.yaml").read_text()
        assert text.count("target:") == 13
    assert "The document has no problems." in pages.get("/part/problems")


def test_a_repair_goes_into_an_overlay_of_the_api_whose_document_it_is_for(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    for name, summary in (("shop", "Get one book"), ("billing", "Get one author")):
        text = BOOKSHOP.read_text().replace(f"      summary: {summary}\n", "")
        (tmp_path / f"{name}.yaml").write_text(text)
    toml = (
        'name = "office"\n[source]\npath = "shop.yaml"\n\n[apis.billing]\npath = "billing.yaml"\n'
    )
    (tmp_path / "mcpgen.toml").write_text(toml)
    pages = open_pages(tmp_path)
    _, (kind,) = pages.pages.mending().kinds()
    words = {"": "Read one book", "billing": "Look at an author"}
    for mend in kind.mends:
        api, _ = pages.pages.mending().repairs[mend.number]
        assert pages.post("/repair", numbers=[mend.number], text=words[api])["status"] == 200
    assert pages.post("/save")["status"] == 200
    assert (tmp_path / "mcpgen.toml").read_text() == toml.replace(
        '"shop.yaml"\n', '"shop.yaml"\noverlays = ["repairs.overlay.yaml"]\n'
    ) + 'overlays = ["billing.repairs.overlay.yaml"]\n'
    texts = [row.tool.description for row in pages.bench.catalogue.rows]
    for word in words.values():
        assert any(text.startswith(word) for text in texts), word
    assert pages.pages.mending().kinds()[1] == []


def test_what_must_be_accepted_is_accepted_item_by_item(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    document = tmp_path / "shop.yaml"
    document.write_text(BOOKSHOP.read_text())
    assert run(["generate", str(document), "--quiet", "-o", "shop"]) == 0
    document.write_text(BOOKSHOP.read_text().replace("api.bookshop.example", "evil.example"))
    pages = open_pages(tmp_path / "shop")
    part = pages.get("/part/changes")
    items = [html.unescape(text) for text in re.findall(r'name="accepted" value="([^"]*)"', part)]
    assert len(items) == 1 and "evil.example" in items[0]
    assert pages.post("/generate", accepted=[])["status"] == 422
    assert "api.bookshop.example" in (tmp_path / "shop/src/bookshop_mcp/api.json").read_text()
    assert pages.post("/generate", accepted=items)["status"] == 200
    assert "evil.example" in (tmp_path / "shop/src/bookshop_mcp/api.json").read_text()
    assert "Nothing changes for callers." in pages.get("/part/changes")


def test_another_judgement_of_the_same_document_asks_for_no_consent(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    assert run(["generate", str(BOOKSHOP), "--quiet", "-o", "shop"]) == 0
    lock, folder = read_lock(tmp_path / "shop"), tmp_path / "shop"
    assert lock is not None
    tools = tuple(replace(tool, hints={**tool.hints, "read_only": True}) for tool in lock.tools)
    (folder / "mcpgen.lock").write_text(dump(replace(lock, generator="0.0.1", tools=tools)))
    pages = open_pages(folder)
    part = pages.get("/part/changes")
    assert "as mcpgen judges it" in part and 'name="accepted"' not in part
    pages.post("/change", number=pages.number("get_book"), changes=[[["title"], "Mine"]])
    assert "its title is \u201cMine\u201d" in pages.get("/part/changes")


def test_another_document_is_compared_as_diff_does(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    assert run(["generate", str(BOOKSHOP), "--quiet", "-o", "shop"]) == 0
    other = tmp_path / "other.yaml"
    other.write_text(
        BOOKSHOP.read_text().replace("operationId: getBook\n", "operationId: readBook\n")
    )
    pages = open_pages(tmp_path / "shop")
    assert "readBook" in pages.get(f"/part/changes?document={other}")
    answer = pages.client.get("/part/changes?document=http://127.0.0.1:9/x.yaml")
    assert answer.status_code == 422 and "E0101" in answer.text


def test_texts_of_a_hostile_document_are_shown_as_text(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    pages = open_pages(hostile_document(tmp_path))
    count = len(pages.bench.catalogue.rows)
    assert count >= 10
    paths = [
        "/", "/part/overview", "/tools", "/find?q=books+script", "/part/problems", "/part/changes",
    ]  # fmt: skip
    paths += [f"/{page}/{number}" for page in ("tool", "edit") for number in range(count)]
    for path in paths:
        page = pages.get(path)
        assert "<script>alert" not in page, path
        assert "<img" not in page, path
        assert "\u202e" not in page, path
    state = pages.post("/change", number=0, changes=[[["description"], HOSTILE]])
    assert "<script" not in state["pending"] and "<img" not in state["pending"]
    refusal = pages.post("/change", number=0, changes=[[["name"], HOSTILE]])
    assert "<script" not in refusal["error"]


def test_an_answer_is_shown_raw_and_as_the_model_sees_it(
    open_pages: Callable[..., Pages], tmp_path: Path, api: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = tmp_path / "shop.yaml"
    document.write_text(BOOKSHOP.read_text().replace("https://api.bookshop.example/v1", api.url))
    pages = open_pages(document)
    monkeypatch.setenv("BOOKSHOP_MCP_BASE_URL", api.url)
    number = pages.number("get_status")
    shown = text_of(pages.post("/call", number=number, arguments={}, dry_run=False)["html"])
    assert "Raw answer: status 200" in shown and '{ "message": "", "path": "/status" }' in shown
    assert "tokens" in shown and [request[:2] for request in api.requests] == [("GET", "/status")]


@pytest.mark.parametrize("value", [
    {"a": [1, -2.5e-7, True, None], 'b"\\': "x: 1, true"},
    {HOSTILE: [HOSTILE, f"{HOSTILE}\\"], "&#34;:": '&#34;</span><span class="key">', "": {}},
    ["\\\"", "\\\\", 'a": 1, "b', "</pre>\n\u2028"],
])  # fmt: skip
def test_json_is_in_colour_and_nothing_in_it_is_markup(
    value: dict[str, object] | list[str],
) -> None:
    engine = environment(TEMPLATES)
    shown = engine.from_string("{{ text|laid_out }}").render(text=json.dumps(value))
    plain = uncoloured(shown)
    assert shown != plain and not re.search("[<>]", plain)
    assert html.unescape(plain) == visible(json.dumps(value, indent=2, ensure_ascii=False))
    assert shown.count('<span class="key">') == (len(value) if isinstance(value, dict) else 0)


def test_a_function_has_a_page_to_try_it_on(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    assert run(["new", "words", "--yes"]) == 0
    pages = open_pages(tmp_path / "words")
    assert '/function/count_words">' in pages.get("/")
    page = html.unescape(pages.get("/function/count_words"))
    assert '"shortest": {' in text_of(page) and 'data-path="["text"]"' in page
    words = {"text": "a short text", "shortest": 2}
    answer = pages.post("/call", function="count_words", arguments=words, dry_run=False)
    assert '"words": 2' in text_of(answer["html"])
    assert pages.client.get("/function/nothing").status_code == 404
    headers = {"Origin": f"http://{pages.client.base_url.netloc.decode()}"}
    nobody = {"function": "run_it", "arguments": {}, "dry_run": False}
    assert pages.client.post("/call", json=nobody, headers=headers).status_code == 400


def test_an_object_has_fields_and_a_request_is_a_command(
    bookshop: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "a-secret-of-the-test")
    number = bookshop.number("add_book")
    page = html.unescape(bookshop.get(f"/tool/{number}"))
    assert '<fieldset class="object" data-path="["price"]" data-required>' in page
    assert 'data-path="["price", "amount"]" data-kind="number" placeholder="4.5"' in page
    assert 'data-path="["price", "currency"]"' in page
    (authors,) = re.findall(r'<textarea [^>]*data-path="\["authorIds"\]"[^>]*>([^<]+)<', page)
    assert json.loads(authors) == ["au_0", "au_0"]
    one: dict[str, object] = {"bookId": "bk_1"}
    answer = bookshop.post("/call", number=bookshop.number("get_book"), arguments=one, dry_run=True)
    command = html.unescape(answer["html"])
    assert "curl -X GET https://api.bookshop.example/v1/books/bk_1 -H" in command
    assert "a-secret-of-the-test" not in command


BROKEN = "def before(request:\n"


def test_a_call_runs_the_code_of_the_project_as_it_is_now(
    open_pages: Callable[..., Pages], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "a-secret-of-the-test")
    assert run(["generate", str(BOOKSHOP), "-o", str(tmp_path / "shop"), "--quiet"]) == 0
    (tmp_path / "shop" / "src" / "another").mkdir()
    pages = open_pages(tmp_path / "shop")
    hooks = tmp_path / "shop" / "src" / "bookshop_mcp" / "hooks.py"
    usual = hooks.read_text("utf-8")

    def tried() -> str:
        number = pages.number("get_book")
        answer = pages.post("/call", number=number, arguments={"bookId": "bk_1"}, dry_run=True)
        return html.unescape(str(answer))

    assert "GET https://api.bookshop.example/v1/books/bk_1" in tried()
    hooks.write_text(BROKEN, "utf-8")
    refused = tried()
    assert "SyntaxError" in refused and "shop/src/bookshop_mcp/hooks.py:1" in refused
    assert "mcpgen-workbench" not in refused
    hooks.write_text(usual, "utf-8")
    assert "SyntaxError" not in tried()
    auth = hooks.with_name("auth.py")
    auth.write_text(auth.read_text("utf-8") + BROKEN, "utf-8")
    assert "SyntaxError" in tried()


def test_a_document_and_functions_that_change_are_read_again_and_edits_stay(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    document = tmp_path / "shop.yaml"
    document.write_text(BOOKSHOP.read_text("utf-8"), "utf-8")
    pages = open_pages(document)
    pages.post("/change", number=pages.number("list_books"), changes=[[["title"], "Mine"]])
    document.write_text(
        BOOKSHOP.read_text("utf-8").replace("operationId: getBook", "operationId: fetchBook"),
        "utf-8",
    )
    assert "fetch_book" in pages.get("/") and "get_book" not in pages.get("/tools")
    assert 'title = "Mine"' in pages.bench.text
    document.write_text("openapi: [", "utf-8")
    assert pages.client.get("/").status_code == 422
    document.write_text(BOOKSHOP.read_text("utf-8"), "utf-8")
    assert "get_book" in pages.get("/")
    assert run(["new", "words", "--yes"]) == 0
    words = open_pages(tmp_path / "words")
    (code,) = (tmp_path / "words" / "src" / "words_mcp" / "custom").glob("count*.py")
    assert "shortest" in words.get("/function/count_words")
    code.write_text(code.read_text("utf-8").replace("shortest", "least_letters"), "utf-8")
    assert "least_letters" in words.get("/function/count_words")


def test_an_edit_that_no_longer_fits_can_be_taken_back_beside_other_files(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    get = '{"get": {"responses": {"200": {"description": "ok"}}}}'
    head = '{"openapi": "3.1.0", "info": {"title": "Stars", "version": "1"}, "servers": [{"url": "https://stars.example"}]'
    document = tmp_path / "stars.json"
    document.write_text(f'{head}, "paths": {{"/suns": {get}, "/moons": {get}}}}}', "utf-8")
    pages = open_pages(document)
    pages.post("/change", number=pages.number("list_suns"), changes=[[["title"], "Mine"]])
    (tmp_path / "more.json").write_text(get, "utf-8")
    document.write_text(
        f'{head}, "paths": {{"/moons": {get}, "/stars": {{"$ref": "more.json"}}}}}}', "utf-8"
    )
    assert [pages.client.get("/").status_code for _ in range(2)] == [422, 200]
    pages.post("/undo")
    assert "Mine" not in pages.bench.text


def test_the_overview_says_what_to_do_next(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    operation = {"get": {"responses": {"200": {"description": "ok"}}}}
    many = {
        "openapi": "3.1.0",
        "info": {"title": "Stars", "version": "1"},
        "servers": [{"url": "https://stars.example"}],
        "paths": {f"/star{number}": operation for number in range(45)},
    }
    (tmp_path / "stars.json").write_text(json.dumps(many), "utf-8")
    pages = open_pages(tmp_path / "stars.json")
    assert 'data-limit="40"' in pages.get("/")
    pages.post("/suggest", limit=40)
    assert "look at the lines below, and save them" in pages.get("/")
    pages.post("/save")
    assert "generate the server" in pages.get("/") and "data-limit" not in pages.get("/")
    pages.post("/generate", accepted=[])
    assert "see what changed" in pages.get("/")


def test_every_box_of_the_map_from_40_pixels_on_has_a_name(bookshop: Pages) -> None:
    areas = treemap(bookshop.pages.view())
    leaves = [leaf for area in areas for leaf in area.leaves]
    assert {leaf.row.tool.name for leaf in leaves if leaf.lines} >= {"list_books", "add_book"}
    for leaf in leaves:
        shown = "".join(leaf.lines).rstrip("…")
        assert shown or leaf.box.width < 40 or leaf.box.height < 13
        assert len(leaf.lines) * 13 <= leaf.box.height + 1
    assert all(area.label for area in areas)


def test_small_toolsets_share_a_box_of_the_map_and_its_name_opens_them(
    open_pages: Callable[..., Pages], tmp_path: Path
) -> None:
    tags = [*["stock"] * 600, *(f"shelf {number}" for number in range(20))]
    answers = {"responses": {"200": {"description": "ok"}}}
    paths = {f"/{n}": {"get": {"tags": [tag], **answers}} for n, tag in enumerate(tags)}
    path = tmp_path / "stock.json"
    info = {"title": "Stock", "version": "1"}
    path.write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}))
    pages = open_pages(path)
    stock, shelves = treemap(pages.pages.view())
    assert stock.toolsets == ("stock",) and stock.label.startswith("stock  ")
    assert len(shelves.toolsets) == 20 and shelves.label
    page = pages.get("/?toolset=shelf_3&toolset=shelf_4&toolset=unknown")
    assert page.count('class="leaf') == 2 and 'class="title"' in page and ">Every toolset<" in page
    assert pages.get("/?toolset=unknown").count('class="leaf') == 620


def test_find_shows_the_words_of_the_question_and_settings_their_defaults(bookshop: Pages) -> None:
    page = bookshop.get("/find?q=orders of customers")
    assert '<span class="word">orders ' in page and '<span class="word">order ' not in page
    settings = bookshop.get("/settings")
    assert "by default: portable" in settings and "by default: false" in settings
    assert "as usual" not in settings

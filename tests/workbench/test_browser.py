"""The workbench in Chromium, by clicks and keys alone."""

import json
import os
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .browser import Watch, chromium, faults, missing, workbench
from .hostile import BOOKSHOP, hostile_document
from .tour import SLOW, follow, source

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
PATHS = ("/", "/tools", "/tool/3", "/find?q=list+the+orders", "/settings", "/problems", "/changes")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(SLOW)
    yield opened
    context.close()


def settled(page: Any, url: str) -> None:
    page.goto(url)
    page.wait_for_load_state("networkidle")


def open_editor(page: Any, address: str, name: str) -> None:
    settled(page, address)
    follow(page, "Tools")
    page.click(f"tr[data-name={name}] button.edit")
    page.wait_for_selector("form.editor")


def test_an_open_editor_goes_with_its_row(page: Any, tmp_path: Path) -> None:
    with workbench(BOOKSHOP, tmp_path) as address:
        open_editor(page, address, "list_books")
        editor = page.locator("tr[data-name=list_books] + tr.editing")
        for column in ("tokens", "name"):
            page.click(f"th[data-sort={column}] button")
            assert editor.is_visible()
        page.fill("#search", "cancel order")
        assert page.locator("tbody tr:visible").count() == 1
        page.fill("#search", "")
        assert editor.is_visible()


def test_keys_lead_from_the_filter_to_an_editor_and_its_address_can_be_noted(
    page: Any, tmp_path: Path
) -> None:
    with workbench(BOOKSHOP, tmp_path) as address:
        settled(page, f"{address}tools?q=book&method=GET")
        assert page.url.endswith("/tools?q=book&method=GET")
        assert page.input_value("#search") == "book"
        page.keyboard.press("/")
        page.keyboard.press("Enter")
        page.wait_for_selector("form.editor input:focus")
        first, second = page.locator("tbody tr[data-n]:visible").all()[:2]
        assert first.locator("+ tr.editing").count() == 1
        page.focus("#search")
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
            page.keyboard.press(key)
        second.locator("+ tr.editing input:focus").wait_for()


def test_an_edit_is_sent_when_the_one_before_it_is_answered(page: Any, tmp_path: Path) -> None:
    routes: list[Any] = []

    def hold_the_first(route: Any) -> None:
        routes.append(route)
        if len(routes) > 1:
            route.continue_()

    with workbench(BOOKSHOP, tmp_path) as address:
        page.route("**/change", hold_the_first)
        open_editor(page, address, "list_books")
        for label, text in (("name", "find_books"), ("title", "Find books")):
            page.get_by_label(label, exact=True).first.fill(text)
            page.keyboard.press("Tab")
        page.wait_for_timeout(300)
        assert [route.request.post_data_json["changes"] for route in routes] == [
            [[["name"], "find_books"]]
        ]
        routes[0].continue_()
        page.click("#pending summary")
        page.wait_for_selector("#pending pre:has-text('+title = \"Find books\"')")
        assert '+name = "find_books"' in page.inner_text("#pending pre")


def test_a_tool_is_tried_from_its_page(page: Any, tmp_path: Path) -> None:
    variables = {"BOOKSHOP_MCP_API_KEY": "secret-of-the-test"}
    with workbench(BOOKSHOP, tmp_path, **variables) as address:
        watch = Watch(page, address)
        settled(page, address)
        page.locator(".leaf", has_text="get_order").click()
        page.wait_for_url("**/tool/*")
        page.wait_for_load_state("networkidle")
        page.get_by_label("orderId").last.fill("or_7")
        page.click("[data-dry=true]")
        page.wait_for_selector("#outcome pre")
        shown = page.inner_text("#outcome")
        assert "GET https://api.bookshop.example/v1/orders/" in shown
        assert "secret-of-the-test" not in shown
        page.get_by_label("orderId").last.fill("or_8")
        page.click("[data-dry=true]")
        page.wait_for_selector("#outcome pre:has-text('or_8')")
        assert "or_7" in page.inner_text("#earlier summary")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click("#outcome h3 .copy")
        page.wait_for_selector("#outcome .copy:text-is('Copied')")
        assert "or_8" in page.evaluate("() => navigator.clipboard.readText()")
        watch.nothing_happened()


def test_fields_of_an_object_are_sent_as_the_object(page: Any, tmp_path: Path) -> None:
    with workbench(BOOKSHOP, tmp_path, BOOKSHOP_MCP_API_KEY="secret-of-the-test") as address:
        settled(page, address)
        page.locator(".leaf", has_text="add_book").click()
        page.wait_for_url("**/tool/*")
        page.wait_for_load_state("networkidle")
        form = page.locator("#call")
        form.get_by_label("title").fill("Tide")
        form.get_by_label("genre").select_option('"poetry"')
        form.get_by_label("amount").fill("9.5")
        page.click("[data-dry=true]")
        page.wait_for_selector("#outcome pre, #outcome .bad")
        assert "currency" in page.inner_text("#outcome")
        form.get_by_label("currency").select_option('"EUR"')
        page.click("[data-dry=true]")
        page.wait_for_selector("#outcome pre:has-text('POST')")
        shown = page.inner_text("#outcome pre")
        body = json.loads(shown[shown.index("{") :])
        assert body["price"] == {"amount": 9.5, "currency": "EUR"} and body["title"] == "Tide"


def test_a_hostile_document_is_text_on_every_page(page: Any, tmp_path: Path) -> None:
    with workbench(hostile_document(tmp_path), tmp_path) as address:
        watch = Watch(page, address)
        page.on("dialog", lambda dialog: watch.errors.append(dialog.message))
        settled(page, address)
        own = address.rstrip("/")
        for path in PATHS:
            settled(page, own + path)
            assert page.locator("img").count() == 0
        settled(page, f"{own}/tools")
        for button in page.locator("button.edit").all()[:4]:
            button.click()
        page.wait_for_selector("form.editor")
        watch.nothing_happened()


class Evil(BaseHTTPRequestHandler):
    """Another site, whose page tries to drive the workbench at `target`."""

    target = ""

    def do_GET(self) -> None:
        attack = f"""<form id=f method=post enctype=text/plain action="{self.target}/undo"></form>
            <iframe id=w src="{self.target}/tools"></iframe><script>
            const done = (async () => {{
              const said = [];
              for (const options of [{{}}, {{method: 'POST', body: '{{}}'}}]) {{
                for (const mode of ['cors', 'no-cors']) {{
                  try {{
                    const answer = await fetch('{self.target}/undo', {{credentials: 'include', mode, ...options}});
                    said.push(answer.type === 'opaque' ? 'opaque' : answer.status + await answer.text());
                  }} catch (error) {{ said.push('failed'); }}
                }}
              }}
              return said;
            }})();</script>"""
        content = attack.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def evil() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_another_site_cannot_drive_it(page: Any, tmp_path: Path, evil: str) -> None:
    with workbench(BOOKSHOP, tmp_path) as address:
        own = address.rstrip("/")
        settled(page, address)
        settled(page, f"{own}/tools")
        page.locator("tbody input[type=checkbox]").first.click()
        page.wait_for_selector("#pending summary")
        edits = page.inner_text("#pending summary")
        Evil.target = own
        for site in (evil, evil.replace("127.0.0.1", "evil.example")):
            other = page.context.new_page()
            other.set_default_timeout(SLOW)
            settled(other, site)
            assert set(other.evaluate("() => done")) <= {"failed", "opaque"}
            assert "Bookshop" not in other.frames[-1].content()
            other.evaluate("() => document.querySelector('#f').submit()")
            other.wait_for_url(f"{own}/undo")
            other.wait_for_load_state()
            assert "refused" in other.content()
            other.close()
        rebound = page.context.new_page()
        rebound.set_default_timeout(SLOW)
        assert rebound.goto(f"{own.replace('127.0.0.1', 'evil.example')}/tools").status == 421
        settled(page, f"{own}/tools")
        assert page.inner_text("#pending summary") == edits


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_360_pixels_are_enough(
    browser: Any, tmp_path: Path, scheme: str
) -> None:
    axe = os.environ.get("AXE", "")
    folder = tmp_path / ("a_folder_whose_name_has_no_place_to_break_" * 2)
    folder.mkdir()
    document = Path(shutil.copy(source()[0], folder))
    with workbench(document, tmp_path) as address:
        own = address.rstrip("/")
        for width in (1200, 360):
            context = browser.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            page = context.new_page()
            page.set_default_timeout(SLOW)
            settled(page, address)
            for path in PATHS:
                settled(page, own + path)
                if path == "/tools":
                    page.locator("button.edit").first.click()
                    page.wait_for_selector("form.editor")
                wide = page.evaluate("() => document.documentElement.scrollWidth")
                assert wide <= width, (path, wide)
                if axe:
                    assert faults(page, Path(axe).read_text("utf-8")) == [], (path, width)
            context.close()


def many(folder: Path, count: int) -> Path:
    """A document of that many operations."""
    paths = {
        f"/shelves/{n}/books": {"get": {"operationId": f"listBooksOfShelf{n}", "tags": [f"room {n % 9}"], "responses": {"200": {"description": "ok"}}}}
        for n in range(count)
    }  # fmt: skip
    path = folder / "shelves.json"
    info = {"title": "Shelves", "version": "1"}
    path.write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}))
    return path


def test_the_next_step_keeps_forty_tools_by_one_click(page: Any, tmp_path: Path) -> None:
    with workbench(many(tmp_path, 60), tmp_path) as address:
        settled(page, address)
        assert "a model chooses best among few" in page.inner_text("#next")
        with page.expect_event("load"):
            page.click("#next button")
        page.wait_for_selector("#next:has-text('look at the lines below, and save them')")
        assert page.locator("svg.map .leaf").count() == 40
        page.click("#pending summary")
        shown = page.inner_text("#pending pre")
        assert "+include_operations = [" in shown and shown.count("listBooksOfShelf") == 40


@pytest.mark.parametrize("count", [13, 1200])
def test_the_map_fits_a_screen_and_boxes_have_names_where_they_are_wide(
    page: Any, tmp_path: Path, count: int
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    with workbench(many(tmp_path, count), tmp_path) as address:
        settled(page, address)
        box = page.locator("svg.map").bounding_box()
        assert box["y"] + box["height"] <= 800
        wide = page.locator("svg.map .leaf").evaluate_all(
            "all => all.filter(leaf => leaf.querySelector('rect').width.baseVal.value >= 40"
            " && leaf.querySelector('rect').height.baseVal.value >= 14)"
            ".map(leaf => Boolean(leaf.querySelector('text')))"
        )
        assert all(wide) and bool(wide) == (count == 13)
        assert page.locator("svg.map .title").count() == 9
        page.locator("svg.map .zoom").first.press("Enter")
        page.wait_for_selector("text=Every toolset")
        leaves = page.locator("svg.map .leaf")
        assert 0 < leaves.count() <= count / 9 + 1
        assert leaves.filter(has=page.locator("text")).count() == leaves.count()

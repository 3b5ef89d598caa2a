"""How fast the workbench is on a large document, and the pictures of docs/: `make workbench`.

Prints, for the document that is named (else the bookshop): seconds until the first page is painted,
and milliseconds from a key in the filter until the table is laid out (median and worst). Pictures are of the bookshop, with changes of its address for the page Changes.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcpgen.cli import run

from .browser import chromium, missing, workbench
from .hostile import BOOKSHOP

PICTURES = Path(__file__).parents[2] / "docs" / "workbench"
WORDS = ("list issues", "repo", "delete org secret", "zzz")
FILTER = """(text) => new Promise((done) => {
  const search = document.querySelector('#search');
  search.value = text;
  const start = performance.now();
  search.dispatchEvent(new Event('input'));
  document.body.offsetHeight; // until everything is laid out
  done(performance.now() - start);
})"""


def main(document: Path) -> int:
    """Measure, then take the pictures."""
    if missing():
        print(missing())
        return 1
    with chromium() as browser, tempfile.TemporaryDirectory() as name:
        measure(browser, document, Path(name))
        pictures(browser, Path(name))
    return 0


def measure(browser: Any, document: Path, folder: Path) -> None:
    """Print the figures of a document."""
    start = time.perf_counter()
    with workbench(document.resolve(), folder) as address:
        print(f"read and understood: {time.perf_counter() - start:.1f} s")
        page = browser.new_page()
        for path in ("", "/tools"):
            url = address if not path else address.split("/?")[0] + path
            page.goto(url, wait_until="commit")
            page.wait_for_load_state("load")
            paint = page.evaluate(
                "() => new Promise((done) => new PerformanceObserver((list) => {"
                " for (const entry of list.getEntries())"
                " if (entry.name === 'first-contentful-paint') done(entry.startTime);"
                "}).observe({type: 'paint', buffered: true}))"
            )
            print(f"{path or '/'}: first paint {paint / 1000:.2f} s")
            page.wait_for_load_state("networkidle")
        times = []
        for words in WORDS:
            for end in [*range(1, len(words) + 1), 0]:
                times.append(page.evaluate(FILTER, words[:end]))
        print(
            f"filtering {page.locator('table.tools tbody tr').count():,} tools:"
            f" median {statistics.median(times):.0f} ms a key, worst {max(times):.0f} ms"
        )
        page.close()


def pictures(browser: Any, folder: Path) -> None:
    """The pictures of docs/workbench.md and of the README."""
    PICTURES.mkdir(exist_ok=True)
    document = folder / "bookshop.yaml"
    text = BOOKSHOP.read_text("utf-8")
    document.write_text(text, "utf-8")
    project = folder / "mcp-bookshop"
    run(["generate", str(document), "--quiet", "-o", str(project)])
    text = text.replace("api.bookshop.example", "shop.example")
    document.write_text(text.replace("summary: Get one book", "summary: Show one book"), "utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 870})
    with workbench(project.name, folder) as address:
        own = address.split("/?")[0]
        page.goto(address)
        page.wait_for_selector("#by-score:enabled")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=PICTURES / "overview.png")
        page.set_viewport_size({"width": 1100, "height": 760})
        page.goto(f"{own}/changes")
        page.wait_for_selector(".accept")
        page.screenshot(path=PICTURES / "changes.png")
        page.goto(f"{own}/tools")
        page.wait_for_load_state("networkidle")
        page.locator("tr[data-name=remove_book] input").click()
        page.locator("tr[data-name=add_book] button.edit").click()
        page.wait_for_selector("form.editor")
        page.locator(".editor textarea").first.fill("Add a book that the shop has bought.")
        page.keyboard.press("Tab")
        page.wait_for_selector("#pending summary")
        page.click("#pending summary")
        page.evaluate("() => scrollTo(0, 190)")
        page.screenshot(path=PICTURES / "tools.png")
    page.close()


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2]) if sys.argv[1:] else BOOKSHOP))

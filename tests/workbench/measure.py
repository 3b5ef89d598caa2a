"""How fast the workbench is on a large document: `make workbench`.

Prints, for the document that is named (else the bookshop): seconds until the first page is painted,
milliseconds from a key in the filter until the table is laid out (median and worst), and the most
megabytes that the server has had: after every page, and after 100 edits and every page once more.
Of filtering it prints the processor's time of the page as well, which other work of the machine
does not lengthen.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .browser import chromium, missing, started
from .hostile import BOOKSHOP
from .tour import SLOW

WORDS = ("list issues", "repo", "delete org secret", "zzz")
FILTER = """(text) => new Promise((done) => {
  const search = document.querySelector('#search');
  search.value = text;
  const start = performance.now();
  search.dispatchEvent(new Event('input'));
  document.body.offsetHeight; // until everything is laid out
  done(performance.now() - start);
})"""

EDIT = """async (number) => {
  const headers = {'Content-Type': 'application/json'};
  const changes = [[['title'], `Title ${number}`]];
  const answer = await fetch('/change', {method: 'POST', headers, body: JSON.stringify({number, changes})});
  if (!answer.ok) throw new Error(await answer.text());
}"""
PAGES = ("/", "/tools", "/tool/1", "/find?q=list+issues", "/problems", "/changes")
EDITS = 100


def main(document: Path) -> int:
    """Measure."""
    if missing():
        print(missing())
        return 1
    with chromium() as browser, tempfile.TemporaryDirectory() as name:
        measure(browser, document, Path(name))
    return 0


def measure(browser: Any, document: Path, folder: Path) -> None:
    """Print the figures of a document."""
    start = time.perf_counter()
    with started(document.resolve(), folder) as (address, process):
        print(f"read and understood: {time.perf_counter() - start:.1f} s")
        page = browser.new_page()
        page.set_default_timeout(SLOW)
        for path in ("", "/tools"):
            page.goto(address.rstrip("/") + path, wait_until="commit")
            page.wait_for_load_state("load")
            paint = page.evaluate(
                "() => new Promise((done) => new PerformanceObserver((list) => {"
                " for (const entry of list.getEntries())"
                " if (entry.name === 'first-contentful-paint') done(entry.startTime);"
                "}).observe({type: 'paint', buffered: true}))"
            )
            print(f"{path or '/'}: first paint {paint / 1000:.2f} s")
            page.wait_for_load_state("networkidle")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        times, processor = [], []
        for words in WORDS:
            for end in [*range(1, len(words) + 1), 0]:
                before = busy(session)
                times.append(page.evaluate(FILTER, words[:end]))
                processor.append((busy(session) - before) * 1000)
        count = page.locator("table.tools tbody tr").count()
        print(
            f"filtering {count:,} tools:"
            f" median {statistics.median(times):.0f} ms a key, worst {max(times):.0f} ms;"
            f" of the processor {statistics.median(processor):.0f} and {max(processor):.0f} ms"
        )
        memory = []
        for edits in (0, EDITS):
            for number in range(edits):
                page.evaluate(EDIT, number % count)
            for path in PAGES:
                page.goto(address.rstrip("/") + path)
                page.wait_for_load_state("networkidle")
            memory.append(peak(process))
        print(
            f"memory of the server: {memory[0]:,.0f} MB at most,"
            f" {memory[1]:,.0f} MB after {EDITS} edits"
        )
        page.close()


def peak(process: int) -> float:
    """The most megabytes that a process has had in memory (Linux)."""
    status = Path(f"/proc/{process}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def busy(session: Any) -> float:
    """Seconds that the page's main thread has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(item["value"] for item in metrics if item["name"] == "TaskDuration"))


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2]) if sys.argv[1:] else BOOKSHOP))

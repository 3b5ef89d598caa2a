"""How fast the workbench is on a large document: `make workbench`.

Prints, for the document that is named (else the bookshop): seconds until the first page is painted,
milliseconds from a key in the filter until the table is laid out (median and worst), and megabytes
of the server. Of filtering it prints the processor's time of the page as well, which other work of
the machine does not lengthen.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .browser import chromium, missing, workbench
from .hostile import BOOKSHOP

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
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        times, processor = [], []
        for words in WORDS:
            for end in [*range(1, len(words) + 1), 0]:
                before = busy(session)
                times.append(page.evaluate(FILTER, words[:end]))
                processor.append((busy(session) - before) * 1000)
        print(
            f"filtering {page.locator('table.tools tbody tr').count():,} tools:"
            f" median {statistics.median(times):.0f} ms a key, worst {max(times):.0f} ms;"
            f" of the processor {statistics.median(processor):.0f} and {max(processor):.0f} ms"
        )
        page.close()


def busy(session: Any) -> float:
    """Seconds that the page's main thread has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(item["value"] for item in metrics if item["name"] == "TaskDuration"))


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2]) if sys.argv[1:] else BOOKSHOP))

"""Diffs of real APIs: `python tests/longrun/histories.py FOLDER ...`, each with the versions of one
document in the order of their names. A line for each step. The exit code is 1 when a diff fills
more than a screen, or a tool has another name than it had.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mcpgen import pipeline
from mcpgen.compare.reports import as_text, counts
from mcpgen.compare.servers import diff
from mcpgen.compare.sides import Side, side_of_server
from mcpgen.config import Config
from mcpgen.problems import Problems

LINES = 45


def main(folder: Path) -> int:
    """Take every step of one history, and count those that broke a promise."""
    broken = 0
    before: Side | None = None
    for path in sorted(folder.iterdir()):
        config = Config(sources=(str(path),), name=folder.name, base_url="https://api.example")
        lock = before.lock if before else None
        after = side_of_server(pipeline.understand(config, Problems(), lock=lock)[1])
        if before:
            found = diff(before, after)
            lines = as_text(found).splitlines()
            renamed = [change.tool for change in found.changes if change.event == "renamed"]
            broken += len(lines) > LINES or bool(renamed)
            print(f"{path.name}: {len(lines)} lines, {counts(found)}", *renamed, flush=True)
        before = after
    return broken


if __name__ == "__main__":
    sys.exit(sum(map(main, map(Path, sys.argv[1:]))) > 0)

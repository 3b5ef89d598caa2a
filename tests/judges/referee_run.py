"""The referee's `run.py`, given its folder and its arguments: `referee_run.py SOURCES --spec …`.

Runs with the referee's own Python. The alarm that ends the search for arguments of one tool may go
off where the referee does not expect it, and would end the score of a whole document: here it ends
that search alone.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Run the referee."""
    sources = Path(sys.argv.pop(1))
    sys.path[0] = str(sources)
    import gen  # type: ignore[import-not-found]

    search = gen.fuzz

    def fuzz(*arguments: Any) -> tuple[list[Any], str]:
        try:
            return search(*arguments)  # type: ignore[no-any-return]
        except gen.Timeout:
            return [], "timeout"

    gen.fuzz = fuzz
    runpy.run_path(str(sources / "run.py"), run_name="__main__")


if __name__ == "__main__":
    main()

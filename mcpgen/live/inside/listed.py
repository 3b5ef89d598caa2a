"""Print the tools of a package as its server lists them, as JSON."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from importlib import import_module


def main(package: str) -> int:
    """Print the tools on stdout; return 0, or 1 if the server does not start."""
    try:
        with redirect_stdout(sys.stderr):  # what tools print must not reach the answer
            app = import_module(package).App(package)
    except Exception as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    json.dump(app.listed, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

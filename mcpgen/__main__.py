"""`python -m mcpgen` is `mcpgen`."""

import contextlib
import sys
from pathlib import Path


def leave_current_folder() -> None:
    """Take the current folder, which `python -m` puts first, off the import path.

    A `black.py` there would be imported in place of the library.
    """
    if sys.flags.safe_path:
        return
    with contextlib.suppress(OSError):  # the folder may be gone
        if Path(sys.path[0]).samefile(Path.cwd()):
            del sys.path[0]


if __name__ == "__main__":
    leave_current_folder()
    from .cli import main

    main()

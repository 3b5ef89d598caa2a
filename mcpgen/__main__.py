"""`python -m mcpgen` is `mcpgen`."""

import os
import sys


def leave_current_folder() -> None:
    """Take the current folder, which `python -m` puts first, off the import path.

    A `black.py` there would be imported in place of the library. Until then only `os` and `sys`
    are imported, which every interpreter has loaded when it starts.
    """
    if sys.flags.safe_path:
        return
    try:
        is_current = os.path.samefile(sys.path[0] or os.curdir, os.curdir)  # noqa: PTH121
    except OSError:  # the folder is gone
        return
    if is_current:
        del sys.path[0]


if __name__ == "__main__":
    leave_current_folder()
    from .cli import main

    main()

"""`python -m mcpgen` is `mcpgen`."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def end_at_once(*_: object) -> NoReturn:
    """End as interrupted. While modules are imported there is nothing to clean up, and an import
    may turn an exception into another one.
    """
    os.write(2, b"\nerror: interrupted\n  hint: nothing was written\n")
    os._exit(130)


try:
    import os
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
except KeyboardInterrupt:
    sys.exit(130)


def leave_current_folder() -> None:
    """Take the current folder, which `python -m` puts first, off the import path.

    A `black.py` there would be imported instead of the library. Until then only modules of Python's
    own start are imported, and `signal`.
    """
    if sys.flags.safe_path:
        return
    try:
        is_current = os.path.samefile(sys.path[0] or os.curdir, os.curdir)  # noqa: PTH121
    except OSError:  # the folder is gone
        return
    if is_current:
        del sys.path[0]


def main() -> None:
    """The `mcpgen` console script."""
    from .cli import main as run

    run()


if __name__ == "__main__":
    leave_current_folder()
    main()

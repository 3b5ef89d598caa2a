"""Start the server: `python -m` this package, or the command that pip installs."""

import sys

from .runtime.command import main as serve


def main() -> int:
    """Serve until the client leaves; the exit code."""
    return serve(__package__)


if __name__ == "__main__":
    sys.exit(main())
